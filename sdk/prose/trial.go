package prose

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// trial reads on from a marker behind an open quote with a parser of its own, to
// learn whether a call begins there. What that parser says goes nowhere.
type trial struct {
	parser  sdk.Parser
	session *sdk.Session  // of parser
	from    abi.RawOffset // where the marker begins, which is offset 0 of session
	readTo  abi.RawOffset // how far session was given the text
	verdict scan.Verdict  // Yes: a call with a sound argument, or a whole one without any. No: prose
	inCall  bool
	args    scan.Walk // the call's arguments, where they are JSON
}

// Stringer is a parser that knows, apart from the arguments that it gave, whether the
// text stands in a string of a call: the quotation marks there quote no prose.
type Stringer interface {
	InString() bool
}

// start begins at a marker.
func (t *trial) start(p sdk.Parser, from abi.RawOffset) {
	*t = trial{parser: p, session: sdk.NewSession(p), from: from, readTo: from, verdict: scan.Wait}
}

// read gives the trial text, which begins where the marker does, as far as place to.
func (t *trial) read(text []byte, to abi.RawOffset) {
	if t.verdict != scan.Wait || to <= t.readTo {
		return
	}
	at := t.readTo - t.from
	t.readTo = to
	for _, e := range t.session.Push(at, 0, text[at:to-t.from]).Events {
		if v := t.judge(text, e); v != scan.Wait {
			t.verdict = v
			return
		}
	}
}

// judge says what an event tells of the marker.
func (t *trial) judge(text []byte, e abi.Event) scan.Verdict {
	switch e.Kind {
	case abi.Text, abi.Reasoning, abi.CallDrop, abi.Error:
		return scan.No
	case abi.Call:
		t.inCall = true
		t.args.StartLenient(false)
	case abi.Args:
		if e.Flags == 0 && t.hasMember(text[e.Start:e.Start+e.Len]) {
			return scan.Yes
		}
	case abi.Value:
		if e.Flags&abi.FlagMore == 0 {
			return scan.Yes
		}
	case abi.CallEnd:
		if e.Flags&abi.FlagUnsound == 0 {
			return scan.Yes
		}
		return scan.No
	}
	return scan.Wait
}

// inString says whether what was read ends in a string of a call.
func (t *trial) inString() bool {
	if t.verdict != scan.Wait || t.session == nil {
		return false
	}
	s, ok := t.parser.(Stringer)
	return ok && s.InString() || t.inCall && t.args.InString()
}

// hasMember reads a fragment of the arguments, and says whether their first member is
// whole.
func (t *trial) hasMember(fragment []byte) bool {
	for i := 0; ; {
		n, s := t.args.Next(fragment, i)
		switch i = n; s {
		case scan.WalkMore, scan.WalkBad, scan.WalkEnd:
			return false
		case scan.ValueEnds:
			return true
		}
	}
}

// tryHeld reads on from the held markers, up to place to of the window, which is
// scanned. If a call begins at one, the quotations before it are over, and what was
// scanned behind it is forgotten: it is the call's.
func (m *Machine) tryHeld(w *sdk.Window, to int) (found bool) {
	if m.Trial == nil {
		return false
	}
	end := w.Offset() + abi.RawOffset(to)
	for m.tried = max(m.tried, m.firstHeld); m.tried < len(m.held) && m.held[m.tried].at < end; m.tried++ {
		h := &m.held[m.tried]
		isCall := int(h.id) >= m.g.closeEnd && int(h.id) < m.g.callEnd && !m.g.isIdle[h.id]
		if !isCall || h.direct || h.text && h.settledAt < end {
			continue
		}
		if m.trial.session == nil || m.trial.from != h.at {
			m.trial.start(m.Trial(m.Thought), h.at)
		}
		m.trial.read(w.Bytes()[h.at-w.Offset():], end)
		switch m.trial.verdict {
		case scan.Wait:
			return false
		case scan.Yes:
			m.takeForMarkup(end)
			return true
		}
	}
	return false
}

// isOwnMark says whether the quotation mark at place i of the window, up to which the held
// markers were tried, begins or ends a string of the call on trial.
func (m *Machine) isOwnMark(w *sdk.Window, i int) bool {
	if m.tried == len(m.held) || m.trial.from != m.held[m.tried].at {
		return false
	}
	ends := m.trial.inString()
	m.trial.read(w.Bytes()[m.trial.from-w.Offset():], w.Offset()+abi.RawOffset(i)+1)
	return ends || m.trial.inString()
}

// takeForMarkup makes markup of the tried marker and of what an end of a quotation at
// offset at, or behind it, made text; and it forgets what was scanned behind the marker.
func (m *Machine) takeForMarkup(at abi.RawOffset) {
	m.held = m.held[:m.tried+1]
	for k := m.firstHeld; k <= m.tried; k++ {
		if h := &m.held[k]; h.settledAt >= at {
			h.text = false
		}
	}
	m.heldAboveLine = min(m.heldAboveLine, len(m.held))
	m.scannedTo, m.lineStart, m.owner = m.held[m.tried].end, 0, noOwner
	m.endAllQuotations()
}
