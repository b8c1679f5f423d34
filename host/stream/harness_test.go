package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/builtin/hermes"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// scene is a request, the engine's lines, and how the model is set up.
type scene struct {
	profile string // "" is vllm
	model   func(*stream.Model)
	request string   // members of the request, without braces
	lines   []string // chunks; see script.Next
	open    bool     // the engine closes in good order but without [DONE]
	batch   bool
	edit    func(line int, it *chunk.Item) // changes the item of a line
}

const tools = `"tools":[
 {"type":"function","function":{"name":"open_vent","parameters":{"type":"object","properties":{"house":{"type":"integer"}}}}},
 {"type":"function","function":{"name":"water_plant","parameters":{"type":"object","properties":{"bed":{"type":"string"}}}}}]`

// script is an engine that plays lines: chunks, "cut" (the connection breaks) and
// "!…" (an annotation: its event, then its comments).
type script struct {
	scene   *scene
	profile *backend.Profile
	request *backend.Request
	reader  *backend.Reader
	at      int
	memory  [][]byte // of the last chunk
	chunk   openai.Chunk
	closed  int
}

func (s *script) Stream(_ context.Context, r *backend.Request) (backend.Stream, error) {
	s.request, s.reader = r, s.profile.NewReader(r)
	return s, nil
}

func (s *script) Profile() *backend.Profile { return s.profile }

var errCut = &backend.Error{Status: http.StatusBadGateway, Message: "connection reset", Code: "engine_broken"}

func (s *script) Next() (chunk.Item, error) {
	s.scribble()
	if s.at == len(s.scene.lines) {
		last, err := s.reader.End(!s.scene.open)
		if err != nil {
			return chunk.Item{}, err
		}
		if last != nil {
			return *last, nil
		}
		return chunk.Item{}, io.EOF
	}
	line := s.scene.lines[s.at]
	s.at++
	if line == "cut" {
		return chunk.Item{}, errCut
	}
	if note, ok := strings.CutPrefix(line, "!"); ok {
		parts := strings.Split(note, "|")
		return chunk.Item{Event: parts[0], Comments: parts[1:]}, nil
	}
	if err := s.chunk.Decode([]byte(line)); err != nil {
		panic(fmt.Sprintf("line %s: %v", line, err))
	}
	s.memory = appendBytesOf(s.memory[:0], reflect.ValueOf(&s.chunk))
	it, err := s.reader.Read(&s.chunk)
	if s.scene.edit != nil {
		s.scene.edit(s.at-1, &it)
	}
	return it, err
}

// scribble spoils the memory of the last chunk, which an engine may use again: what is
// to outlive the chunk has to be copied by then.
func (s *script) scribble() {
	for _, b := range s.memory {
		for i := range b {
			b[i] = '#'
		}
	}
}

// appendBytesOf appends all slices of bytes in a value.
func appendBytesOf(dst [][]byte, v reflect.Value) [][]byte {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			dst = appendBytesOf(dst, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				dst = appendBytesOf(dst, v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return append(dst, v.Bytes())
		}
		for i := range v.Len() {
			dst = appendBytesOf(dst, v.Index(i))
		}
	}
	return dst
}

func (s *script) Close() { s.closed++ }

// text is an engine's chunk with text.
func text(s string) string { return choiceText(0, s) }

func choiceText(index int, s string) string {
	b, _ := json.Marshal(s)
	return fmt.Sprintf(`{"choices":[{"index":%d,"delta":{"content":%s},"finish_reason":null}]}`, index, b)
}

// finish is an engine's chunk with only a finish reason.
func finish(reason string) string { return choiceFinish(0, reason) }

func choiceFinish(index int, reason string) string {
	return fmt.Sprintf(`{"choices":[{"index":%d,"delta":{},"finish_reason":%q,"stop_reason":null}]}`, index, reason)
}

const role = `{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`
const usage = `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`

// result is what a client gets.
type result struct {
	frames  []string // the chunks, or the one completion
	choices map[int]*view
	metrics []chunk.Metrics
	counts  map[string]int
	err     error
	script  *script
	op      *stream.Operator
	notes   int // items with an annotation
}

// view is one choice, merged.
type view struct {
	events []string // "text:…", "reasoning:…", "call:name arguments"
	finish string
}

func (v *view) add(kind, text string) {
	if text == "" {
		return
	}
	if n := len(v.events) - 1; n >= 0 && strings.HasPrefix(v.events[n], kind+":") {
		v.events[n] += text
		return
	}
	v.events = append(v.events, kind+":"+text)
}

func engines(t testing.TB, m *sdk.Module, names ...string) []parser.Engine {
	t.Helper()
	var list []parser.Engine
	for _, name := range names {
		e, err := native.Parser(m, name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// hermesEngines are made once: requests share them, as in the server.
var hermesEngines = sync.OnceValues(func() (list []parser.Engine, err error) {
	for _, name := range []string{"hermes", "hermes_tools", "hermes_reasoning", "hermes_batch"} {
		e, err := native.Parser(&hermes.Module, name)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
})

func hermesFamily(t testing.TB) *parser.Family {
	list, err := hermesEngines()
	if err != nil {
		t.Fatal(err)
	}
	f := parser.FamilyOf(list[0], list)
	return &f
}

// withHermes gives the model a parser, with the selector.
func withHermes(t testing.TB, v route.Version) func(*stream.Model) {
	return func(m *stream.Model) {
		f := hermesFamily(t)
		m.Route.Parsers, m.Route.Version = route.NewParsers(f, f), v
	}
}

// routes are the ways that a model with a parser for everything can be run.
func routes(t testing.TB) map[string]func(*stream.Model) {
	return map[string]func(*stream.Model){
		"unified": withHermes(t, route.Auto),
		"jail":    withHermes(t, route.V1),
		"split": func(m *stream.Model) {
			f := hermesFamily(t)
			m.Route.Parsers = route.NewParsers(f, f)
			m.Route.Parsers.Unified = nil
		},
	}
}

func prepare(t testing.TB, s *scene) (*stream.Operator, *openai.Error, *script, *result) {
	t.Helper()
	if s.profile == "" {
		s.profile = "vllm"
	}
	profile, err := backend.ProfileByName(s.profile)
	if err != nil {
		t.Fatal(err)
	}
	sc := &script{scene: s, profile: profile}
	res := &result{choices: map[int]*view{}, counts: map[string]int{}, script: sc}
	m := &stream.Model{Name: "m", Backend: sc, BlankText: stream.BlankKeep, Route: route.Model{CanGuide: profile.CanGuide}}
	m.Hooks.Metrics = func(m chunk.Metrics) { res.metrics = append(res.metrics, m) }
	m.Hooks.Anomaly = func(kind string, n int) {
		if !slices.Contains(stream.Anomalies, kind) {
			t.Errorf("the anomaly %s is not listed", kind)
		}
		res.counts[kind] += n
	}
	if s.model != nil {
		s.model(m)
	}
	if err := m.Route.Check(); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":%v`, !s.batch)
	if s.request != "" {
		body += "," + s.request
	}
	request, err := openai.DecodeRequest([]byte(body + "}"))
	if err != nil {
		var refused *openai.Error
		if errors.As(err, &refused) {
			return nil, refused, sc, res
		}
		t.Fatal(err)
	}
	op, refused := m.Prepare(context.Background(), request)
	return op, refused, sc, res
}

// play runs a scene to its end.
func play(t testing.TB, s scene) *result {
	t.Helper()
	op, refused, sc, res := prepare(t, &s)
	if refused != nil {
		t.Fatalf("refused: %v", refused)
	}
	res.op, res.script = op, sc
	defer op.Close()
	if err := op.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s.batch {
		res.complete(op)
		return res
	}
	res.stream(t, op)
	return res
}

// both runs a scene streamed and not, and checks that both say the same.
func both(t *testing.T, s scene) (streamed, whole *result) {
	t.Helper()
	streamed = play(t, s)
	s.batch = true
	whole = play(t, s)
	if (streamed.err == nil) != (whole.err == nil) {
		t.Fatalf("stream: %v, batch: %v", streamed.err, whole.err)
	}
	if streamed.err != nil {
		return streamed, whole
	}
	for index, v := range streamed.choices {
		w := whole.choices[index]
		if w == nil || joined(v) != joined(w) || v.finish != w.finish {
			t.Errorf("choice %d: stream %v, batch %v", index, v, w)
		}
	}
	return streamed, whole
}

// joined is a view in the order of a message: reasoning, content, calls.
func joined(v *view) string {
	var out [3]string
	for _, e := range v.events {
		kind, text, _ := strings.Cut(e, ":")
		i := slices.Index([]string{"reasoning", "text", "call"}, kind)
		out[i] += text
	}
	return strings.Join(out[:], "|")
}

func (r *result) stream(t testing.TB, op *stream.Operator) {
	var encoder openai.Encoder
	names, args := map[[2]int]string{}, map[[2]int]int{}
	for {
		it, err := op.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.err = err
			if _, again := op.Next(); again != err {
				t.Errorf("the error is not given again: %v", again)
			}
			return
		}
		if it.Event != "" || len(it.Comments) > 0 {
			r.notes++
		}
		if it.Data == nil {
			r.frames = append(r.frames, fmt.Sprintf("%s %q", it.Event, it.Comments))
			continue
		}
		r.frames = append(r.frames, string(encoder.AppendChunk(nil, it.Data)))
		for i := range it.Data.Choices {
			c := &it.Data.Choices[i]
			v := r.view(c.Index)
			if v.finish != "" && (c.Delta.Content != "" || c.Delta.Reasoning != "" || len(c.Delta.ToolCalls) > 0 || c.FinishReason != "") {
				t.Errorf("after the finish reason of choice %d: %s", c.Index, r.frames[len(r.frames)-1])
			}
			v.add("reasoning", c.Delta.Reasoning)
			v.add("text", c.Delta.Content)
			for _, call := range c.Delta.ToolCalls {
				key := [2]int{c.Index, call.Index}
				if names[key] == "" {
					if call.ID == "" || call.Type != "function" || call.Name == "" {
						t.Errorf("a call's first delta lacks something: %+v", call)
					}
					names[key], args[key] = call.Name, len(v.events)
					v.events = append(v.events, "call:"+call.Name+" ")
				} else if call.ID != "" || call.Type != "" || call.Name != "" {
					t.Errorf("a call's later delta repeats its head: %+v", call)
				}
				v.events[args[key]] += call.Arguments
			}
			if c.FinishReason != "" {
				v.finish = c.FinishReason
			}
		}
	}
}

func (r *result) view(index int) *view {
	if r.choices[index] == nil {
		r.choices[index] = &view{}
	}
	return r.choices[index]
}

func (r *result) complete(op *stream.Operator) {
	c, err := op.Complete()
	if err != nil {
		r.err = err
		return
	}
	r.frames = []string{string(new(openai.Encoder).AppendCompletion(nil, c))}
	for i := range c.Choices {
		ch := &c.Choices[i]
		v := r.view(ch.Index)
		v.add("reasoning", ch.Message.Reasoning)
		v.add("text", ch.Message.Content)
		for _, call := range ch.Message.ToolCalls {
			v.events = append(v.events, "call:"+call.Name+" "+call.Arguments)
		}
		v.finish = ch.FinishReason
	}
}

// want checks a choice's events and finish reason.
func (r *result) want(t testing.TB, index int, finish string, events ...string) {
	t.Helper()
	if r.err != nil {
		t.Errorf("failed: %v", r.err)
		return
	}
	v := r.view(index)
	if !slices.Equal(v.events, events) || v.finish != finish {
		t.Errorf("choice %d: want %q %q, got %q %q\n%s", index, events, finish, v.events, v.finish, r.text())
	}
}

func (r *result) text() string { return strings.Join(r.frames, "\n") }

// count is how often a text occurs in what the client gets.
func (r *result) count(s string) int { return strings.Count(r.text(), s) }

// frame is the first frame that holds all of these, or -1.
func (r *result) frame(parts ...string) int {
	return slices.IndexFunc(r.frames, func(f string) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(f, p) })
	})
}

// cuts gives the lines with the text of each chunk in single characters.
func cuts(lines []string) []string {
	var out []string
	for _, l := range lines {
		var c struct {
			Choices []map[string]json.RawMessage `json:"choices"`
		}
		var d map[string]json.RawMessage
		var s string
		if json.Unmarshal([]byte(l), &c) != nil || len(c.Choices) != 1 || json.Unmarshal(c.Choices[0]["delta"], &d) != nil ||
			json.Unmarshal(d["content"], &s) != nil || len([]rune(s)) < 2 {
			out = append(out, l)
			continue
		}
		var whole map[string]json.RawMessage
		json.Unmarshal([]byte(l), &whole)
		runes := []rune(s)
		for i, r := range runes {
			choice := map[string]json.RawMessage{"index": c.Choices[0]["index"]}
			b, _ := json.Marshal(string(r))
			choice["delta"] = json.RawMessage(`{"content":` + string(b) + `}`)
			one := map[string]any{"choices": []any{choice}}
			if i == 0 {
				for k, v := range whole {
					if k != "choices" {
						one[k] = v
					}
				}
				for _, k := range []string{"token_ids", "logprobs"} {
					if v := c.Choices[0][k]; v != nil {
						choice[k] = v
					}
				}
			}
			if i == len(runes)-1 {
				for _, k := range []string{"finish_reason", "stop_reason", "matched_stop"} {
					if v := c.Choices[0][k]; v != nil {
						choice[k] = v
					}
				}
			}
			b, _ = json.Marshal(one)
			out = append(out, string(b))
		}
	}
	return out
}
