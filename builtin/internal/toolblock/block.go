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
// A call is said as soon as it is certain, and taken back if it is cut.
package toolblock

import (
	"slices"

	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
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
}

// markers are the sets that matter in the parts of a block.
type markers struct {
	junk     *set // between calls
	header   *set // in a function's header
	function *set // in a function, outside values
	value    *set // in a parameter's value
	key      *set // in a parameter's header
	rescue   *set // in JSON that may prove broken
	broken   *set // behind the byte that broke it, without a closer
	args     *jsonbody.Grammar

	// The bytes that matter in a value and in a string of the arguments. In a value
	// a line feed may be the one before the closer.
	valueWatch, argsWatch []byte
}

// set is a set of markers that mean something.
type set struct {
	*scan.Set
	means []meaning
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

// Opener is how much of a block's opener is consumed: where it ends in a bracket
// or brace of the JSON behind it, all but that.
func (c *Config) Opener(opener string) int {
	if c.JSON {
		return lead(opener)
	}
	return len(opener)
}

// header is how much of what ends a function's header is consumed.
func (x *XML) header() int {
	if x.JSON {
		return lead(x.NameEnd)
	}
	return len(x.NameEnd)
}

func lead(marker string) int {
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
		c.XML = c.XML.whole()
	}
	g := &Grammar{Config: c}
	g.plain = c.sets(c.Breaks)
	g.thought = g.plain
	if c.Escape != "" {
		g.thought = c.sets(append(slices.Clone(c.Breaks), c.Escape))
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

func (c *Config) sets(escape []string) markers {
	block := collect{}.add(closesBlock, c.Close).add(opensBlock, c.Openers()...)
	x := c.XML
	if x != nil {
		block = block.add(opensFunction, x.Function)
	}
	junk := block.add(escapes, escape...)
	if c.Close == "" {
		junk = junk.add(endsLine, "\n")
	}
	m := markers{junk: junk.set(), broken: block.add(escapes, escape...).set(), rescue: collect{}.add(closesBlock, c.Close).add(escapes, escape...).set()}
	m.argsWatch = scan.JoinWatchSets(m.rescue.FirstBytes(), scan.StringWatch)
	if x == nil {
		return m
	}
	m.header = collect{}.add(closesName, x.NameEnd).add(breaksName, "<", x.FunctionClose).add(breaksName, junk.markers...).set()
	m.function = block.add(closesFunction, x.FunctionClose).add(opensParameter, x.Parameter).add(escapes, escape...).set()
	m.value = collect{}.add(closesValue, x.ParameterClose).add(closesFunction, x.FunctionClose).add(escapes, escape...).set()
	key := collect{}.add(closesName, x.KeyEnd).add(breaksName, "<")
	if x.KeyEnd == ">" {
		key = key.add(breaksName, " ", "\t", "\r", "\n")
	}
	m.key = key.set()
	m.valueWatch = m.value.FirstBytes()
	if !x.Verbatim {
		m.valueWatch = scan.JoinWatchSets(m.valueWatch, []byte{'\n'})
	}
	if x.JSON {
		m.args = jsonbody.Compile(jsonbody.Markers{
			Close: given(x.FunctionClose), Break: block.add(escapes, escape...).markers, SelfDelimiting: x.FunctionClose == "",
		})
	}
	return m
}

// collect gathers the markers of a set. Empty ones are left out.
type collect struct {
	markers []string
	means   []meaning
}

func (c collect) add(m meaning, markers ...string) collect {
	n := len(c.markers)
	c = collect{c.markers[:n:n], c.means[:n:n]}
	for _, marker := range given(markers...) {
		c.markers, c.means = append(c.markers, marker), append(c.means, m)
	}
	return c
}

func (c collect) set() *set { return &set{scan.NewSet(c.markers...), c.means} }

// given are the markers that are there.
func given(markers ...string) []string {
	return slices.DeleteFunc(slices.Clone(markers), func(m string) bool { return m == "" })
}

// Block reads one block after the other.
type Block struct {
	g     *Grammar
	set   *markers
	state state
	bare  bool // a function without the block's tags

	value   value
	looked  int // how far a repetition of the key was looked for
	remains remains
	object  object
	args    jsonbody.Body
	python  pycall.Reader
}

type state uint8

const (
	atBody     state = iota // behind the opener: white space, then what decides
	atJunk                  // bytes that belong to nothing, up to a marker
	atHeader                // in a function's header
	atFunction              // in a function, outside its values
	atKey                   // in a parameter's header
	atValue                 // in a parameter's value
	atArgs                  // in a function's JSON arguments
	atObject                // in a JSON body
	atPython                // in Python calls
	atBroken                // in a JSON body that broke and has no closer
)

// Block makes a reader of blocks.
func (g *Grammar) Block() Block { return Block{g: g, set: &g.plain} }

// Enter starts on a block whose opener has just been consumed, in a thought or
// outside.
func (b *Block) Enter(thought bool) { b.enter(atBody, thought, false) }

// EnterFunction starts on a function that stands without the block's tags, and
// whose XML.Function marker has just been consumed.
func (b *Block) EnterFunction(thought bool) { b.enter(atHeader, thought, true) }

func (b *Block) enter(s state, thought, bare bool) {
	b.state, b.bare, b.set = s, bare, &b.g.plain
	if thought {
		b.set = &b.g.thought
	}
}

// Step consumes what is certain. It answers true when the block has ended; the
// window then stands behind it, or at the escape.
func (b *Block) Step(w *sdk.Window) (ended bool) {
	for {
		switch b.step(w) {
		case over:
			w.Scanned = 0
			return true
		case wait:
			if w.Final {
				b.cut(w)
			}
			return w.Final
		}
	}
}

// cut ends a block whose text has ended: what is left never became a call.
func (b *Block) cut(w *sdk.Window) {
	if b.state != atJunk && b.state != atBody {
		w.Note(noteCut)
	}
	w.CallDrop()
	w.Skip(w.Len())
}

// What the operator is told of calls that were dropped.
const (
	noteCut    = "a tool call was dropped: the text ended inside it"
	noteBroken = "a tool call was dropped: its body is not the JSON of a call"
	notePython = "the rest of a tool block was dropped: it is no list of Python calls"
	noteHeader = "a tool call was dropped: its header has no name"
)

// step is what a state answers: take the next state, wait for more input, or
// the block is over.
type step uint8

const (
	again step = iota
	wait
	over
)

func (b *Block) step(w *sdk.Window) step {
	switch b.state {
	case atBody:
		return b.body(w)
	case atJunk:
		return b.junk(w)
	case atHeader:
		return b.header(w)
	case atFunction:
		return b.function(w)
	case atKey:
		return b.key(w)
	case atValue:
		return b.inValue(w)
	case atPython:
		return b.inPython(w)
	case atArgs:
		return b.inArgs(w)
	case atBroken:
		return b.inBroken(w)
	}
	return b.inObject(w)
}

func (b *Block) to(s state) step {
	b.state = s
	return again
}

// body skips white space and takes the first other byte as what tells the
// bodies apart.
func (b *Block) body(w *sdk.Window) step {
	w.Skip(scan.LeadingSpace(w.Bytes()))
	if w.Len() == 0 {
		return wait
	}
	w.Scanned = 0
	c := w.Bytes()[0]
	switch kind := b.kind(w); {
	case kind == scan.Wait:
		return wait
	case kind == scan.Yes:
		b.object.start(c == '[', w.Offset())
		return b.to(atObject)
	case b.g.Python != nil:
		b.python.Start(w, *b.g.Python, 0)
		return b.to(atPython)
	}
	return b.to(atJunk)
}

// kind says whether the window begins with a JSON body. Where a bracket may begin
// Python calls too, a brace has to follow.
func (b *Block) kind(w *sdk.Window) scan.Verdict {
	p := w.Bytes()
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
	case next < len(p) || next == maxSpace || w.Final:
		return scan.No
	}
	return scan.Wait
}

// inPython reads Python calls. From one that is none on, or that is cut, the rest
// of the block is dropped.
func (b *Block) inPython(w *sdk.Window) step {
	v := b.python.Next(w)
	switch {
	case v == scan.Wait && !w.Final:
		return wait
	case v != scan.Yes:
		w.Note(notePython)
	case b.g.Close == "":
		return over
	}
	w.Scanned = 0
	return b.to(atJunk)
}

// junk drops bytes up to the next marker.
func (b *Block) junk(w *sdk.Window) step {
	at, id, v := b.set.junk.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return wait
	}
	return b.marker(w, b.set.junk, id)
}

// marker goes on at a marker outside calls.
func (b *Block) marker(w *sdk.Window, set *set, id int) step {
	marker := set.Marker(id)
	switch set.means[id] {
	case closesBlock:
		w.Skip(len(marker))
		return over
	case opensBlock:
		w.Skip(b.g.Opener(marker))
		return b.to(atBody)
	case opensFunction:
		w.Skip(len(marker))
		return b.to(atHeader)
	}
	return over
}
