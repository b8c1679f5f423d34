package stream_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// segment is an entry of nvext.token_alignment, as a client reads it.
type segment struct {
	Tokens [2]int
	Kind   string
	Index  *int
	Shared bool
}

func (s segment) String() string {
	out := fmt.Sprintf("%d-%d %s", s.Tokens[0], s.Tokens[1], s.Kind)
	if s.Index != nil {
		out += fmt.Sprintf(" %d", *s.Index)
	}
	if s.Shared {
		out += " shared"
	}
	return out
}

// alignment reads the alignment of all frames, and what text each frame has.
func (r *result) alignment(t testing.TB) (list []segment) {
	t.Helper()
	for _, f := range r.frames {
		var c struct {
			NVExt struct {
				Alignment []segment `json:"token_alignment"`
			}
		}
		if err := json.Unmarshal([]byte(f), &c); err != nil {
			t.Fatalf("%v in %s", err, f)
		}
		list = append(list, c.NVExt.Alignment...)
	}
	return list
}

// merged joins neighbours of one kind.
func merged(list []segment) (out []string) {
	var last *segment
	for i := range list {
		s := list[i]
		if last != nil && last.Kind == s.Kind && last.Shared == s.Shared && reflect.DeepEqual(last.Index, s.Index) && last.Tokens[1] == s.Tokens[0] {
			last.Tokens[1] = s.Tokens[1]
			out[len(out)-1] = last.String()
			continue
		}
		last = &s
		out = append(out, s.String())
	}
	return out
}

// tokens are chunks of one token each.
func tokens(texts ...string) (lines []string) {
	for i, s := range texts {
		lines = append(lines, strings.Replace(text(s), `"finish_reason"`, fmt.Sprintf(`"token_ids":[%d],"finish_reason"`, 100+i), 1))
	}
	return lines
}

func TestTokenAlignment(t *testing.T) {
	ended := strings.Replace(finish("stop"), `"finish_reason"`, `"token_ids":[2],"finish_reason"`, 1)
	cases := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a thought and an answer", append(tokens("<think>", "Pale", " soil.", "</think>", "Water", " it."), ended),
			[]string{"0-1 structure", "1-3 reasoning", "3-4 structure", "4-6 content", "6-7 structure"}},
		{"a call", append(tokens("Yes. ", "<tool_call>", `{"name":"open_vent"`, `,"arguments":`, `{"house"`, `:3}`, `}`, `</tool_call>`), ended),
			[]string{"0-1 content", "1-2 structure", "2-3 tool_call 0", "3-4 structure", "4-6 tool_call 0", "6-9 structure"}},
		{"a token of two parts", append(tokens("<think>", "Pale.</think>Water", " it."), ended),
			[]string{"0-1 structure", "1-2 reasoning shared", "2-3 content", "3-4 structure"}},
		{"parts of a character", append(tokens("a", "", "", "ü", "b"), ended), []string{"0-5 content", "5-6 structure"}},
		{"no end", tokens("a", "<tool_"), []string{"0-2 content"}},
		{"nothing but structure", append(tokens("<think>", "</think>"), ended), []string{"0-2 content", "2-3 structure"}}, // else the client got nothing
	}
	for name, model := range routes(t) {
		for _, c := range cases {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				s, w := both(t, scene{model: model, request: tools + "," + fields("token_alignment"), lines: c.lines})
				for mode, r := range map[string]*result{"stream": s, "batch": w} {
					got := merged(r.alignment(t))
					if c.name == "a call" && name == "jail" || c.name == "a call" && mode == "" {
						// A call that is sent whole covers all of its body.
						if want := []string{"0-1 content", "1-2 structure", "2-6 tool_call 0", "6-9 structure"}; reflect.DeepEqual(got, want) {
							continue
						}
					}
					if !reflect.DeepEqual(got, c.want) {
						t.Errorf("%s: want %q, got %q\n%s", mode, c.want, got, r.text())
					}
				}
			})
		}
	}
}

func TestTokenAlignmentStandsOnTheDeltaThatItMade(t *testing.T) {
	lines := append(tokens("<think>", "Pale.", "</think>", "Water it."), finish("stop"))
	r := play(t, scene{model: routes(t)["unified"], request: fields("token_alignment"), lines: lines})
	for _, pair := range [][2]string{
		{`"reasoning_content":"Pale."`, `[{"tokens":[0,1],"kind":"structure"},{"tokens":[1,2],"kind":"reasoning"}]`},
		{`"content":"Water it."`, `[{"tokens":[2,3],"kind":"structure"},{"tokens":[3,4],"kind":"content"}]`},
	} {
		if r.frame(pair[0], pair[1]) < 0 {
			t.Errorf("%s without %s:\n%s", pair[0], pair[1], r.text())
		}
	}
	// One chunk, many deltas, tokens told apart by their log-probabilities.
	one := `{"choices":[{"index":0,"delta":{"content":"<think>Hm</think>Yes"},"logprobs":{"content":[{"token":"<think>"},{"token":"Hm","bytes":[72,109]},{"token":"</think>"},{"token":"Yes"}]},"token_ids":[1,2,3,4],"finish_reason":null}]}`
	r = play(t, scene{model: routes(t)["unified"], request: fields("token_alignment"), lines: []string{one, finish("stop")}})
	if r.frame(`"reasoning_content":"Hm"`, `"tokens":[1,2],"kind":"reasoning"`) < 0 || r.frame(`"content":"Yes"`, `"tokens":[3,4],"kind":"content"`) < 0 {
		t.Error(r.text())
	}
}

func TestTokenAlignmentOfWhatTheEngineMade(t *testing.T) {
	lines := []string{
		`{"choices":[{"index":0,"delta":{"reasoning_content":"Hm."},"token_ids":[1,2]}]}`,
		tokens("Yes")[0],
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"open_vent","arguments":"{}"}}]},"token_ids":[4]}]}`,
		finish("tool_calls"),
	}
	want := []string{"0-2 reasoning", "2-3 content", "3-4 tool_call 0"}
	for _, model := range []string{"unified", ""} {
		s, w := both(t, scene{model: routes(t)[model], request: tools + "," + fields("token_alignment"), lines: lines})
		if got := merged(s.alignment(t)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q", model, got)
		}
		if got := merged(w.alignment(t)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, batch: %q", model, got)
		}
	}
}

func TestTokenAlignmentNeedsOneChoice(t *testing.T) {
	_, refused, _, _ := prepare(t, &scene{request: `"n":2,` + fields("token_alignment")})
	if refused == nil || refused.Status != 400 || !strings.Contains(refused.Message, "token_alignment") {
		t.Errorf("%v", refused)
	}
}

// However a text is cut into chunks and tokens, the segments tile all tokens in
// order, streamed or not, and both say the same.
func TestTokenAlignmentTiles(t *testing.T) {
	models := routes(t)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"unified", "split", "jail", "pass"}).Draw(rt, "route")
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"<think>", "</think>", "Hm. ", call, "<tool_call>", "</tool_call>", "ü", `{"name":`, "\n", "<", "<|im_end|>"}), 1, 8).Draw(rt, "parts")
		runes := []rune(strings.Join(parts, ""))
		var lines []string
		total := 0
		for len(runes) > 0 {
			n := min(len(runes), rapid.IntRange(0, 6).Draw(rt, "length"))
			ids := rapid.IntRange(0, 3).Draw(rt, "tokens")
			list := strings.TrimSuffix(strings.Repeat("7,", ids), ",")
			lines = append(lines, strings.Replace(text(string(runes[:n])), `"finish_reason"`, `"token_ids":[`+list+`],"finish_reason"`, 1))
			total += ids
			runes = runes[n:]
		}
		finished := rapid.Bool().Draw(rt, "finish")
		if finished {
			lines = append(lines, finish(rapid.SampledFrom([]string{"stop", "length"}).Draw(rt, "reason")))
		}
		var lists [2][]string
		for i, batch := range []bool{false, true} {
			r := play(t, scene{model: models[name], request: tools + "," + fields("token_alignment"), lines: lines, batch: batch})
			switch {
			case r.err != nil && !finished: // something was open
				return
			case r.err != nil:
				rt.Fatal(r.err)
			}
			at := 0
			list := r.alignment(t)
			for _, s := range list {
				if s.Tokens[0] != at || s.Tokens[1] <= at {
					rt.Fatalf("%s: a gap at %d in %v", name, at, list)
				}
				at = s.Tokens[1]
			}
			if at != total {
				rt.Fatalf("%s: %d of %d tokens in %v", name, at, total, list)
			}
			lists[i] = merged(list)
		}
		if !reflect.DeepEqual(lists[0], lists[1]) {
			rt.Fatalf("%s: stream %q, batch %q", name, lists[0], lists[1])
		}
	})
}

// Of several calls in one guided JSON each has its own tokens, held or not, with
// a parser and without.
func TestTokenAlignmentOfGuidedCalls(t *testing.T) {
	lines := tokens(`[{"name":`, `"open_vent"`, `,"parameters":`, `{"house":`, `1}`, `}, {"parameters":`, `{}`, `,"name":`, `"water_plant"`, `}]`)
	lines = append(lines, finish("stop"))
	want := []string{"0-1 structure", "1-2 tool_call 0", "2-3 structure", "3-5 tool_call 0", "5-6 structure", "6-7 tool_call 1", "7-8 structure", "8-9 tool_call 1", "9-10 structure"}
	for name, model := range map[string]func(*stream.Model){"no parser": nil, "jail": guided(t, route.V1), "unified": guided(t, route.Auto)} {
		s, w := both(t, scene{model: model, request: tools + `,"tool_choice":"required",` + fields("token_alignment"), lines: lines})
		for _, r := range []*result{s, w} {
			r.want(t, 0, "tool_calls", `call:open_vent {"house":1}`, `call:water_plant {}`)
			if got := merged(r.alignment(t)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: want %q\ngot %q\n%s", name, want, got, r.text())
			}
		}
	}
}
