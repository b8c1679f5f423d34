package chunk_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

func TestT3_MessageOfAnErrorItem(t *testing.T) {
	typed := errors.New("typed")
	for _, c := range []struct {
		item chunk.Item
		want string
	}{
		{chunk.Item{}, ""},
		{chunk.Item{Event: "note", Comments: []string{"a"}}, ""},
		{chunk.Item{Event: "error", Comments: []string{"worker lost", "rank 3"}}, "worker lost -- rank 3"},
		{chunk.Item{Event: "error"}, chunk.ErrUnspecified.Error()},
		{chunk.Item{Event: "error", Comments: []string{"a"}, Err: typed}, "typed"},
		{chunk.Item{Err: typed}, "typed"},
	} {
		err := c.item.Failure()
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%+v: %v", c.item, err)
		}
	}
}

func TestLatchKeepsTheFirstError(t *testing.T) {
	var l chunk.FirstError
	first := errors.New("first")
	l.Set(first)
	l.Set(errors.New("second"))
	if l.Err() != first {
		t.Errorf("got %v", l.Err())
	}
}

// all is a client that asked for everything.
func all(string) bool { return true }

func item(nvext string) *chunk.Item {
	return &chunk.Item{Data: &openai.Chunk{NVExt: openai.Raw(nvext)}}
}

func attach(j *chunk.Joiner, finished bool) string {
	var c openai.Chunk
	j.Attach(&c, finished)
	return string(c.NVExt)
}

func TestMergeOfNVExt(t *testing.T) {
	j := chunk.Joiner{Wants: all}
	for _, in := range []string{
		`{"completion_token_ids":[70],"engine_data":{"a":1,"b":2},"worker_id":{"decode_worker_id":9007199254740993}}`,
		`{"completion_token_ids":[71,72],"engine_data":{"a":5}}`,
		`{"completion_token_ids":"oops","timing":{"request_received_ms":1000,"total_time_ms":41.5}}`,
		`{"completion_token_ids":[ ]}`, `{"completion_token_ids":[ 73 ]}`, `null`, `[]`, `3`, `{}`,
	} {
		j.Collect(item(in))
	}
	want := `{"completion_token_ids":[70,71,72,73],"engine_data":{"a":5},"worker_id":{"decode_worker_id":9007199254740993}}`
	if got := attach(&j, false); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if j.Ignored != 4 {
		t.Errorf("%d values ignored", j.Ignored)
	}
	if got := attach(&j, true); got != `{"timing":{"request_received_ms":1000,"total_time_ms":41.5}}` || j.Pending() {
		t.Errorf("then %s, left %v", got, j.Pending())
	}
	if got := attach(&j, true); got != "" {
		t.Errorf("twice: %s", got)
	}
	j.Collect(item(`{"engine_data":{"a":1}}`))
	j.Collect(item(`{"engine_data":null}`))
	if got := attach(&j, true); got != `{"engine_data":null}` {
		t.Errorf("a null does not win: %s", got)
	}
}

func TestEvidenceBecomesMembers(t *testing.T) {
	j := chunk.Joiner{Wants: all}
	it := &chunk.Item{
		Data: &openai.Chunk{
			PromptTokenIDs: openai.Raw("[5]"), PromptLogprobs: openai.Raw("[null]"),
			Choices: []openai.Choice{{TokenIDs: openai.Raw("[1,2]")}},
		},
		EngineData: openai.Raw(`{"routed_experts":[[3]],"x":1}`),
		Stops:      []chunk.Stop{{Reason: openai.Raw(`"END"`)}, {Choice: 1}},
	}
	j.Collect(it)
	var c openai.Chunk
	j.Attach(&c, true)
	if got := string(c.NVExt); got != `{"completion_token_ids":[1,2],"prompt_token_ids":[5],"engine_data":{"routed_experts":[[3]],"x":1},"routed_experts":[[3]],"prompt_logprobs":[null]}` {
		t.Errorf("got %s", got)
	}
	if string(c.PromptLogprobs) != "[null]" {
		t.Errorf("prompt_logprobs %s", c.PromptLogprobs)
	}
	// The stop that was hit belongs to the choice that hit it.
	it = item(`{"stop_reason":"END","worker_id":1}`)
	it.Stops = []chunk.Stop{{Reason: openai.Raw(`"END"`)}}
	j.Collect(it)
	if got := attach(&j, true); got != `{"worker_id":1}` {
		t.Errorf("got %s", got)
	}
	// An engine that sends its own list is not counted twice.
	it = item(`{"completion_token_ids":[1]}`)
	it.Data.Choices = []openai.Choice{{TokenIDs: openai.Raw("[1]")}}
	j.Collect(it)
	if got := attach(&j, false); got != `{"completion_token_ids":[1]}` {
		t.Errorf("got %s", got)
	}
}

func TestT27_OnlyWhatWasAskedFor(t *testing.T) {
	j := chunk.Joiner{Wants: func(name string) bool { return name == "worker_id" }}
	j.Collect(item(`{"completion_token_ids":[1],"worker_id":{"a":1},"engine_data":{}}`))
	if got := attach(&j, true); got != `{"worker_id":{"a":1}}` {
		t.Errorf("got %s", got)
	}
	j = chunk.Joiner{Wants: func(string) bool { return false }}
	j.Collect(item(`{"completion_token_ids":[1]}`))
	if j.Pending() {
		t.Error("something is left that nobody asked for")
	}
}

func TestT12_MetricsAreSummedAndDrainedOnce(t *testing.T) {
	j := chunk.Joiner{Wants: all}
	for _, m := range []chunk.Metrics{{ChunkTokens: 2, OutputTokens: 2, InputTokens: 9}, {ChunkTokens: 3, OutputTokens: 5, InputTokens: 9}} {
		j.Collect(&chunk.Item{Metrics: &m})
	}
	if m, ok := j.DrainMetrics(); !ok || m.ChunkTokens != 5 || m.OutputTokens != 5 {
		t.Errorf("got %+v, %v", m, ok)
	}
	if m, ok := j.DrainMetrics(); ok {
		t.Errorf("twice: %+v", m)
	}
}

func TestWhatWasAttachedStaysUntilReset(t *testing.T) {
	j := chunk.Joiner{Wants: all}
	var a, b openai.Chunk
	j.Collect(item(`{"worker_id":{"long":"enough to be seen"}}`))
	j.Attach(&a, false)
	j.Collect(item(`{"x":1}`))
	j.Attach(&b, false)
	if string(a.NVExt) != `{"worker_id":{"long":"enough to be seen"}}` || string(b.NVExt) != `{"x":1}` {
		t.Errorf("%s, %s", a.NVExt, b.NVExt)
	}
}

// However ids are spread over items and outputs, each leaves once and in order.
func TestIDsLeaveOnceInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := chunk.Joiner{Wants: all}
		next, got := 0, []openai.Raw{}
		for range rapid.IntRange(1, 20).Draw(t, "items") {
			list := make([]string, rapid.IntRange(0, 3).Draw(t, "ids"))
			for i := range list {
				list[i] = string('0' + rune(next%10))
				next++
			}
			j.Collect(item(`{"completion_token_ids":[` + strings.Join(list, ",") + `]}`))
			if rapid.Bool().Draw(t, "output") {
				var c openai.Chunk
				j.Attach(&c, false)
				got = append(got, append(openai.Raw(nil), jsonx.Get(c.NVExt, "completion_token_ids")...))
			}
		}
		var c openai.Chunk
		j.Attach(&c, true)
		got = append(got, jsonx.Get(c.NVExt, "completion_token_ids"))
		seen := 0
		for _, list := range got {
			for a := jsonx.ArrayOf(list); ; seen++ {
				v, ok := a.Next()
				if !ok {
					break
				}
				if string(v) != string('0'+rune(seen%10)) {
					t.Fatalf("%s at place %d", v, seen)
				}
			}
		}
		if seen != next {
			t.Fatalf("%d of %d ids", seen, next)
		}
	})
}

func TestFinishRules(t *testing.T) {
	for _, c := range []struct {
		rules      chunk.FinishRules
		engine     string
		calls, cut bool
		want       string
		none       string // without the engine's reason
	}{
		{chunk.FinishRules{}, "stop", false, false, "stop", ""},
		{chunk.FinishRules{}, "stop", true, false, "tool_calls", "tool_calls"},
		{chunk.FinishRules{}, "length", true, false, "length", "tool_calls"},
		{chunk.FinishRules{}, "content_filter", true, true, "content_filter", "tool_calls"},
		{chunk.FinishRules{}, "tool_calls", true, false, "tool_calls", "tool_calls"},
		{chunk.FinishRules{}, "tool_calls", false, false, "stop", ""},
		{chunk.FinishRules{}, "function_call", false, false, "function_call", ""},
		{chunk.FinishRules{KeepStop: true}, "stop", true, false, "stop", "stop"},
		{chunk.FinishRules{CallsOff: true}, "tool_calls", false, false, "stop", ""},
		{chunk.FinishRules{CallsOff: true}, "function_call", false, false, "stop", ""},
		{chunk.FinishRules{}, "stop", false, true, "stop", ""},
		{chunk.FinishRules{CutIsLength: true}, "stop", false, true, "length", ""},
		{chunk.FinishRules{CutIsLength: true}, "stop", true, true, "tool_calls", "tool_calls"},
		{chunk.FinishRules{CutIsLength: true}, "stop", false, false, "stop", ""},
	} {
		if got := c.rules.ClientReason(c.engine, c.calls, c.cut); got != c.want {
			t.Errorf("%+v %s: %s", c.rules, c.engine, got)
		}
		if got := c.rules.MissingReason(c.calls); got != c.none {
			t.Errorf("%+v, none: %s", c.rules, got)
		}
	}
}

func TestT85_ReasonForTheParser(t *testing.T) {
	for _, c := range []struct {
		engine  string
		stop    abi.Finish
		grammar bool
		want    abi.Finish
	}{
		{"stop", abi.FinishEOS, true, abi.FinishEOS},
		{"stop", abi.FinishEOS, false, abi.FinishUnknown},
		{"stop", abi.FinishUnknown, true, abi.FinishUnknown},
		{"stop", abi.FinishUserStop, true, abi.FinishUserStop},
		{"stop", abi.FinishUserStop, false, abi.FinishUserStop},
		{"length", abi.FinishEOS, true, abi.FinishLength},
		{"content_filter", abi.FinishEOS, true, abi.FinishLength},
		{"tool_calls", abi.FinishEOS, true, abi.FinishUnknown},
		{"", abi.FinishEOS, true, abi.FinishUnknown},
	} {
		r := chunk.FinishRules{TurnGrammar: c.grammar}
		if got := r.ParserReason(c.engine, chunk.Stop{Finish: c.stop}); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestUsageHold(t *testing.T) {
	side := func(n int64) *openai.Chunk { return &openai.Chunk{Usage: &openai.Usage{CompletionTokens: n}} }
	withChoice := func(n int64) *openai.Chunk {
		c := side(n)
		c.Choices = []openai.Choice{{}}
		return c
	}
	h := chunk.UsageHold{Final: true, Running: true}
	if h.Latest() != nil || h.TakeRunning() != nil {
		t.Error("usage out of nothing")
	}
	c := withChoice(3)
	h.Collect(c)
	if u := h.TakeRunning(); c.Usage != nil || u == nil || u.CompletionTokens != 3 || h.TakeRunning() != nil {
		t.Errorf("running: %+v", u)
	}
	h.Collect(side(5))
	if h.TakeRunning() != nil || h.Latest().CompletionTokens != 5 {
		t.Error("usage alone is not running usage")
	}
	h.CountReasoning(9)
	if u := h.Latest(); u.ReasoningTokens != 5 {
		t.Errorf("more reasoning than tokens: %+v", u)
	}
	h = chunk.UsageHold{Final: false, Running: true}
	h.Collect(withChoice(3))
	if h.TakeRunning() != nil {
		t.Error("running usage without the final one")
	}
}

func TestMakerMakesANewChunk(t *testing.T) {
	m := chunk.Maker{Frame: openai.Frame{ID: "i", Model: "m"}}
	m.AdoptFrame(openai.Frame{ID: "engine", Model: "other", SystemFingerprint: "fp"})
	c := m.WithChoice(1)
	c.NVExt, c.Usage, c.Choices[0].Logprobs = openai.Raw("{}"), &openai.Usage{}, openai.Raw("{}")
	c.Choices[0].Delta.ToolCalls = append(m.CallsOfLast(), openai.ToolCall{ID: "x"})
	m.Reset()
	c = m.WithChoice(0)
	if c.ID != "i" || c.SystemFingerprint != "fp" || c.NVExt != nil || c.Usage != nil || chunk.VisibleToClient(c) || c.Choices[0].Index != 0 {
		t.Errorf("%+v", c)
	}
	if s := m.WithoutChoices(); s.Model != "m" || s.Choices != nil || chunk.VisibleToClient(s) {
		t.Errorf("%+v", s)
	}
}

func TestVisibleChunks(t *testing.T) {
	one := func(c openai.Choice) *openai.Chunk { return &openai.Chunk{Choices: []openai.Choice{c}} }
	for want, list := range map[bool][]*openai.Chunk{
		false: {{}, one(openai.Choice{}), one(openai.Choice{Index: 3})},
		true: {
			{Usage: &openai.Usage{}}, {NVExt: openai.Raw("{}")}, {PromptLogprobs: openai.Raw("[]")}, {Extra: []openai.Member{{}}},
			one(openai.Choice{FinishReason: "stop"}), one(openai.Choice{Logprobs: openai.Raw("{}")}), one(openai.Choice{Extra: []openai.Member{{}}}),
			one(openai.Choice{Delta: openai.Delta{Role: "assistant"}}), one(openai.Choice{Delta: openai.Delta{Content: "x"}}),
			one(openai.Choice{Delta: openai.Delta{Reasoning: "x"}}), one(openai.Choice{Delta: openai.Delta{Refusal: "x"}}),
			one(openai.Choice{Delta: openai.Delta{Parts: openai.Raw("[]")}}), one(openai.Choice{Delta: openai.Delta{ToolCalls: []openai.ToolCall{{}}}}),
		},
	} {
		for i, c := range list {
			if chunk.VisibleToClient(c) != want {
				t.Errorf("%d: want %v of %+v", i, want, c)
			}
		}
	}
}
