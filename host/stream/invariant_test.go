package stream_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// modelText is what a model wrote in some case, and the tools that it was offered.
type modelText struct {
	text, tools string
	named       string // one of the tools
}

// modelTexts are the texts of all cases of all families.
func modelTexts(t *testing.T) (all []modelText) {
	t.Helper()
	files, err := filepath.Glob("../../builtin/*/testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range files {
		file, err := cases.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range file.Cases {
			f := newFamilyCase(&file.Cases[i], nil)
			m := modelText{text: f.raw, tools: toolF, named: "f"}
			if len(f.Tools) > 0 {
				_, m.tools, _ = strings.Cut(f.request, `,"tools":`)
				m.tools, _, _ = strings.Cut(m.tools, `,"tool_choice"`)
				var first struct{ Function struct{ Name string } }
				if err := json.Unmarshal(f.Tools[0], &first); err != nil {
					t.Fatal(err)
				}
				m.tools, m.named = `"tools":`+m.tools, first.Function.Name
			}
			all = append(all, m)
		}
	}
	return all
}

// damaged is the text, cut somewhere or with something left out, at characters.
func damaged(text string, random *rand.Rand) string {
	at := func(from int) int {
		n := from + random.IntN(len(text)-from+1)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		return n
	}
	from := at(0)
	if random.IntN(2) == 0 {
		return text[:from]
	}
	return text[:from] + text[at(from):]
}

// If the model wrote anything but white space, the client gets a text, a thought, a call
// or an error: for every text of every case, whole, cut, and with something left out,
// through every family's parser, on every route, in native and guided modes, streamed
// and not. Each family takes a part of the texts; with TURNKEY_INVARIANT=N all of them,
// damaged N times each.
func TestEveryFamilyLosesNothing(t *testing.T) {
	families, err := shippedFamilies()
	if err != nil {
		t.Fatal(err)
	}
	rounds, stride := 1, 9
	if n, err := strconv.Atoi(os.Getenv("TURNKEY_INVARIANT")); err == nil {
		rounds, stride = n, 1
	}
	var ways []struct{ route, choice string } // each text takes one of them through a parser
	for _, r := range []string{"unified", "jail", "split"} {
		for _, c := range []string{"", `,"tool_choice":"required"`, `,"tool_choice":"none"`, `,"tool_choice":{"type":"function","function":{"name":"NAMED"}}`} {
			ways = append(ways, struct{ route, choice string }{r, c})
		}
	}
	texts := modelTexts(t)
	var tried, lost, runs atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d texts through %d parsers in %d runs, %d losses", tried.Load(), len(families), runs.Load(), lost.Load())
	})
	for number, f := range families {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(number), 9))
			routes := f.routes()
			for i, m := range texts {
				if (i+number)%stride != 0 {
					continue
				}
				for round := range 1 + rounds {
					text := m.text
					if round > 0 {
						text = damaged(text, random)
					}
					if text = withoutEOS(text, f); strings.TrimSpace(text) == "" {
						continue
					}
					tried.Add(1)
					way := ways[(i+round)%len(ways)]
					model := func(m *stream.Model) { routes[way.route](m); m.Route.Guided = route.GuideByJSON }
					request := m.tools + strings.ReplaceAll(way.choice, "NAMED", m.named)
					for _, batch := range []bool{false, true} {
						runs.Add(1)
						r := play(t, scene{model: model, request: request, batch: batch, lines: []string{engineText(text), finish("stop")}})
						if r.err == nil && !r.answers() {
							lost.Add(1)
							t.Errorf("%s%s, batch %v: nothing is left of %q:\n%s", way.route, way.choice, batch, text, r.text())
						}
					}
				}
			}
		})
	}
}

// withoutEOS is text without the end tokens of the family's models at its end, which are
// no text.
func withoutEOS(text string, f *shippedFamily) string {
	for again := true; again; {
		again = false
		for _, eos := range f.Unified.Parser().EOS {
			if eos != "" && strings.HasSuffix(text, eos) {
				text, again = strings.TrimSuffix(text, eos), true
			}
		}
	}
	return text
}

// engineText is an engine's chunk with text.
func engineText(s string) string { return text(s) }

// answers says whether the client got anything that is not white space.
func (r *result) answers() bool {
	for _, e := range r.view(0).events {
		kind, text, _ := strings.Cut(e, ":")
		if kind == "call" || kind == "reasoning" || strings.TrimSpace(text) != "" {
			return true
		}
	}
	return false
}
