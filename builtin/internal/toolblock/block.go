// Package toolblock reads tool calls that stand between a pair of tags, as many
// families write them:
//
//	block     = OPEN ws ( function { ws function } | object | array | python ) ws ( CLOSE | EOF ) ;
//	function  = "<function=" NAME ">" ( { ws | parameter } | ws json ) "</function>" ;
//	parameter = "<parameter=" KEY ">" value "</parameter>" ;
//	object    = JSON object with "name" and "arguments" | "parameters" ;
//	array     = "[" object { "," object } "]" ;
//	python    = calls as in package pycall ;
//
// Which of the bodies a family speaks, and with which markers, is its Grammar.
// A marker that ends in a bracket or brace of the JSON behind it leaves that to
// the JSON.
// A call is emitted as soon as it is certain, and taken back if it is cut. Until a
// name has been read, the opener stays in the window: without one it is prose.
package toolblock

import (
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/builtin/internal/pycall"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxHeld is how many bytes are held back. Markers in a value or a string that
// are further back were data; arguments that wait longer for their name make no
// call.
const maxHeld = prose.MaxHeld

// Config says how a family writes its blocks.
type Config struct {
	// Open and Close are the block's tags, and OpenForms other openers. Without a
	// Close the block ends with its JSON, and broken JSON where its brackets close,
	// if no marker comes before. Without an Open a function stands by itself.
	Open, Close string
	OpenForms   []string
	// Escape is the closer of a thought. In a thought it ends a block that never
	// became a call, so that a narrated opener does not swallow the answer.
	Escape string
	// Breaks are markers that end a block whose closer is missing. They are left
	// in the window.
	Breaks  []string
	XML     *XML         // bodies of functions; nil: none
	JSON    bool         // bodies that are a JSON call object or an array of them
	Members Members      // of a call object
	Python  *pycall.Form // bodies that are Python calls; nil: none
}

// Members are the names of a call object's members.
type Members struct {
	Name      string   // "" is "name"
	Arguments []string // none is "arguments" and "parameters"
	ID        string   // "": the object carries no id
}

// Grammar is a Config with its tables. It does not change and may be shared.
type Grammar struct {
	Config
	plain, thought markers
	openers        *scan.Set // of blocks
}

// markers are the sets that matter in the parts of a block.
type markers struct {
	junk     *markerSet // between calls
	header   *markerSet // in a function's header
	function *markerSet // in a function, outside values
	value    *markerSet // in a parameter's value
	next     *scan.Set  // what follows a value's closer, behind white space
	key      *markerSet // in a parameter's header
	rescue   *markerSet // in JSON that may prove broken
	broken   *markerSet // behind the byte that broke it, without a closer
	args     *jsonbody.Grammar

	// The bytes that matter in a value and in a string of the arguments. In a value
	// a line feed may be the one before the closer.
	valueWatch, argsWatch []byte
}

// markerSet is a set of markers that mean something.
type markerSet struct {
	*scan.Set
	means []meaning
}

// markers are all markers of the set.
func (s *markerSet) markers() []string {
	var all []string
	for id := range s.means {
		all = append(all, s.Marker(id))
	}
	return all
}

// meaning is what a marker means to a block.
type meaning uint8

const (
	closesBlock meaning = iota
	opensBlock
	opensFunction
	closesFunction
	opensParameter
	closesValue
	closesName
	breaksName // what no name holds
	endsLine
	escapes
)

// OpenerLen is how much of a block's opener is consumed: where it ends in a bracket
// or brace of the JSON behind it, all but that.
func (c *Config) OpenerLen(opener string) int {
	if c.JSON {
		return lenBeforeBracket(opener)
	}
	return len(opener)
}

// nameEndLen is how much of what ends a function's header is consumed.
func (x *XML) nameEndLen() int {
	if x.JSON {
		return lenBeforeBracket(x.NameEnd)
	}
	return len(x.NameEnd)
}

func lenBeforeBracket(marker string) int {
	n := len(marker)
	if n > 0 && (marker[n-1] == '{' || marker[n-1] == '[') {
		return n - 1
	}
	return n
}

// NewGrammar builds the tables of c.
func NewGrammar(c Config) *Grammar {
	if c.Members.Name == "" {
		c.Members.Name = "name"
	}
	if len(c.Members.Arguments) == 0 {
		c.Members.Arguments = []string{"arguments", "parameters"}
	}
	if c.XML != nil {
		c.XML = c.XML.withDefaults()
	}
	g := &Grammar{Config: c, openers: scan.NewSet(c.Openers()...)}
	g.plain = c.markersWith(c.Breaks)
	g.thought = g.plain
	if c.Escape != "" {
		g.thought = c.markersWith(append(slices.Clone(c.Breaks), c.Escape))
	}
	return g
}

// Openers are all openers of a block.
func (c *Config) Openers() []string {
	if c.Open == "" {
		return nil
	}
	return append([]string{c.Open}, c.OpenForms...)
}

func (c *Config) markersWith(escape []string) markers {
	block := markerList{}.withMarkers(closesBlock, c.Close).withMarkers(opensBlock, c.Openers()...)
	x := c.XML
	if x != nil {
		block = block.withMarkers(opensFunction, x.Function)
	}
	junk := block.withMarkers(escapes, escape...)
	if c.Close == "" {
		junk = junk.withMarkers(endsLine, "\n")
	}
	m := markers{junk: junk.buildSet(), broken: block.withMarkers(escapes, escape...).buildSet(), rescue: markerList{}.withMarkers(closesBlock, c.Close).withMarkers(escapes, escape...).buildSet()}
	m.argsWatch = scan.JoinWatchSets(m.rescue.FirstBytes(), scan.StringWatch)
	if x == nil {
		return m
	}
	header := markerList{}.withMarkers(closesName, x.NameEnd)
	if x.NameEndOptional {
		header = header.withMarkers(closesName, x.Parameter, x.FunctionClose).withMarkers(breaksName, " ", "\t")
	}
	m.header = header.withMarkers(breaksName, "<", x.FunctionClose).withMarkers(breaksName, junk.markers...).buildSet()
	m.function = block.withMarkers(closesFunction, x.FunctionClose).withMarkers(opensParameter, x.Parameter).withMarkers(escapes, escape...).buildSet()
	m.value = markerList{}.withMarkers(closesValue, x.ParameterClose).withMarkers(closesFunction, x.FunctionClose).withMarkers(opensParameter, x.Parameter).withMarkers(escapes, escape...).buildSet()
	m.next = scan.NewSet(m.function.markers()...)
	key := markerList{}.withMarkers(closesName, x.KeyEnd).withMarkers(breaksName, "<")
	if x.KeyEnd == ">" {
		key = key.withMarkers(breaksName, " ", "\t", "\r", "\n")
	}
	m.key = key.buildSet()
	m.valueWatch = m.value.FirstBytes()
	if !x.Verbatim {
		m.valueWatch = scan.JoinWatchSets(m.valueWatch, []byte("\r\n"))
	}
	if x.JSON {
		m.args = jsonbody.Compile(jsonbody.Markers{
			Close: nonEmpty(x.FunctionClose), Break: block.withMarkers(escapes, escape...).markers, SelfDelimiting: x.FunctionClose == "",
		})
	}
	return m
}

// markerList gathers the markers of a set. Empty ones are left out.
type markerList struct {
	markers []string
	means   []meaning
}

func (c markerList) withMarkers(m meaning, markers ...string) markerList {
	n := len(c.markers)
	c = markerList{c.markers[:n:n], c.means[:n:n]}
	for _, marker := range nonEmpty(markers...) {
		c.markers, c.means = append(c.markers, marker), append(c.means, m)
	}
	return c
}

func (c markerList) buildSet() *markerSet { return &markerSet{scan.NewSet(c.markers...), c.means} }

// nonEmpty are the markers that are there.
func nonEmpty(markers ...string) []string {
	return slices.DeleteFunc(slices.Clone(markers), func(m string) bool { return m == "" })
}

// Block reads one block after the other.
type Block struct {
	g      *Grammar
	set    *markers
	tools  []string // that the request offers
	keys   param.Declared
	state  state
	bare   bool // a function without the block's tags
	marker int  // length of the marker that the window begins with while no name was read, or 0
	lead   int  // that marker, and what stands between it and the body or the name; 0 with marker

	refused int // length of the marker that turned out to be prose

	value   value
	looked  int // how far a repetition of the key was looked for
	remains remains
	object  object
	args    jsonbody.Body
	python  pycall.Reader
}

type state uint8

const (
	atBody       state = iota // behind the opener: white space, then what decides
	atJunk                    // bytes that belong to nothing, up to a marker
	atHeader                  // in a function's header
	atFunction                // in a function, outside its values
	atKey                     // in a parameter's header
	atValue                   // in a parameter's value
	atArgs                    // in a function's JSON arguments
	atObject                  // in a JSON body
	atPython                  // in Python calls
	atUnsound                 // in the arguments of a JSON body that broke
	atBroken                  // in what is left of a JSON body that broke and has no closer
	atObjectRest              // behind the arguments of a call object that broke
	atBodyEnd                 // behind a JSON body
)

// Block makes a reader of blocks in a session.
func (g *Grammar) Block(s *abi.OpenBlock) Block {
	return Block{g: g, set: &g.plain, tools: s.Tools, keys: param.In(s)}
}

// Enter starts on a block, in a thought or outside. The window begins with its opener,
// of marker bytes; 0 where that has been consumed, and what comes of it is no prose
// any more.
func (b *Block) Enter(thought bool, marker int) { b.enterState(atBody, thought, false, marker) }

// EnterFunction starts on a function that stands without the block's tags. The
// window begins with its XML.Function marker.
func (b *Block) EnterFunction(thought bool) {
	b.enterState(atHeader, thought, true, len(b.g.XML.Function))
}

// Refused is the length of the marker that the window begins with where the block
// ended because it was none: the marker is prose. It is 0 after any other end.
func (b *Block) Refused() int { return b.refused }

func (b *Block) enterState(s state, thought, bare bool, marker int) {
	b.state, b.bare, b.set = s, bare, &b.g.plain
	b.marker, b.lead, b.refused = marker, marker, 0
	if thought {
		b.set = &b.g.thought
	}
}

// Step consumes what is certain. It answers true when the block has ended; the
// window then stands behind it, or at the escape.
func (b *Block) Step(w *sdk.Window) (ended bool) {
	for {
		switch b.parseState(w) {
		case blockOver:
			w.Scanned = 0
			return true
		case needInput:
			if w.Final {
				b.endText(w)
			}
			return w.Final
		}
	}
}

// refuse ends the block at its marker, which is prose.
func (b *Block) refuse() progress {
	b.refused = b.marker
	return blockOver
}

// takeLead consumes the marker, and what stands before the name, with the call that was
// emitted.
func (b *Block) takeLead(w *sdk.Window, behind int) {
	w.Skip(b.lead + behind)
	b.marker, b.lead = 0, 0
}

// endText ends a block whose text has ended: what is left never became a call.
func (b *Block) endText(w *sdk.Window) {
	if b.marker > 0 && !b.hasName() {
		b.refuse()
		w.Scanned = 0
		return
	}
	if b.state == atFunction && w.Reason == abi.FinishUserStop {
		b.endOpenCall(w) // the stop string was the function's closer
	}
	if w.InCall() {
		w.Note(noteCut)
	}
	w.CallDrop()
	w.Skip(w.Len())
}

// hasName says whether a name was read behind the marker, though the call was not
// emitted yet.
func (b *Block) hasName() bool {
	return b.state == atObject && b.object.name.whole || b.state == atPython && b.python.HasCall()
}

// What the operator is told of calls that were dropped.
const (
	noteCut    = "a tool call was dropped: the text ended inside it"
	noteBroken = "a tool call was dropped: its body is not the JSON of a call"
	notePython = "the rest of a tool block was dropped: it is no list of Python calls"
	noteHeader = "a tool call was dropped: its header has no name"
)

// progress is what a state answers: take the next state, wait for more input, or
// the block is over.
type progress uint8

const (
	goOn progress = iota
	needInput
	blockOver
)

func (b *Block) parseState(w *sdk.Window) progress {
	switch b.state {
	case atBody:
		return b.readBody(w)
	case atJunk:
		return b.skipJunk(w)
	case atHeader:
		return b.readHeader(w)
	case atFunction:
		return b.readFunction(w)
	case atKey:
		return b.readKey(w)
	case atValue:
		return b.readValue(w)
	case atPython:
		return b.readPython(w)
	case atArgs:
		return b.readArguments(w)
	case atUnsound:
		return b.readBrokenArguments(w)
	case atBroken:
		return b.skipBrokenBody(w)
	case atObjectRest:
		return b.skipObjectRest(w)
	case atBodyEnd:
		return b.leaveBody(w)
	}
	return b.readObject(w)
}

// InString says whether what was read ends in a string of Python calls.
func (b *Block) InString() bool { return b.state == atPython && b.python.InString() }

func (b *Block) goTo(s state) progress {
	b.state = s
	return goOn
}

// readBody skips white space and takes the first other byte as what tells the
// bodies apart.
func (b *Block) readBody(w *sdk.Window) progress {
	n := scan.LeadingSpace(w.Bytes()[b.lead:])
	if b.marker == 0 {
		w.Skip(n)
	} else if b.lead += n; b.lead > b.marker+maxSpace {
		return b.refuse()
	}
	p := w.Bytes()[b.lead:]
	if len(p) == 0 {
		return needInput
	}
	if b.marker > 0 && b.lead < maxRepeated { // openers that a model writes again and again
		switch id, v := b.g.openers.MatchPrefix(p, w.Final); v {
		case scan.Wait:
			return needInput
		case scan.Yes:
			b.lead += b.g.OpenerLen(b.g.openers.Marker(id))
			return goOn
		}
	}
	w.Scanned = b.lead
	switch kind := b.isJSONBody(p, w.Final); {
	case kind == scan.Wait:
		return needInput
	case kind == scan.Yes:
		b.object.startBody(p[0] == '[', w.Offset()+abi.RawOffset(b.lead))
		if b.marker > 0 {
			b.object.heldFrom = w.Offset()
		}
		return b.goTo(atObject)
	case b.g.Python != nil:
		form := *b.g.Python
		form.Tools = b.tools
		b.python.Start(w, form, b.lead)
		return b.goTo(atPython)
	case b.marker > 0:
		return b.readFirstFunction(p, w.Final)
	}
	w.Scanned = 0
	return b.goTo(atJunk)
}

// maxRepeated is within how many bytes openers of one block may come again.
const maxRepeated = 64

// readFirstFunction expects a function as the first thing in the block.
func (b *Block) readFirstFunction(p []byte, final bool) progress {
	v := scan.No
	if b.g.XML != nil {
		v = scan.Prefix(p, b.g.XML.Function, final)
	}
	switch v {
	case scan.Wait:
		return needInput
	case scan.No:
		return b.refuse()
	}
	b.lead += len(b.g.XML.Function)
	return b.goTo(atHeader)
}

// isJSONBody says whether the window begins with a JSON body. Where a bracket may begin
// Python calls too, a brace has to follow.
func (b *Block) isJSONBody(p []byte, final bool) scan.Verdict {
	switch {
	case b.g.JSON && (p[0] == '{' || p[0] == '[' && b.g.Python == nil):
		return scan.Yes
	case !b.g.JSON || p[0] != '[':
		return scan.No
	}
	p = p[:min(len(p), maxSpace)]
	switch next := 1 + scan.LeadingSpace(p[1:]); {
	case next < len(p) && p[next] == '{':
		return scan.Yes
	case next < len(p) || next == maxSpace || final:
		return scan.No
	}
	return scan.Wait
}

// readPython reads Python calls. From one that is none on, or that is cut, the rest
// of the block is dropped.
func (b *Block) readPython(w *sdk.Window) progress {
	from := w.Offset()
	v := b.python.Next(w)
	if w.Offset() > from {
		b.marker, b.lead = 0, 0
	}
	switch {
	case v == scan.Wait && (!w.Final || b.marker > 0):
		return needInput
	case v != scan.Yes && b.marker > 0:
		return b.refuse()
	case v != scan.Yes:
		w.Note(notePython)
	case b.g.Close == "":
		return blockOver
	}
	w.Scanned = 0
	return b.goTo(atJunk)
}

// skipJunk drops bytes up to the next marker.
func (b *Block) skipJunk(w *sdk.Window) progress {
	at, id, v := b.set.junk.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return needInput
	}
	return b.takeMarker(w, b.set.junk, id)
}

// takeMarker goes on at a marker outside calls.
func (b *Block) takeMarker(w *sdk.Window, set *markerSet, id int) progress {
	marker := set.Marker(id)
	switch set.means[id] {
	case closesBlock:
		w.Skip(len(marker))
		return blockOver
	case opensBlock:
		b.marker = b.g.OpenerLen(marker)
		b.lead = b.marker
		return b.goTo(atBody)
	case opensFunction:
		b.marker, b.lead, w.Scanned = len(marker), len(marker), 0
		return b.goTo(atHeader)
	}
	return blockOver
}
