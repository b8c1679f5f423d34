package sdk

import "github.com/turnkey-parsers/turnkey/abi"

// Outcome is what came of a Trial so far.
type Outcome uint8

// A Trial is undecided until its parser says something that can't be taken back.
const (
	Undecided Outcome = iota
	Refused           // prose, an error, or a call that was dropped came before any part of a call's arguments
	Accepted          // a part of a call's arguments, or the end of a call, came
)

// maxTrial is how many bytes a Trial's parser is given, at most: one that is
// undecided by then has refused.
const maxTrial = 64 << 10

// Trial lets another parser read on from a place of the text, and says nothing of
// what it emits until it has begun a call beyond doubt. Then that parser may take
// the session over, or the text is read as if there had been no trial.
type Trial struct {
	parser Parser
	window Window
	given  abi.RawOffset // the parser was given the text up to here
	judged int           // how many events were looked at
}

// Start begins a trial of p on the text that w begins with.
func (t *Trial) Start(w *Window, p Parser) {
	back := min(w.head, abi.MaxLeftContext)
	*t = Trial{parser: p, given: w.off}
	t.window = Window{
		data: append([]byte(nil), w.data[w.head-back:w.head]...), head: back, off: w.off,
		noTools: w.noTools, newBlock: w.newBlock, calls: w.calls,
	}
}

// Step gives the parser what w holds beyond what it was given, and answers what came of it.
// Nothing may be consumed of w meanwhile.
func (t *Trial) Step(w *Window) Outcome {
	limit := min(w.Len(), maxTrial)
	t.window.data = append(t.window.data, w.Bytes()[t.given-w.off:limit]...)
	t.given = w.off + abi.RawOffset(limit)
	t.window.watching = false
	if limit == w.Len() {
		t.window.Final, t.window.Reason = w.Final, w.Reason
	}
	t.parser.Step(&t.window)
	if o := t.judge(); o != Undecided {
		return o
	}
	if t.window.Final || limit == maxTrial {
		return Refused
	}
	return Undecided
}

// judge looks at the events that are new.
func (t *Trial) judge() Outcome {
	for ; t.judged < len(t.window.events); t.judged++ {
		switch e := t.window.events[t.judged]; e.Kind {
		case abi.Text, abi.Reasoning, abi.Error, abi.CallDrop:
			return Refused
		case abi.Args, abi.Open, abi.Key, abi.Value, abi.CallEnd:
			return Accepted
		}
	}
	return Undecided
}

// TakeOver gives w all that the parser of an accepted trial said, and the parser
// itself, which reads on: it is to be asked from the next Step on.
func (t *Trial) TakeOver(w *Window) Parser {
	for _, e := range t.window.events {
		if e.Kind == abi.Literal {
			e.Start += uint32(len(w.literals))
		}
		w.events = append(w.events, e)
	}
	w.literals = append(w.literals, t.window.literals...)
	w.consume(int(t.window.off - w.off))
	w.Scanned, w.newBlock = t.window.Scanned, t.window.newBlock
	w.calls, w.callOpen, w.growable = t.window.calls, t.window.callOpen, t.window.growable
	w.watch, w.watchSet, w.watching = t.window.watch, t.window.watchSet, t.window.watching
	if t.given < w.off+abi.RawOffset(w.Len()) {
		w.watching = false
		t.parser.Step(w)
	}
	return t.parser
}
