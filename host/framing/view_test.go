package framing

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

type event = parse.CheckedEvent

func text(s string) event { return event{Kind: abi.Text, Data: []byte(s)} }

func reasoning(s string) event { return event{Kind: abi.Reasoning, Data: []byte(s)} }

func payloadText(s string) event {
	return event{Kind: abi.Text, Flags: abi.FlagPayload, Data: []byte(s)}
}

func callOpens(n uint16, name string) event {
	return event{Kind: abi.Call, Call: n, Data: []byte(name)}
}

func callID(s string) event { return event{Kind: abi.CallID, Data: []byte(s)} }

func argsEvent(s string) event { return event{Kind: abi.Args, Data: []byte(s)} }

func keyEvent(s string) event { return event{Kind: abi.Key, Data: []byte(s)} }

func valueEvent(how uint8, s string) event {
	return event{Kind: abi.Value, Flags: how, Data: []byte(s)}
}

func withFlags(flags uint8, e event) event { e.Flags |= flags; return e }

func literal(e event) event { e.Literal = true; return e }

var (
	openObject = event{Kind: abi.Open, Flags: abi.FlagObject}
	openArray  = event{Kind: abi.Open, Flags: abi.FlagArray}
	closed     = event{Kind: abi.Close}
	callEnd    = event{Kind: abi.CallEnd}
	callDrop   = event{Kind: abi.CallDrop}
)

func unsoundEnd(s string) event {
	return event{Kind: abi.CallEnd, Flags: abi.FlagUnsound, Data: []byte(s)}
}

// of puts events into the call that was opened before them, and offsets on
// spans.
func sequence(events ...event) []event {
	out := append([]event(nil), events...)
	var n uint16
	var at abi.RawOffset
	for i := range out {
		e := &out[i]
		if e.Kind == abi.Call {
			n = e.Call
		}
		e.Call = n
		if !e.Literal && len(e.Data) > 0 {
			e.Start, e.End = at, at+abi.RawOffset(len(e.Data))
			at = e.End
		}
		e.Accounted = at
	}
	return out
}

// view puts deltas together, adjacent ones of a kind merged. Made-up ids are
// shown as "*".
func assembled(deltas []Delta) (list []string) {
	type open struct {
		at   int
		head string
		text strings.Builder
	}
	calls := map[int]*open{}
	put := func(c *open, tail string) { list[c.at] = c.head + " " + c.text.String() + tail }
	kind := Kind(0)
	for _, d := range deltas {
		switch d.Kind {
		case Content, Reasoning:
			name := map[Kind]string{Content: "text ", Reasoning: "think "}[d.Kind]
			if kind == d.Kind {
				list[len(list)-1] += d.Text
			} else {
				list = append(list, name+d.Text)
			}
		case CallHead:
			shown := d.ID
			if strings.HasPrefix(shown, idPrefix) && len(shown) == len(idPrefix)+longIDLength {
				shown = "*"
			}
			calls[d.Index] = &open{at: len(list), head: fmt.Sprintf("call %d %s %s", d.Index, d.Name, shown)}
			list = append(list, "")
			put(calls[d.Index], " …")
		case CallArgs:
			calls[d.Index].text.WriteString(d.Text)
			put(calls[d.Index], " …")
		case CallEnd:
			tail := ""
			if d.Unsound {
				tail = " unsound"
			}
			put(calls[d.Index], tail)
		case CallCut:
			put(calls[d.Index], " cut")
		}
		kind = d.Kind
	}
	return list
}

// pieces cuts the events' data after every n characters; 0: not at all. Only
// what the ABI lets come in parts is cut.
func cutIntoPieces(events []event, n int) (out []event) {
	for _, e := range events {
		switch e.Kind {
		case abi.Text, abi.Reasoning, abi.Args, abi.Value:
			for n > 0 && !e.Literal {
				cut, i := 0, 0
				for ; i < n && cut < len(e.Data); i++ {
					_, w := utf8.DecodeRune(e.Data[cut:])
					cut += w
				}
				if cut >= len(e.Data) {
					break
				}
				head := e
				head.Data, head.End = e.Data[:cut], e.Start+abi.RawOffset(cut)
				head.Accounted = head.End
				if e.Kind == abi.Value {
					head.Flags |= abi.FlagMore
				}
				out = append(out, head)
				e.Data, e.Start = e.Data[cut:], head.End
				if e.Kind == abi.Text || e.Kind == abi.Reasoning {
					e.Flags &^= abi.FlagNewBlock
				}
			}
		}
		out = append(out, e)
	}
	return out
}

// framed frames events, each in an Apply of its own or all in one.
func frameAll(cfg Config, events []event, single bool) ([]string, Counts) {
	f := New(cfg)
	var deltas []Delta
	if single {
		deltas = f.Apply(events, deltas)
	} else {
		for i := range events {
			// The session reuses its data at its next call.
			e := events[i]
			e.Data = append([]byte(nil), e.Data...)
			deltas = f.Apply([]event{e}, deltas)
			clear(e.Data)
		}
	}
	return assembled(f.Finish(deltas)), f.Counts()
}

// frames checks what events become, whole and in pieces of every size.
func checkFramed(t *testing.T, cfg Config, events []event, want ...string) Counts {
	t.Helper()
	var counts Counts
	for n := range 4 {
		for _, single := range []bool{true, false} {
			var got []string
			ids := cfg
			got, counts = frameAll(ids, cutIntoPieces(events, n), single)
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
				t.Errorf("pieces of %d, one Apply %v:\n got %q\nwant %q", n, single, got, want)
			}
		}
	}
	return counts
}

func toolsNamed(names ...string) *typing.Tools {
	var list []typing.Tool
	for _, n := range names {
		list = append(list, typing.Tool{Name: n, Parameters: []byte(`{"type":"object"}`)})
	}
	return typing.NewTools(list)
}

func toolWithParameter(schema string) *typing.Tools {
	return typing.NewTools([]typing.Tool{{Name: "f", Parameters: []byte(`{"type":"object","properties":{"v":` + schema + `}}`)}})
}
