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
	offset  uint32
	events  [1]parse.CheckedEvent
}

// NewImmediate makes the jail. native reads what is no bare JSON; it may be nil.
func NewImmediate(native *Jail) *Immediate { return &Immediate{native: native} }

// Holding is always true: the end of the text decides.
func (m *Immediate) Holding() bool { return true }

// Raw is that of the native session.
func (m *Immediate) Raw(start, end uint32) []byte {
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

// Push takes more text.
func (m *Immediate) Push(text string) ([]parse.CheckedEvent, error) {
	if !m.decided {
		m.held += text
		if !m.decide(false) {
			return nil, nil
		}
		text, m.held = m.held, ""
	}
	return m.give(text)
}

// Last is Push for the text that came with the finish reason.
func (m *Immediate) Last(text string) ([]parse.CheckedEvent, error) {
	if m.decided && !m.json {
		return m.native.Last(text)
	}
	return m.Push(text)
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

func (m *Immediate) give(text string) ([]parse.CheckedEvent, error) {
	if !m.json {
		return m.native.Push(text)
	}
	start := m.offset
	m.offset += uint32(len(text))
	m.events[0] = parse.CheckedEvent{Kind: abi.Text, Flags: abi.FlagPayload, Data: []byte(text), Start: start, End: m.offset, Accounted: m.offset}
	return m.events[:], nil
}

// Finish ends the text.
func (m *Immediate) Finish(reason abi.Finish) ([]parse.CheckedEvent, error) {
	var events []parse.CheckedEvent
	if !m.decided {
		m.decide(true)
		if m.held != "" {
			said, err := m.give(m.held)
			if err != nil {
				return said, err
			}
			events = append(events, said...)
		}
	}
	if m.json {
		return events, nil
	}
	said, err := m.native.Finish(reason)
	return append(events, said...), err
}
