package kimik3

import (
	"bytes"
	"strconv"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxHeader is the longest header in bytes, and the longest run of white space
// between the parts of a call: what is longer is none.
const maxHeader = 512

// span is a part of a header, from the header's first byte on.
type span struct {
	at, n int
	given bool
}

func (s span) bytesIn(b []byte) []byte { return b[s.at : s.at+s.n] }

// header is a marker with attributes.
type header struct {
	n                      int // its length
	tool, index, key, kind span
}

// readHeader reads the header that b begins with: a head of that length, then
// attributes and the separator.
func readHeader(b []byte, head int, final bool) (h header, v scan.Verdict) {
	i := head
	for i < len(b) && i <= maxHeader {
		if v := scan.Prefix(b[i:], separator, final); v != scan.No {
			h.n = i + len(separator)
			return h, v
		}
		if b[i] != ' ' {
			return h, scan.No
		}
		i++
		if i < len(b) && (b[i] == ' ' || b[i] == '<') {
			continue
		}
		name := i
		for i < len(b) && isAttribute(b[i]) {
			i++
		}
		if i == len(b) {
			break
		}
		word := b[name:i]
		if len(word) == 0 || b[i] != '=' {
			return h, scan.No
		}
		if i++; i == len(b) {
			break
		}
		if b[i] != '"' {
			return h, scan.No
		}
		i++
		end := bytes.IndexByte(b[i:], '"')
		if end < 0 {
			i = len(b)
			break
		}
		h.setAttribute(word, span{i, end, true})
		i += end + 1
	}
	if final || i > maxHeader {
		return h, scan.No
	}
	return h, scan.Wait
}

func isAttribute(c byte) bool { return c >= 'a' && c <= 'z' || c == '_' || c == '-' }

func (h *header) setAttribute(word []byte, s span) {
	switch string(word) {
	case "tool":
		h.tool = s
	case "index":
		h.index = s
	case "key":
		h.key = s
	case "type":
		h.kind = s
	}
}

// isString says whether the value of an argument with this header is text.
func (h *header) isString(b []byte) bool {
	return !h.kind.given || string(h.kind.bytesIn(b)) == "string"
}

// callID is the call's id: the name and, counted from 0, the index.
func (h *header) callID(b []byte) string {
	name := bytes.ReplaceAll(bytes.ReplaceAll(h.tool.bytesIn(b), []byte("&quot;"), []byte{'"'}), []byte("&amp;"), []byte{'&'})
	if !h.index.given {
		return string(name)
	}
	index := string(h.index.bytesIn(b))
	if n, err := strconv.ParseUint(index, 10, 32); err == nil && n > 0 {
		index = strconv.FormatUint(n-1, 10)
	}
	return string(name) + ":" + index
}
