package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// good is a scenario, and frames and message are an answer that passes it.
const good = `{"scenarios":[{"name":"good","model":{},"request":{"tools":[]},
 "engine":{"lines":[{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]},{"choices":[],"usage":{"total_tokens":3}}]},
 "want":{"choices":{"0":{"events":[{"kind":"reasoning","text":"Hm."},{"kind":"text","text":"Now."},
    {"kind":"tool_call","name":"f","arguments":{"a":1.0}},{"kind":"tool_call","name":"g","arguments_text":"{}","id":"call_2"}],"finish_reason":"tool_calls"}},
   "nvext":{"completion_token_ids":[1,2,3],"engine_data":{"s":2}},"usage":{"total_tokens":3},
   "order":["metadata","reasoning","text","call","finish","metadata","usage","done"],"once":["\"usage\":{"],"never":["<tool"],
   "engine_request":{"model":"m","messages":[{"role":"user"}]},"engine_request_lacks":["tool_choice"],"engine_request_contains":["\"stream\":true"],
   "engine_request_never":["guided"],"engine_requests":1}}]}`

var frames = []string{
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"Hm."},"finish_reason":null}],"nvext":{"completion_token_ids":[1],"engine_data":{"s":1,"t":1}}}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{"content":"No"}}]}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{"content":"w."}}]}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}}]}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1.0}"}}]}}]}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"g","arguments":"{}"}}]}}]}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"nvext":{"completion_token_ids":[2,3],"engine_data":{"s":2}}}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[],"usage":{"total_tokens":3}}`,
	`[DONE]`,
}

const message = `{"id":"chatcmpl-1","object":"chat.completion","created":17,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Now.","reasoning_content":"Hm.",` +
	`"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1.0}"}},{"id":"call_2","type":"function","function":{"name":"g","arguments":"{}"}}]},` +
	`"finish_reason":"tool_calls"}],"nvext":{"completion_token_ids":[1,2,3],"engine_data":{"s":2}},"usage":{"total_tokens":3}}`

const frameHead = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m",`

// program answers with what it is given, after asking the engine.
type program struct {
	status      int // 0: 200
	body        string
	contentType string
	engineBody  func(map[string]any)
	calls       int // how often the engine is asked
	startErr    error
	hang        bool // don't notice that the client leaves
}

func (p *program) start(_ context.Context, config []byte, _ []string) (string, func(), error) {
	if p.startErr != nil {
		return "", nil, p.startErr
	}
	var c struct{ Upstreams []struct{ Base_url string } }
	if err := json.Unmarshal(config, &c); err != nil {
		return "", nil, err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	ctx, cancel := context.WithCancel(context.Background())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request map[string]any
		_ = json.NewDecoder(r.Body).Decode(&request)
		streaming := request["stream"] == true
		request["stream"] = true
		if p.engineBody != nil {
			p.engineBody(request)
		}
		for range p.calls {
			e, _ := http.NewRequestWithContext(ctx, http.MethodPost, c.Upstreams[0].Base_url+"/chat/completions", bytes.NewReader(encodeJSON(request)))
			if resp, err := transport.RoundTrip(e); err == nil {
				if !p.hang {
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			}
		}
		w.Header().Set("Content-Type", p.contentType)
		if p.contentType == "" {
			w.Header().Set("Content-Type", "application/json")
			if streaming && p.status == 0 {
				w.Header().Set("Content-Type", "text/event-stream")
			}
		}
		if p.status != 0 {
			w.WriteHeader(p.status)
		}
		_, _ = io.WriteString(w, p.body)
	}))
	return s.Listener.Addr().String(), func() { cancel(); s.Close(); transport.CloseIdleConnections() }, nil
}

// runOnProgram runs the scenarios of text against p and gives what was printed.
func runOnProgram(t *testing.T, text string, p *program) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "self.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r := Runner{Start: p.start}
	r.Run(t.Context(), []*File{f}, &out)
	return out.String()
}

// scenarioWith gives the scenario with one run and more members of want.
func scenarioWith(run, addWant string) string {
	text := strings.Replace(good, `"model":{}`, `"model":{},"runs":["`+run+`"]`, 1)
	if addWant != "" {
		text = strings.Replace(text, `"want":{`, `"want":{`+addWant+`,`, 1)
	}
	return text
}

func eventStream(frames []string) string {
	return "data: " + strings.Join(frames, "\n\ndata: ") + "\n\n"
}

func TestGoodAnswersPass(t *testing.T) {
	for _, c := range []struct{ run, body string }{{stream, eventStream(frames)}, {batch, message}} {
		if got := runOnProgram(t, scenarioWith(c.run, ""), &program{body: c.body, calls: 1}); got != "1 passed, 0 failed\n" {
			t.Errorf("%s: %s", c.run, got)
		}
	}
}

// TestBrokenStreamsFail feeds the runner streams that are wrong in one thing
// each: every one must be caught, and for the right reason.
func TestBrokenStreamsFail(t *testing.T) {
	replace := func(at int, from, to string) func([]string) []string {
		return func(f []string) []string {
			if !strings.Contains(f[at], from) {
				panic("nothing to replace: " + from)
			}
			f[at] = strings.Replace(f[at], from, to, 1)
			return f
		}
	}
	insert := func(at int, rest string) func([]string) []string {
		return func(f []string) []string {
			return append(append(append([]string{}, f[:at]...), frameHead+rest), f[at:]...)
		}
	}
	drop := func(at int) func([]string) []string {
		return func(f []string) []string { return append(append([]string{}, f[:at]...), f[at+1:]...) }
	}
	swap := func(i, j int) func([]string) []string {
		return func(f []string) []string { f[i], f[j] = f[j], f[i]; return f }
	}
	for _, c := range []struct {
		name   string
		mutate func([]string) []string
		want   string
	}{
		{"no DONE", drop(8), "[DONE] at the end"},
		{"two DONE", func(f []string) []string { return append(f, "[DONE]") }, "nothing after [DONE]"},
		{"frame after DONE", swap(7, 8), "nothing after [DONE]"},
		{"no JSON", replace(1, `]}`, `]`), "one JSON object"},
		{"two values", replace(1, `]}`, `]}{}`), "one JSON object"},
		{"two data lines", replace(1, `"choices"`, "\"choices\"\ndata: "), "one data line an event"},
		{"raw line", replace(1, `"choices"`, "\n\"choices\""), "a line of an event stream"},
		{"other id", replace(3, "chatcmpl-1", "chatcmpl-2"), "the same id"},
		{"foreign id", func(f []string) []string {
			return strings.Split(strings.ReplaceAll(strings.Join(f, "\n"), "chatcmpl-1", "cmpl-1"), "\n")
		}, `an id "chatcmpl-`},
		{"other model", replace(7, `"m"`, `"n"`), "the same model"},
		{"other created", replace(7, `17`, `18`), "the same created"},
		{"created in words", replace(0, `17`, `17.5`), "created in whole seconds"},
		{"other object", replace(2, "chat.completion.chunk", "chat.completion"), "the same object"},
		{"no role", replace(0, `"role":"assistant",`, ``), "the role assistant"},
		{"role twice", replace(1, `"content"`, `"role":"assistant","content"`), "first delta only"},
		{"empty delta", insert(3, `"choices":[{"index":0,"delta":{}}]}`), "frames that say something"},
		{"empty content", insert(3, `"choices":[{"index":0,"delta":{"content":""}}]}`), "frames that say something"},
		{"no choices", replace(7, `"choices":[],`, ``), "a list of choices"},
		{"null choices", replace(7, `"choices":[]`, `"choices":null`), "a list of choices"},
		{"call index from 1", replace(3, `"index":0,"id"`, `"index":1,"id"`), "call index 0"},
		{"call index again", replace(5, `"index":1`, `"index":0`), "only index and function.arguments"},
		{"call without id", replace(3, `"id":"call_1",`, ``), "id, type and name"},
		{"call without type", replace(3, `"type":"function",`, ``), "id, type and name"},
		{"empty name", replace(3, `"name":"f"`, `"name":""`), "id, type and name"},
		{"id repeated", replace(4, `"index":0,"function"`, `"index":0,"id":"call_1","function"`), "only index and function.arguments"},
		{"name repeated", replace(4, `{"arguments"`, `{"name":"f","arguments"`), "only index and function.arguments"},
		{"null name", replace(4, `{"arguments"`, `{"name":null,"arguments"`), "only index and function.arguments"},
		{"ids alike", replace(5, `call_2`, `call_1`), "call ids unlike"},
		{"text after finish", insert(7, `"choices":[{"index":0,"delta":{"content":"!"}}]}`), "nothing said after"},
		{"call after finish", swap(5, 6), "nothing said after"},
		{"second finish", insert(7, `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`), "one finish reason"},
		{"error frame", insert(7, `"error":{"message":"x","type":"y","code":500}}`), "no error frame"},
		{"after an error", insert(2, `"error":{"message":"x","type":"y","code":500}}`), "nothing but [DONE]"},
		{"other text", replace(1, `"No"`, `"no"`), `text "no`},
		{"text lost", drop(2), `text "No"`},
		{"text twice", func(f []string) []string { return append(f[:2:2], f[1:]...) }, `"NoNow."`},
		{"other order", func(f []string) []string {
			f[0], f[1] = strings.Replace(f[1], `"content"`, `"role":"assistant","content"`, 1), strings.Replace(f[0], `"role":"assistant",`, ``, 1)
			return f
		}, "choice 0"},
		{"arguments lost", drop(4), `call f ""`},
		{"number changed", replace(4, `1.0`, `1`), `call f`},
		{"arguments' bytes changed", replace(5, `{}`, `{ }`), `call g`},
		{"grammar's id lost", replace(5, `call_2`, `call_3`), "choice 0"},
		{"other name", replace(5, `"g"`, `"gg"`), "call gg"},
		{"other finish", replace(6, `"tool_calls"`, `"stop"`), `finish_reason "tool_calls"`},
		{"no finish", replace(6, `,"finish_reason":"tool_calls"`, ``), `finish_reason "tool_calls"`},
		{"second choice", insert(2, `"choices":[{"index":1,"delta":{"role":"assistant"}}]}`), "no choice 1"},
		{"ids lost", replace(0, `[1]`, `[]`), "nvext"},
		{"ids twice", replace(6, `[2,3]`, `[1,2,3]`), "nvext"},
		{"deep merge", replace(6, `{"s":2}`, `{"s":2,"t":1}`), "nvext"},
		{"nvext a list", replace(0, `{"completion_token_ids":[1],"engine_data":{"s":1,"t":1}}`, `[]`), "nvext"},
		{"other usage", replace(7, `3`, `4`), "usage"},
		{"usage lost", drop(7), "usage"},
		{"usage twice", func(f []string) []string { return append(f[:8:8], f[7:]...) }, "once"},
		{"usage before the finish", swap(6, 7), "order"},
		{"markup", replace(1, `"No"`, `"<tool"`), `never "<tool"`},
		{"markup in a comment", replace(1, `"}}]}`, "\"}}]}\n: <tool"), `never "<tool"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			mutated := c.mutate(append([]string(nil), frames...))
			expectFailure(t, runOnProgram(t, scenarioWith(stream, ""), &program{body: eventStream(mutated), calls: 1}), c.want)
		})
	}
	t.Run("cut in an event", func(t *testing.T) {
		expectFailure(t, runOnProgram(t, scenarioWith(stream, ""), &program{body: strings.TrimRight(eventStream(frames), "\n"), calls: 1}), "blank line")
	})
	t.Run("frames", func(t *testing.T) {
		p := &program{body: eventStream(frames), calls: 1}
		expectFailure(t, runOnProgram(t, scenarioWith(stream, `"frames":[{}]`), p), "1 frames")
		expectFailure(t, runOnProgram(t, scenarioWith(stream, `"frames":[{"model":"n"},{},{},{},{},{},{},{}]`), p), "frame 0")
	})
	t.Run("content type", func(t *testing.T) {
		expectFailure(t, runOnProgram(t, scenarioWith(stream, ""), &program{body: eventStream(frames), calls: 1, contentType: "text/plain"}), "text/event-stream")
	})
}

func TestBrokenDocumentsFail(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"no JSON", `}}`, `}`, "one JSON object"},
		{"object", "chat.completion", "chat.completion.chunk", `object "chat.completion"`},
		{"id", "chatcmpl-1", "x", `an id "chatcmpl-`},
		{"role", `"role":"assistant",`, ``, "a message of the assistant"},
		{"content missing", `"content":"Now.",`, ``, "content null"},
		{"content empty", `"content":"Now."`, `"content":""`, "content null"},
		{"empty tool_calls", `"tool_calls":[`, `"tool_calls":[],"x":[`, "no tool_calls member"},
		{"call without id", `"id":"call_1",`, ``, "id, type, name"},
		{"ids alike", `call_2`, `call_1`, "call ids unlike"},
		{"calls swapped", `"f"`, `"g"`, "choice 0"},
		{"arguments an object", `"{}"`, `{}`, "id, type, name and arguments"},
		{"reasoning as content", `"content":"Now.","reasoning_content":"Hm."`, `"content":"Hm.Now."`, "choice 0"},
		{"finish", `"finish_reason":"tool_calls"`, `"finish_reason":null`, "finish_reason"},
		{"no usage", `,"usage":{"total_tokens":3}`, ``, "usage in a batch answer"},
		{"ids in another order", `[1,2,3]`, `[1,3,2]`, "nvext"},
		{"error inside", `"object"`, `"error":{"message":"x"},"object"`, "no error"},
		{"markup", `Now.`, `<tool`, `never "<tool"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(message, c.from) {
				t.Fatal("nothing to replace")
			}
			body := strings.Replace(message, c.from, c.to, 1)
			expectFailure(t, runOnProgram(t, scenarioWith(batch, ""), &program{body: body, calls: 1}), c.want)
		})
	}
}

func TestBrokenRequestsFail(t *testing.T) {
	for _, c := range []struct {
		name string
		p    program
		want string
	}{
		{"engine not asked", program{calls: 0}, "1 engine requests"},
		{"engine asked twice", program{calls: 2}, "1 engine requests"},
		{"member lost", program{calls: 1, engineBody: func(m map[string]any) { delete(m, "model") }}, "engine request {"},
		{"member too many", program{calls: 1, engineBody: func(m map[string]any) { m["tool_choice"] = "auto" }}, "without tool_choice"},
		{"text lost", program{calls: 1, engineBody: func(m map[string]any) { m["stream"] = false }}, `with "stream":true`},
		{"text too many", program{calls: 1, engineBody: func(m map[string]any) { m["x"] = "guided" }}, "without guided"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.body = eventStream(frames)
			expectFailure(t, runOnProgram(t, scenarioWith(stream, ""), &c.p), c.want)
		})
	}
}

func TestBrokenRefusalsFail(t *testing.T) {
	const want = `{"scenarios":[{"name":"refused","model":{},"engine":{"lines":[]},"want":{"status":400,"error_contains":["N = 1"],"engine_requests":0}}]}`
	const body = `{"error":{"message":"needs n = 1","type":"invalid_request_error","code":"n"}}`
	if got := runOnProgram(t, want, &program{status: 400, body: body}); got != "1 passed, 0 failed\n" {
		t.Errorf("a good refusal: %s", got)
	}
	for _, c := range []struct {
		name string
		p    program
		want string
	}{
		{"status", program{status: 500, body: body}, "status 400"},
		{"text", program{status: 400, body: strings.Replace(body, "n = 1", "something", 1)}, `says "N = 1"`},
		{"flat", program{status: 400, body: `{"message":"n = 1","type":"t","code":"c"}`}, `{"error":`},
		{"no code", program{status: 400, body: strings.Replace(body, `"code"`, `"kode"`, 1)}, `{"error":`},
		{"no JSON", program{status: 400, body: "n = 1"}, "one JSON object"},
		{"content type", program{status: 400, body: body, contentType: "text/plain"}, "application/json"},
		{"engine asked", program{status: 400, body: body, calls: 1}, "0 engine requests"},
		{"an answer", program{body: eventStream(frames)}, "status 400"},
	} {
		t.Run(c.name, func(t *testing.T) { expectFailure(t, runOnProgram(t, want, &c.p), c.want) })
	}
}

func TestBrokenFailuresFail(t *testing.T) {
	const want = `{"scenarios":[{"name":"fails","model":{},"runs":["RUN"],"engine":{"lines":[]},
	  "want":{"choices":{"0":{"events":[{"kind":"text","text":"x"}],"finish_reason":null}},"error_frame":{"error":{"code":500}},"status_batch":"5xx","order":["text","error","done"],"error_contains":["words"]}}]}`
	run := func(mode string) string { return strings.Replace(want, "RUN", mode, 1) }
	failing := []string{
		frameHead + `"choices":[{"index":0,"delta":{"role":"assistant","content":"x"}}]}`,
		`{"error":{"message":"m","type":"t","code":500}}`, `[DONE]`}
	if got := runOnProgram(t, run(stream), &program{body: eventStream(failing)}); got != "1 passed, 0 failed\n" {
		t.Errorf("a good failure: %s", got)
	}
	body := `{"error":{"message":"words","type":"t","code":500}}`
	if got := runOnProgram(t, run(batch), &program{status: 502, body: body}); got != "1 passed, 0 failed\n" {
		t.Errorf("a good failure: %s", got)
	}
	expectFailure(t, runOnProgram(t, run(stream), &program{body: eventStream([]string{failing[0], `[DONE]`})}), "an error frame")
	expectFailure(t, runOnProgram(t, run(stream), &program{body: eventStream([]string{failing[0], strings.Replace(failing[1], "500", "503", 1), `[DONE]`})}), "an error frame")
	expectFailure(t, runOnProgram(t, run(stream), &program{body: eventStream([]string{failing[0], `{"error":"m"}`, `[DONE]`})}), `{"error":`)
	expectFailure(t, runOnProgram(t, run(batch), &program{status: 400, body: body}), "status 5xx")
	expectFailure(t, runOnProgram(t, run(batch), &program{body: message}), "status 5xx")
	expectFailure(t, runOnProgram(t, run(batch), &program{status: 500, body: strings.Replace(body, "words", "else", 1)}), "words")
	expectFailure(t, runOnProgram(t, run(batch), &program{status: 500, body: strings.Replace(body, "{", `{"choices":[],`, 1)}), "without choices")
}

func TestStartErrors(t *testing.T) {
	const want = `{"scenarios":[{"name":"start","model":{},"env":{"V":{"$hex":"32ff"}},"want":{"start_error":["VARIABLE"]}}]}`
	if got := runOnProgram(t, want, &program{startErr: errors.New("VARIABLE is bad")}); got != "1 passed, 0 failed\n" {
		t.Error(got)
	}
	expectFailure(t, runOnProgram(t, want, &program{startErr: errors.New("bad")}), "VARIABLE")
	expectFailure(t, runOnProgram(t, want, &program{}), "got a start")
	expectFailure(t, runOnProgram(t, good, &program{startErr: errors.New("no")}), "want a start, got no")
}

func TestDisconnectThatIsNotHandedOnFails(t *testing.T) {
	text := strings.Replace(scenarioWith(stream, `"engine_cancelled":true`), `"engine":{"lines":[`, `"client":{"disconnect_after_frames":2},"engine":{"lines":[{"$sleep_ms":30000},`, 1)
	defer func(wait time.Duration) { cancelWait = wait }(cancelWait)
	cancelWait = 50 * time.Millisecond
	expectFailure(t, runOnProgram(t, text, &program{body: eventStream(frames), calls: 1, hang: true}), "the engine's request cancelled")
}

func TestCutAndOptionalEvents(t *testing.T) {
	text := "{\"a\":"
	whole := "{}"
	c := Choice{Events: &[]Event{{Kind: "text", Text: "a"}, {Kind: "tool_call", Name: "f", Cut: true}, {Kind: "text", Text: "b", Optional: true}}}
	for _, x := range []struct {
		mode  string
		got   []seen
		match bool
	}{
		{stream, []seen{{kind: "text", text: "a"}}, true},
		{stream, []seen{{kind: "text", text: "ab"}}, true},
		{stream, []seen{{kind: "text", text: "a"}, {kind: "tool_call", name: "f", args: text}}, true},
		{stream, []seen{{kind: "text", text: "a"}, {kind: "tool_call", name: "f"}, {kind: "text", text: "b"}}, true},
		{stream, []seen{{kind: "text", text: "a"}, {kind: "tool_call", name: "f", args: whole}}, false},
		{stream, []seen{{kind: "text", text: "a"}, {kind: "tool_call", name: "g", args: text}}, false},
		{stream, []seen{{kind: "tool_call", name: "f", args: text}, {kind: "text", text: "a"}}, false},
		{batch, []seen{{kind: "text", text: "a"}, {kind: "tool_call", name: "f", args: text}}, false},
		{batch, []seen{{kind: "text", text: "ab"}}, true},
	} {
		if got := c.matchesEvents(x.got, x.mode); got != x.match {
			t.Errorf("%s %v: got %v", x.mode, x.got, got)
		}
	}
	joined := Choice{Joined: true, Events: &[]Event{{Kind: "text", Text: "ab"}, {Kind: "reasoning", Text: "r"}}}
	if !joined.matchesEvents([]seen{{kind: "text", text: "a"}, {kind: "reasoning", text: "r"}, {kind: "text", text: "b"}}, stream) {
		t.Error("joined events have no order")
	}
}

func TestOrder(t *testing.T) {
	f := func(s string) map[string]any { v, _ := decodeJSON([]byte(s)); return v.(map[string]any) }
	fr := []map[string]any{
		f(`{"choices":[{"delta":{"content":"a"}}]}`), f(`{"choices":[{"delta":{"tool_calls":[{}]}}]}`),
		f(`{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}`), f(`{"choices":[],"usage":{"n":1}}`)}
	for _, x := range []struct {
		order []any
		bad   string
	}{
		{[]any{"text", "call", "text", "finish", "usage", "done"}, ""},
		{[]any{"call", "text"}, `"text"`},
		{[]any{"finish", "call"}, `"call"`},
		{[]any{"text", "text", "text"}, `"text"`},
		{[]any{"metadata"}, `"metadata"`},
		{[]any{f(`{"usage":{"n":1}}`), "done"}, ""},
		{[]any{f(`{"usage":{"n":1}}`), "finish"}, `"finish"`},
		{[]any{f(`{"usage":{"n":2}}`)}, `{"usage":{"n":2}}`},
	} {
		if got := outOfOrder(x.order, fr); got != x.bad {
			t.Errorf("%v: got %q", x.order, got)
		}
	}
}

func TestEngineCutsCharacters(t *testing.T) {
	s := Script{Lines: []json.RawMessage{json.RawMessage(`{"id":"e","choices":[{"index":1,"delta":{"role":"assistant","content":"añb"},"finish_reason":"stop","matched_stop":2,"token_ids":[1]}],"usage":{"n":1}}`),
		json.RawMessage(`{"$comment":"x"}`), json.RawMessage(`{"nvext":{"big":9007199254740993}}`)}}
	got, err := s.scriptLines(chars)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, l := range got {
		text += l.text
	}
	want := `data: {"choices":[{"delta":{"content":"a","role":"assistant"},"index":1,"token_ids":[1]}],"created":1700000000,"id":"e","model":"engine-model","object":"chat.completion.chunk","usage":{"n":1}}` + "\n\n" +
		`data: {"choices":[{"delta":{"content":"ñ"},"index":1}],"created":1700000000,"id":"e","model":"engine-model","object":"chat.completion.chunk"}` + "\n\n" +
		`data: {"choices":[{"delta":{"content":"b"},"finish_reason":"stop","index":1,"matched_stop":2}],"created":1700000000,"id":"e","model":"engine-model","object":"chat.completion.chunk"}` + "\n\n" +
		": x\n\n" + `data: {"created":1700000000,"id":"engine-1","model":"engine-model","object":"chat.completion.chunk","nvext":{"big":9007199254740993}}` + "\n\ndata: [DONE]\n\n"
	if text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestBadFilesAreRefused(t *testing.T) {
	for _, text := range []string{
		`{"scenarios":[{"name":"x","wants":{}}]}`, `{"scenarios":[{"name":"x","want":{"nevr":[]}}]}`, `{"scenarios":[{"model":{}}]}`,
		`{"scenarios":[{"name":"x","runs":["both"]}]}`, `{"scenarios":[{"name":"x","cuts":["words"]}]}`, `{"scenarios":[]} x`,
		`{"scenarios":[{"name":"x","want":{"status":"bad"}}]}`, `{"scenarios":[{"name":"x","env":{"A":{"$hex":"zz"}}}]}`,
	} {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// expectFailure checks that the runner failed the scenario and said why.
func expectFailure(t *testing.T, out, want string) {
	t.Helper()
	if !strings.Contains(out, "0 passed, 1 failed") {
		t.Errorf("not caught: %s", out)
	}
	found := false
	for line := range strings.Lines(out) {
		if strings.Contains(line, want) && strings.HasPrefix(line, "FAIL self.json ") {
			found = true
		}
	}
	if !found {
		t.Errorf("want a failure about %q, got\n%s", want, fmt.Sprint(out))
	}
}

// An answer with the finish reason stop and nothing else is a fault, where the engine
// wrote something and the scenario does not ask for that.
func TestEmptyAnswersFail(t *testing.T) {
	const empty = `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
	for _, c := range []struct{ name, text, want, failure string }{
		{"text", "x", `"status":200`, `the engine's text "x" in choice 0`},
		{"white space", " \\n", `"status":200`, ""},
		{"asked for", "x", `"choices":{"0":{"events":[]}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			scenario := `{"scenarios":[{"name":"s","why":"y","model":{},"runs":["batch"],"engine":{"lines":[{"choices":[{"index":0,"delta":{"content":"` + c.text + `"},"finish_reason":"stop"}]}]},"want":{` + c.want + `}}]}`
			got := runOnProgram(t, scenario, &program{body: empty, calls: 1})
			if c.failure == "" {
				if got != "1 passed, 0 failed\n" {
					t.Error(got)
				}
				return
			}
			expectFailure(t, got, c.failure)
		})
	}
}
