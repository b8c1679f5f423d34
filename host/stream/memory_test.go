package stream_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/stream"
)

// An engine uses its memory again for each chunk; the engine of these tests spoils it
// (see script.scribble). What waits for a later output must be as it came.
func TestWhatOutlivesItsChunkIsCopied(t *testing.T) {
	extraCall := func(function string) string {
		return `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` + function + `}]},"finish_reason":null}]}`
	}
	lines := []string{
		role,
		with(strings.Replace(text(`<tool_call>{"name":"open_vent",`), `"finish_reason"`, `"logprobs":{"content":[{"token":"one"}]},"of_choice":{"a":"1st"},"finish_reason"`, 1),
			`"of_chunk":{"b":"2nd"},"prompt_logprobs":[null,{"8":{"logprob":-0.5}}],"nvext":{"engine_data":{"c":"3rd"}}`),
		with(strings.Replace(text(`"arguments":{"house":`), `"finish_reason"`, `"logprobs":{"content":[{"token":"two"}]},"finish_reason"`, 1), `"of_chunk":{"b":"4th"}`),
		with(text(`3}}`), `"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"of_usage":{"d":"5th"}}`),
		with(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","stop_reason":"Bye, then"}]}`, `"service_tier":"slow","system_fingerprint":"fp_6"`),
		`{"choices":[],"nvext":{"engine_data":{"c":"6th"}}}`,
		`{"choices":[],"nvext":{"worker_id":{"e":"7th"}}}`,
	}
	kept := []string{
		`"of_choice":{"a":"1st"}`, `"of_chunk":{"b":"4th"}`, `"token":"one"`, `"token":"two"`, `[null,{"8":{"logprob":-0.5}}]`,
		`"of_usage":{"d":"5th"}`, `"stop_reason":"Bye, then"`, `"engine_data":{"c":"6th"}`, `"worker_id":{"e":"7th"}`,
	}
	for name, model := range routes(t) {
		request := tools + `,"stop":["Bye, then"],"logprobs":true,"prompt_logprobs":1,` + fields("engine_data", "worker_id", "stop_reason")
		batch := play(t, scene{model: model, lines: lines, request: request, batch: true})
		stream := play(t, scene{model: model, lines: lines, request: request + `,"stream_options":{"include_usage":true}`})
		for mode, r := range map[string]*result{"stream": stream, "batch": batch} {
			for _, k := range kept {
				if r.count(k) != 1 || r.count("#") != 0 || r.count("spoilt") != 0 {
					t.Errorf("%s, %s: %s comes %d times:\n%s", name, mode, k, r.count(k), r.text())
				}
			}
		}
	}
	// A call of the engine, before it has its name.
	parts := []string{
		extraCall(`"id":"call_7","function":{"arguments":"{\"house\""},"of_call":{"f":"8th"}`),
		extraCall(`"function":{"arguments":":3"}`),
		extraCall(`"function":{"name":"open_vent","arguments":"}"}`), finish("tool_calls"),
	}
	s, w := both(t, scene{request: tools, lines: parts})
	for _, r := range []*result{s, w} {
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`)
		if r.count(`"of_call":{"f":"8th"}`) != 1 || r.count(`"id":"call_7"`) != 1 {
			t.Error(r.text())
		}
	}
	// Thoughts and white space that wait.
	thought := `{"choices":[{"index":0,"delta":{"reasoning_content":"Hm, "}}]}`
	s, w = both(t, scene{request: `"chat_template_kwargs":{"force_nonempty_content":true}`, lines: []string{thought, thought, finish("stop")}})
	for _, r := range []*result{s, w} {
		r.want(t, 0, "stop", "text:Hm, Hm, ")
	}
	drops := func(m *stream.Model) { routes(t)["unified"](m); m.BlankText = stream.BlankDrop }
	s, w = both(t, scene{model: drops, request: tools, lines: []string{text(" "), text("\n"), text("a"), finish("stop")}})
	for _, r := range []*result{s, w} {
		r.want(t, 0, "stop", "text: \na")
	}
}

// The ids of a chunk may come twice, with the choice and in nvext: they are the same
// tokens.
func TestTokensAreCountedOnce(t *testing.T) {
	lines := []string{
		`{"choices":[{"index":0,"delta":{"content":"One two"},"token_ids":[1,2],"finish_reason":null}],"nvext":{"completion_token_ids":[1,2]}}`,
		`{"choices":[{"index":0,"delta":{"content":" three"},"finish_reason":null}],"nvext":{"completion_token_ids":[3]}}`,
		`{"choices":[{"index":0,"delta":{"content":" four"},"token_ids":[4],"finish_reason":null}]}`,
		finish("stop"),
	}
	for name, model := range routes(t) {
		s, w := both(t, scene{profile: "dynamo", model: model, request: tools + "," + fields("token_alignment", "completion_token_ids"), lines: lines})
		for _, r := range []*result{s, w} {
			if got := merged(r.alignment(t)); !reflect.DeepEqual(got, []string{"0-4 content"}) {
				t.Errorf("%s: alignment %q\n%s", name, got, r.text())
			}
		}
		if w.count(`"completion_token_ids":[1,2,3,4]`) != 1 {
			t.Errorf("%s: ids\n%s", name, w.text())
		}
		sum := int64(0)
		for _, m := range s.metrics {
			sum += m.ChunkTokens
		}
		if sum != 4 {
			t.Errorf("%s: %d tokens in the metrics: %+v", name, sum, s.metrics)
		}
	}
}
