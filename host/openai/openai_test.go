package openai

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

const minimal = `{"model":"m","messages":[{"role":"user","content":"hi"}]`

func TestDecodeRequest(t *testing.T) {
	body := `{"model":"m","temperature":0.10,"messages":[{"role":"system","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{}},{"type":"text","text":"b"}]},
{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[]}],"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},
"n":2,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"},"strict":true}},{"type":"function","function":{"name":"g"}}],
"tool_choice":{"type":"function","function":{"name":"g"}},"parallel_tool_calls":false,"stop":["x","y"],"stop_token_ids":[7,8],"ignore_eos":true,
"max_tokens":5,"max_completion_tokens":9,"seed":9007199254740993,"thinking":{"type":"disabled"},"response_format":{"type":"json_object"},
"nvext":{"extra_fields":["timing","what?"],"annotations":["a"],"agent_hints":{"priority":-1},"backend_instance_id":18446744073709551615},"x_unknown":{"a":[1.0]}}`
	r, err := DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if r.Messages[0].Text() != "a\nb" || r.Messages[1].Text() != "hi" || r.Messages[2].Text() != "" || len(r.Messages) != 3 {
		t.Errorf("messages: %+v", r.Messages)
	}
	if !r.Stream || !r.IncludeUsage || !r.ContinuousUsage || r.N != 2 || r.ParallelToolCalls || !r.IgnoreEOS || r.MaxTokens != 9 || r.Thinking != ThinkingOff {
		t.Errorf("got %+v", r)
	}
	if len(r.Tools) != 2 || !r.Tools[0].Strict || string(r.Tools[0].Parameters) != `{"type":"object"}` || r.Tools[1].Name != "g" {
		t.Errorf("tools: %+v", r.Tools)
	}
	if !reflect.DeepEqual(r.ToolChoice, ToolChoice{Mode: ToolChoiceNamed, Name: "g"}) || !reflect.DeepEqual(r.Stop, []string{"x", "y"}) || !reflect.DeepEqual(r.StopTokenIDs, []int64{7, 8}) {
		t.Errorf("got %+v", r)
	}
	if !r.NVExt.Wants("timing") || r.NVExt.Wants("engine_data") || r.ResponseFormatType != "json_object" {
		t.Errorf("nvext: %+v", r.NVExt)
	}
	if got := string(r.Member("seed")); got != "9007199254740993" {
		t.Errorf("seed: %s", got)
	}
	if got := string(r.Member("x_unknown")); got != `{"a":[1.0]}` {
		t.Errorf("x_unknown: %s", got)
	}
	if r.Members[1].Name != "temperature" || string(r.Members[1].Value) != "0.10" {
		t.Errorf("order or number text was lost: %+v", r.Members[:2])
	}
}

func TestDecodeRequestDefaults(t *testing.T) {
	r, err := DecodeRequest([]byte(minimal + `,"n":null,"tools":null,"stop":null,"stream_options":null,"functions":null,"model":"twice"}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.N != 1 || r.HasTools || !r.ParallelToolCalls || r.Stream || r.ToolChoice.Mode != ToolChoiceUnset || r.Model != "twice" {
		t.Errorf("got %+v", r)
	}
}

// TestAllowedTools: a choice among some of the tools is a choice among those alone, for
// the host and for the engine.
func TestAllowedTools(t *testing.T) {
	const tools = `,"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}},{"type":"function","function":{"name":"h"}}]`
	for _, choice := range []string{
		`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"g"}},{"type":"function","function":{"name":"f"}}]}}`,
		`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"g"},{"type":"function","name":"f"}]}`,
	} {
		r, err := DecodeRequest([]byte(minimal + tools + `,"tool_choice":` + choice + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Tools) != 2 || r.Tools[0].Name != "f" || r.Tools[1].Name != "g" || r.ToolChoice.Mode != ToolChoiceRequired {
			t.Errorf("%s: %+v, %+v", choice, r.Tools, r.ToolChoice)
		}
		if got := string(r.Member("tools")); got != `[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}]` || string(r.Member("tool_choice")) != `"required"` {
			t.Errorf("the engine is sent %s, %s", got, r.Member("tool_choice"))
		}
	}
	for says, choice := range map[string]string{
		"tool_choice.mode":                `{"type":"allowed_tools","mode":"none","tools":[{"name":"f"}]}`,
		"tool_choice.tools":               `{"type":"allowed_tools","mode":"auto","tools":[]}`,
		"tool_choice.allowed_tools.tools": `{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function"}]}}`,
		`allows the tool "x"`:             `{"type":"allowed_tools","mode":"auto","tools":[{"name":"x"}]}`,
	} {
		if _, err := DecodeRequest([]byte(minimal + tools + `,"tool_choice":` + choice + `}`)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", choice, err)
		}
	}
}

// TestSeedsOfAnySize: 64 bits without a sign are in use, and the engine is to judge.
func TestSeedsOfAnySize(t *testing.T) {
	for seed, fits := range map[string]bool{"18446744073709551615": true, "-9223372036854775809": true, "7": true, "1.5": false, "1e3": false, `"7"`: false} {
		r, err := DecodeRequest([]byte(minimal + `,"seed":` + seed + `}`))
		if (err == nil) != fits || fits && string(r.Member("seed")) != seed {
			t.Errorf("%s: %v", seed, err)
		}
	}
}

func TestDecodeRequestRefuses(t *testing.T) {
	const tools = `,"tools":[{"type":"function","function":{"name":"f"}}]`
	for _, c := range []struct {
		name   string
		body   string
		status int
		param  string
		says   string // words of the message, separated by |
	}{
		{"cut off", `{"model":`, 400, "", "valid JSON"},
		{"empty", ``, 400, "", "valid JSON"},
		{"a list", `[]`, 400, "", "object"},
		{"no model", `{"messages":[{"role":"user","content":"x"}]}`, 400, "model", "model"},
		{"empty model", `{"model":"","messages":[{"role":"user","content":"x"}]}`, 400, "model", "model"},
		{"model that is a number", `{"model":7,"messages":[{"role":"user","content":"x"}]}`, 400, "model", "string"},
		{"no messages", `{"model":"m"}`, 400, "messages", "messages"},
		{"empty messages", `{"model":"m","messages":[]}`, 400, "messages", "messages"},
		{"messages that are an object", `{"model":"m","messages":{}}`, 400, "messages", "list"},
		{"message that is text", `{"model":"m","messages":["hi"]}`, 400, "messages[0]", "object"},
		{"message without role", `{"model":"m","messages":[{"content":"hi"}]}`, 400, "messages[0].role", "role"},
		{"content that is a number", `{"model":"m","messages":[{"role":"user","content":7}]}`, 400, "messages[0].content", "content"},
		{"part without type", `{"model":"m","messages":[{"role":"user","content":[{}]}]}`, 400, "messages[0].content", "content"},
		{"text part that is a number", `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":1}]}]}`, 400, "messages[0].content", "content"},
		{"stream that is text", minimal + `,"stream":"yes"}`, 400, "stream", "true or false"},
		{"stream_options without stream", minimal + `,"stream_options":{"include_usage":true}}`, 400, "stream_options", "stream"},
		{"include_usage that is a number", minimal + `,"stream":true,"stream_options":{"include_usage":1}}`, 400, "stream_options.include_usage", "include_usage"},
		{"stream_options that are a list", minimal + `,"stream":true,"stream_options":[]}`, 400, "stream_options", "object"},
		{"n of 0", minimal + `,"n":0}`, 400, "n", "n must"},
		{"n that is no whole number", minimal + `,"n":1.5}`, 400, "n", "whole"},
		{"n over the limit", minimal + `,"n":1000}`, 400, "n", "128"},
		{"temperature that is text", minimal + `,"temperature":"hot"}`, 400, "temperature", "number"},
		{"max_tokens that is text", minimal + `,"max_tokens":"5"}`, 400, "max_tokens", "whole number"},
		{"stop that is a number", minimal + `,"stop":7}`, 400, "stop", "list"},
		{"stop with a number in it", minimal + `,"stop":["a",7]}`, 400, "stop", "list"},
		{"negative stop token", minimal + `,"stop_token_ids":[-1]}`, 400, "stop_token_ids", "ids"},
		{"tools that are an object", minimal + `,"tools":{}}`, 400, "tools", "list"},
		{"tool that is text", minimal + `,"tools":["f"]}`, 400, "tools[0]", "object"},
		{"tool of another type", minimal + `,"tools":[{"type":"web_search"}]}`, 400, "tools[0].type", "function"},
		{"tool without function", minimal + `,"tools":[{"type":"function"}]}`, 400, "tools[0].function", "object"},
		{"tool without name", minimal + `,"tools":[{"type":"function","function":{"name":""}}]}`, 400, "tools[0].function.name", "name"},
		{"parameters that are a list", minimal + `,"tools":[{"type":"function","function":{"name":"f","parameters":[]}}]}`, 400, "tools[0].function.parameters", "schema"},
		{"unknown tool_choice", minimal + tools + `,"tool_choice":"maybe"}`, 400, "tool_choice", "maybe|auto"},
		{"tool_choice that is a number", minimal + tools + `,"tool_choice":7}`, 400, "tool_choice", "string"},
		{"named choice without name", minimal + tools + `,"tool_choice":{"type":"function"}}`, 400, "tool_choice.function.name", "name"},
		{"named choice of another type", minimal + tools + `,"tool_choice":{"type":"x","function":{"name":"f"}}}`, 400, "tool_choice.type", "function"},
		{"choice of a tool that is not there", minimal + tools + `,"tool_choice":{"type":"function","function":{"name":"nope"}}}`, 400, "tool_choice", "nope"},
		{"required without tools", minimal + `,"tool_choice":"required"}`, 400, "tool_choice", "tool_choice|tools"},
		{"required with empty tools", minimal + `,"tools":[],"tool_choice":"required"}`, 400, "tools", "tools|empty"},
		{"required with guided decoding", minimal + tools + `,"tool_choice":"required","guided_json":{}}`, 400, "guided_json", "guided|tool_choice"},
		{"functions", minimal + `,"functions":[]}`, 501, "functions", "functions"},
		{"function_call", minimal + `,"function_call":"auto"}`, 501, "function_call", "function_call"},
		{"unknown thinking type", minimal + `,"thinking":{"type":"sometimes"}}`, 400, "thinking", "thinking"},
		{"thinking that is text", minimal + `,"thinking":"on"}`, 400, "thinking", "thinking"},
		{"nvext that is a number", minimal + `,"nvext":7}`, 400, "nvext", "object"},
		{"unknown member of nvext", minimal + `,"nvext":{"extra_feelds":[]}}`, 400, "nvext.extra_feelds", "nvext|extra_feelds"},
		{"extra_fields that are text", minimal + `,"nvext":{"extra_fields":"timing"}}`, 400, "nvext.extra_fields", "list"},
		{"dp_rank over its range", minimal + `,"nvext":{"dp_rank":4294967296}}`, 400, "nvext.dp_rank", "4294967295"},
		{"osl under its range", minimal + `,"nvext":{"agent_hints":{"osl":-1}}}`, 400, "nvext.agent_hints.osl", "osl"},
		{"token ids of two choices", minimal + `,"n":2,"nvext":{"extra_fields":["completion_token_ids"]}}`, 400, "nvext.extra_fields", "completion_token_ids|one generated choice"},
		{"response_format without type", minimal + `,"response_format":{}}`, 400, "response_format.type", "string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DecodeRequest([]byte(c.body))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: accepted", c.body)
			}
			if e.Status != c.status || e.Param != c.param {
				t.Errorf("%s: got %d %q (%s), want %d %q", c.body, e.Status, e.Param, e.Message, c.status, c.param)
			}
			for _, word := range strings.Split(c.says, "|") {
				if !strings.Contains(e.Message, word) {
					t.Errorf("%s: %q does not say %q", c.body, e.Message, word)
				}
			}
		})
	}
}

func TestChunkPassesWhatItDoesNotKnow(t *testing.T) {
	var c Chunk
	// The chunk before must leave nothing behind.
	if err := c.Decode([]byte(`{"id":"old","choices":[{"index":4,"delta":{"content":"old","tool_calls":[{"index":3,"id":"x"}],"z":1},"finish_reason":"stop","w":2}],"nvext":{},"y":3}`)); err != nil {
		t.Fatal(err)
	}
	in := `{"id":"e","object":"chat.completion.chunk","created":5,"model":"m","system_fingerprint":"fp","choices":[{"index":0,"delta":{"role":"assistant","reasoning":"r","content":"a\nö","annotations":[1.0]},
"finish_reason":null,"logprobs":{"content":[]},"token_ids":[1],"stop_reason":2,"matched_stop":3,"seen":{"by":"choice"}}],"usage":null,"nvext":{"a":9007199254740993},"llm_metrics":{},"model_eos":[0],"prompt_token_ids":[1],"sglext":{"k":
1e2}}`
	if err := c.Decode([]byte(in)); err != nil {
		t.Fatal(err)
	}
	choice := c.Choices[0]
	if string(choice.TokenIDs) != "[1]" || string(choice.StopReason) != "2" || string(choice.MatchedStop) != "3" || string(c.PromptTokenIDs) != "[1]" {
		t.Errorf("evidence: %+v", choice)
	}
	want := `{"id":"e","object":"chat.completion.chunk","created":5,"model":"m","system_fingerprint":"fp","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"r","content":"a\nö","annotations":[1.0]},` +
		`"logprobs":{"content":[]},"finish_reason":null,"seen":{"by":"choice"}}],"nvext":{"a":9007199254740993},"sglext":{"k":1e2}}`
	if got := string(new(Encoder).AppendChunk(nil, &c)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFrameIsReadAnewInEachChunk(t *testing.T) {
	var c Chunk
	for _, step := range []struct{ in, id, model string }{
		{`{"id":"a\\n","model":"2"}`, `a\n`, "2"},
		{`{"id":"a\\n","model":"2"}`, `a\n`, "2"},
		{`{"id":"a\n","model":null}`, "a\n", ""},
		{`{"model":"2"}`, "", "2"},
	} {
		if err := c.Decode([]byte(step.in)); err != nil || c.ID != step.id || c.Model != step.model {
			t.Errorf("%s: got %q, %q, %v", step.in, c.ID, c.Model, err)
		}
	}
	if err := c.Decode([]byte(`{"model":121}`)); err == nil {
		t.Error("a number passed as the model")
	}
}

func TestChunkParts(t *testing.T) {
	var c Chunk
	if err := c.Decode([]byte(`{"choices":[{"index":1,"delta":{"content":[{"type":"text","text":"a"}],"tool_calls":[{"index":2,"id":"i","type":"function","function":{"name":"f","arguments":"{"},"x":1},{"function":{"arguments":{"a":1.0}}}]},"finish_reason":"tool_calls"}]}`)); err != nil {
		t.Fatal(err)
	}
	want := `{"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[{"index":1,"delta":{"content":[{"type":"text","text":"a"}],"tool_calls":[{"index":2,"id":"i","type":"function","function":{"name":"f","arguments":"{"},"x":1},{"index":1,"function":{"arguments":"{\"a\":1.0}"}}]},"finish_reason":"tool_calls"}]}`
	e := Encoder{ReasoningNames: []string{"reasoning"}}
	if got := string(e.AppendChunk(nil, &c)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c.Choices[0].Delta = Delta{Reasoning: "r"}
	c.ID = "other"
	if got := string(e.AppendChunk(nil, &c)); !strings.Contains(got, `"reasoning":"r"`) || !strings.Contains(got, `"id":"other"`) {
		t.Errorf("got %s", got)
	}
}

func TestReasoningUnderBothNames(t *testing.T) {
	c := Chunk{Choices: []Choice{{Delta: Delta{Reasoning: "r"}}}}
	e := Encoder{ReasoningNames: []string{FieldReasoningContent, FieldReasoning}}
	if got := string(e.AppendChunk(nil, &c)); !strings.Contains(got, `"delta":{"reasoning_content":"r","reasoning":"r"}`) {
		t.Errorf("got %s", got)
	}
	whole := Completion{Choices: []CompletionChoice{{Message: Message{Reasoning: "r", Content: "c"}}}}
	if got := string(e.AppendCompletion(nil, &whole)); !strings.Contains(got, `"reasoning_content":"r","reasoning":"r","content":"c"`) {
		t.Errorf("got %s", got)
	}
}

func TestThoughtsOfTheConversation(t *testing.T) {
	for _, c := range []struct{ role, in, name, want string }{
		{"assistant", `{"role":"assistant","reasoning_content":"a","content":"b"}`, "reasoning", `{"role":"assistant","content":"b","reasoning":"a"}`},
		{"assistant", `{"role":"assistant","reasoning":"a","content":null}`, "reasoning_content", `{"role":"assistant","content":null,"reasoning_content":"a"}`},
		{"assistant", `{"role":"assistant","reasoning":"x","reasoning_content":"y"}`, "reasoning", `{"role":"assistant","reasoning":"x"}`},
		{"assistant", `{"role":"assistant","reasoning":"x","reasoning_content":"y"}`, "reasoning_content", `{"role":"assistant","reasoning_content":"y"}`},
		{"assistant", `{"role":"assistant","reasoning":null,"reasoning_content":"y"}`, "reasoning", `{"role":"assistant","reasoning":"y"}`},
		{"assistant", `{"role":"assistant","content":"b"}`, "reasoning", `{"role":"assistant","content":"b"}`},
		{"assistant", `{"role":"assistant","reasoning_content":{"a":1}}`, "reasoning", `{"role":"assistant","reasoning_content":{"a":1}}`},
		{"user", `{"role":"user","reasoning_content":"a"}`, "reasoning", `{"role":"user","reasoning_content":"a"}`},
	} {
		m := InputMessage{Role: c.role, Raw: Raw(c.in)}
		if got := string(m.WithThoughts(c.name)); got != c.want {
			t.Errorf("%s as %s: %s", c.in, c.name, got)
		}
	}
	m := InputMessage{Role: "assistant", Raw: Raw(`{"reasoning":"a"}`)}
	if got := string(m.WithThoughts(FieldReasoningContent, FieldReasoning)); got != `{"reasoning_content":"a","reasoning":"a"}` {
		t.Errorf("both: %s", got)
	}
}

// TestRefusalsAreShort: a client's text is not sent back, or logged, at any length.
func TestRefusalsAreShort(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	for _, more := range []string{`,"nvext":{"` + long + `":1}`, `,"tool_choice":"` + long + `"`,
		`,"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"` + long + `"}}`} {
		var e *Error
		if _, err := DecodeRequest([]byte(minimal + more + "}")); !errors.As(err, &e) || len(e.Append(nil)) > 1000 {
			t.Errorf("%.40s: %.300v", more, err)
		}
	}
}

func TestFieldsThatAreAskedForTwice(t *testing.T) {
	r, err := DecodeRequest([]byte(minimal + `,"nvext":{"extra_fields":["a","b","a"]}}`))
	if err != nil || !reflect.DeepEqual(r.NVExt.ExtraFields, []string{"a", "b"}) || !r.NVExt.Wants("b") {
		t.Errorf("%+v %v", r, err)
	}
}

func TestChunkRefuses(t *testing.T) {
	for in, says := range map[string]string{
		`{bad json}`:                                 "JSON",
		`7`:                                          "object",
		`{"choices":{}}`:                             "choices",
		`{"choices":[7]}`:                            "choices[]",
		`{"choices":[{"index":128}]}`:                "choices[].index",
		`{"choices":[{"index":-1}]}`:                 "index",
		`{"choices":[{"index":99999999}]}`:           "index",
		`{"choices":[{"delta":[]}]}`:                 "delta",
		`{"choices":[{"delta":{"content":7}}]}`:      "content",
		`{"choices":[{"finish_reason":7}]}`:          "finish_reason",
		`{"choices":[{"delta":{"tool_calls":[7]}}]}`: "tool_calls",
	} {
		if err := new(Chunk).Decode([]byte(in)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestUsageThatIsNoneDoesNotCostTheAnswer(t *testing.T) {
	for usage, kept := range map[string]bool{
		`null`: false, `[]`: false, `"x"`: false, `7`: false, `{}`: true, `{"total_tokens":null}`: true,
		`{"prompt_tokens":-3}`: false, `{"completion_tokens":4e3}`: false, `{"total_tokens":"x"}`: false, `{"prompt_tokens":99999999999999999999}`: false,
	} {
		var c Chunk
		if err := c.Decode([]byte(`{"choices":[{"delta":{"content":"a"}}],"usage":` + usage + `}`)); err != nil || c.Choices[0].Delta.Content != "a" || (c.Usage != nil) != kept {
			t.Errorf("%s: %v %+v", usage, err, c.Usage)
		}
	}
}

func TestWholeMessageInAChunkIsNotRepeated(t *testing.T) {
	var c Chunk
	if err := c.Decode([]byte(`{"choices":[{"index":0,"delta":{"content":"b"},"message":{"content":"ab"},"finish_reason":"stop"}]}`)); err != nil {
		t.Fatal(err)
	}
	if got := c.Choices[0]; got.Delta.Content != "b" || len(got.Extra) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestUsage(t *testing.T) {
	var c Chunk
	if err := c.Decode([]byte(`{"choices":[],"usage":{"prompt_tokens":1,"x":{"y":1.0},"completion_tokens":2,"total_tokens":3,"completion_tokens_details":{"z":1,"reasoning_tokens":0},"prompt_tokens_details":{"cached_tokens":4}}}`)); err != nil {
		t.Fatal(err)
	}
	if c.Usage.PromptTokens != 1 || c.Usage.CompletionTokens != 2 || c.Usage.TotalTokens != 3 || c.Usage.CachedTokens != 4 {
		t.Errorf("got %+v", c.Usage)
	}
	c.Usage.ReasoningTokens = 7
	if got, want := string(c.Usage.appendUsage(nil)), `{"prompt_tokens":1,"x":{"y":1.0},"completion_tokens":2,"total_tokens":3,"completion_tokens_details":{"z":1,"reasoning_tokens":7},"prompt_tokens_details":{"cached_tokens":4}}`; got != want {
		t.Errorf("got %s", got)
	}
	u := Usage{PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3, ReasoningTokens: 1}
	if got, want := string(u.appendUsage(nil)), `{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"completion_tokens_details":{"reasoning_tokens":1}}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestCompletion(t *testing.T) {
	c := Completion{
		Frame: Frame{ID: "c", Created: 1, Model: "m"},
		Choices: []CompletionChoice{
			{Message: Message{Reasoning: "r", ToolCalls: []ToolCall{{ID: "i", Type: "function", Name: "f", Arguments: "{}"}}}, FinishReason: FinishToolCalls},
			{Index: 1, Message: Message{Content: "a"}},
		},
		Usage: &Usage{TotalTokens: 3},
		NVExt: Raw(`{"a":1}`),
	}
	want := `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","reasoning_content":"r","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"},` +
		`{"index":1,"message":{"role":"assistant","content":"a"},"finish_reason":null}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":3},"nvext":{"a":1}}`
	if got := string(new(Encoder).AppendCompletion(nil, &c)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestError(t *testing.T) {
	for want, e := range map[string]Error{
		`{"error":{"message":"a \"b\"","type":"invalid_request_error","param":"n","code":"c"}}`:                {Status: 400, Message: `a "b"`, Param: "n", Code: "c"},
		`{"error":{"message":"Internal server error","type":"internal_server_error","param":null,"code":500}}`: {Status: 500, Message: "Internal server error"},
		`{"error":{"message":"m","type":"service_unavailable","param":null,"code":529}}`:                       {Status: 529, Message: "m"},
	} {
		if got := string(e.Append(nil)); got != want {
			t.Errorf("got %s want %s", got, want)
		}
	}
}

// FuzzChunk: whatever an engine sends, what is written is one line of JSON, it
// reads back the same, and nothing internal is in it.
func FuzzChunk(f *testing.F) {
	f.Add([]byte(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null,"token_ids":[1],"matched_stop":"model_eos"}],"usage":{"a":1},"x":[{"y":"\ud83d"}]}`))
	f.Add([]byte(benchLine))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c, back Chunk
		var e Encoder
		if c.Decode(data) != nil {
			return
		}
		line := e.AppendChunk(nil, &c)
		var any map[string]json.RawMessage
		if err := json.Unmarshal(line, &any); err != nil || strings.ContainsAny(string(line), "\r\n") {
			t.Fatalf("%q became %q: %v", data, line, err)
		}
		for _, name := range []string{"llm_metrics", "model_eos", "message_boundary", "prompt_token_ids"} {
			if any[name] != nil {
				t.Fatalf("%q: %s leaked", data, name)
			}
		}
		if err := back.Decode(line); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if again := e.AppendChunk(nil, &back); string(again) != string(line) {
			t.Fatalf("%q became %q", line, again)
		}
	})
}

const benchLine = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"content":"Hello there, how"},"logprobs":null,"finish_reason":null,"token_ids":[9911,220]}],"usage":null}`

func BenchmarkDecodeChunk(b *testing.B) {
	b.ReportAllocs()
	data := []byte(benchLine)
	var c Chunk
	for b.Loop() {
		if err := c.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeChunk(b *testing.B) {
	b.ReportAllocs()
	var c Chunk
	if err := c.Decode([]byte(benchLine)); err != nil {
		b.Fatal(err)
	}
	var e Encoder
	var buf []byte
	for b.Loop() {
		buf = e.AppendChunk(buf[:0], &c)
	}
}

func BenchmarkDecodeEncodeChunk(b *testing.B) {
	b.ReportAllocs()
	data := []byte(benchLine)
	var c Chunk
	var e Encoder
	var buf []byte
	for b.Loop() {
		if err := c.Decode(data); err != nil {
			b.Fatal(err)
		}
		buf = e.AppendChunk(buf[:0], &c)
	}
}
