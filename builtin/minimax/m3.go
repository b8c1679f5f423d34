package minimax

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolname"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	namespace   = "]<]minimax[>["
	think       = "<mm:think>"
	endThink    = "</mm:think>"
	blockOpen   = namespace + "<tool_call>"
	blockClose  = namespace + "</tool_call>"
	invoke      = namespace + "<invoke name="
	invokeClose = namespace + "</invoke>"
	element     = namespace + "<"
)

// structure is what counts in a block, outside values.
var structure = scan.NewSet(blockOpen, blockClose, invoke, invokeClose, element, endThink)

// The markers' places in their set.
const (
	isBlockOpen = iota
	isBlockClose
	isInvoke
	isInvokeClose
	isElement
	isEndThink
)

// m3Prose are the grammars by whether thoughts, and whether calls, are read;
// m3Guided are by whether thoughts are.
var m3Prose, m3Guided = m3Grammars()

func m3Grammars() (all [2][2]*prose.Grammar, bare [2]*guided.Grammar) {
	for thoughts := range all {
		var m prose.Markers
		if thoughts == 1 {
			m = prose.Markers{Think: []string{think}, EndThink: []string{endThink}}
		}
		bare[thoughts] = guided.Compile(guided.Markup{
			Think: m.Think, EndThink: m.EndThink,
			Strip:   []string{blockClose, invokeClose},
			Openers: []string{blockOpen},
			Headers: []guided.Header{{Marker: invoke, End: ">", Attributes: true}},
		})
		all[thoughts][0] = prose.Compile(m)
		m.Strip = []string{blockClose, invokeClose}
		m.Calls = []string{blockOpen, invoke}
		all[thoughts][1] = prose.Compile(m)
	}
	return all, bare
}

type state uint8

const (
	inProse   state = iota
	atBlock         // at a block's opener
	inBlock         // between calls
	atHeader        // at an invoke's header
	inInvoke        // between parameters
	atKey           // behind an element's marker
	inValue         // in a parameter's value, of which it is not known what it is
	inLeaf          // in a value that is text
	inElement       // in a value that is made of elements
)

// m3 reads one session of M3 in native mode.
type m3 struct {
	start   abi.Channel
	open    *abi.OpenBlock
	prose   prose.Machine
	state   state
	block   bool   // the call stands in a block
	marker  int    // length of the marker that the window begins with while no name was read
	lead    int    // that marker, and what stands between it and the name
	schema  schema // of the call's parameters
	key     []byte // the parameter that is being read
	emitted bool   // a part of its value was emitted
	kept    int    // place in the window of the first invoke's closer in a leaf, or none
	closer  string // of the parameter
	noClose bool   // the text has ended, and no closer of a leaf is left in it
	tree    tree
}

const none = -1

func newM3(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	start := sdk.StartOf(s)
	thoughts, calls := 0, 0
	if !kind.Thoughts() {
		start = abi.ChannelContent
	} else if start != abi.ChannelResponse {
		thoughts = 1
	}
	if kind.Calls() && s.Mode != abi.ModeNative {
		open := *s
		open.Start = start
		return guided.New(m3Guided[thoughts], &open, kind.Native(newM3))
	}
	if kind.Calls() && len(s.Tools) > 0 {
		calls = 1
	}
	p := &m3{start: start, open: s}
	p.prose.Trial = opening.Trial(s, kind, newM3)
	p.prose.Start(m3Prose[thoughts][calls], start == abi.ChannelReasoning)
	return p
}

// Channel implements sdk.Channeler.
func (p *m3) Channel() abi.Channel { return p.start }

// Step implements sdk.Parser.
func (p *m3) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// What the operator is told of calls that were dropped.
const (
	noteCut  = "a tool call was dropped: the text ended inside it"
	noteHeld = "a tool call was dropped: a nested parameter is too long"
)

// readPart goes on to the next state. It answers false when it needs more input.
func (p *m3) readPart(w *sdk.Window) bool {
	more := false
	switch p.state {
	case inProse:
		return p.readProse(w)
	case atBlock:
		more = p.readFirstInvoke(w)
	case inBlock, inInvoke:
		more = p.readBetweenCalls(w)
	case atHeader:
		more = p.readHeader(w)
	case atKey:
		more = p.readKey(w)
	case inValue:
		more = p.readValue(w)
	case inLeaf:
		more = p.readLeaf(w)
	default:
		more = p.readElement(w)
	}
	if !more && w.Final {
		if p.state == atBlock || p.state == atHeader {
			return p.refuse(w)
		}
		if p.state == inInvoke && w.InCall() && w.Reason == abi.FinishUserStop {
			w.CallEnd() // the stop string was the call's closer
		}
		if w.InCall() {
			w.Note(noteCut)
		}
		w.CallDrop()
		w.Skip(w.Len())
	}
	return more
}

func (p *m3) readProse(w *sdk.Window) bool {
	id, ok := p.prose.Next(w)
	if !ok {
		return false
	}
	p.block = id == 0
	if p.block {
		p.marker, p.state = len(blockOpen), atBlock
	} else {
		p.expectHeader()
	}
	return true
}

// expectHeader goes on with the header of an invoke whose marker the window begins with.
func (p *m3) expectHeader() { p.marker, p.lead, p.state = len(invoke), len(invoke), atHeader }

// refuse makes prose of the marker: no name stands behind it.
func (p *m3) refuse(w *sdk.Window) bool {
	p.prose.GiveBack(w, p.marker)
	w.Scanned = 0
	p.state = inProse
	return true
}

// readFirstInvoke expects an invoke behind a block's opener, or the block's closer.
func (p *m3) readFirstInvoke(w *sdk.Window) bool {
	b := w.Bytes()
	n := len(blockOpen) + scan.LeadingSpace(b[len(blockOpen):])
	id, v := structure.MatchPrefix(b[n:], w.Final)
	switch {
	case v == scan.Wait && n < maxHeader:
		return false
	case v == scan.Yes && id == isBlockClose:
		w.Skip(n + len(blockClose))
		p.state = inProse
	case v == scan.Yes && id == isInvoke:
		p.lead = n + len(invoke)
		p.state = atHeader
	default:
		return p.refuse(w)
	}
	return true
}

// leaveCall goes on behind a call.
func (p *m3) leaveCall() {
	p.state = inProse
	if p.block {
		p.state = inBlock
	}
}

// readBetweenCalls reads what stands between calls, or between a call's parameters. What
// is no marker is dropped. The block's closer ends a call that lacks its own; an
// opener starts anew.
func (p *m3) readBetweenCalls(w *sdk.Window) bool {
	at, id, v := structure.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return false
	}
	if id == isEndThink && p.prose.Thought {
		w.CallDrop()
		p.state = inProse
		return true
	}
	w.Scanned = 0
	if id == isInvoke {
		w.CallDrop()
		p.expectHeader()
		return true
	}
	w.Skip(structure.Len(id))
	switch id {
	case isBlockOpen:
		w.CallDrop()
		p.block = true
		p.state = inBlock
	case isBlockClose:
		p.endText(w)
		p.state = inProse
	case isInvokeClose:
		p.endText(w)
		p.leaveCall()
	case isElement:
		if p.state == inInvoke {
			p.state = atKey
		}
	}
	return true
}

// endText completes the open call, if there is one.
func (p *m3) endText(w *sdk.Window) {
	if w.InCall() {
		w.CallEnd()
	}
}

// maxHeader is the longest name or key in bytes.
const maxHeader = 512

// readTag reads a name up to the ">" behind it. One that does not end so, or holds
// other markup, is none.
func readTag(b []byte) (name []byte, n int, v scan.Verdict) {
	n = bytes.IndexAny(b[:min(len(b), maxHeader)], "><\n")
	switch {
	case n < 0 && len(b) < maxHeader:
		return nil, 0, scan.Wait
	case n < 0 || b[n] != '>' || n == 0:
		return nil, 0, scan.No
	}
	return b[:n], n + 1, scan.Yes
}

// toolHeader reads the name in an invoke's header, as it stands: one that the request
// offers, or what a tag may hold.
func toolHeader(b []byte, tools []string, final bool) (name []byte, n int, v scan.Verdict) {
	switch n, v := toolname.Offered(b, tools, ">", final); v {
	case scan.Yes:
		return b[:n], n + 1, v
	case scan.Wait:
		return nil, 0, v
	}
	return readTag(b)
}

// readHeader reads a call's header, behind its marker.
func (p *m3) readHeader(w *sdk.Window) bool {
	name, n, v := toolHeader(w.Bytes()[p.lead:], p.open.Tools, w.Final)
	if v == scan.Wait {
		return false
	}
	from, to := scan.LeadingSpace(name), scan.TrimmedLen(name)
	if to-from >= 2 && (name[from] == '"' || name[from] == '\'') && name[to-1] == name[from] {
		from, to = from+1, to-1
	}
	if v == scan.No || from >= to {
		return p.refuse(w)
	}
	p.state = inInvoke
	p.schema = parameterSchema(p.open, string(name[from:to]))
	w.Call(p.lead+from, to-from, 0)
	w.Skip(p.lead + n)
	return true
}

// readKey reads the key of a parameter.
func (p *m3) readKey(w *sdk.Window) bool {
	key, n, v := readTag(w.Bytes())
	switch {
	case v == scan.Wait:
		return false
	case v == scan.No || key[0] == '/':
		p.state = inInvoke
		return true
	}
	p.key = append(p.key[:0], key...)
	p.closer = namespace + "</" + string(key) + ">"
	if w.InCall() {
		w.Key(0, len(key), 0)
	}
	w.Skip(n)
	w.Scanned, p.emitted, p.kept = 0, false, none
	p.state = inValue
	return true
}

// readValue looks, behind white space, whether the value begins with an element.
func (p *m3) readValue(w *sdk.Window) bool {
	b := w.Bytes()
	w.Scanned += scan.LeadingSpace(b[w.Scanned:])
	child, v := opensChild(b[w.Scanned:], w.Final)
	switch {
	case v == scan.Wait && w.Scanned < maxHeld:
		return false
	case v == scan.Yes && child:
		p.tree.startTree(p.key)
		p.state = inElement
	default:
		w.Scanned = 0
		p.state = inLeaf
	}
	return true
}

// opensChild asks whether b begins with an element's marker, and not with a closer's.
func opensChild(b []byte, final bool) (child bool, v scan.Verdict) {
	v = scan.Prefix(b, element, final)
	switch {
	case v == scan.Yes && len(b) == len(element) && !final:
		return false, scan.Wait
	case v == scan.Yes && len(b) > len(element):
		return b[len(element)] != '/', v
	}
	return false, v
}

// maxHeld is how many bytes of a value are held.
const maxHeld = 1<<20 - 1<<16

// readLeaf reads a value that is text. Only its own closer ends it; but where none
// follows to the end of the text, the first invoke's closer in it did.
func (p *m3) readLeaf(w *sdk.Window) bool {
	for {
		b := w.Bytes()
		at, _, v := leafEnd.Find(b, w.Scanned, w.Final)
		w.Scanned = at
		if v != scan.Yes {
			if w.Final && p.kept != none {
				p.noClose = true
				p.endLeaf(w, p.kept, 0)
				return true
			}
			p.emitCertainPart(w, at)
			return false
		}
		switch scan.Prefix(b[at:], p.closer, w.Final) {
		case scan.Wait:
			p.emitCertainPart(w, at)
			return false
		case scan.Yes:
			p.endLeaf(w, at, len(p.closer))
			return true
		}
		if p.kept == none || at-p.kept > maxHeld {
			p.kept = none
			switch scan.Prefix(b[at:], invokeClose, w.Final) {
			case scan.Wait:
				p.emitCertainPart(w, at)
				return false
			case scan.Yes:
				if p.kept = at; p.noClose {
					p.endLeaf(w, at, 0)
					return true
				}
			}
		}
		w.Scanned = at + 1
	}
}

var leafEnd = scan.NewSet(namespace)

// emitCertainPart emits what is certain of a leaf that was searched up to place at.
func (p *m3) emitCertainPart(w *sdk.Window, at int) {
	if p.kept != none {
		at = p.kept
	}
	if at > 0 {
		p.emitValue(w, at, abi.FlagMore)
	}
	if p.emitted {
		w.Watch(abi.Value, leafEnd.FirstBytes())
	}
}

func (p *m3) emitValue(w *sdk.Window, n int, more uint8) {
	if w.InCall() {
		w.Value(0, n, abi.ReadSchema|more)
		p.emitted = true
	}
	w.Skip(n)
	if p.kept != none {
		p.kept -= n
	}
}

// endLeaf ends a leaf at place at, at a closer of n bytes.
func (p *m3) endLeaf(w *sdk.Window, at, n int) {
	p.emitValue(w, at, 0)
	w.Skip(n)
	w.Scanned = 0
	p.state = inInvoke
}

// readElement reads a value that is made of elements, and says it when it is whole:
// what kind of value it is shows late.
func (p *m3) readElement(w *sdk.Window) bool {
	switch p.tree.scanElement(w) {
	case scan.Wait:
		return false
	case scan.No:
		w.Note(noteHeld)
		w.CallDrop()
	default:
		if w.InCall() {
			p.tree.emitTree(w, p.schema.memberSchema(p.key))
		}
	}
	w.Skip(w.Scanned)
	w.Scanned = 0
	p.state = inInvoke
	return true
}
