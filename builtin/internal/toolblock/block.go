// Package toolblock reads tool calls that stand between a pair of tags, as many
// families write them:
//
//	block     = OPEN ws ( function { ws function } | object | array ) ws ( CLOSE | EOF ) ;
//	function  = "<function=" NAME ">" { ws | parameter } "</function>" ;
//	parameter = "<parameter=" KEY ">" value "</parameter>" ;
//	object    = JSON object with "name" and "arguments" | "parameters" ;
//	array     = "[" object { "," object } "]" ;
//
// Which of the bodies a family speaks, and with which markers, is its Grammar.
// A call is said as soon as it is certain, and taken back if it is cut.
package toolblock

import (
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
	Open, Close string // the block's tags
	// Escape is the closer of a thought. In a thought it ends a block that never
	// became a call, so that a narrated opener does not swallow the answer.
	Escape string
	XML    *XML // bodies of functions; nil: none
	JSON   bool // bodies that are a JSON call object or an array of them
}

// Grammar is a Config with its tables. It does not change and may be shared.
type Grammar struct {
	Config
	plain, thought markers
}

// markers are the sets that matter in the parts of a block.
type markers struct {
	junk     *scan.Set // between calls
	function *scan.Set // in a function, outside values
	value    *scan.Set // in a parameter's value
	rescue   *scan.Set // in JSON that may prove broken
}

// The markers' places in their sets. The escape, where it counts, is the last.
const (
	junkClose = iota
	junkOpen
	junkFunction
)

const (
	functionParameter = iota
	functionClose
	functionBlockClose
	functionBlockOpen
	functionAgain
)

// NewGrammar builds the tables of c.
func NewGrammar(c Config) *Grammar {
	g := &Grammar{Config: c}
	g.plain = c.sets()
	g.thought = g.plain
	if c.Escape != "" {
		g.thought = c.sets(c.Escape)
	}
	return g
}

func (c *Config) sets(escape ...string) markers {
	junk := []string{c.Close, c.Open}
	m := markers{rescue: scan.NewSet(append([]string{c.Close}, escape...)...)}
	if x := c.XML; x != nil {
		junk = append(junk, x.Function)
		function := []string{x.Parameter, x.FunctionClose, c.Close, c.Open, x.Function}
		m.function = scan.NewSet(append(function, escape...)...)
		m.value = scan.NewSet(append([]string{x.ParameterClose, x.FunctionClose}, escape...)...)
	}
	m.junk = scan.NewSet(append(junk, escape...)...)
	return m
}

// Block reads one block after the other.
type Block struct {
	g     *Grammar
	set   *markers
	state state
	bare  bool // a function without the block's tags

	value   value
	remains remains
	object  object
}

type state uint8

const (
	atBody     state = iota // behind the opener: white space, then what decides
	atJunk                  // bytes that belong to nothing, up to a marker
	atHeader                // in a function's header
	atFunction              // in a function, outside its values
	atKey                   // in a parameter's header
	atValue                 // in a parameter's value
	atObject                // in a JSON body
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
	w.Skip(scan.Space(w.Bytes()))
	if w.Len() == 0 {
		return wait
	}
	w.Scanned = 0
	if c := w.Bytes()[0]; b.g.JSON && (c == '{' || c == '[') {
		b.object.reset(c == '[', w.Offset())
		return b.to(atObject)
	}
	return b.to(atJunk)
}

// junk drops bytes up to the next marker.
func (b *Block) junk(w *sdk.Window) step {
	at, id, v := b.set.junk.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return wait
	}
	switch {
	case id == junkClose:
		w.Skip(len(b.g.Close))
		return over
	case id == junkOpen:
		w.Skip(len(b.g.Open))
		return b.to(atBody)
	case id == junkFunction && b.g.XML != nil:
		w.Skip(len(b.g.XML.Function))
		return b.to(atHeader)
	}
	return over
}
