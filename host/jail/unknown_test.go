package jail

import (
	"slices"
	"strings"
	"testing"
)

// When the text of a call leaves whose tool was not offered: with its closer, or once it
// is known that none comes.
func TestWhenACallOfAnotherToolLeaves(t *testing.T) {
	other := strings.Replace(call, `"f"`, `"g"`, 1)
	bare := strings.TrimSuffix(other, "</tool_call>")
	for _, c := range []struct {
		name  string
		steps []step
		end   string
		calls int
	}{
		{"whole", []step{{"a" + other + "b", "a" + other + "b"}}, "", 1},
		{"the closer in pieces", []step{{"a" + other[:len(other)-3], "a"}, {other[len(other)-3:], other}, {"b", "b"}}, "", 1},
		{"no closer", []step{{"a" + bare, "a"}}, bare, 1},
		{"white space in place of a closer", []step{{bare, ""}, {" \n", ""}}, bare + " \n", 1},
		{"between two that were offered", []step{{call + other + call, asked + other + asked}}, "", 1},
		{"two", []step{{other, other}, {other + "b", other + "b"}}, "", 2},
		{"offered", []step{{call, asked}, {" b", " b"}}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := session(t)
			calls := 0
			r := UnknownTools(New(s, p.Jail), p, func(name []byte) bool { return string(name) == "f" }, func() { calls++ })
			got, end := readSteps(t, r, c.steps)
			if !slices.Equal(got, c.steps) || end != c.end || calls != c.calls {
				t.Errorf("got  %q, end %q, %d calls\nwant %q, end %q, %d calls", got, end, calls, c.steps, c.end, c.calls)
			}
		})
	}
}
