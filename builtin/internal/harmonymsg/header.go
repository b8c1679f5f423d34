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

// Bytes gives the bytes of the span.
func (s Span) Bytes(b []byte) string { return string(b[s.At : s.At+s.Len]) }

// Header is a message's header.
type Header struct {
	Role      Span // empty where the prompt wrote it
	Channel   Span
	Recipient Span // empty: none
	Type      Span // empty: none
	Len       int  // of the whole header, "<|message|>" included
}

// ReadHeader reads the header that b begins with. Wait asks for more bytes; No says
// that b begins with none, at the latest after MaxHeader bytes. White space
// before a leading "to=" is part of the header.
func ReadHeader(b []byte, final bool) (Header, scan.Verdict) {
	if len(b) > MaxHeader {
		b, final = b[:MaxHeader], true
	}
	r := headerReader{b: b, final: final, verdict: scan.Yes}
	var h Header
	if r.readMarker(Start) {
		h.Role = r.readWord()
	}
	h.Recipient = r.readRecipient()
	r.requireMarker(Channel)
	r.skipSpace()
	h.Channel = r.readWord()
	if to := r.readRecipient(); to.Len > 0 {
		h.Recipient = to
	}
	r.skipSpace()
	if r.readMarker(Constrain) {
		r.skipSpace()
	}
	h.Type = r.readWord()
	r.skipSpace()
	r.requireMarker(Message)
	h.Len = r.at
	return h, r.verdict
}

// headerReader goes through a header. Once its verdict is not Yes, nothing more is
// read.
type headerReader struct {
	b       []byte
	at      int
	final   bool
	verdict scan.Verdict
}

func (r *headerReader) stopWith(v scan.Verdict) {
	if r.verdict == scan.Yes {
		r.verdict = v
	}
}

// readMarker reads a marker if it is next.
func (r *headerReader) readMarker(m string) bool {
	if r.verdict != scan.Yes {
		return false
	}
	v := scan.Prefix(r.b[r.at:], m, r.final)
	if v == scan.Wait {
		r.stopWith(scan.Wait)
	}
	if v != scan.Yes {
		return false
	}
	r.at += len(m)
	return true
}

func (r *headerReader) requireMarker(m string) {
	if !r.readMarker(m) {
		r.stopWith(scan.No)
	}
}

func (r *headerReader) skipSpace() {
	if r.verdict != scan.Yes {
		return
	}
	r.at += scan.LeadingSpace(r.b[r.at:])
	r.stopAtEnd()
}

// readWord reads letters, digits and "_.-". It may be empty.
func (r *headerReader) readWord() Span {
	if r.verdict != scan.Yes {
		return Span{}
	}
	start := r.at
	for r.at < len(r.b) && inWord(r.b[r.at]) {
		r.at++
	}
	r.stopAtEnd()
	return Span{start, r.at - start}
}

func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-'
}

// readRecipient reads white space and "to=" with the name behind it, if they are
// next. A name ends at white space or at "<|".
func (r *headerReader) readRecipient() Span {
	back := r.at
	r.skipSpace()
	if !r.readMarker("to=") {
		if r.verdict == scan.Yes {
			r.at = back
		}
		return Span{}
	}
	start := r.at
	for r.stopAtEnd(); r.verdict == scan.Yes && !scan.IsSpace(r.b[r.at]); r.stopAtEnd() {
		if r.b[r.at] == '<' {
			if v := scan.Prefix(r.b[r.at:], "<|", r.final); v != scan.No {
				r.stopWith(v)
				break
			}
		}
		r.at++
	}
	if r.verdict == scan.Yes && r.at == start {
		r.stopWith(scan.No)
	}
	return Span{start, r.at - start}
}

// stopAtEnd stops where the bytes are used up.
func (r *headerReader) stopAtEnd() {
	if r.at < len(r.b) {
		return
	}
	if r.final {
		r.stopWith(scan.No)
	} else {
		r.stopWith(scan.Wait)
	}
}
