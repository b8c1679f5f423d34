package jail

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// Immediate is the jail of one choice in immediate mode: the engine was made to
// emit bare JSON, which is held from its first byte. If the text is something
// else, because the engine ignored the constraint, the parser reads it.
type Immediate struct {
	native  *Jail // nil: the model has no parser
	held    string
	decided bool
	json    bool
	offset  abi.RawOffset // of all text that was given on
	events  [1]parse.CheckedEvent
}

// NewImmediate makes the jail. native reads what is no bare JSON; it may be nil.
func NewImmediate(native *Jail) *Immediate { return &Immediate{native: native} }

// Holding is always true: the end of the text decides.
func (m *Immediate) Holding() bool { return true }

// Raw is that of the native session.
func (m *Immediate) Raw(start, end abi.RawOffset) []byte {
	if m.native == nil || m.json {
		return nil
	}
	return m.native.Raw(start, end)
}

// Close closes the native session.
func (m *Immediate) Close() {
	if m.native != nil {
		m.native.Close()
	}
}

// Owns implements Reader.
func (m *Immediate) Owns(call uint16) bool { return m.native != nil && m.native.Owns(call) }

// Push implements Reader.
func (m *Immediate) Push(text string, last bool) ([]parse.CheckedEvent, error) {
	if m.decided && !m.json {
		return m.pushNative(text, last)
	}
	if !m.decided {
		m.held += text
		if !m.decide(false) {
			return nil, nil
		}
		text, m.held = m.held, ""
	}
	return m.pushDecided(text)
}

// PushThought implements Reader: the parser reads it, and what follows may still be JSON.
func (m *Immediate) PushThought(text string) ([]parse.CheckedEvent, error) {
	text, m.held = m.held+text, ""
	if m.native == nil {
		return m.passText(text, 0), nil
	}
	return m.pushNative(text, false)
}

func (m *Immediate) pushNative(text string, last bool) ([]parse.CheckedEvent, error) {
	m.offset += abi.RawOffset(len(text))
	return m.native.Push(text, last)
}

// passText gives text as it stands.
func (m *Immediate) passText(text string, flags uint8) []parse.CheckedEvent {
	start := m.offset
	m.offset += abi.RawOffset(len(text))
	m.events[0] = parse.CheckedEvent{Kind: abi.Text, Flags: flags, Data: []byte(text), Start: start, End: m.offset, Accounted: m.offset}
	return m.events[:]
}

// decide looks at the beginning of the text, as far as it is there: a marker of
// the parser's or prose is for the parser, all else is read as JSON.
func (m *Immediate) decide(end bool) bool {
	first := strings.TrimLeft(m.held, " \t\r\n")
	if first == "" && !end {
		return false
	}
	m.json = true
	if m.native != nil && first != "" {
		at, whole := m.native.markers.find(first)
		if at == 0 && !whole && !end {
			return false
		}
		m.json = !(at == 0 && whole) && (first[0] == '{' || first[0] == '[')
	}
	m.decided = true
	return true
}

// pushDecided takes text of which it is known what it is.
func (m *Immediate) pushDecided(text string) ([]parse.CheckedEvent, error) {
	if !m.json {
		return m.pushNative(text, false)
	}
	return m.passText(text, abi.FlagPayload), nil
}

// Finish ends the text.
func (m *Immediate) Finish(reason abi.Finish) (events []parse.CheckedEvent, err error) {
	if !m.decided {
		m.decide(true)
		if m.held != "" {
			held, err := m.pushDecided(m.held)
			if err != nil {
				return held, err
			}
			events = append(events, held...)
		}
	}
	if m.native == nil {
		return events, nil
	}
	held, err := m.native.Finish(reason) // of a thought, where the answer was JSON
	return append(events, held...), err
}
