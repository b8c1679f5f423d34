package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
)

var weather = openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
	Name: "read_meter", Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"meter": map[string]any{"type": "integer"}}}})

func params() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Read it.")},
		Tools: []openai.ChatCompletionToolUnionParam{weather}, StreamOptions: openai.ChatCompletionStreamOptionsParam{}}
}

// answer is what an engine without a parser of its own sends.
var answer = []string{text("<think>Meter "), text("seven.</think>Wait"), text(".<tool_"), text("call>\n{\"name\": \"read_meter\", \"argu"),
	text("ments\": {\"meter\": 7}}\n</tool_call>"), stopped, used}

func TestOfficialClientStreams(t *testing.T) {
	h := serve(t, engine(t, sends(answer...)).URL, ", parser: hermes", "")
	p := params()
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	client := h.client()
	stream := client.Chat.Completions.NewStreaming(t.Context(), p)
	var acc openai.ChatCompletionAccumulator
	reasoning := ""
	for stream.Next() {
		c := stream.Current()
		if !acc.AddChunk(c) {
			t.Fatalf("the client can't add %s", c.RawJSON())
		}
		for _, choice := range c.Choices {
			var r struct {
				Text string `json:"reasoning_content"`
			}
			_ = json.Unmarshal([]byte(choice.Delta.RawJSON()), &r)
			reasoning += r.Text
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	check(t, &acc.ChatCompletion, reasoning)
}

func TestOfficialClientWithoutStreaming(t *testing.T) {
	h := serve(t, engine(t, sends(answer...)).URL, ", parser: hermes", "")
	client := h.client()
	got, err := client.Chat.Completions.New(t.Context(), params())
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Text string `json:"reasoning_content"`
	}
	_ = json.Unmarshal([]byte(got.Choices[0].Message.RawJSON()), &r)
	check(t, got, r.Text)
}

func check(t *testing.T, got *openai.ChatCompletion, reasoning string) {
	t.Helper()
	c := got.Choices[0]
	if reasoning != "Meter seven." || c.Message.Content != "Wait." || c.FinishReason != "tool_calls" || got.Usage.TotalTokens != 7 || got.Model != "m" {
		t.Errorf("reasoning %q, content %q, finish %q, usage %d, model %q", reasoning, c.Message.Content, c.FinishReason, got.Usage.TotalTokens, got.Model)
	}
	if len(c.Message.ToolCalls) != 1 || c.Message.ToolCalls[0].Function.Name != "read_meter" || c.Message.ToolCalls[0].Function.Arguments != `{"meter": 7}` {
		t.Errorf("calls %+v", c.Message.ToolCalls)
	}
}

func TestOfficialClientReadsErrors(t *testing.T) {
	h := serve(t, engine(t, sends()).URL, "", "")
	p := params()
	p.Model = "other"
	client := h.client()
	_, err := client.Chat.Completions.New(t.Context(), p)
	e, ok := err.(*openai.Error)
	if !ok || e.StatusCode != 404 || e.Code != "model_not_found" || e.Param != "model" {
		t.Errorf("got %v", err)
	}
}

func TestStreamedChat(t *testing.T) {
	h := serve(t, engine(t, sends(text("Hi."), stopped, used)).URL, "", "")
	resp := h.post(t, t.Context(), ask(streaming), "X-Request-Id", "mine-1")
	want := map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no", "X-Request-Id": "mine-1", "X-Turnkey-Route": ""}
	for name, value := range want {
		if got := resp.Header.Get(name); got != value {
			t.Errorf("%s: got %q, want %q", name, got, value)
		}
	}
	lines := strings.Split(all(t, resp), "\n")
	for i, l := range lines {
		if i%2 == 0 && i < len(lines)-1 && !strings.HasPrefix(l, "data: ") || i%2 == 1 && l != "" {
			t.Errorf("line %d: %q", i, l)
		}
	}
	if n := len(lines); n < 4 || lines[n-3] != "data: [DONE]" {
		t.Errorf("got %q", lines)
	}
}

func TestFramesAreFlushedAtOnce(t *testing.T) {
	next := make(chan string)
	h := serve(t, engine(t, func(ctx context.Context, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		for l := range next {
			event(w, l)
		}
		event(w, "[DONE]")
	}).URL, "", "")
	resp := h.post(t, t.Context(), ask(streaming))
	next <- text("first")
	readUntil(t, resp.Body, "first")
	next <- text("second")
	readUntil(t, resp.Body, "second")
	next <- stopped
	close(next)
	readUntil(t, resp.Body, "[DONE]")
}

func TestBadRequests(t *testing.T) {
	const small = "limits: {body: 4kB}\n"
	u := engine(t, sends(text("Hi."), stopped))
	h := serve(t, u.URL, "", small)
	for _, c := range []struct {
		name, body string
		status     int
		says       []string
	}{
		{"empty", ``, 400, []string{"invalid_json"}},
		{"malformed", `{"model":"m",`, 400, []string{"invalid_json"}},
		{"an array", `[]`, 400, []string{"object"}},
		{"trailing", ask("") + "x", 400, []string{"invalid_json"}},
		{"no model", `{"messages":[{"role":"user","content":"x"}]}`, 400, []string{`"param":"model"`}},
		{"unknown model", `{"model":"x","messages":[{"role":"user","content":"x"}]}`, 404, []string{`"param":"model"`, "model_not_found"}},
		{"no messages", `{"model":"m"}`, 400, []string{`"param":"messages"`}},
		{"empty messages", `{"model":"m","messages":[]}`, 400, []string{`"param":"messages"`}},
		{"messages of a wrong type", `{"model":"m","messages":"x"}`, 400, []string{`"param":"messages"`}},
		{"model of a wrong type", `{"model":1,"messages":[{"role":"user","content":"x"}]}`, 400, []string{`"param":"model"`}},
		{"stream of a wrong type", ask(`,"stream":"yes"`), 400, []string{`"param":"stream"`}},
		{"n of a wrong type", ask(`,"n":"two"`), 400, []string{`"param":"n"`}},
		{"tools of a wrong type", ask(`,"tools":{}`), 400, []string{`tools`}},
		{"too large", ask(`,"user":"` + strings.Repeat("x", 5000) + `"`), 413, []string{"limits.body", "4000 bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := h.post(t, t.Context(), c.body)
			body := all(t, resp)
			var e struct {
				Error struct {
					Message, Type string
					Code          any
				}
			}
			if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Message == "" || e.Error.Type == "" || e.Error.Code == nil {
				t.Errorf("no error object: %s", body)
			}
			if resp.StatusCode != c.status || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("status %d, type %q", resp.StatusCode, resp.Header.Get("Content-Type"))
			}
			for _, s := range c.says {
				if !strings.Contains(body, s) {
					t.Errorf("%s does not say %s", body, s)
				}
			}
		})
	}
	t.Run("too large without a length", func(t *testing.T) {
		r, _ := http.NewRequest(http.MethodPost, h.address+"/v1/chat/completions", struct{ *strings.Reader }{strings.NewReader(ask(`,"user":"` + strings.Repeat("x", 5000) + `"`))})
		r.ContentLength = -1
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if body := all(t, resp); resp.StatusCode != 413 || !strings.Contains(body, "limits.body") {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
	for path, status := range map[string]int{"/v1/nothing": 404, "/v1/chat/completions": 405} {
		if got, body := h.get(t, path); got != status || !strings.Contains(body, `"error":{`) {
			t.Errorf("%s: %d %s", path, got, body)
		}
	}
	if n := len(u.requests()); n != 0 {
		t.Errorf("the engine was asked %d times", n)
	}
}

func TestEnginesThatFail(t *testing.T) {
	sse := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }
	for _, c := range []struct {
		name   string
		answer func(context.Context, http.ResponseWriter) // nil: nobody listens
		status int                                        // of batch
		early  bool                                       // a stream fails with the same status
		says   string                                     // what a stream still shows
	}{
		{"refused", nil, 502, true, ""},
		{"silent", func(ctx context.Context, _ http.ResponseWriter) { <-ctx.Done() }, 504, true, ""},
		{"cut before the status", func(context.Context, http.ResponseWriter) { panic(http.ErrAbortHandler) }, 502, true, ""},
		{"not a stream", func(_ context.Context, w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>private words of the engine</html>")
		}, 502, true, ""},
		{"cut in the middle", func(_ context.Context, w http.ResponseWriter) {
			sse(w)
			event(w, text("Said."))
			panic(http.ErrAbortHandler)
		}, 502, false, "Said."},
		{"bad JSON", func(_ context.Context, w http.ResponseWriter) {
			sse(w)
			event(w, text("Said."), `{"choices":[private words of the engine`)
		}, 502, false, "Said."},
		{"an error line", func(_ context.Context, w http.ResponseWriter) {
			sse(w)
			event(w, text("Said."), `{"error":{"message":"private words of the engine","code":500}}`, "[DONE]")
		}, 500, false, "Said."},
		{"silent in the middle", func(ctx context.Context, w http.ResponseWriter) {
			sse(w)
			event(w, text("Said."))
			<-ctx.Done()
		}, 504, false, "Said."},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := "http://127.0.0.1:1"
			if c.answer != nil {
				address = engine(t, c.answer).URL
			}
			h := serve(t, address, "", "timeouts: {first_byte: 150ms, idle: 150ms}\n")
			resp := h.post(t, t.Context(), ask(""))
			body := all(t, resp)
			if resp.StatusCode != c.status || !strings.Contains(body, `{"error":{`) || strings.Contains(body, "private words") {
				t.Errorf("batch: %d %s", resp.StatusCode, body)
			}
			resp = h.post(t, t.Context(), ask(streaming))
			body = all(t, resp)
			if c.early {
				if resp.StatusCode != c.status || !strings.Contains(body, `{"error":{`) {
					t.Errorf("stream: %d %s", resp.StatusCode, body)
				}
				return
			}
			if resp.StatusCode != 200 || strings.Count(body, `"error"`) != 1 || !strings.Contains(body, c.says) || strings.Contains(body, "private words") ||
				!strings.HasSuffix(body, "\n\ndata: [DONE]\n\n") || strings.Contains(body, `"stop"`) {
				t.Errorf("stream: %d %s", resp.StatusCode, body)
			}
		})
	}
}

// TestWhenToAskAgain: what the engine says of that reaches the client.
func TestWhenToAskAgain(t *testing.T) {
	u := engine(t, func(_ context.Context, w http.ResponseWriter) {
		w.Header().Set("Retry-After", "7")
		w.Header().Set("X-Inner", "rank 3")
		w.WriteHeader(429)
		fmt.Fprint(w, `{"error":{"message":"slower","type":"rate_limit_error","code":"rate_limit_exceeded"}}`)
	})
	for _, more := range []string{"", streaming} {
		resp := serve(t, u.URL, "", "").post(t, t.Context(), ask(more))
		body := all(t, resp)
		if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "7" || resp.Header.Get("X-Inner") != "" || !strings.Contains(body, `"code":"rate_limit_exceeded"`) {
			t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
		}
	}
}

// TestTheEnginesRefusalOfOurKeyIsAnAlarm: only the operator can mend that.
func TestTheEnginesRefusalOfOurKeyIsAnAlarm(t *testing.T) {
	for _, status := range []int{401, 403} {
		u := engine(t, func(_ context.Context, w http.ResponseWriter) {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"message":"Incorrect API key provided: sk-7","code":"invalid_api_key"}}`)
		})
		h := serve(t, u.URL, "", "")
		resp := h.post(t, t.Context(), ask(""))
		if body := all(t, resp); resp.StatusCode != 502 || !strings.Contains(body, `"code":"upstream_auth"`) || strings.Contains(body, "sk-7") {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		eventually(t, "the log tells of the request", func() bool { return strings.Contains(h.log.String(), "msg=request") })
		host := strings.TrimPrefix(u.URL, "http://")
		if log := h.log.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "engine="+host) || !strings.Contains(log, "api_key") || strings.Contains(log, "sk-7") {
			t.Errorf("log: %s", log)
		}
	}
}

// TestWarnsWhereTheThoughtsBeginIsNotKnown: once, at the start, with the remedy.
func TestWarnsWhereTheThoughtsBeginIsNotKnown(t *testing.T) {
	for model, warned := range map[string]bool{
		", parser: hermes": true,
		", parser: hermes, upstream_model: Qwen/QwQ-32B":               false,
		", parser: hermes, upstream_model: Qwen2.5-7B-Instruct":        false,
		", parser: hermes, prompt_opens: none":                         false,
		`, parser: hermes, chat_template: "{{ messages[0].content }}"`: false,
		", parser: deepseek_r1":                                        false,
		", parser: llama3_json":                                        false,
		"":                                                             false,
	} {
		h := serve(t, engine(t, sends(answer...)).URL, model, "")
		all(t, h.post(t, t.Context(), ask("")))
		all(t, h.post(t, t.Context(), ask("")))
		want := 0
		if warned {
			want = 1
		}
		if log := h.log.String(); strings.Count(log, "prompt_opens: reasoning or none") != want {
			t.Errorf("%s: %s", model, log)
		}
	}
}

func TestT101SanitisedErrorFrame(t *testing.T) {
	h := serve(t, engine(t, sends(text("Let me "), `{"error":{"message":"rank 3","code":500}}`)).URL, "", "")
	body := all(t, h.post(t, t.Context(), ask(streaming)))
	const want = `data: {"error":{"message":"Internal server error","type":"internal_server_error","param":null,"code":500}}` + "\n\ndata: [DONE]\n\n"
	if !strings.HasSuffix(body, want) || strings.Contains(body, "event:") {
		t.Errorf("got %s", body)
	}
	if log := h.log.String(); !strings.Contains(log, "level=ERROR") {
		t.Errorf("the log does not tell: %s", log)
	}
}

// TestReasoningField: by the general setting or the model's own, in streams and not.
func TestReasoningField(t *testing.T) {
	u := engine(t, sends(answer...))
	for _, c := range []struct {
		model, general              string
		reasoningContent, reasoning bool
	}{
		{"", "", true, false},
		{"", "reasoning_field: reasoning\n", false, true},
		{"", "reasoning_field: both\n", true, true},
		{", reasoning_field: reasoning", "reasoning_field: both\n", false, true},
		{", reasoning_field: both", "", true, true},
	} {
		h := serve(t, u.URL, ", parser: hermes"+c.model, c.general)
		for _, more := range []string{"", streaming} {
			body := all(t, h.post(t, t.Context(), ask(more)))
			if strings.Contains(body, `"reasoning":"`) != c.reasoning || strings.Contains(body, `"reasoning_content":"`) != c.reasoningContent {
				t.Errorf("%s %s: got %s", c.model, c.general, body)
			}
		}
	}
}

// TestATemplateSeesThoughtsUnderBothNames: templates read one or the other.
func TestATemplateSeesThoughtsUnderBothNames(t *testing.T) {
	u := engine(t, sends(text("still."), stopped))
	template := "{% for m in messages %}{% if m.reasoning and m.reasoning_content == m.reasoning %}{% set ns = 1 %}{{ '<think>' if loop.last }}{% endif %}{% endfor %}"
	h := serve(t, u.URL, `, parser: hermes, prompt_opens: none, chat_template: "`+template+`"`, "")
	for _, name := range []string{"reasoning", "reasoning_content"} {
		body := all(t, h.post(t, t.Context(), `{"model":"m","messages":[{"role":"user","content":"Hi."},{"role":"assistant","content":"","`+name+`":"Hm."}]}`))
		if !strings.Contains(body, `"reasoning_content":"still."`) {
			t.Errorf("%s: %s", name, body)
		}
	}
}

func TestStreamUsageSwitch(t *testing.T) {
	h := serve(t, engine(t, sends(text("Hi."), stopped, used)).URL, "", "stream_usage: true\n")
	if body := all(t, h.post(t, t.Context(), ask(streaming))); !strings.Contains(body, `"choices":[],"usage":{`) {
		t.Errorf("got %s", body)
	}
}

// TestThePromptOfARequest: what a client sends reaches the template as it was written,
// members in their order and numbers in their spelling, and content in the template's form.
func TestThePromptOfARequest(t *testing.T) {
	const template = `{% for m in messages %}[{{ m.role }}]{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments|tojson }}{% endfor %}{% endfor %}` +
		`{% for t in tools %}{{ t|tojson }}{% endfor %}{% if add_generation_prompt %}<think>{% endif %}`
	e := engine(t, sends(`{"id":"x","object":"text_completion","choices":[{"index":0,"text":"Hm.</think>Yes.","finish_reason":"stop"}]}`))
	h := serve(t, e.URL, "", fmt.Sprintf(`
upstreams: [{name: e, base_url: %q, profile: vllm, api: completions}]
models: [{name: m, parser: hermes, chat_template: %q}]
`, e.URL+"/v1", template))
	for _, tt := range []struct{ name, members, prompt string }{
		{"parts", `"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`, "[user]a\nb<think>"},
		{"arguments", `"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"z\": 1.0, \"a\": 12345678901234567890, \"m\": 1e2}"}}]}]`,
			`[assistant]{"z": 1.0, "a": 12345678901234567890, "m": 100.0}<think>`},
		{"tools", `"messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"z":{"minimum":1.0},"a":{"const":10000000000000000000000}}}}}]`,
			`[user]a{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"z": {"minimum": 1.0}, "a": {"const": 10000000000000000000000}}}}}<think>`},
		{"continued", `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"Well,"}],"continue_final_message":true,"add_generation_prompt":false`, "[user]a[assistant]Well,"},
		{"no generation prompt", `"messages":[{"role":"user","content":"a"}],"add_generation_prompt":false`, "[user]a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all(t, h.post(t, t.Context(), `{"model":"m",`+tt.members+`}`))
			requests := e.requests()
			var sent struct{ Prompt string }
			if err := json.Unmarshal([]byte(requests[len(requests)-1]), &sent); err != nil || sent.Prompt != tt.prompt {
				t.Errorf("the engine was asked %q, %v", sent.Prompt, err)
			}
		})
	}
}

// A prompt that the template refuses is never sent: that of a simpler conversation only
// tells how it would end.
func TestASimplerPromptIsNotSent(t *testing.T) {
	e := engine(t, sends(`{"id":"x","object":"text_completion","choices":[{"index":0,"text":"Yes.","finish_reason":"stop"}]}`))
	h := serve(t, e.URL, "", fmt.Sprintf(`
upstreams: [{name: e, base_url: %q, profile: vllm, api: completions}]
models: [{name: m, parser: hermes, chat_template: "{%% if messages|length > 1 %%}{{ raise_exception('no') }}{%% endif %%}<think>"}]
`, e.URL+"/v1"))
	body := all(t, h.post(t, t.Context(), `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`))
	if !strings.Contains(body, "chat_template") || len(e.requests()) != 0 {
		t.Errorf("%d requests, %s", len(e.requests()), body)
	}
}

// An engine without a chat API is asked with the prompt that the host renders.
func TestCompletionsEngine(t *testing.T) {
	e := engine(t, sends(
		`{"id":"x","object":"text_completion","choices":[{"index":0,"text":"The soil is","finish_reason":null}]}`,
		`{"id":"x","object":"text_completion","choices":[{"index":0,"text":" pale.</think>Water it.","finish_reason":null}]}`,
		`{"id":"x","object":"text_completion","choices":[{"index":0,"text":"","finish_reason":"stop"}]}`, used))
	h := serve(t, e.URL, "", fmt.Sprintf(`
upstreams: [{name: e, base_url: %q, profile: vllm, api: completions}]
models: [{name: m, parser: hermes, chat_template: "{%% for m in messages %%}[{{ m.role }}] {{ m.content }}{%% endfor %%}<think>\n"}]
`, e.URL+"/v1"))
	for _, more := range []string{"", streaming} {
		body := all(t, h.post(t, t.Context(), ask(more)))
		for _, want := range []string{"The soil is", "Water it.", `"finish_reason":"stop"`, "reasoning_content"} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
		if strings.Contains(body, "text_completion") || strings.Contains(body, "think>") || strings.Contains(body, `"text"`) {
			t.Errorf("the engine's own form shows: %s", body)
		}
	}
	for _, request := range e.requests() {
		if !strings.Contains(request, `"prompt":"[user] `) || !strings.Contains(request, `<think>"`) || strings.Contains(request, "messages") {
			t.Errorf("the engine was asked %s", request)
		}
	}
	if body := all(t, h.post(t, t.Context(), ask(`,"logprobs":true`))); !strings.Contains(body, "logprobs") || !strings.Contains(body, `"unsupported"`) {
		t.Errorf("log-probabilities: %s", body)
	}
}
