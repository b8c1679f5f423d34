package jail

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// unknownTools makes text of the calls of tools that were not offered: all of the
// raw text of a call, with the markup around it. Where that begins and ends, the
// parser's markers tell; without them it is what no other event accounts for.
type unknownTools struct {
	Reader
	offered func(name []byte) bool
	onCall  func()
	open    []string
	close   []string

	raw     []byte // raw text from base on
	base    abi.RawOffset
	emitted abi.RawOffset // up to where text was given

	call   uint16
	inside bool          // the call is one that was not offered
	ended  bool          // and it has ended: its closer is waited for
	from   abi.RawOffset // where its markup begins
	body   abi.RawOffset // where its last part ends
	events []parse.CheckedEvent
}

// UnknownTools reads as inner does, but makes text of the calls whose names offered
// denies. onCall is told of each. p is the parser that inner runs.
func UnknownTools(inner Reader, p *manifest.Parser, offered func(name []byte) bool, onCall func()) Reader {
	u := &unknownTools{Reader: inner, offered: offered, onCall: onCall}
	if p.Jail != nil {
		u.open, u.close = p.Jail.Open, p.Jail.Close
	}
	return u
}

// Owns implements Reader.
func (u *unknownTools) Owns(call uint16) bool {
	return u.inside && u.call == call || u.Reader.Owns(call)
}

// Push implements Reader.
func (u *unknownTools) Push(text string, last bool) ([]parse.CheckedEvent, error) {
	u.keepRaw(text)
	events, err := u.Reader.Push(text, last)
	return u.rewrite(events), err
}

// PushThought implements Reader.
func (u *unknownTools) PushThought(text string) ([]parse.CheckedEvent, error) {
	u.keepRaw(text)
	events, err := u.Reader.PushThought(text)
	return u.rewrite(events), err
}

// Finish implements Reader.
func (u *unknownTools) Finish(reason abi.Finish) ([]parse.CheckedEvent, error) {
	u.keepRaw("")
	events, err := u.Reader.Finish(reason)
	u.rewrite(events)
	if err == nil {
		u.flushCall(u.pushed())
	}
	return u.events, err
}

func (u *unknownTools) keepRaw(text string) {
	u.events = u.events[:0]
	if keep := max(u.emitted, u.body); keep > u.base && !u.inside {
		u.raw = append(u.raw[:0], u.raw[keep-u.base:]...)
		u.base = keep
	}
	u.raw = append(u.raw, text...)
}

func (u *unknownTools) pushed() abi.RawOffset { return u.base + abi.RawOffset(len(u.raw)) }

func (u *unknownTools) rawText(from, to abi.RawOffset) []byte { return u.raw[from-u.base : to-u.base] }

func (u *unknownTools) rewrite(events []parse.CheckedEvent) []parse.CheckedEvent {
	for i := range events {
		u.rewriteEvent(&events[i])
	}
	if end, ok := u.closerEnd(); ok {
		u.flushCall(end)
	}
	return u.events
}

func (u *unknownTools) rewriteEvent(e *parse.CheckedEvent) {
	switch e.Kind {
	case abi.Text, abi.Reasoning:
		u.flushCall(e.Start)
		u.emitted = max(u.emitted, e.End)
	case abi.Call:
		u.openCall(e)
	case abi.CallID, abi.Args, abi.Key, abi.Value, abi.CallEnd:
		u.body = max(u.body, e.End)
	}
	if !u.inside {
		u.events = append(u.events, *e)
		return
	}
	switch e.Kind {
	case abi.CallEnd:
		u.ended = true
	case abi.CallDrop:
		u.inside = false
	}
}

// openCall starts a call. A name that has to be decoded is left to the framer.
func (u *unknownTools) openCall(e *parse.CheckedEvent) {
	if e.Literal || e.Flags&abi.ReadMask != 0 && bytes.ContainsAny(e.Data, `\&`) {
		return
	}
	from := u.openerBefore(e.Start)
	u.flushCall(from)
	u.inside = !u.offered(e.Data)
	u.call, u.from, u.body = e.Call, from, max(u.body, e.End)
	if u.inside {
		u.onCall()
	}
}

// openerBefore is where the markup of a call begins whose name stands at start.
func (u *unknownTools) openerBefore(start abi.RawOffset) abi.RawOffset {
	lower := min(max(u.emitted, u.body), start)
	gap, at := u.rawText(lower, start), -1
	for _, m := range u.open {
		at = max(at, bytes.LastIndex(gap, []byte(m)))
	}
	return lower + abi.RawOffset(max(at, 0))
}

// closerEnd is where the markup of the ended call ends, once its closer is there.
func (u *unknownTools) closerEnd() (end abi.RawOffset, ok bool) {
	if !u.ended {
		return 0, false
	}
	gap := u.rawText(u.body, u.pushed())
	for _, m := range u.close {
		if i := bytes.Index(gap, []byte(m)); i >= 0 {
			if at := u.body + abi.RawOffset(i+len(m)); !ok || at < end {
				end, ok = at, true
			}
		}
	}
	return end, ok
}

// flushCall gives the ended call as text, up to its closer or at most to limit.
func (u *unknownTools) flushCall(limit abi.RawOffset) {
	if !u.ended {
		return
	}
	end, ok := u.closerEnd()
	if !ok || end > limit {
		end = max(limit, u.body)
	}
	u.events = append(u.events, parse.CheckedEvent{
		Kind: abi.Text, Data: bytes.Clone(u.rawText(u.from, end)), Start: u.from, End: end, Accounted: end,
	})
	u.emitted, u.inside, u.ended = end, false, false
}
