// Package harmonymsg reads the headers of channel messages, which the harmony
// format and its relatives share:
//
//	[ "<|start|>" role ] [ sp "to=" recipient ] "<|channel|>" channel [ sp "to=" recipient ] [ type ] "<|message|>"
//
// type is "<|constrain|>" word, or a bare word behind white space. The prompt
// wrote the first message's "<|start|>assistant", so a header may begin without.
package harmonymsg

import "github.com/turnkey-parsers/turnkey/sdk/scan"

// Markers of a message.
const (
	Start     = "<|start|>"
	Channel   = "<|channel|>"
	Constrain = "<|constrain|>"
	Message   = "<|message|>"
	End       = "<|end|>"
	Call      = "<|call|>"
	Return    = "<|return|>"
)

// MaxHeader is the longest header in bytes. What has no end by then is none, so
// that prose behind a stray marker is not held for ever.
const MaxHeader = 1024

// Span is a place in the bytes that a header was read from.
type Span struct{ At, Len int }

// Of gives the bytes of the span.
func (s Span) Of(b []byte) string { return string(b[s.At : s.At+s.Len]) }

// Header is a message's header.
type Header struct {
	Role      Span // empty where the prompt wrote it
	Channel   Span
	Recipient Span // empty: none
	Type      Span // empty: none
	Len       int  // of the whole header, "<|message|>" included
}

// Read reads the header that b begins with. Wait asks for more bytes; No says
// that b begins with none, at the latest after MaxHeader bytes. White space
// before a leading "to=" is part of the header.
func Read(b []byte, final bool) (Header, scan.Verdict) {
	if len(b) > MaxHeader {
		b, final = b[:MaxHeader], true
	}
	r := reader{b: b, final: final, verdict: scan.Yes}
	var h Header
	if r.marker(Start) {
		h.Role = r.word()
	}
	h.Recipient = r.recipient()
	r.need(Channel)
	r.space()
	h.Channel = r.word()
	if to := r.recipient(); to.Len > 0 {
		h.Recipient = to
	}
	r.space()
	if r.marker(Constrain) {
		r.space()
	}
	h.Type = r.word()
	r.space()
	r.need(Message)
	h.Len = r.at
	return h, r.verdict
}

// reader goes through a header. Once its verdict is not Yes, nothing more is
// read.
type reader struct {
	b       []byte
	at      int
	final   bool
	verdict scan.Verdict
}

func (r *reader) stop(v scan.Verdict) {
	if r.verdict == scan.Yes {
		r.verdict = v
	}
}

// marker reads a marker if it is next.
func (r *reader) marker(m string) bool {
	if r.verdict != scan.Yes {
		return false
	}
	v := scan.Prefix(r.b[r.at:], m, r.final)
	if v == scan.Wait {
		r.stop(scan.Wait)
	}
	if v != scan.Yes {
		return false
	}
	r.at += len(m)
	return true
}

func (r *reader) need(m string) {
	if !r.marker(m) {
		r.stop(scan.No)
	}
}

func (r *reader) space() {
	if r.verdict != scan.Yes {
		return
	}
	r.at += scan.LeadingSpace(r.b[r.at:])
	r.more()
}

// word reads letters, digits and "_.-". It may be empty.
func (r *reader) word() Span {
	if r.verdict != scan.Yes {
		return Span{}
	}
	start := r.at
	for r.at < len(r.b) && inWord(r.b[r.at]) {
		r.at++
	}
	r.more()
	return Span{start, r.at - start}
}

func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-'
}

// recipient reads white space and "to=" with the name behind it, if they are
// next. A name ends at white space or at "<|".
func (r *reader) recipient() Span {
	back := r.at
	r.space()
	if !r.marker("to=") {
		if r.verdict == scan.Yes {
			r.at = back
		}
		return Span{}
	}
	start := r.at
	for r.more(); r.verdict == scan.Yes && !scan.IsSpace(r.b[r.at]); r.more() {
		if r.b[r.at] == '<' {
			if v := scan.Prefix(r.b[r.at:], "<|", r.final); v != scan.No {
				r.stop(v)
				break
			}
		}
		r.at++
	}
	if r.verdict == scan.Yes && r.at == start {
		r.stop(scan.No)
	}
	return Span{start, r.at - start}
}

// more stops where the bytes are used up.
func (r *reader) more() {
	if r.at < len(r.b) {
		return
	}
	if r.final {
		r.stop(scan.No)
	} else {
		r.stop(scan.Wait)
	}
}
