package deepseekv3

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/dsml"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolname"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	think        = "<think>"
	endThink     = "</think>"
	sectionBegin = "<｜tool▁calls▁begin｜>"
	sectionShort = "<｜tool▁calls｜>" // as R1's distillations write it, without callBegin
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
	Calls: []string{sectionBegin, sectionShort, callBegin},
	Bare:  []bool{false, false, true},
	Strip: []string{separator, callEnd, sectionEnd},
	Guided: guided.Markup{
		Strip:   []string{sectionEnd, callEnd, separator},
		Openers: []string{sectionBegin, sectionShort},
		Headers: []guided.Header{{Marker: callBegin}},
	},
	New: func(s *abi.OpenBlock, m *prose.Machine) dsml.Reader { return &section{tools: s.Tools, prose: m} },
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
	// maxProse is how much may stand after a call's opener that is no name, before it
	// is prose.
	maxProse = 64
	// maxSpace is how much white space between markers is structure.
	maxSpace = 1024
)

type state uint8

const (
	atOpener state = iota // at the opener of a call, or of its section
	inBody
	behind // behind a call of a section
)

// section reads a section, or a call without one.
type section struct {
	tools  []string
	prose  *prose.Machine
	state  state
	opener string // with which the window begins
	bare   bool   // there is no section
	in     int    // 1 in a thought
	body   jsonbody.Body
}

// Enter implements dsml.Reader.
func (s *section) Enter(id int, thought bool) {
	s.state, s.opener, s.bare, s.in = atOpener, sections.Calls[id], sections.Bare[id], 0
	if thought {
		s.in = 1
	}
}

// Step implements dsml.Reader.
func (s *section) Step(w *sdk.Window) (over bool) {
	for {
		more := false
		switch s.state {
		case atOpener:
			more, over = s.readOpener(w)
		case behind:
			more, over = s.readBehindCall(w)
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
	s.state = behind
	return true, s.bare
}

// readBehindCall reads up to the next call of a section or its closer. With anything else
// prose goes on.
func (s *section) readBehindCall(w *sdk.Window) (more, over bool) {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	id, v := structure[s.in].MatchPrefix(b[n:], w.Final)
	switch {
	case n == len(b) && w.Final:
		w.Skip(n)
		return false, true
	case v == scan.Wait && n < maxSpace:
		return false, false
	case v != scan.Yes || id == isEndThink:
		return false, true
	}
	w.Skip(n)
	switch id {
	case isCallBegin:
		s.state, s.opener = atOpener, callBegin
	case isSectionEnd:
		w.Skip(len(sectionEnd))
		return true, true
	default:
		return false, true
	}
	return true, false
}

// giveBack makes prose of the opener.
func (s *section) giveBack(w *sdk.Window) (more, over bool) {
	s.prose.GiveBack(w, len(s.opener))
	return false, true
}

// readOpener reads the opener, and the head behind it up to the separator. Nothing is
// consumed before the call has a name.
func (s *section) readOpener(w *sdk.Window) (more, over bool) {
	b, set := w.Bytes(), structure[s.in]
	at := len(s.opener)
	if s.opener != callBegin {
		n := at + scan.LeadingSpace(b[at:])
		switch id, v := set.MatchPrefix(b[n:], w.Final); {
		case v == scan.Wait && n < maxSpace:
			return false, false
		case v == scan.Yes && id == isSectionEnd: // an empty section
			w.Skip(n + len(sectionEnd))
			return true, true
		case v == scan.Yes && id == isCallBegin:
			at = n + len(callBegin)
		}
	}
	end, id, v := set.Find(b, at, w.Final)
	head := b[at:min(end, at+maxHead+1)]
	switch {
	case len(head) > maxHead || s.isProse(head):
		return s.giveBack(w)
	case v != scan.Yes && !w.Final:
		return false, false
	case v == scan.Yes && id == isSeparator && string(bytes.TrimSpace(head)) == kind:
		return s.readName(w, at, end+len(separator))
	}
	name, n := s.nameIn(head)
	switch {
	case n > 0 && v == scan.Yes && id == isSeparator:
		return s.beginCall(w, at+name, n, end+len(separator))
	case toolname.Offers(s.tools, head[name:name+n]):
		return s.endHead(w, end, id, v)
	}
	return s.giveBack(w)
}

// endHead leaves a head with the name of a tool that ends, at place end, with no
// separator: no call.
func (s *section) endHead(w *sdk.Window, end, id int, v scan.Verdict) (more, over bool) {
	w.Note(noteHead)
	if v == scan.Yes && id == isCallEnd {
		end += len(callEnd)
	}
	w.Skip(end)
	return s.leaveCall()
}

// noteHead is what the operator is told of calls that were dropped.
const noteHead = "a tool call was dropped: its head has a name and no separator"

// isProse says whether what stands behind a call's opener can no longer be a head: a
// line's end in it, or more than a name may hold by mistake.
func (s *section) isProse(head []byte) bool {
	rest := head[nameLen(head):]
	return (len(rest) > maxProse || bytes.IndexByte(rest, '\n') >= 0) && !toolname.MayOffer(s.tools, head[scan.LeadingSpace(head):])
}

// nameLen is how far b may be a name with white space round it.
func nameLen(b []byte) int {
	n := scan.LeadingSpace(b)
	for n < len(b) && isName(b[n]) {
		n++
	}
	return n + scan.LeadingSpace(b[n:])
}

// nameIn is the name that head holds, n bytes at place at: one that the request offers, or
// one that is made of the bytes of names. n is 0 if there is none.
func (s *section) nameIn(head []byte) (at, n int) {
	at = scan.LeadingSpace(head)
	name := head[at:max(at, scan.TrimmedLen(head))]
	if toolname.Offers(s.tools, name) {
		return at, len(name)
	}
	for _, c := range name {
		if !isName(c) {
			return at, 0
		}
	}
	return at, len(name)
}

// isName says whether c may stand in a name. Bytes of non-ASCII letters do.
func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '.' || c == '-' || c == ':' || c == '/' || c >= 0x80
}

// beginCall opens the call whose name is the n bytes at place at, and enters its
// arguments, which begin at place next.
func (s *section) beginCall(w *sdk.Window, at, n, next int) (more, over bool) {
	w.Call(at, n, 0)
	w.Skip(next)
	s.state = inBody
	s.body.Start(bodies[s.in], false)
	return true, false
}

// readName reads V3's name, its line's end and the fence, from place from on, which is
// behind the separator. Where they do not follow, the call is V3.1's, of a tool with the
// name that V3 has as the kind of its calls; that name is at place head.
func (s *section) readName(w *sdk.Window, head, from int) (more, over bool) {
	b := w.Bytes()
	at := from + scan.LeadingSpace(b[from:])
	line := bytes.IndexByte(b[at:], '\n')
	end := at + nameLen(b[at:])
	if line >= 0 && toolname.Offers(s.tools, bytes.TrimSpace(b[at:at+line])) {
		end = at + line + 1
	}
	n := end + scan.LeadingSpace(b[end:])
	end = at + scan.TrimmedLen(b[at:end])
	switch {
	case n == len(b) && !w.Final && n-at <= maxHead+maxSpace:
		return false, false
	case n == len(b) && w.Final && line < 0: // a name that was cut
		return s.giveBack(w)
	}
	fenced, v := 0, scan.No
	if end > at && end-at <= maxHead && bytes.IndexByte(b[end:n], '\n') >= 0 {
		fenced, v = openFence(b[n:], w.Final)
	}
	switch {
	case v == scan.Wait:
		return false, false
	case v == scan.Yes:
		return s.beginCall(w, at, end-at, n+fenced)
	case toolname.Offers(s.tools, b[at:end]) && !toolname.Offers(s.tools, []byte(kind)):
		return s.beginCall(w, at, end-at, n)
	}
	head += scan.LeadingSpace(b[head:])
	return s.beginCall(w, head, len(kind), from)
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
	fenced := n > 0
	n += scan.LeadingSpace(b[n:])
	switch {
	case n == len(b) && !final:
		return 0, scan.Wait
	case n == len(b) || !fenced && b[n] != '{':
		return 0, scan.No
	}
	return n, scan.Yes
}
