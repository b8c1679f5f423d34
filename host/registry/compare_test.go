package registry

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/abi"
)

func text(start, size uint32, flags ...uint8) abi.Event {
	e := abi.Event{Kind: abi.Text, Start: start, Len: size}
	for _, f := range flags {
		e.Flags |= f
	}
	return e
}

func value(start, size uint32, flags uint8) abi.Event {
	return abi.Event{Kind: abi.Value, Flags: flags, Start: start, Len: size}
}

func TestComparison(t *testing.T) {
	mark := func(k abi.Kind) abi.Event { return abi.Event{Kind: k} }
	lit := func(s string) abi.Answer {
		return abi.Answer{Events: []abi.Event{{Kind: abi.Literal, Len: uint32(len(s))}, {Kind: abi.Args}}, Literals: []byte(s)}
	}
	of := func(e ...abi.Event) abi.Answer { return abi.Answer{Events: e} }
	for name, c := range map[string]struct {
		a, b []abi.Answer
		same bool
	}{
		"nothing":                {same: true},
		"other cuts":             {[]abi.Answer{of(text(0, 5))}, []abi.Answer{of(text(0, 2)), of(text(2, 3))}, true},
		"structure left out":     {[]abi.Answer{of(text(0, 2), mark(abi.Commit), text(4, 1))}, []abi.Answer{of(text(0, 2)), of(text(4, 1))}, true},
		"less structure":         {[]abi.Answer{of(text(0, 5))}, []abi.Answer{of(text(0, 2), text(3, 2))}, false},
		"one says more":          {[]abi.Answer{of(text(0, 5))}, []abi.Answer{of(text(0, 5)), of(mark(abi.CallEnd))}, false},
		"another kind":           {[]abi.Answer{of(text(0, 5))}, []abi.Answer{of(abi.Event{Kind: abi.Reasoning, Len: 5})}, false},
		"a new block":            {[]abi.Answer{of(text(0, 2), text(2, 2))}, []abi.Answer{of(text(0, 2), text(2, 2, abi.FlagNewBlock))}, false},
		"a block goes on":        {[]abi.Answer{of(text(0, 4, abi.FlagNewBlock))}, []abi.Answer{of(text(0, 2, abi.FlagNewBlock), text(2, 2))}, true},
		"payload":                {[]abi.Answer{of(text(0, 4))}, []abi.Answer{of(text(0, 4, abi.FlagPayload))}, false},
		"a value in parts":       {[]abi.Answer{of(value(0, 4, 1))}, []abi.Answer{of(value(0, 2, 1|abi.FlagMore)), of(value(2, 2, 1))}, true},
		"a value closed late":    {[]abi.Answer{of(value(0, 4, 1))}, []abi.Answer{of(value(0, 4, 1|abi.FlagMore)), of(value(9, 0, 1))}, true},
		"two values":             {[]abi.Answer{of(value(0, 4, 1))}, []abi.Answer{of(value(0, 2, 1)), of(value(2, 2, 1))}, false},
		"a value read so":        {[]abi.Answer{of(value(0, 4, 1))}, []abi.Answer{of(value(0, 4, 2))}, false},
		"an empty value":         {[]abi.Answer{of(value(3, 0, 1))}, nil, false},
		"a dropped call":         {[]abi.Answer{of(mark(abi.CallEnd))}, []abi.Answer{of(mark(abi.CallDrop))}, false},
		"literals":               {[]abi.Answer{lit("{}")}, []abi.Answer{lit("{}")}, true},
		"other literals":         {[]abi.Answer{lit("{}")}, []abi.Answer{lit("[]")}, false},
		"notes":                  {[]abi.Answer{of(mark(abi.Note))}, nil, true},
		"a watch":                {[]abi.Answer{of(mark(abi.Watch))}, nil, true},
		"a literal out of reach": {[]abi.Answer{of(abi.Event{Kind: abi.Literal, Start: 1 << 31, Len: 1 << 31}, mark(abi.Note))}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, swapped := range []bool{false, true} {
				var cmp comparison
				a, b := c.a, c.b
				if swapped {
					a, b = b, a
				}
				for i := range max(len(a), len(b)) {
					if i < len(a) {
						cmp.live.addAnswer(a[i])
					}
					if i < len(b) {
						cmp.candidate.addAnswer(b[i])
					}
					cmp.matchEmitted()
				}
				if cmp.matchEnds(); cmp.differs == c.same {
					t.Errorf("differs: %v (swapped: %v)", cmp.differs, swapped)
				}
			}
		})
	}
}

func TestOneThatIsFarAheadDiffers(t *testing.T) {
	var c comparison
	for range maxAhead + 1 {
		c.live.addAnswer(abi.Answer{Events: []abi.Event{{Kind: abi.Close}}})
	}
	if c.matchEmitted(); !c.differs {
		t.Error("unbounded")
	}
}

// However two versions cut what they say, it is the same.
func TestComparisonOfCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "bytes")
		kinds := rapid.SliceOfN(rapid.SampledFrom([]abi.Kind{abi.Text, abi.Reasoning, abi.Args, abi.Commit}), n, n).Draw(t, "kinds")
		cut := func(label string) []abi.Answer {
			cuts := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, label)
			var out []abi.Answer
			var events []abi.Event
			for i, k := range kinds {
				if last := len(events) - 1; last >= 0 && events[last].Kind == k && !cuts[i] {
					events[last].Len++
				} else {
					events = append(events, abi.Event{Kind: k, Start: uint32(i), Len: 1})
				}
				if cuts[i] {
					out, events = append(out, abi.Answer{Events: events}), nil
				}
			}
			return append(out, abi.Answer{Events: events})
		}
		var c comparison
		for _, a := range cut("live") {
			c.live.addAnswer(a)
			c.matchEmitted()
		}
		for _, a := range cut("candidate") {
			c.candidate.addAnswer(a)
			c.matchEmitted()
		}
		if c.matchEnds(); c.differs {
			t.Fatalf("differs at %d", c.firstDifference)
		}
	})
}
