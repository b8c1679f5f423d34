package stream

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/holdback"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// thoughtTail holds a thought from a marker of calls on, where the parser of reasoning
// and that of calls are of two families: what looks like a call in a thought that is
// closed is part of the thought; in one that never is, it is a call.
type thoughtTail struct {
	markers []string
	room    int // bytes that may be held
	held    []parse.CheckedEvent
	text    []byte // of held, until a marker was found
	size    int    // of held, in bytes
	found   bool   // held begins with a marker
}

// push takes reasoning and gives what of it can't be a call.
func (t *thoughtTail) push(e *parse.CheckedEvent) []parse.CheckedEvent {
	kept := *e
	kept.Data = bytes.Clone(e.Data)
	t.held = append(t.held, kept)
	t.size += len(e.Data)
	if t.size > t.room {
		return t.release(t.size)
	}
	if t.found {
		return nil
	}
	t.text = append(t.text, e.Data...)
	at := len(t.text) - holdback.Partial(string(t.text), t.markers)
	for _, m := range t.markers {
		if i := bytes.Index(t.text, []byte(m)); i >= 0 && i <= at {
			at, t.found = i, true
		}
	}
	return t.release(at)
}

// release gives the first n bytes that are held.
func (t *thoughtTail) release(n int) (out []parse.CheckedEvent) {
	t.size -= n
	if t.text = t.text[min(n, len(t.text)):]; t.size == 0 {
		t.found, t.text = false, nil
	}
	for n > 0 {
		first := t.held[0]
		if len(first.Data) <= n {
			n -= len(first.Data)
			t.held = t.held[1:]
			out = append(out, first)
			continue
		}
		rest := &t.held[0]
		rest.Data, rest.Start, rest.Flags = first.Data[n:], first.Start+abi.RawOffset(n), first.Flags&^abi.FlagNewBlock
		first.Data, first.End = first.Data[:n], rest.Start
		return append(out, first)
	}
	return out
}

// flush gives all that is held.
func (t *thoughtTail) flush() []parse.CheckedEvent { return t.release(t.size) }
