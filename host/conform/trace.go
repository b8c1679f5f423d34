package conform

import (
	"fmt"
	"io"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// tracer writes what a parser answers, event by event, and what of it no client gets.
// The nil tracer writes nothing.
type tracer struct{ out io.Writer }

func newTracer(out io.Writer) *tracer {
	if out == nil {
		return nil
	}
	return &tracer{out}
}

// traceStep writes the events that followed a step: the opening, a piece of text, the end.
func (t *tracer) traceStep(step string, s *parse.Session, events []parse.CheckedEvent) {
	if t == nil {
		return
	}
	fmt.Fprintf(t.out, "%s: %d bytes so far, %d held back\n", step, s.Pushed(), s.Pushed()-s.Accounted())
	for i := range events {
		t.traceEvent(&events[i])
	}
}

func (t *tracer) traceEvent(e *parse.CheckedEvent) {
	fmt.Fprintf(t.out, "  %v", e.Kind)
	if abi.Call <= e.Kind && e.Kind <= abi.CallDrop {
		fmt.Fprintf(t.out, " call %d", e.Call)
	}
	switch {
	case e.Literal:
		fmt.Fprintf(t.out, " literal %q", e.Data)
	case e.Start < e.End:
		fmt.Fprintf(t.out, " %d-%d %q", e.Start, e.End, e.Data)
	}
	if e.Flags != 0 {
		fmt.Fprintf(t.out, " flags %d", e.Flags)
	}
	if e.Kind == abi.Error {
		fmt.Fprintf(t.out, " code %d", e.Code)
	}
	fmt.Fprintf(t.out, " end %d\n", e.Accounted)
}

func (t *tracer) traceNote(n parse.Note) {
	if t != nil && !n.Error {
		fmt.Fprintf(t.out, "  note %q\n", n.Message)
	}
}

// traceDrops writes what was left out of the answer.
func (t *tracer) traceDrops(n framing.Counts) {
	if t == nil {
		return
	}
	for _, d := range []struct {
		n    int
		what string
	}{
		{n.Dropped, "calls, before anything of them went out"}, {n.Cut, "calls, after their names went out"},
		{n.Suppressed, "calls that were not asked for"}, {n.Duplicates, "keys that were there already, with their values"},
	} {
		if d.n > 0 {
			fmt.Fprintf(t.out, "dropped: %d %s\n", d.n, d.what)
		}
	}
}
