package dsml

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// head is the header of a parameter whose attributes are exact.
type head struct {
	key, keyLen int // the key's place and length
	text        bool
	len         int
}

// readHeader reads the header that b begins with. Wait: more of b has to come.
func (t *tags) readHeader(b []byte) (h head, v scan.Verdict) {
	const name, attribute = ` name="`, ` string="`
	at := len(t.parameter)
	if v := scan.Prefix(b[min(at, len(b)):], name, false); v != scan.Yes {
		return h, v
	}
	at += len(name)
	rest := b[at:min(at+maxHeader, len(b))]
	h.key, h.keyLen = at, bytes.IndexAny(rest, "\"<>\n")
	switch {
	case h.keyLen < 0 && len(rest) == maxHeader:
		return h, scan.No
	case h.keyLen < 0:
		return h, scan.Wait
	}
	at += h.keyLen
	if b[at] != '"' || h.keyLen == 0 {
		return h, scan.No
	}
	at++
	if v := scan.Prefix(b[at:], attribute, false); v != scan.Yes {
		return h, v
	}
	at += len(attribute)
	for _, flag := range [...]string{`true">`, `false">`} {
		if v := scan.Prefix(b[at:], flag, false); v != scan.No {
			h.text, h.len = flag[0] == 't', at+len(flag)
			return h, v
		}
	}
	return h, scan.No
}

// lexer reads a call with parameters up to its first end, each value up to its
// first closer. Its places are in the text that it reads.
type lexer struct {
	state lexed
	pos   int
	text  bool // the value is a string
	noted bool // a string value held a parameter's opener: its closer may be data

	// The first closer of a call or block, or of the thought, since a value ended
	// well: where the call ends if nothing else ends it.
	closer, escape int
	// What is known not to follow.
	absent
}

// absent says what is not left in a text that has ended, so that it is not
// searched for again: closers of values, and closers of calls and blocks.
type absent struct{ noClose, noCloser bool }

type lexed uint8

const (
	lexParams lexed = iota // between parameters
	lexValue
	lexJunk    // behind something that stands between parameters
	lexTrouble // behind a header that is malformed
)

// outcome is what ends a call.
type outcome uint8

const (
	unknown    outcome = iota // more text has to come
	ended                     // its closer
	unfinished                // another marker, or the end of the text
	escaped                   // the thought's closer
)

func (l *lexer) startLexing(s lexed, pos int) {
	*l = lexer{state: s, pos: pos, closer: missing, escape: missing}
}

// findCallEnd reads on in b and says where, and with what, the call ends. With final,
// nothing follows b.
func (l *lexer) findCallEnd(g *Grammar, set *markers, b []byte, final bool) (int, outcome) {
	for {
		at, what := l.readNextMarker(g, set, b)
		switch {
		case what == unknown && at >= 0: // the state has changed
		case what != unknown:
			return at, what
		case !final:
			return 0, unknown
		case l.state == lexValue:
			l.noClose = true
			l.noCloser = l.noCloser || l.closer == missing
			return l.endOfCutCall(b)
		default:
			return l.endOfCutCall(b)
		}
	}
}

// endOfCutCall is where a call ends that nothing ends.
func (l *lexer) endOfCutCall(b []byte) (int, outcome) {
	switch {
	case l.closer != missing:
		return l.closer, unfinished
	case l.escape != missing:
		return l.escape, escaped
	}
	return len(b), unfinished
}

// readNextMarker goes on by one marker. A negative place: there is none.
func (l *lexer) readNextMarker(g *Grammar, set *markers, b []byte) (at int, what outcome) {
	if l.state == lexValue {
		return l.readValue(set.value, b), unknown
	}
	direct := l.state == lexParams
	if direct {
		l.pos += scan.LeadingSpace(b[l.pos:])
	}
	at, id, v := set.params.Find(b, l.pos, false)
	if direct && at > l.pos {
		direct, l.state = false, lexJunk
	}
	l.pos = at
	if v != scan.Yes {
		return missing, unknown
	}
	switch id {
	case paramsClose:
		return at, ended
	case paramsParameter:
		return l.readParameter(g, b), unknown
	}
	if direct && !l.noted {
		if id > paramsInvoke {
			return at, escaped
		}
		return at, unfinished
	}
	if direct {
		l.state = lexJunk
	}
	switch {
	case id == paramsBlockClose && l.closer == missing:
		l.closer = at
	case id > paramsInvoke && l.escape == missing:
		l.escape = at
	}
	l.pos++
	return at, unknown
}

// readParameter reads a parameter's header.
func (l *lexer) readParameter(g *Grammar, b []byte) int {
	if l.state == lexTrouble {
		l.pos++
		return l.pos
	}
	h, v := g.readHeader(b[l.pos:])
	switch v {
	case scan.Wait:
		return missing
	case scan.Yes:
		l.pos += h.len
		l.state, l.text = lexValue, h.text
	default:
		l.pos++
		l.state = lexTrouble
	}
	return l.pos
}

// readValue looks for the closer of a value.
func (l *lexer) readValue(set *scan.Set, b []byte) int {
	at, id, v := set.Find(b, l.pos, false)
	l.pos = at
	if v != scan.Yes {
		return missing
	}
	l.pos++
	switch id {
	case valueClose:
		l.pos = at + set.Len(id)
		l.state, l.closer, l.escape = lexParams, missing, missing
	case valueParameter:
		l.noted = l.noted || l.text
	case valueEndThink:
		if l.escape == missing {
			l.escape = at
		}
		if l.noClose && l.noCloser {
			return missing
		}
	default:
		if l.closer == missing {
			l.closer = at
		}
		if l.noClose {
			return missing
		}
	}
	return l.pos
}
