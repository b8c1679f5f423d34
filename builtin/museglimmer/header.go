package museglimmer

import (
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	start     = "<|start|>"
	message   = "<|message|>"
	eom       = "<|eom|>"
	eot       = "<|eot|>"
	assistant = "assistant"
	to        = "to="
	self      = "self"
	user      = "user"
)

// maxHeader is the longest header in bytes: what has no end by then is none.
const maxHeader = 1024

// specials are the special tokens.
var specials = scan.NewSet(start, message, eom, eot)

// header is a message's header.
type header struct {
	at, n int // place and length of the recipient; n is 0 without one
	len   int // of the whole header, message included
}

func (h header) recipientIn(b []byte) string { return string(b[h.at : h.at+h.n]) }

// readFramedHeader reads the header that b begins with, from start on. Wait asks for more
// bytes, also at the end of the text: then half a header is there.
func readFramedHeader(b []byte) (header, scan.Verdict) {
	i := len(start)
	i += scan.LeadingSpace(b[i:])
	switch scan.Prefix(b[i:], assistant, false) {
	case scan.Wait:
		if i < len(b) || i <= maxHeader {
			return header{}, scan.Wait
		}
	case scan.Yes:
		i += len(assistant)
	}
	return readHeaderRest(b, i)
}

// readHeaderRest reads a header from its recipient on, which stands at place i.
func readHeaderRest(b []byte, i int) (h header, v scan.Verdict) {
	i += scan.LeadingSpace(b[i:])
	if i > maxHeader {
		return h, scan.No
	}
	switch scan.Prefix(b[i:], to, false) {
	case scan.Wait:
		return h, scan.Wait
	case scan.Yes:
		i += len(to)
		h.at = i
		for i < len(b) && i <= maxHeader && b[i] != '<' && !scan.IsSpace(b[i]) {
			i++
		}
		h.n = i - h.at
		if i < len(b) && h.n == 0 || i > maxHeader {
			return h, scan.No
		}
		space := scan.LeadingSpace(b[i:])
		if i+space == len(b) && i+space <= maxHeader {
			return h, scan.Wait
		}
		if b[0] == '<' { // only a framed header has white space here
			i += space
		}
	}
	v = scan.Prefix(b[i:], message, false)
	h.len = i + len(message)
	return h, v
}
