package framing

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// callAsText follows the markup behind a call that was emitted as text, up to the call's
// closer, which is part of what the model wrote.
type callAsText struct {
	following bool
	from      abi.RawOffset // up to where the text was emitted or looked at
	markup    []byte        // behind the emitted text
}

// emitCallAsText shows a call as what the model wrote.
func (f *Framer) emitCallAsText(e *parse.CheckedEvent) {
	c := &f.call
	c.open = false
	if f.cfg.Raw == nil {
		return
	}
	raw := f.cfg.Raw(c.start, e.Accounted)
	f.asText = callAsText{following: true, from: e.Accounted}
	body := min(int(max(c.nameAt.End, c.pendingAt.End, c.start)-c.start), len(raw))
	if end := f.closerEnd(raw[body:]); end >= 0 {
		raw, f.asText.following = raw[:body+end], false
	}
	if len(raw) > 0 {
		f.emitProse(Content, raw, span{Start: c.start, End: c.start + abi.RawOffset(len(raw))})
	}
}

// closerEnd is where the first closer in markup ends, or -1.
func (f *Framer) closerEnd(markup []byte) int {
	end := -1
	for _, closer := range f.cfg.Closers {
		if i := bytes.Index(markup, []byte(closer)); i >= 0 && (end < 0 || i+len(closer) < end) {
			end = i + len(closer)
		}
	}
	return end
}

// followCallAsText looks for the closer in what an event accounts for, before what it
// says. Where the family has no closers, what is structure directly behind the call is
// the rest of it.
func (f *Framer) followCallAsText(e *parse.CheckedEvent) {
	t := &f.asText
	to, last := e.Accounted, false
	switch e.Kind {
	case abi.Text, abi.Reasoning, abi.Call:
		to, last = e.Start, true
	}
	at := t.from - abi.RawOffset(len(t.markup))
	if t.from < to {
		t.markup = append(t.markup, f.cfg.Raw(t.from, to)...)
		t.from = to
	}
	t.following = !last
	end := f.closerEnd(t.markup)
	if len(f.cfg.Closers) == 0 && !last {
		end = len(t.markup)
	}
	if end >= 0 {
		f.emitProse(Content, t.markup[:end], span{Start: at, End: at + abi.RawOffset(end)})
		t.markup = t.markup[end:]
		t.following = len(f.cfg.Closers) == 0 && !last
	}
}
