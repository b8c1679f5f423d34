package stream_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

func TestBlankText(t *testing.T) {
	vent := `call:open_vent {"house":3}`
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"behind a thought", "<think>Hot.</think>\n\nDry.", []string{"reasoning:Hot.", "text:Dry."}},
		{"between a thought and a call", "<think>Hot.</think>\n\n" + call, []string{"reasoning:Hot.", vent}},
		{"before a call", "\n" + call, []string{vent}},
		{"between calls", call + "\n" + strings.Replace(call, "3", "4", 1), []string{vent, `call:open_vent {"house":4}`}},
		{"behind a call", call + "\n \n", []string{vent}},
		{"the answer ends in it", "Dry.\n\n" + call, []string{"text:Dry.\n\n", vent}},
		{"the answer begins with it", "\n\nDry.", []string{"text:\n\nDry."}},
		{"text behind a call begins with it", call + "\nDone.", []string{vent, "text:\nDone."}},
		{"all of the answer", " \n", []string{"text: \n"}},
		{"within the answer", "a\n\n\nb", []string{"text:a\n\n\nb"}},
	} {
		for name, model := range routes(t) {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				drop := func(m *stream.Model) { model(m); m.BlankText = stream.BlankDrop }
				for _, l := range [][]string{{text(c.text)}, cuts([]string{text(c.text)})} {
					r, _ := both(t, scene{model: drop, request: tools, lines: append(l, finish("stop"))})
					reason := "stop"
					if strings.Contains(c.text, "tool_call") {
						reason = "tool_calls"
					}
					r.want(t, 0, reason, c.want...)
				}
			})
		}
	}
}

// Engines that read thoughts and calls themselves send the same white space.
func TestBlankTextRoundAnEnginesOwnCalls(t *testing.T) {
	lines := []string{
		`{"choices":[{"index":0,"delta":{"reasoning":"Hot."}}]}`, text("\n\n"),
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"open_vent","arguments":"{\"house\":3}"}}]}}]}`,
		finish("tool_calls"),
	}
	drop := func(m *stream.Model) { withHermes(t, route.Auto)(m); m.BlankText = stream.BlankDrop }
	r, _ := both(t, scene{model: drop, request: tools, lines: lines})
	r.want(t, 0, "tool_calls", "reasoning:Hot.", `call:open_vent {"house":3}`)
}

// An answer of which nothing is left for the client is given as the model wrote it.
func TestTextIsNeverAnsweredByNothing(t *testing.T) {
	cut := `<tool_call>{"name":"open_vent","arguments":{"house":`
	for _, c := range []struct {
		name, request, text, reason string
		want                        []string // of the JSON answer
	}{
		{"a call that was cut", tools, cut, "stop", []string{"text:" + cut}},
		{"one that the limit cut", tools, cut, "length", nil},
		{"a call that was cut, after text", tools, "Now. " + cut, "stop", []string{"text:Now. "}},
		{"calls that are off", tools + `,"tool_choice":"none"`, call, "stop", []string{"text:" + call}},
		{"a call of another tool than was asked for", tools + `,"tool_choice":{"type":"function","function":{"name":"water_plant"}}`, call, "stop", []string{"text:" + call}},
		{"an empty thought", tools, "<think></think>\n", "stop", []string{"text:\n<think></think>\n"}},
		{"a blank thought", tools, "<think>\n</think>\n", "stop", []string{"reasoning:\n", "text:\n"}},
		{"white space", tools, " \n", "stop", []string{"text: \n"}},
	} {
		for name, model := range routes(t) {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				for _, l := range [][]string{{text(c.text)}, cuts([]string{text(c.text)})} {
					r := play(t, scene{model: model, request: c.request, batch: true, lines: append(l, finish(c.reason))})
					r.want(t, 0, c.reason, c.want...)
					given := strings.Join(c.want, "")
					if n := r.counts["text_unanswered"]; (n == 1) != (strings.HasSuffix(given, c.text) && strings.Trim(c.text, " \n") != "") {
						t.Errorf("counted %d", n)
					}
				}
			})
		}
	}
}

// What is nothing but the markers of an empty thought is given as a thought.
func TestMarkersOfAnEmptyThoughtAreAThought(t *testing.T) {
	families, err := shippedFamilies()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(families, func(f *shippedFamily) bool { return f.Name == "glm" })
	model := families[at].routes()["unified"]
	for _, lines := range [][]string{{text("<think>")}, cuts([]string{text("<think>")})} {
		s, w := both(t, scene{model: model, request: tools, lines: append(lines, finish("stop"))})
		s.want(t, 0, "stop", "reasoning:<think>")
		w.want(t, 0, "stop", "reasoning:<think>")
	}
}
