package stream

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// asText makes text of the calls of tools that were not offered: all of the raw
// text of a call, with the markup around it. Where that begins and ends, the
// parser's markers tell; without them it is what no other event accounts for.
type asText struct {
	reader
	offered func(name []byte) bool
	open    []string
	close   []string
	count   func()

	raw  []byte // raw text from base on
	base uint32
	said uint32 // up to where the text is spoken for

	call   uint16
	inside bool   // the call is one that was not offered
	ended  bool   // and it has ended: its markup is waited for
	from   uint32 // where its markup begins
	body   uint32 // where its last part ends
	events []parse.CheckedEvent
}

func newAsText(inner reader, p *manifest.Parser, offered func([]byte) bool, count func()) *asText {
	a := &asText{reader: inner, offered: offered, count: count}
	if p.Jail != nil {
		a.open, a.close = p.Jail.Open, p.Jail.Close
	}
	return a
}

// holds says whether a call is being made text.
func (a *asText) holds(call uint16) bool { return a.inside && a.call == call }

func (a *asText) Push(text string) ([]parse.CheckedEvent, error) {
	a.begin(text)
	events, err := a.reader.Push(text)
	return a.read(events), err
}

// Last and Holding are for a reader that is a jail.
func (a *asText) Last(text string) ([]parse.CheckedEvent, error) {
	a.begin(text)
	events, err := a.reader.(jailed).Last(text)
	return a.read(events), err
}

func (a *asText) Holding() bool { return a.reader.(jailed).Holding() }

func (a *asText) Finish(reason abi.Finish) ([]parse.CheckedEvent, error) {
	a.begin("")
	events, err := a.reader.Finish(reason)
	a.read(events)
	if err == nil {
		a.flush(a.pushed())
	}
	return a.events, err
}

func (a *asText) begin(text string) {
	a.events = a.events[:0]
	if keep := max(a.said, a.body); keep > a.base && !a.inside {
		a.raw = append(a.raw[:0], a.raw[keep-a.base:]...)
		a.base = keep
	}
	a.raw = append(a.raw, text...)
}

func (a *asText) pushed() uint32 { return a.base + uint32(len(a.raw)) }

func (a *asText) text(from, to uint32) []byte { return a.raw[from-a.base : to-a.base] }

func (a *asText) read(events []parse.CheckedEvent) []parse.CheckedEvent {
	for i := range events {
		a.event(&events[i])
	}
	if end, ok := a.closed(); ok {
		a.flush(end)
	}
	return a.events
}

func (a *asText) event(e *parse.CheckedEvent) {
	switch e.Kind {
	case abi.Text, abi.Reasoning:
		a.flush(e.Start)
		a.said = max(a.said, e.End)
	case abi.Call:
		a.opens(e)
	case abi.CallID, abi.Args, abi.Key, abi.Value, abi.CallEnd:
		a.body = max(a.body, e.End)
	}
	if !a.inside {
		a.events = append(a.events, *e)
		return
	}
	switch e.Kind {
	case abi.CallEnd:
		a.ended = true
	case abi.CallDrop:
		a.inside = false
	}
}

// opens starts a call. A name that has to be decoded is left to the framer.
func (a *asText) opens(e *parse.CheckedEvent) {
	if e.Literal || e.Flags&abi.ReadMask != 0 && bytes.ContainsAny(e.Data, `\&`) {
		return
	}
	from := a.opener(e.Start)
	a.flush(from)
	a.inside = !a.offered(e.Data)
	a.call, a.from, a.body = e.Call, from, max(a.body, e.End)
	if a.inside {
		a.count()
	}
}

// opener is where the markup of a call begins whose name stands at start.
func (a *asText) opener(start uint32) uint32 {
	lower := min(max(a.said, a.body), start)
	gap, at := a.text(lower, start), -1
	for _, m := range a.open {
		at = max(at, bytes.LastIndex(gap, []byte(m)))
	}
	return lower + uint32(max(at, 0))
}

// closed is where the markup of the ended call ends, once its closer is there.
func (a *asText) closed() (end uint32, ok bool) {
	if !a.ended {
		return 0, false
	}
	gap := a.text(a.body, a.pushed())
	for _, m := range a.close {
		if i := bytes.Index(gap, []byte(m)); i >= 0 {
			if at := a.body + uint32(i+len(m)); !ok || at < end {
				end, ok = at, true
			}
		}
	}
	return end, ok
}

// flush lets the ended call out as text, up to its closer or at most to limit.
func (a *asText) flush(limit uint32) {
	if !a.ended {
		return
	}
	end, ok := a.closed()
	if !ok || end > limit {
		end = max(limit, a.body)
	}
	a.events = append(a.events, parse.CheckedEvent{
		Kind: abi.Text, Data: bytes.Clone(a.text(a.from, end)), Start: a.from, End: end, Accounted: end,
	})
	a.said, a.inside, a.ended = end, false, false
}
