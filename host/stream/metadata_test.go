package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/route"
)

const call = `<tool_call>{"name":"open_vent","arguments":{"house":3}}</tool_call>`

// held are three chunks of a call, with these members beside their choices.
func held(beside ...string) []string {
	lines := []string{role}
	for i, s := range []string{`<tool_call>{"name":"open_vent",`, `"arguments":{"house":3}}`, `</tool_call>`} {
		lines = append(lines, with(text(s), beside[i]))
	}
	return lines
}

// with adds members to a chunk.
func with(line, members string) string {
	if members == "" {
		return line
	}
	return strings.TrimSuffix(line, "}") + "," + members + "}"
}

func fields(names ...string) string {
	return fmt.Sprintf(`"nvext":{"extra_fields":["%s"]}`, strings.Join(names, `","`))
}

func TestT1_AnnotationBetweenJailedChunksPassesAtOnce(t *testing.T) {
	lines := held("", "", "")
	lines = append(lines[:2], append([]string{"!request_id|abc"}, lines[2:]...)...)
	r := play(t, scene{model: withHermes(t, route.V1), request: tools, lines: append(lines, finish("stop"))})
	r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`)
	if note, c := r.frame("request_id"), r.frame("open_vent"); note < 0 || note > c {
		t.Errorf("annotation at %d, call at %d", note, c)
	}
	if r.frames[r.frame("request_id")] != `request_id ["abc"]` {
		t.Errorf("changed: %s", r.text())
	}
}

// TestAnnotationsWaitForAChunkThatIsSent: those of chunks that a parser swallows, on every
// route, since an event without data is none for most clients.
func TestAnnotationsWaitForAChunkThatIsSent(t *testing.T) {
	for name, model := range routes(t) {
		s := scene{model: model, request: tools, lines: append(held("", "", ""), finish("stop"))}
		s.edit = func(at int, it *chunk.Item) {
			if at == 1 || at == 2 {
				it.ID, it.Event, it.Comments = fmt.Sprint(at), "note", []string{fmt.Sprint("annotated ", at)}
			}
		}
		r := play(t, s)
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`)
		if r.count("note [") != 0 || r.notes == 0 || r.notes > 2 {
			t.Errorf("%s: %d notes:\n%s", name, r.notes, r.text())
		}
	}
}

// A comment on a chunk that the jail swallows waits for the output that the chunk is
// part of; so do an event's id and name.
func TestT1_AnnotationsOfASwallowedChunkComeWithTheCall(t *testing.T) {
	for _, note := range []chunk.Item{{Comments: []string{"alive"}}, {ID: "7"}, {Event: "progress"}} {
		s := scene{model: withHermes(t, route.V1), request: tools, lines: append(held("", "", ""), finish("stop"))}
		s.edit = func(at int, it *chunk.Item) {
			if at == 2 {
				it.ID, it.Event, it.Comments = note.ID, note.Event, note.Comments
			}
		}
		op, refused, _, _ := prepare(t, &s)
		if refused != nil {
			t.Fatal(refused)
		}
		defer op.Close()
		if err := op.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for it, err := op.Next(); err == nil; it, err = op.Next() {
			calls := len(it.Data.Choices) > 0 && len(it.Data.Choices[0].Delta.ToolCalls) > 0
			if noted := it.ID == note.ID && it.Event == note.Event && slices.Equal(it.Comments, note.Comments); noted != calls {
				t.Errorf("note %+v, call %v: %+v", note, calls, it)
			}
		}
	}
}

func TestT5_PayloadUsageIsNotWrittenButItsMetricsCount(t *testing.T) {
	lines := []string{role, text("Fine."), finish("stop"), usage}
	s := scene{request: `"stream_options":{"include_usage":true}`, lines: lines}
	s.edit = func(at int, it *chunk.Item) {
		if at == len(lines)-1 {
			it.Event = chunk.EventPayloadUsage
			it.Metrics = &chunk.Metrics{ChunkTokens: 7}
		}
	}
	r := play(t, s)
	r.want(t, 0, "stop", "text:Fine.")
	if r.count("usage") != 0 {
		t.Errorf("written: %s", r.text())
	}
	if n := len(r.metrics); n == 0 || r.metrics[n-1].ChunkTokens != 7 {
		t.Errorf("metrics %v", r.metrics)
	}
}

func TestT2_InternalAnnotationsAreStripped(t *testing.T) {
	lines := []string{"!llm_metrics|{\"chunk_tokens\":1}", text("Fine."), "!request_id|abc", finish("stop")}
	s := scene{lines: lines}
	s.edit = func(at int, it *chunk.Item) {
		if at == 1 {
			it.Event, it.Comments = chunk.EventMetrics, []string{`{"chunk_tokens":2}`}
		}
	}
	r := play(t, s)
	r.want(t, 0, "stop", "text:Fine.")
	if r.count("llm_metrics")+r.count("chunk_tokens") != 0 || r.notes != 1 {
		t.Errorf("\n%s", r.text())
	}
}

func TestT2_InternalNamesReachNoClient(t *testing.T) {
	lines := []string{
		with(text("Fine."), `"llm_metrics":{"chunk_tokens":1},"model_eos":[0],"message_boundary":[0]`),
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","matched_stop":2,"token_ids":[2]}]}`, usage,
	}
	for _, profile := range []string{"sglang", "vllm", "dynamo"} {
		s, w := both(t, scene{profile: profile, lines: lines, request: fields("stop_reason", "engine_data")})
		for _, name := range []string{"llm_metrics", "model_eos", "message_boundary", "matched_stop", "token_ids"} {
			if n := s.count(name) + w.count(name); n != 0 {
				t.Errorf("%s: %s occurs %d times", profile, name, n)
			}
		}
	}
}

func TestT6_T7_T8_T11_T21_MetadataOfSwallowedChunks(t *testing.T) {
	lines := append(held(
		`"nvext":{"completion_token_ids":[1,2],"engine_data":{"a":1,"b":2},"worker_id":{"decode_worker_id":9007199254740993}}`,
		`"nvext":{"completion_token_ids":[3],"engine_data":{"a":5}}`,
		`"nvext":{"completion_token_ids":[4]}`), finish("stop"))
	want := `"nvext":{"completion_token_ids":[1,2,3,4],"engine_data":{"a":5},"worker_id":{"decode_worker_id":9007199254740993}}`
	for name, model := range routes(t) {
		if name != "jail" { // the others let the head of the call go out before
			continue
		}
		s, w := both(t, scene{profile: "dynamo", model: model, request: tools + "," + fields("completion_token_ids", "engine_data", "worker_id"), lines: lines})
		if s.count(want) != 1 || s.count("nvext") != 1 || w.count(want) != 1 {
			t.Errorf("%s:\n%s\n%s", name, s.text(), w.text())
		}
	}
}

func TestT9_T10_OddNVExtChangesNothing(t *testing.T) {
	lines := []string{role,
		with(text("<tool_call>"), `"nvext":{"completion_token_ids":[1]}`), with(text(`{"name":`), `"nvext":null`),
		with(text(`"open_vent",`), `"nvext":[]`), with(text(`"arguments":{}`), `"nvext":3`),
		with(text(`}`), `"nvext":{"completion_token_ids":"x","worker_id":{"decode_worker_id":8}}`),
		with(text("</tool_call>"), `"nvext":{"completion_token_ids":[2]}`), finish("stop")}
	s, w := both(t, scene{profile: "dynamo", model: withHermes(t, route.V1), request: tools + "," + fields("completion_token_ids", "worker_id"), lines: lines})
	want := `"nvext":{"completion_token_ids":[1,2],"worker_id":{"decode_worker_id":8}}`
	if s.count(want) != 1 || w.count(want) != 1 {
		t.Errorf("%s\n%s", s.text(), w.text())
	}
	if s.counts["nvext_ignored"] != 4 {
		t.Errorf("counted %v", s.counts)
	}
}

func TestT12_MetricsOfSwallowedChunksAreSummed(t *testing.T) {
	lines := held("", "", "")
	s := scene{model: withHermes(t, route.V1), request: tools, lines: append(lines, finish("stop"))}
	s.edit = func(at int, it *chunk.Item) {
		it.Metrics = map[int]*chunk.Metrics{
			1: {ChunkTokens: 2, OutputTokens: 2}, 3: {ChunkTokens: 3, OutputTokens: 5},
		}[at]
	}
	r := play(t, s)
	s.batch = true
	for _, r := range []*result{r, play(t, s)} {
		if len(r.metrics) != 1 || r.metrics[0].ChunkTokens != 5 || r.metrics[0].OutputTokens != 5 {
			t.Errorf("metrics %+v", r.metrics)
		}
	}
}

func TestT13_T14_T15_T16_LeftoverMetadataGetsOneChunk(t *testing.T) {
	request := fields("completion_token_ids") + `,"stream_options":{"include_usage":true}`
	lines := []string{with(text("One minute."), `"nvext":{"completion_token_ids":[5]}`), finish("stop")}
	tail := []string{`{"choices":[],"nvext":{"completion_token_ids":[6,7]}}`, usage}
	for name, model := range routes(t) {
		r := play(t, scene{profile: "dynamo", model: model, request: request, lines: append(lines[:2:2], tail...)})
		left, use := r.frame(`"choices":[]`, "[6,7]"), r.frame(`"choices":[]`, `"usage":{`)
		if left < 0 || use != left+1 || use != len(r.frames)-1 || strings.Contains(r.frames[use], "nvext") || strings.Contains(r.frames[left], "usage") {
			t.Errorf("%s:\n%s", name, r.text())
		}
		if r.count(`"id":"`+r.op.ID()+`"`) != len(r.frames) || r.count(`"model":"m"`) != len(r.frames) {
			t.Errorf("%s: the frame differs:\n%s", name, r.text())
		}
		r = play(t, scene{profile: "dynamo", model: model, request: request, lines: append(lines[:2:2], usage)})
		if r.count(`"choices":[]`) != 1 {
			t.Errorf("%s: an extra chunk:\n%s", name, r.text())
		}
		s, w := both(t, scene{profile: "dynamo", model: model, request: fields("completion_token_ids"), lines: append(lines[:2:2], tail...)})
		if w.count(`"nvext":{"completion_token_ids":[5,6,7]}`) != 1 || s.count("nvext") != 2 {
			t.Errorf("%s:\n%s\n%s", name, s.text(), w.text())
		}
	}
}

func TestT17_LeftoverMetricsAreCountedAndNotWritten(t *testing.T) {
	s := scene{lines: []string{text("Fine."), finish("stop"), usage}}
	s.edit = func(at int, it *chunk.Item) {
		it.Metrics = nil
		if at == 2 {
			it.Metrics = &chunk.Metrics{ChunkTokens: 1, InputTokens: 9}
		}
	}
	r := play(t, s)
	if r.count(`"choices":[]`) != 0 || len(r.metrics) != 1 || r.metrics[0].InputTokens != 9 {
		t.Errorf("%v\n%s", r.metrics, r.text())
	}
}

func TestT18_T19_T20_ErrorComesLastOnceAndAlone(t *testing.T) {
	request := tools + "," + fields("completion_token_ids")
	broken := []string{"cut", `{"error":{"message":"worker lost","type":"InternalServerError","code":500}}`}
	for name, model := range routes(t) {
		for _, end := range broken {
			lines := []string{role, text("On my way. "), with(text(`<tool_call>{"name":"open_vent","arguments":{"house":2}}`), `"nvext":{"completion_token_ids":[1,2]}`), usage, end, text(" more"), finish("stop")}
			for _, batch := range []bool{false, true} {
				r := play(t, scene{profile: "dynamo", model: model, request: request, lines: lines, batch: batch})
				if r.err == nil {
					t.Fatalf("%s: no error:\n%s", name, r.text())
				}
				if batch && len(r.frames) != 0 {
					t.Errorf("%s: a partial answer:\n%s", name, r.text())
				}
				if r.count("usage") != 0 || r.count("more") != 0 || r.count("tool_calls\"}") != 0 || name == "jail" && r.count("open_vent")+r.count("nvext") != 0 {
					t.Errorf("%s after %s:\n%s", name, end, r.text())
				}
				if !batch && r.count("On my way. ") != 1 {
					t.Errorf("%s: what was sent is gone:\n%s", name, r.text())
				}
			}
		}
	}
}

func TestT26_TimingNotBeforeTheFinish(t *testing.T) {
	for _, engine := range []string{"", `"nvext":{"timing":{"request_received_ms":5,"total_time_ms":8.5}}`} {
		r := play(t, scene{profile: "dynamo", request: fields("timing"), lines: []string{role, with(text("Dry."), engine), text(" Very."), finish("stop"), usage}})
		if at := r.frame("timing"); at < r.frame(`"finish_reason":"stop"`) || r.count("timing") != 1 {
			t.Errorf("timing at %d:\n%s", at, r.text())
		}
		if engine != "" && r.count(`"total_time_ms":8.5`) != 1 {
			t.Errorf("the engine's own timing is lost:\n%s", r.text())
		}
	}
	r := play(t, scene{request: fields("timing"), lines: []string{text("Dry."), finish("stop")}, batch: true})
	if r.count("request_received_ms") != 1 {
		t.Errorf("in one piece:\n%s", r.text())
	}
	r = play(t, scene{request: fields("timing"), lines: []string{text("No end.")}})
	if r.count("request_received_ms") != 1 {
		t.Errorf("without a finish reason:\n%s", r.text())
	}
}

func TestT27_NVExtThatWasNotAskedForIsNotShown(t *testing.T) {
	lines := []string{with(text("Fine."), `"nvext":{"completion_token_ids":[1],"worker_id":{"decode_worker_id":3}}`), finish("stop")}
	for _, request := range []string{"", fields("timing")} {
		s, w := both(t, scene{profile: "dynamo", request: request, lines: lines})
		if s.count("completion_token_ids")+w.count("worker_id")+s.count("worker_id") != 0 {
			t.Errorf("%s\n%s", s.text(), w.text())
		}
	}
}

func TestAnnotationAsksForWorkerAndPromptTokens(t *testing.T) {
	lines := []string{with(text("Fine."), `"nvext":{"token_ids":[1,2],"worker_id":{"decode_worker_id":3},"engine_data":{}}`), finish("stop")}
	r := play(t, scene{profile: "dynamo", request: `"nvext":{"annotations":["query_instance_id:7"]}`, lines: lines})
	if r.count(`"nvext":{"token_ids":[1,2],"worker_id":{"decode_worker_id":3}}`) != 1 {
		t.Error(r.text())
	}
}

func TestT28_PromptLogprobsOfASwallowedChunkComeOnce(t *testing.T) {
	lines := append(held(`"prompt_logprobs":[null,{"8":{"logprob":-0.5}}]`, "", ""), finish("stop"))
	s, w := both(t, scene{profile: "dynamo", model: withHermes(t, route.V1), request: tools + `,"prompt_logprobs":1`, lines: lines})
	for _, r := range []*result{s, w} {
		if r.count(`"prompt_logprobs":[null,{"8":{"logprob":-0.5}}]`) != 1 {
			t.Error(r.text())
		}
	}
}

func TestEngineIDsBecomeNVExt(t *testing.T) {
	lines := []string{
		`{"choices":[{"index":0,"delta":{"content":"Good "},"finish_reason":null,"token_ids":[9906,220]}],"prompt_token_ids":[5,6]}`,
		`{"choices":[{"index":0,"delta":{"content":"day."},"finish_reason":"stop","stop_reason":"END","token_ids":[7]}]}`,
	}
	s, w := both(t, scene{request: fields("completion_token_ids", "prompt_token_ids", "stop_reason") + `,"stop":["END"]`, lines: lines})
	if s.count(`"nvext":{"completion_token_ids":[9906,220],"prompt_token_ids":[5,6]}`) != 1 || s.count(`"nvext":{"completion_token_ids":[7],"stop_reason":"END"}`) != 1 {
		t.Error(s.text())
	}
	if w.count(`"nvext":{"completion_token_ids":[9906,220,7],"prompt_token_ids":[5,6],"stop_reason":"END"}`) != 1 {
		t.Error(w.text())
	}
}
