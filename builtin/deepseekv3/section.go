package deepseekv3

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/builtin/internal/dsml"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	think        = "<think>"
	endThink     = "</think>"
	sectionBegin = "<｜tool▁calls▁begin｜>"
	sectionEnd   = "<｜tool▁calls▁end｜>"
	callBegin    = "<｜tool▁call▁begin｜>"
	separator    = "<｜tool▁sep｜>"
	callEnd      = "<｜tool▁call▁end｜>"
	// kind is the head of a call of V3, whose name stands behind the separator.
	kind  = "function"
	fence = "```"
)

// sections is the grammar of calls of V3 and V3.1.
var sections = dsml.Section{
	Calls: []string{sectionBegin, callBegin},
	Bare:  []bool{false, true},
	Strip: []string{separator, callEnd, sectionEnd},
	Guided: guided.Markup{
		Strip:   []string{sectionEnd, callEnd, separator},
		Openers: []string{sectionBegin},
		Headers: []guided.Header{{Marker: callBegin}},
	},
	New: func() dsml.Reader { return &section{} },
}

// Markers in calls, in the order of structure's list. In a thought its closer is
// one, too.
const (
	isCallBegin = iota
	isCallEnd
	isSeparator
	isSectionEnd
	isSectionBegin
	isEndThink
)

// structure finds what ends a stretch of a call, and bodies what ends its
// arguments, by whether the call stands in a thought.
var (
	structure = [2]*scan.Set{newStructure(), newStructure(endThink)}
	bodies    = [2]*jsonbody.Grammar{newBodies(), newBodies(endThink)}
)

func newStructure(escape ...string) *scan.Set {
	return scan.NewSet(append([]string{callBegin, callEnd, separator, sectionEnd, sectionBegin}, escape...)...)
}

func newBodies(escape ...string) *jsonbody.Grammar {
	return jsonbody.Compile(jsonbody.Markers{
		Close: []string{callEnd}, Break: append([]string{callBegin}, escape...), BreakAfterValue: []string{sectionEnd},
		Fence: fence,
	})
}

const (
	// maxHead is the longest head or name in bytes: longer is none.
	maxHead = 512
	// maxProse is how much may stand after a call's opener outside a section that
	// is no name, before it is prose.
	maxProse = 64
)

type state uint8

const (
	inSection state = iota // between the calls of a section
	inHead                 // after a call's opener
	inName                 // behind the separator of a call that may be V3's
	inBody
)

// section reads a section, or a call without one.
type section struct {
	state state
	bare  bool // there is no section
	in    int  // 1 in a thought
	body  jsonbody.Body

	afterHead int // place behind the separator
}

// Enter implements dsml.Reader.
func (s *section) Enter(id int, thought bool) {
	s.bare, s.in = sections.Bare[id], 0
	if thought {
		s.in = 1
	}
	s.state = inSection
	if s.bare {
		s.state = inHead
	}
}

// Step implements dsml.Reader.
func (s *section) Step(w *sdk.Window) (over bool) {
	for {
		more := false
		switch s.state {
		case inSection:
			more, over = s.readBetweenCalls(w)
		case inHead:
			more, over = s.readHead(w)
		case inName:
			more = s.readName(w)
		case inBody:
			if _, done := s.body.Next(w); done {
				more, over = s.leaveCall()
			}
		}
		if over || !more {
			return over
		}
	}
}

// leaveCall goes on behind a call.
func (s *section) leaveCall() (more, over bool) {
	s.state = inSection
	return true, s.bare
}

// readBetweenCalls reads a section up to its next call or its end. What else stands there
// is noise.
func (s *section) readBetweenCalls(w *sdk.Window) (more, over bool) {
	set := structure[s.in]
	at, id, v := set.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	switch {
	case v != scan.Yes:
		return false, false
	case id == isEndThink:
		return false, true
	}
	w.Skip(set.Len(id))
	if id == isCallBegin {
		s.state = inHead
	}
	return true, id == isSectionEnd
}

// readHead reads a call's head up to the separator, or to what shows that there is
// no call.
func (s *section) readHead(w *sdk.Window) (more, over bool) {
	b := w.Bytes()
	at, id, v := structure[s.in].Find(b, w.Scanned, w.Final)
	w.Scanned = at
	head := b[:min(at, maxHead+1)]
	switch {
	case s.bare && isProse(head):
		return false, true
	case len(head) > maxHead:
		w.Skip(len(head))
		return s.leaveCall()
	case v != scan.Yes && w.Final:
		if !s.bare || nameLen(head) == len(head) {
			w.Skip(at)
		}
		return s.leaveCall()
	case v != scan.Yes:
		return false, false
	case id != isSeparator:
		w.Skip(at)
		return s.leaveCall()
	}
	s.afterHead = at + len(separator)
	if string(bytes.TrimSpace(head)) == kind {
		s.state = inName
	} else {
		s.openPlainCall(w)
	}
	return true, false
}

// openPlainCall opens a call of V3.1, whose head is its name.
func (s *section) openPlainCall(w *sdk.Window) {
	head := w.Bytes()[:s.afterHead-len(separator)]
	at := scan.LeadingSpace(head)
	end := scan.TrimmedLen(head)
	if bytes.IndexByte(head[at:max(at, end)], '\n') >= 0 {
		end = at
	}
	s.beginCall(w, at, end-at, s.afterHead)
}

// isProse says whether what stands behind a call's opener outside a section can
// no longer be a head: a line's end in it, or more than a name may hold by
// mistake.
func isProse(head []byte) bool {
	rest := head[nameLen(head):]
	return len(rest) > maxProse || bytes.IndexByte(rest, '\n') >= 0
}

// nameLen is how far b may be a name with white space round it.
func nameLen(b []byte) int {
	n := scan.LeadingSpace(b)
	for n < len(b) && isName(b[n]) {
		n++
	}
	return n + scan.LeadingSpace(b[n:])
}

// isName says whether c may stand in a name. Bytes of non-ASCII letters do.
func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '.' || c == '-' || c == ':' || c == '/' || c >= 0x80
}

// beginCall opens the call whose name is the n bytes at place at, and enters its
// arguments, which begin at place next. Without a name there is no call, and they
// are skipped.
func (s *section) beginCall(w *sdk.Window, at, n, next int) {
	if n > 0 {
		w.Call(at, n, 0)
	}
	w.Skip(next)
	s.state = inBody
	s.body.Start(bodies[s.in], n <= 0)
}

// readName reads V3's name, its line's end and the fence, behind the separator. Where
// they do not follow, the call is V3.1's, of a tool with the name that V3 has as
// the kind of its calls.
func (s *section) readName(w *sdk.Window) (more bool) {
	b := w.Bytes()
	at := s.afterHead + scan.LeadingSpace(b[s.afterHead:])
	end := at
	for end < len(b) && end-at <= maxHead && isName(b[end]) {
		end++
	}
	n := end + scan.LeadingSpace(b[end:])
	if n == len(b) && !w.Final {
		return false
	}
	fenced, v := 0, scan.No
	if end > at && bytes.IndexByte(b[end:n], '\n') >= 0 {
		fenced, v = openFence(b[n:], w.Final)
	}
	switch v {
	case scan.Wait:
		return false
	case scan.Yes:
		s.beginCall(w, at, end-at, n+fenced)
	default:
		s.openPlainCall(w)
	}
	return true
}

// openFence reads the fence that b begins with, up to the JSON. It may be
// missing.
func openFence(b []byte, final bool) (n int, v scan.Verdict) {
	switch scan.Prefix(b, fence, final) {
	case scan.Wait:
		return 0, scan.Wait
	case scan.Yes:
		n = len(fence)
		switch scan.Prefix(b[n:], "json", final) {
		case scan.Wait:
			return 0, scan.Wait
		case scan.Yes:
			n += len("json")
		}
	}
	n += scan.LeadingSpace(b[n:])
	switch {
	case n == len(b) && !final:
		return 0, scan.Wait
	case n == len(b) || b[n] != '{':
		return 0, scan.No
	}
	return n, scan.Yes
}
