package stream_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/builtin/kimik2"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/prompt"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestT78_ReasoningOffBecomesContent(t *testing.T) {
	request := `"chat_template_kwargs":{"enable_thinking":false}`
	lines := []string{text("<think>Look. </think>It is dry."), finish("stop")}
	for name, model := range routes(t) {
		for _, l := range [][]string{lines, cuts(lines)} {
			r, _ := both(t, scene{model: model, request: request, lines: l})
			r.want(t, 0, "stop", "text:Look. It is dry.")
			if r.count("reasoning") != 0 {
				t.Errorf("%s:\n%s", name, r.text())
			}
		}
	}
	made := `{"choices":[{"index":0,"delta":{"reasoning_content":"The engine's."}}]}`
	r, _ := both(t, scene{request: request, lines: []string{made, finish("stop")}})
	r.want(t, 0, "stop", "text:The engine's.")
}

func prompted(t testing.TB, text string) func(*stream.Model) {
	return func(m *stream.Model) {
		withHermes(t, route.Auto)(m)
		m.Route.Render = func(context.Context, *openai.ChatRequest, route.PromptRequest) (prompt.Prompt, bool) {
			return prompt.Prompt{Text: text, Whole: true, Turn: len(text)}, true
		}
	}
}

func TestT80_T82_WhereTheAnswerBegins(t *testing.T) {
	schema := `"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":{"type":"object"}}}`
	for _, c := range []struct {
		prompt, request, text string
		events                []string
	}{
		{"<think>\n\n", "", "Pale.</think>Water it.", []string{"reasoning:Pale.", "text:Water it."}},
		{"<think>\n\n</think>\n\n", "", "Water it.", []string{"text:Water it."}},
		{"What is <think> for?\nassistant:", "", "It opens.", []string{"text:It opens."}},
		{"<think>\n", schema, " \n{\"bed\":2}", []string{"text: \n{\"bed\":2}"}},
		{"<think>\n", schema, "the bed is dry</think>{\"bed\":2}", []string{"reasoning:the bed is dry", "text:{\"bed\":2}"}},
		{"<think>\n", schema, "  ", []string{"reasoning:  "}},
	} {
		for _, l := range [][]string{{text(c.text)}, cuts([]string{text(c.text)})} {
			r, _ := both(t, scene{model: prompted(t, c.prompt), request: c.request, lines: append(l, finish("stop"))})
			r.want(t, 0, "stop", c.events...)
		}
	}
}

func TestT83_ContentMustNotBeEmpty(t *testing.T) {
	request := `"chat_template_kwargs":{"force_nonempty_content":true}`
	for _, c := range []struct {
		text   string
		events []string
	}{
		{"<think>Blue pot.</think>", []string{"text:Blue pot."}},
		{"<think>Blue pot.</think> \n", []string{"text:Blue pot. \n"}},
		{"<think>Blue pot.</think>Blue.", []string{"reasoning:Blue pot.", "text:Blue."}},
		{"<think>Hot.</think>" + call, []string{"reasoning:Hot.", `call:open_vent {"house":3}`}},
	} {
		for name, model := range routes(t) {
			for _, l := range [][]string{{text(c.text)}, cuts([]string{text(c.text)})} {
				r, _ := both(t, scene{model: model, request: tools + "," + request, lines: append(l, finish("stop"))})
				r.want(t, 0, map[bool]string{true: "tool_calls", false: "stop"}[strings.Contains(c.text, "tool_call")], c.events...)
				if !r.op.Silent() {
					t.Errorf("%s: no keep-alive", name)
				}
			}
		}
	}
	r := play(t, scene{model: withHermes(t, route.Auto), request: request, lines: []string{text("<think>Blue"), "cut"}})
	if r.err == nil || r.count("Blue") != 0 {
		t.Errorf("after an error: %v\n%s", r.err, r.text())
	}
}

func TestT98_T99_T100_Usage(t *testing.T) {
	running := `{"choices":[{"index":0,"delta":{"content":"Dry."}}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`
	lines := []string{running, finish("stop"), usage}
	for _, c := range []struct {
		options string
		usages  int
	}{
		{"", 0},
		{`"stream_options":{"include_usage":true}`, 1},
		{`"stream_options":{"continuous_usage_stats":true}`, 0},
		{`"stream_options":{"include_usage":true,"continuous_usage_stats":true}`, 2},
	} {
		r := play(t, scene{request: c.options, lines: lines})
		if r.count(`"usage":{`) != c.usages {
			t.Errorf("%s:\n%s", c.options, r.text())
		}
		last := r.frames[len(r.frames)-1]
		if c.usages > 0 && (!strings.Contains(last, `"choices":[]`) || !strings.Contains(last, `"completion_tokens":5`)) {
			t.Errorf("%s: the last is %s", c.options, last)
		}
	}
	r := play(t, scene{lines: lines, batch: true})
	if r.count(`"completion_tokens":5`) != 1 {
		t.Error(r.text())
	}
	r = play(t, scene{lines: []string{text("Noted."), text(" Well."), finish("stop")}, batch: true})
	if r.count(`"usage"`) != 0 {
		t.Errorf("the engine told none: %s", r.text())
	}
	r = play(t, scene{model: func(m *stream.Model) { m.AlwaysUsage = true }, lines: lines})
	if r.count(`"usage":{`) != 1 {
		t.Error(r.text())
	}
	r = play(t, scene{request: `"stream_options":{"include_usage":true}`, lines: []string{text("No end."), usage}})
	if r.count(`"usage":{`) != 1 {
		t.Errorf("usage that was asked for, of a stream without a finish reason: %s", r.text())
	}
}

func TestT93_T94_Calls(t *testing.T) {
	broken := `<tool_call>{"name":}</tool_call>`
	for name, model := range routes(t) {
		r, _ := both(t, scene{model: model, request: tools, lines: []string{text(call), text(broken), text(call), finish("stop")}})
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`, "text:"+broken, `call:open_vent {"house":3}`)
		if r.count(`"index":2`) != 0 || r.count(`"tool_calls":[{"index":1`) != 1 {
			t.Errorf("%s:\n%s", name, r.text())
		}
	}
	pieces := []string{text(`<tool_call>{"name":"water_plant","arguments":{"bed":"ro`), text(`ses","n":`), text(`2.0}}`), text(`</tool_call>`), finish("stop")}
	r, _ := both(t, scene{model: withHermes(t, route.Auto), request: tools, lines: pieces})
	r.want(t, 0, "tool_calls", `call:water_plant {"bed":"roses","n":2.0}`)
	if len(r.frames) < 4 {
		t.Errorf("the arguments don't stream:\n%s", r.text())
	}
}

// Short ids are nine letters and digits, on every route.
func TestShortIDs(t *testing.T) {
	shortID := regexp.MustCompile(`"id":"[0-9A-Za-z]{9}","type":"function"`)
	for name, model := range routes(t) {
		for _, short := range []bool{true, false} {
			s, w := both(t, scene{model: func(m *stream.Model) { model(m); m.ShortIDs = short }, request: tools, lines: []string{text(call + call), finish("stop")}})
			for _, r := range []*result{s, w} {
				if n := len(shortID.FindAllString(r.text(), -1)); (n == 2) != short || !short && n != 0 {
					t.Errorf("%s, short %v: %d short ids\n%s", name, short, n, r.text())
				}
			}
		}
	}
}

// A grammar's own id passes; seen again, it is replaced by one of the family's form.
func TestT95_IDsOfTheGrammar(t *testing.T) {
	list := engines(t, &kimik2.Module, "kimi_k2")
	f := parser.FamilyOf(list[0], list)
	model := func(m *stream.Model) { m.Route.Parsers = route.NewParsers(&f, &f) }
	one := `<|tool_call_begin|>functions.open_vent:0<|tool_call_argument_begin|>{"house":3}<|tool_call_end|>`
	lines := []string{text("<|tool_calls_section_begin|>" + one + one + "<|tool_calls_section_end|>"), finish("stop")}
	s, w := both(t, scene{model: model, request: tools, lines: lines})
	for _, r := range []*result{s, w} {
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`, `call:open_vent {"house":3}`)
		if r.count(`"id":"functions.open_vent:0"`) != 1 || r.count(`"id":"functions.open_vent:1"`) != 1 || s.counts["id_replaced"] != 1 {
			t.Errorf("counted %v:\n%s", s.counts, r.text())
		}
	}
}

func TestT97_ContentIsNullWithoutText(t *testing.T) {
	r := play(t, scene{model: withHermes(t, route.Auto), request: tools, lines: []string{text(call), finish("stop")}, batch: true})
	if r.count(`"content":null`) != 1 {
		t.Error(r.text())
	}
	s := play(t, scene{model: withHermes(t, route.Auto), request: tools, lines: []string{text("Hi."), finish("stop")}, batch: true})
	if s.count("tool_calls") != 0 {
		t.Error(s.text())
	}
}

func TestT103_EmptyChunksAreNotSent(t *testing.T) {
	void := text("")
	r := play(t, scene{lines: []string{role, text("Pale "), void, text("leaf."), void, finish("stop")}})
	r.want(t, 0, "stop", "text:Pale leaf.")
	if len(r.frames) != 4 {
		t.Errorf("%d frames:\n%s", len(r.frames), r.text())
	}
	r = play(t, scene{profile: "dynamo", request: fields("completion_token_ids"), lines: []string{role, text("Pale "), with(void, `"nvext":{"completion_token_ids":[92]}`), text("leaf."), finish("stop")}})
	if at := r.frame("[92]"); at != 2 || strings.Contains(r.frames[at], "leaf") {
		t.Errorf("at %d:\n%s", at, r.text())
	}
}

func TestT107_ReasoningOfTheEngine(t *testing.T) {
	for _, name := range []string{"reasoning", "reasoning_content"} {
		for _, model := range []func(*stream.Model){nil, withHermes(t, route.Auto)} {
			r, _ := both(t, scene{model: model, lines: []string{`{"choices":[{"index":0,"delta":{"` + name + `":"Pale soil."}}]}`, text("Water it."), finish("stop")}})
			r.want(t, 0, "stop", "reasoning:Pale soil.", "text:Water it.")
			if r.count(`"reasoning":`) != 0 {
				t.Error(r.text())
			}
		}
	}
}

func TestFrameOfChunkIsTheServersOwn(t *testing.T) {
	line := with(text("Fine."), `"id":"engine-17","created":5,"model":"/weights/big","system_fingerprint":"fp_g7","service_tier":"flex"`)
	s, w := both(t, scene{lines: []string{line, finish("stop"), usage}, request: fields("timing")})
	for _, r := range []*result{s, w} {
		if r.count("engine-17")+r.count("/weights/") != 0 || r.count(`"system_fingerprint":"fp_g7"`) != len(r.frames) || r.count(`"service_tier":"flex"`) != len(r.frames) {
			t.Error(r.text())
		}
	}
}

func TestExtraMembersPassOnce(t *testing.T) {
	lines := []string{
		with(strings.Replace(text("Fine."), `"finish_reason"`, `"matched":"c","finish_reason"`, 1), `"top":{"n":9007199254740993}`),
		`{"choices":[{"index":0,"delta":{"annotations":[1]}}]}`, finish("stop"),
	}
	s, w := both(t, scene{lines: lines})
	for _, r := range []*result{s, w} {
		for _, once := range []string{`"matched":"c"`, `"top":{"n":9007199254740993}`, `"annotations":[1]`} {
			if r.count(once) != 1 {
				t.Errorf("%s:\n%s", once, r.text())
			}
		}
	}
}

// silent is an engine that says one thing and then nothing until it is stopped.
type silent struct {
	ctx    context.Context
	said   bool
	closed sync.Once
	gone   chan struct{}
}

func (s *silent) Stream(ctx context.Context, _ *backend.Request) (backend.Stream, error) {
	s.ctx = ctx
	return s, nil
}

func (s *silent) Profile() *backend.Profile {
	p, _ := backend.ProfileByName("openai")
	return p
}

func (s *silent) Next() (chunk.Item, error) {
	if !s.said {
		s.said = true
		c := &openai.Chunk{}
		if err := c.Decode([]byte(text("Hm."))); err != nil {
			return chunk.Item{}, err
		}
		return chunk.Item{Data: c}, nil
	}
	<-s.ctx.Done()
	return chunk.Item{}, &backend.Error{Status: 502, Cause: s.ctx.Err()}
}

func (s *silent) Close() { s.closed.Do(func() { close(s.gone) }) }

func hang(t *testing.T, limits stream.Timeouts, ctx context.Context, meanwhile func(*stream.Operator)) error {
	t.Helper()
	engine := &silent{gone: make(chan struct{})}
	m := &stream.Model{Name: "m", Backend: engine, Timeouts: limits}
	request, err := openai.DecodeRequest([]byte(`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	op, refused := m.Prepare(t.Context(), request)
	if refused != nil {
		t.Fatal(refused)
	}
	if err := op.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer op.Close()
	if it, err := op.Next(); err != nil || it.Data.Choices[0].Delta.Content != "Hm." {
		t.Fatalf("%v, %v", it, err)
	}
	if meanwhile != nil {
		go meanwhile(op)
	}
	_, err = op.Next()
	<-engine.gone // or the test never ends
	return err
}

func TestT104_IdleAndTotalLimits(t *testing.T) {
	for name, limits := range map[string]stream.Timeouts{
		"timeouts.idle":  {Idle: time.Millisecond, Total: time.Hour},
		"timeouts.total": {Idle: time.Hour, Total: time.Millisecond},
	} {
		var limit *stream.LimitError
		if err := hang(t, limits, context.Background(), nil); !errors.As(err, &limit) || limit.Limit != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestT102_CloseEndsAWaitingNext(t *testing.T) {
	if err := hang(t, stream.Timeouts{}, context.Background(), (*stream.Operator).Close); err == nil || err == io.EOF {
		t.Errorf("closed: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := hang(t, stream.Timeouts{}, ctx, func(*stream.Operator) { cancel() })
	if !errors.Is(err, context.Canceled) || stream.ErrorOf(err).Status != 499 {
		t.Errorf("cancelled: %v, %+v", err, stream.ErrorOf(err))
	}
}

func TestCompleteInPlaceOfNext(t *testing.T) {
	r := play(t, scene{lines: []string{choiceText(1, "b"), choiceText(0, "a"), choiceFinish(0, "stop"), choiceFinish(1, "length"), usage}, request: `"n":2`, batch: true})
	r.want(t, 0, "stop", "text:a")
	r.want(t, 1, "length", "text:b")
	if strings.Index(r.text(), `"index":0`) > strings.Index(r.text(), `"index":1`) {
		t.Error(r.text())
	}
}

func TestFS17_UnknownTools(t *testing.T) {
	other := strings.Replace(call, "open_vent", "burn_vent", 1)
	lines := []string{text("Well. "), text(other), text(call), finish("stop")}
	for name, model := range routes(t) {
		for _, l := range [][]string{lines, cuts(lines)} {
			for policy, want := range map[framing.UnknownTools][]string{
				framing.UnknownPass: {"text:Well. ", `call:burn_vent {"house":3}`, `call:open_vent {"house":3}`},
				framing.UnknownDrop: {"text:Well. ", `call:open_vent {"house":3}`},
				framing.UnknownText: {"text:Well. " + other, `call:open_vent {"house":3}`},
			} {
				r, _ := both(t, scene{model: func(m *stream.Model) { model(m); m.Unknown = policy }, request: tools, lines: l})
				r.want(t, 0, "tool_calls", want...)
				if r.counts["unknown_tool"] != 1 {
					t.Errorf("%s: counted %v", name, r.counts)
				}
			}
		}
	}
}

// Whatever the calls are and however the text is cut, all of an unknown call's
// raw text is there, once.
func TestFS17_UnknownToolsAsTextForEverySplit(t *testing.T) {
	other := strings.Replace(call, "open_vent", "burn_vent", 1)
	models := routes(t)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"unified", "split", "jail"}).Draw(rt, "route")
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{call, other, "a ", "ü", " b."}), 1, 6).Draw(rt, "parts")
		want := strings.NewReplacer(call, "").Replace(strings.Join(parts, ""))
		var lines []string
		for rest := []rune(strings.Join(parts, "")); len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 40)).Draw(rt, "cut")
			lines = append(lines, text(string(rest[:n])))
			rest = rest[n:]
		}
		model := func(m *stream.Model) { models[name](m); m.Unknown = framing.UnknownText }
		got := ""
		for _, e := range play(t, scene{model: model, request: tools, lines: append(lines, finish("stop"))}).view(0).events {
			if s, ok := strings.CutPrefix(e, "text:"); ok {
				got += s
			}
		}
		if got != want {
			rt.Fatalf("%s %q:\ngot  %q\nwant %q", name, parts, got, want)
		}
	})
}

func TestFS17_FaultInACallThatBecomesText(t *testing.T) {
	lines := []string{text("Well. "), text(`<tool_call>{"name":"burn_vent","arguments":{"h":1`), text("BOOM"), text(" end"), finish("stop")}
	for name := range routes(t) {
		r, _ := both(t, scene{model: faults(t, name, -1, "BOOM", func(m *stream.Model) { m.Unknown = framing.UnknownText }), request: tools, lines: lines})
		if got := r.view(0).events[0]; len(r.view(0).events) != 1 || !strings.HasSuffix(got, `{"name":"burn_vent","arguments":{"h":1BOOM end`) {
			t.Errorf("%s: %q", name, r.view(0).events)
		}
	}
	cut := []string{text("Well. "), text(`<tool_call>{"name":"burn_vent","arguments":{"h":1`), finish("length")}
	for _, model := range routes(t) {
		r, _ := both(t, scene{model: func(m *stream.Model) { model(m); m.Unknown = framing.UnknownText }, request: tools, lines: cut})
		r.want(t, 0, "length", "text:Well. ")
	}
}

func TestWarnedOncePerModel(t *testing.T) {
	log := &offsets{}
	var warned sync.Map
	count := 0
	log.each = func(string) { count++ }
	for range 3 {
		model := func(m *stream.Model) { m.Hooks.Log, m.Hooks.Warned = slog.New(log), &warned }
		play(t, scene{model: model, request: tools, lines: []string{text("Hi."), finish("stop")}})
	}
	made := `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"open_vent","arguments":"{}"}}]}}]}`
	for range 3 {
		model := func(m *stream.Model) {
			withHermes(t, route.Auto)(m)
			m.Hooks.Log, m.Hooks.Warned = slog.New(log), &warned
		}
		play(t, scene{model: model, request: tools, lines: []string{made, finish("tool_calls")}})
	}
	if count != 2 {
		t.Errorf("%d warnings", count)
	}
}
