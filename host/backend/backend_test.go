package backend

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

func mustProfile(t *testing.T, name string) *Profile {
	t.Helper()
	p, err := ProfileByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func chatMembers(t *testing.T, body string) *openai.ChatRequest {
	t.Helper()
	r, err := openai.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	hello = `{"model":"m","messages":[{"role":"user","content":"hi"}]`
	tool  = `{"type":"function","function":{"name":"f"}}`
)

func TestProfileByName(t *testing.T) {
	if _, err := ProfileByName("abacus"); err == nil || !strings.Contains(err.Error(), "vllm, sglang, trtllm, llamacpp, openai, dynamo") {
		t.Errorf("got %v", err)
	}
}

// TestAppendRequest: what each engine is sent, behind model and messages.
func TestAppendRequest(t *testing.T) {
	const usage = `"stream":true,"stream_options":{"include_usage":true}`
	schema := Guided{GuidedJSON, openai.Raw(`{"type":"array"}`)}
	tag := Guided{GuidedStructuralTag, openai.Raw(`{"format":{"q":"\""}}`)}
	parsing := func(r *Request) { r.RawText, r.ShowTools, r.SpecialTokens = true, true, true }
	for _, c := range []struct {
		name            string
		profile, client string
		host            func(*Request)
		want            string
	}{
		{"vllm, tools", "vllm", `,"tools":[` + tool + `],"tool_choice":"auto","temperature":0.250,"seed":9007199254740993,"x":{"a": 1}`, parsing,
			`"tools":[` + tool + `],"tool_choice":"none","temperature":0.250,"seed":9007199254740993,"x":{"a": 1},` + usage + `,"skip_special_tokens":false,"spaces_between_special_tokens":false`},
		{"sglang, tools", "sglang", `,"tools":[` + tool + `]`, parsing, `"tools":[` + tool + `],` + usage + `,"separate_reasoning":false,"skip_special_tokens":false,"tool_choice":"auto"`},
		{"trtllm, named tool", "trtllm", `,"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"f"}}`, parsing, `"tools":[` + tool + `],` + usage + `,"skip_special_tokens":false`},
		{"llamacpp, tools off", "llamacpp", `,"tools":[` + tool + `],"tool_choice":"none"`, parsing, `"tools":[` + tool + `],"tool_choice":"auto",` + usage + `,"reasoning_format":"none","parse_tool_calls":false`},
		{"openai, required tool", "openai", `,"tools":[` + tool + `],"tool_choice":"required","parallel_tool_calls":false,"thinking":true`, func(r *Request) { r.ShowTools = true },
			`"tools":[` + tool + `],"tool_choice":"required","parallel_tool_calls":false,"thinking":true,` + usage},
		{"openai, constrained tool", "openai", `,"tools":[` + tool + `],"tool_choice":"required"`, func(r *Request) { r.ShowTools, r.Guided = true, schema },
			`"tools":[` + tool + `],"tool_choice":"none",` + usage + `,"response_format":{"type":"json_schema","json_schema":{"name":"tool_calls","strict":true,"schema":{"type":"array"}}}`},
		// No tools in the prompt, and no empty list.
		{"tools off", "vllm", `,"tools":[` + tool + `],"tool_choice":"none","parallel_tool_calls":true`, nil, usage},
		{"no tools", "vllm", `,"tools":[]`, parsing, usage + `,"skip_special_tokens":false,"spaces_between_special_tokens":false`},
		// The client's special tokens give way only where the parser needs them.
		{"special tokens as the client wants", "vllm", `,"skip_special_tokens":true`, nil, `"skip_special_tokens":true,` + usage},
		{"special tokens as the parser needs", "vllm", `,"skip_special_tokens":true`, parsing, `"skip_special_tokens":false,` + usage + `,"spaces_between_special_tokens":false`},
		// Members of ours, and of other hosts.
		{"vllm, token ids and stop text", "vllm", `,"nvext":{"extra_fields":["timing"]},"thinking":true`, func(r *Request) { r.TokenIDs, r.StopText = true, true }, usage + `,"include_stop_str_in_output":true,"return_token_ids":true`},
		{"sglang, stop text", "sglang", ``, func(r *Request) { r.TokenIDs, r.StopText = true, true }, usage + `,"no_stop_trim":true`},
		{"openai, neither", "openai", ``, func(r *Request) { r.TokenIDs, r.StopText, r.SpecialTokens = true, true, true }, usage},
		{"dynamo, evidence", "dynamo", `,"nvext":{"extra_fields":["timing"]},"thinking":true`, nil, `"nvext":{"extra_fields":["timing","stop_reason"]},"thinking":true,` + usage},
		{"dynamo, token ids", "dynamo", `,"nvext":{"dp_rank":3}`, func(r *Request) { r.TokenIDs = true }, `"nvext":{"dp_rank":3,"extra_fields":["stop_reason","completion_token_ids"]},` + usage},
		{"dynamo, two choices", "dynamo", `,"n":2`, func(r *Request) { r.TokenIDs = true }, `"n":2,` + usage},
		// Usage is always asked for; running usage only where known.
		{"running usage", "vllm", `,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}`, nil, `"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}`},
		{"running usage unknown", "openai", `,"stream":true,"stream_options":{"include_usage":false,"continuous_usage_stats":true}`, nil, usage},
		// Obfuscation passes where it is known or wanted.
		{"obfuscation off, openai", "openai", `,"stream":true,"stream_options":{"include_obfuscation":false}`, nil, `"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false}`},
		{"obfuscation off, elsewhere", "trtllm", `,"stream":true,"stream_options":{"include_obfuscation":false}`, nil, `"stream":true,"stream_options":{"include_usage":true}`},
		{"obfuscation on, elsewhere", "vllm", `,"stream":true,"stream_options":{"include_obfuscation":true}`, nil, `"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":true}`},
		// The template's switches.
		{"template arguments of the host", "vllm", `,"chat_template_kwargs":{"a":1}`, func(r *Request) {
			r.TemplateArgs = []openai.Member{{Name: "a", Value: openai.Raw("1")}, {Name: "thinking", Value: openai.Raw("true")}}
		}, `"chat_template_kwargs":{"a":1,"thinking":true},` + usage},
		{"template arguments of the client", "vllm", `,"chat_template_kwargs":{"a":1}`, nil, `"chat_template_kwargs":{"a":1},` + usage},
		// A forced choice goes before a response format, constrained or not.
		{"forced choice and response format", "sglang", `,"tools":[` + tool + `],"tool_choice":"required","response_format":{"type":"json_object"}`, func(r *Request) { r.ShowTools = true },
			`"tools":[` + tool + `],"tool_choice":"auto",` + usage},
		// Constraints: one of the host's takes the place of the client's.
		{"response format", "vllm", `,"response_format":{"type":"json_object"}`, nil, `"response_format":{"type":"json_object"},` + usage},
		{"schema for the client's", "vllm", `,"response_format":{"type":"json_object"},"guided_json":{}`, func(r *Request) { r.Guided = schema }, usage + `,"structured_outputs":{"json":{"type":"array"}}`},
		{"structural tag on vllm", "vllm", `,"structured_outputs":{"regex":"x"}`, func(r *Request) { r.Guided = tag }, `"structured_outputs":{"structural_tag":"{\"format\":{\"q\":\"\\\"\"}}"},` + usage},
		{"structural tag on sglang", "sglang", `,"response_format":{"type":"json_object"}`, func(r *Request) { r.Guided = tag }, `"response_format":{"type":"structural_tag","format":{"q":"\""}},` + usage},
		{"schema on trtllm", "trtllm", ``, func(r *Request) { r.Guided = schema }, usage + `,"response_format":{"type":"json_schema","json_schema":{"name":"tool_calls","strict":true,"schema":{"type":"array"}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Request{Chat: chatMembers(t, hello+c.client+"}")}
			if c.host != nil {
				c.host(r)
			}
			want := hello + "," + c.want + "}"
			if got := string(mustProfile(t, c.profile).AppendRequest(nil, r)); got != want {
				t.Errorf("%s %s:\ngot  %s\nwant %s", c.profile, c.client, got, want)
			}
		})
	}
	r := &Request{Chat: chatMembers(t, hello+"}"), Model: "served/as"}
	if got := string(mustProfile(t, "openai").AppendRequest(nil, r)); !strings.HasPrefix(got, `{"model":"served/as",`) {
		t.Errorf("got %s", got)
	}
}

// TestThoughtsOfTheConversation: each engine is sent them under the name that it reads.
func TestThoughtsOfTheConversation(t *testing.T) {
	const before = `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"b","%s":"a"},{"role":"user","content":"c"}],"stream"`
	for profile, names := range map[string]string{
		"vllm": "reasoning", "sglang": "reasoning_content", "trtllm": "reasoning_content", "llamacpp": "reasoning_content", "dynamo": "reasoning_content", "openai": "",
	} {
		for _, sent := range []string{"reasoning", "reasoning_content"} {
			want := names
			if want == "" {
				want = sent
			}
			r := &Request{Chat: chatMembers(t, fmt.Sprintf(before, sent)+":false}")}
			if got := string(mustProfile(t, profile).AppendRequest(nil, r)); !strings.HasPrefix(got, fmt.Sprintf(before, want)) || strings.Count(got, `"reasoning`) != 1 {
				t.Errorf("%s, %s: %s", profile, sent, got)
			}
		}
	}
}

func TestCanGuide(t *testing.T) {
	for name, want := range map[string][2]bool{"vllm": {true, true}, "sglang": {true, true}, "trtllm": {true, true}, "llamacpp": {true, false}, "openai": {true, false}, "dynamo": {true, true}} {
		p := mustProfile(t, name)
		if got := [2]bool{p.CanGuide(GuidedJSON), p.CanGuide(GuidedStructuralTag)}; got != want || !p.CanGuide(GuidedNone) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestVerdict: what an engine's last chunk means. The request's own stops are the
// id 91 and the string "END"; the model's EOS ids are 2 and 32000 unless none.
func TestVerdict(t *testing.T) {
	const (
		eos  = abi.FinishEOS
		user = abi.FinishUserStop
		none = abi.FinishUnknown
	)
	for _, c := range []struct {
		profile, choice string
		finish          abi.Finish
		stop            string
	}{
		{"vllm", `"finish_reason":"stop","stop_reason":null`, eos, ""},
		{"vllm", `"finish_reason":"stop"`, eos, ""},
		{"vllm", `"finish_reason":"stop","stop_reason":32000`, eos, ""},
		{"vllm", `"finish_reason":"stop","stop_reason":91`, user, "91"},
		{"vllm", `"finish_reason":"stop","stop_reason":77`, user, "77"},
		{"vllm", `"finish_reason":"stop","stop_reason":"END"`, user, `"END"`},
		{"vllm", `"finish_reason":"stop","stop_reason":"repetition_detected"`, none, ""},
		{"vllm", `"finish_reason":"stop","stop_reason":[1]`, none, ""},
		{"vllm", `"finish_reason":"length","stop_reason":null`, abi.FinishLength, ""},
		{"vllm", `"finish_reason":"content_filter"`, abi.FinishLength, ""},
		{"vllm", `"finish_reason":"tool_calls"`, none, ""},
		{"sglang", `"finish_reason":"stop","matched_stop":2`, eos, ""},
		{"sglang", `"finish_reason":"stop","matched_stop":91`, user, "91"},
		{"sglang", `"finish_reason":"stop","matched_stop":77`, user, "77"},
		{"sglang", `"finish_reason":"stop","matched_stop":"END"`, user, `"END"`},
		{"sglang", `"finish_reason":"stop","matched_stop":null`, none, ""},
		{"sglang", `"finish_reason":"stop"`, none, ""},
		{"trtllm", `"finish_reason":"stop","stop_reason":null`, eos, ""},
		{"trtllm", `"finish_reason":"stop","stop_reason":2`, eos, ""},
		{"trtllm", `"finish_reason":"stop","stop_reason":91`, user, "91"},
		{"trtllm", `"finish_reason":"stop","stop_reason":77`, user, "77"},
		{"trtllm", `"finish_reason":"stop","stop_reason":"END"`, user, `"END"`},
		{"dynamo", `"finish_reason":"stop"`, none, ""},
		{"llamacpp", `"finish_reason":"stop","stop_reason":null`, none, ""},
		{"openai", `"finish_reason":"stop","matched_stop":2`, none, ""},
	} {
		r := &Request{Chat: &openai.ChatRequest{Stop: []string{"END"}, StopTokenIDs: []int64{91}}, EOSTokenIDs: []int64{2, 32000}}
		if got := verdict(t, c.profile, r, c.choice); got.Finish != c.finish || string(got.StopReason) != c.stop || got.Err != nil {
			t.Errorf("%s %s: got %+v", c.profile, c.choice, got)
		}
		r.Chat.IgnoreEOS = true
		if got := verdict(t, c.profile, r, c.choice); got.Finish == eos {
			t.Errorf("%s %s: an end that was to be ignored is confirmed", c.profile, c.choice)
		}
	}

	// The user's stop wins over the model's.
	r := &Request{Chat: &openai.ChatRequest{StopTokenIDs: []int64{2}}, EOSTokenIDs: []int64{2}}
	if got := verdict(t, "sglang", r, `"finish_reason":"stop","matched_stop":2`); got.Finish != user || string(got.StopReason) != "2" {
		t.Errorf("got %+v", got)
	}
	// Without the model's ids a number proves nothing, null still does.
	r = &Request{Chat: &openai.ChatRequest{}}
	if got := verdict(t, "vllm", r, `"finish_reason":"stop","stop_reason":2`); got.Finish != none || got.StopReason != nil {
		t.Errorf("got %+v", got)
	}
	if got := verdict(t, "vllm", r, `"finish_reason":"stop","stop_reason":null`); got.Finish != eos {
		t.Errorf("got %+v", got)
	}
	for _, reason := range []string{"abort", "cancelled", "error", "timeout"} {
		if got := verdict(t, "trtllm", r, `"finish_reason":"`+reason+`"`); got.Err == nil || got.Err.Code != CodeAborted {
			t.Errorf("%s: got %+v", reason, got)
		}
	}
}

func verdict(t *testing.T, profile string, r *Request, choice string) Verdict {
	t.Helper()
	var c openai.Chunk
	if err := c.Decode([]byte(`{"choices":[{"index":0,"delta":{},` + choice + `}]}`)); err != nil {
		t.Fatal(err)
	}
	return mustProfile(t, profile).Verdict(r, &c, &c.Choices[0])
}

// TestEndTokensCountOnEveryProfile: an id of the model's end tokens is evidence wherever the
// engine shows it, also in a chunk before the finish reason's.
func TestEndTokensCountOnEveryProfile(t *testing.T) {
	finish := func(more string) string {
		return `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"` + more + `}]}`
	}
	token := `{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null,"token_ids":[7,%d]}]}`
	for _, profile := range ProfileNames() {
		for _, c := range []struct {
			name  string
			lines []string
			eos   bool
		}{
			{"stop_reason", []string{finish(`,"stop_reason":32000`)}, true},
			{"matched_stop", []string{finish(`,"matched_stop":2,"stop_reason":"x"`)}, profile != "vllm" && profile != "trtllm"},
			{"the last token", []string{finish(`,"token_ids":[7,2],"stop_reason":[]`)}, true},
			{"the last token, before", []string{fmt.Sprintf(token, 2), finish(`,"stop_reason":[]`)}, true},
			{"a token in the middle", []string{finish(`,"token_ids":[2,7],"stop_reason":[]`)}, false},
			{"another token", []string{fmt.Sprintf(token, 8), finish(`,"stop_reason":[]`)}, false},
			{"a stop of the request's", []string{finish(`,"token_ids":[91],"stop_reason":[]`)}, false},
		} {
			r := &Request{Chat: &openai.ChatRequest{StopTokenIDs: []int64{91}}, EOSTokenIDs: []int64{2, 32000, 91}}
			got := strings.Join(items(t, mustProfile(t, profile).NewReader(r), c.lines...), " ")
			if want := fmt.Sprintf("stop 0=%d", abi.FinishEOS); strings.Contains(got, want) != c.eos {
				t.Errorf("%s, %s: %s", profile, c.name, got)
			}
		}
	}
}

func TestDynamoTellsUserStopsByNVExt(t *testing.T) {
	var c openai.Chunk
	if err := c.Decode([]byte(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"nvext":{"stop_reason":"END"}}`)); err != nil {
		t.Fatal(err)
	}
	v := mustProfile(t, "dynamo").Verdict(&Request{Chat: &openai.ChatRequest{}}, &c, &c.Choices[0])
	if v.Finish != abi.FinishUserStop || string(v.StopReason) != `"END"` {
		t.Errorf("got %+v", v)
	}
}

// items reads lines and gives what came, as text.
func items(t *testing.T, reader *Reader, lines ...string) []string {
	t.Helper()
	var out []string
	for _, line := range lines {
		var c openai.Chunk
		if err := c.Decode([]byte(line)); err != nil {
			t.Fatal(err)
		}
		item, err := reader.Read(&c)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, show(item))
	}
	return out
}

func show(item chunk.Item) string {
	s := ""
	for _, c := range item.Data.Choices {
		s += fmt.Sprintf("%d:%s%s ", c.Index, c.Delta.Content, c.FinishReason)
	}
	for _, stop := range item.Stops {
		s += fmt.Sprintf("stop %d=%d%s ", stop.Choice, stop.Finish, stop.Reason)
	}
	if len(item.EOSTokens) > 0 {
		s += fmt.Sprintf("eos %v ", item.EOSTokens)
	}
	if item.EngineData != nil {
		s += fmt.Sprintf("data %s ", item.EngineData)
	}
	if m := item.Metrics; m != nil {
		s += fmt.Sprintf("+%d=%d %s", m.ChunkTokens, m.OutputTokens, m.Counted)
	}
	return strings.TrimSpace(s)
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReader(t *testing.T) {
	reader := mustProfile(t, "vllm").NewReader(&Request{Chat: &openai.ChatRequest{}, EOSTokenIDs: []int64{2}})
	check(t, items(t, reader,
		`{"choices":[{"index":0,"delta":{"role":"assistant"}},{"index":1,"delta":{"role":"assistant"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a"},"token_ids":[5,6]}],"kv_transfer_params":{"x":1}}`,
		`{"choices":[{"index":1,"delta":{"content":"b"}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","token_ids":[2]},{"index":1,"delta":{},"finish_reason":"length"}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}`,
	),
		"0: 1:",
		`0:a data {"kv_transfer_params":{"x":1}} +2=2 token_ids`,
		"1:b +1=3 chunks",
		"0:stop 1:length stop 0=1 stop 1=2 eos [0] +1=4 token_ids",
		"0:stop",
		"+5=9 usage")
	if last, err := reader.End(false); last != nil || err != nil {
		t.Errorf("got %v, %v", last, err)
	}
}

func TestReaderOpaqueMembersDoNotPass(t *testing.T) {
	reader := mustProfile(t, "sglang").NewReader(&Request{Chat: &openai.ChatRequest{}})
	var c openai.Chunk
	if err := c.Decode([]byte(`{"choices":[{"index":0,"delta":{},"meta_info":{"a":1.0},"other":1}],"sglext":7,"mine":2}`)); err != nil {
		t.Fatal(err)
	}
	item, err := reader.Read(&c)
	if err != nil || string(item.EngineData) != `{"sglext":7,"meta_info":{"a":1.0}}` {
		t.Errorf("got %s, %v", item.EngineData, err)
	}
	if got := string(new(openai.Encoder).AppendChunk(nil, &c)); strings.Contains(got, "sglext") || strings.Contains(got, "meta_info") || !strings.Contains(got, `"mine":2`) || !strings.Contains(got, `"other":1`) {
		t.Errorf("got %s", got)
	}
}

func TestReaderErrors(t *testing.T) {
	reader := mustProfile(t, "vllm").NewReader(&Request{Chat: &openai.ChatRequest{}})
	for line, code := range map[string]string{
		`{"error":{"message":"x","code":500}}`:                         CodeReported,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}`: CodeAborted,
	} {
		var c openai.Chunk
		if err := c.Decode([]byte(line)); err != nil {
			t.Fatal(err)
		}
		var e *Error
		if _, err := reader.Read(&c); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestEnd(t *testing.T) {
	r := &Request{Chat: &openai.ChatRequest{}}
	const text, finished = `{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}`, `{"choices":[{"index":%d,"delta":{},"finish_reason":"stop"}]}`
	for _, c := range []struct {
		lines []string
		clean bool
	}{
		{nil, false},
		{[]string{text}, false},
		{[]string{text, fmt.Sprintf(finished, 0)}, false},
		{[]string{text, fmt.Sprintf(finished, 0), fmt.Sprintf(finished, 1)}, true},
	} {
		for _, done := range []bool{false, true} {
			reader := mustProfile(t, "openai").NewReader(r)
			items(t, reader, c.lines...)
			if _, err := reader.End(done); (err == nil) != (c.clean || done && c.lines != nil) {
				t.Errorf("%v, done %v: %v", c.lines, done, err)
			}
		}
	}
}

// TestT92_HiddenStopString: where the host asked for the text of stops and the client
// did not, a stop string that the user named is taken out, however it is cut.
func TestT92_HiddenStopString(t *testing.T) {
	content := func(text string) string { return `{"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` }
	finish := func(text, stop string) string {
		return `{"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop","stop_reason":` + stop + `}]}`
	}
	for name, c := range map[string]struct {
		lines []string
		want  string
		shown bool
	}{
		"over three chunks":  {[]string{content("ab #"), content("#"), finish("#", `"###"`)}, "ab ", false},
		"a near miss":        {[]string{content("ab #"), content("#"), content(" c"), finish("", "null")}, "ab ## c", false},
		"at the model's end": {[]string{content("ab ##"), finish("", "null")}, "ab ##", false},
		"inside the text":    {[]string{content("a###"), content("b"), finish("", "null")}, "a###b", false},
		"the client asked":   {[]string{content("ab #"), finish("##", `"###"`)}, "ab ###", true},
		"two candidates":     {[]string{content("ab #"), content("#!"), finish("?", `"#!?"`)}, "ab #", false},
		"no finish":          {[]string{content("ab ##")}, "ab ##", false},
	} {
		r := &Request{Chat: &openai.ChatRequest{Stop: []string{"###", "#!?"}, IncludeStopText: c.shown}, StopText: true}
		reader := mustProfile(t, "vllm").NewReader(r)
		got := ""
		add := func(item chunk.Item) {
			for _, choice := range item.Data.Choices {
				got += choice.Delta.Content
			}
		}
		for _, line := range c.lines {
			var data openai.Chunk
			if err := data.Decode([]byte(line)); err != nil {
				t.Fatal(err)
			}
			item, err := reader.Read(&data)
			if err != nil {
				t.Fatal(err)
			}
			add(item)
		}
		last, err := reader.End(true)
		if err != nil {
			t.Fatal(err)
		}
		if last != nil {
			add(*last)
		}
		if got != c.want {
			t.Errorf("%s: got %q want %q", name, got, c.want)
		}
	}
}

// FuzzRequest: any body is refused with an error that says what is wrong, or
// becomes for each engine a JSON object that asks for a stream.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(hello + `,"tools":[` + tool + `],"tool_choice":"auto","stream_options":null,"x":{"a":[1.0]}}`))
	f.Add([]byte(hello + `,"stream":true,"stream":false,"nvext":{"agent_hints":{"osl":1}},"stop":["a"],"thinking":{"type":"adaptive"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		chat, err := openai.DecodeRequest(body)
		var e *openai.Error
		if errors.As(err, &e) {
			if e.Status < 400 || e.Status > 599 || e.Message == "" || e.Code == "" {
				t.Fatalf("%q: %+v", body, e)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %T", body, err)
		}
		for _, p := range profiles {
			out := p.AppendRequest(nil, &Request{Chat: chat, RawText: true, ShowTools: true, SpecialTokens: true, TokenIDs: true,
				Guided: Guided{GuidedJSON, openai.Raw("{}")}})
			var sent map[string]json.RawMessage
			if err := json.Unmarshal(out, &sent); err != nil || string(sent["stream"]) != "true" || sent["messages"] == nil {
				t.Fatalf("%q: %s is sent %q", body, p.Name, out)
			}
		}
	})
}

func BenchmarkAppendRequest(b *testing.B) {
	p, _ := ProfileByName("vllm")
	chat, err := openai.DecodeRequest([]byte(hello + `,"tools":[` + tool + `],"temperature":0.5,"stream":true}`))
	if err != nil {
		b.Fatal(err)
	}
	r := &Request{Chat: chat, ShowTools: true, SpecialTokens: true}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = p.AppendRequest(buf[:0], r)
	}
}

// TestDynamoTellsTokenIDsByNVExt: they count, and show the model's end token.
func TestDynamoTellsTokenIDsByNVExt(t *testing.T) {
	for profile, want := range map[string]int{"dynamo": 1, "vllm": 0} {
		reader := mustProfile(t, profile).NewReader(&Request{Chat: &openai.ChatRequest{N: 1}, EOSTokenIDs: []int64{2}})
		var data openai.Chunk
		if err := data.Decode([]byte(`{"choices":[{"index":0,"delta":{"content":"</s>"}}],"nvext":{"completion_token_ids":[7,2]}}`)); err != nil {
			t.Fatal(err)
		}
		item, err := reader.Read(&data)
		if err != nil || len(item.EOSTokens) != want || want == 1 && (item.Metrics.ChunkTokens != 2 || item.Metrics.Counted != chunk.CountedIDs) {
			t.Errorf("%s: %v, %+v", profile, err, item)
		}
	}
}
