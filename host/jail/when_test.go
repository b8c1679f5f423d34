package jail

import (
	"slices"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/builtin/mistral"
)

// step is a push, and what leaves with it.
type step struct{ push, leaves string }

// readSteps pushes the parts and gives what left with each, and at the end.
func readSteps(t testing.TB, r Reader, steps []step) (got []step, end string) {
	t.Helper()
	defer r.Close()
	c := collector{t: t}
	left := 0
	since := func() string {
		all := c.out.String()
		defer func() { left = len(all) }()
		return all[left:]
	}
	for _, s := range steps {
		events, err := r.Push(s.push, false)
		if err != nil {
			t.Fatal(err)
		}
		c.add(events)
		got = append(got, step{s.push, since()})
	}
	events, err := r.Finish(abi.FinishUnknown)
	if err != nil {
		t.Fatal(err)
	}
	c.add(events)
	return got, since()
}

// When text leaves is what a user sees of a jail: at once, unless it may belong to a call.
func TestWhenTextLeaves(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []step
		end   string
	}{
		{"plain text", []step{{"a", "a"}, {" b", " b"}, {"\n", "\n"}}, ""},
		{"half a marker that becomes none", []step{{"a<tool", "a"}, {"box> b", "<toolbox> b"}, {" c", " c"}}, ""},
		{"half a marker at the end", []step{{"a<tool", "a"}}, "<tool"},
		{"a whole opener that opens nothing", []step{{"a <tool_call>", "a "}, {" tag.", "<tool_call> tag."}, {" b", " b"}}, ""},
		{"a call whole in one push, and a tail", []step{{"a" + call + " b", "a" + asked + " b"}, {" c", " c"}}, ""},
		{"a tail in the closer's push", []step{{call[:40], ""}, {call[40:] + " b", asked + " b"}, {" c", " c"}}, ""},
		{"a tail behind a closer in pieces", []step{{call[:len(call)-3], ""}, {"ll> b", asked + " b"}, {" c", " c"}}, ""},
		{"a closer alone, then the tail", []step{{call[:len(call)-12], ""}, {"</tool_call>", asked}, {" b", " b"}}, ""},
		{"a tail with half a marker", []step{{call + " b <to", asked + " b "}, {"p> c", "<top> c"}}, ""},
		{"a second call behind the tail", []step{{call + " b" + call[:20], asked + " b"}, {call[20:] + "c", asked + "c"}}, ""},
		{"a false alarm behind a call", []step{{call, asked}, {"<tool", ""}, {"box>", "<toolbox>"}, {"d", "d"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := session(t)
			got, end := readSteps(t, New(s, p.Jail), c.steps)
			if !slices.Equal(got, c.steps) || end != c.end {
				t.Errorf("got  %q, end %q\nwant %q, end %q", got, end, c.steps, c.end)
			}
		})
	}
}

// The first bytes of a text that should be JSON decide; a marker may begin as JSON does.
func TestWhenTextLeavesImmediateMode(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []step
		end   string
	}{
		{"JSON", []step{{" ", ""}, {"[", ""}, {`{"a"`, ` [{"a"`}, {":1}]", ":1}]"}}, ""},
		{"an object", []step{{"{", "{"}, {`"a"`, `"a"`}}, ""},
		{"half a marker at the start", []step{{"[", ""}, {"TOOL_", ""}, {"CALLS]f{", ""}, {`"a":1}`, ""}, {" b", `[f {"a":1}] b`}, {"c", "c"}}, ""},
		{"half a marker that becomes none", []step{{"[TOOL", ""}, {"S]", "[TOOLS]"}, {" b", " b"}}, ""},
		{"half a marker at the end", []step{{" [TOO", ""}}, " [TOO"},
		{"prose", []step{{" N", " N"}, {"o.", "o."}}, ""},
		{"prose, then half a marker", []step{{"No [TO", "No "}, {"P]", "[TOP]"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := openBatch(t, &mistral.Module, "mistral_batch")
			got, end := readSteps(t, NewImmediate(New(s, p.Jail)), c.steps)
			if !slices.Equal(got, c.steps) || end != c.end {
				t.Errorf("got  %q, end %q\nwant %q, end %q", got, end, c.steps, c.end)
			}
		})
	}
}

func TestWhenTextLeavesWithoutACloser(t *testing.T) {
	s, _ := session(t)
	steps := []step{{"a <too", "a "}, {call[4:], asked}, {" b", " b"}, {call, asked}}
	got, end := readSteps(t, New(s, &manifest.Jail{Open: []string{"<tool_call>"}}), steps)
	if !slices.Equal(got, steps) || end != "" {
		t.Errorf("got  %q, end %q", got, end)
	}
}
