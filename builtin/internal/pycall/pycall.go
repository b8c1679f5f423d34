// Package pycall reads calls that are written as Python writes them:
//
//	list  = "[" ws call { ws "," ws call } ws "]" ;
//	lines = call { ws call } ;
//	call  = name "(" ws [ arg { ws "," ws arg } [ ws "," ] ] ws ")" ;
//	arg   = ident ws "=" ws value ;
//	value = string | number | constant | list | tuple | dictionary ;
//
// A string that is an argument may stand between three marks each. In one that does
// not, a mark behind which the text goes on with words is data: models forget to
// escape it.
//
// Names may be words that Python reserves. Values are literals: a variable, an
// expression or an argument without a name makes no call. The constants of JSON
// count too, as models mix them in. A value goes out as its Python text, which the
// host reads.
package pycall

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// MaxHeld is how many bytes of a list are held back until its end is known.
// Longer ones are none.
const MaxHeld = prose.MaxHeld

// maxDepth is the deepest nesting of a value. The host reads no deeper one.
const maxDepth = 128

// Form says how a family writes its calls.
type Form struct {
	// Lines are calls without brackets and commas, with white space between. The
	// first byte behind one that is neither white space nor begins a name ends
	// them, and is left.
	Lines bool
	// Dotted names hold dots and hyphens.
	Dotted bool
	// Tools are those that the request offers: their names are names whatever bytes they
	// have. Only: others make no call.
	Tools []string
	Only  bool
	// Sure calls were announced by a marker: each is emitted at its closing
	// parenthesis. Others are emitted together, when the list has proved to be one.
	Sure bool
}

// Reader reads one list after the other.
type Reader struct {
	form  Form
	state state
	from  int    // where the token begins that is being read
	word  int    // where the number or constant begins that is being read
	quote byte   // of the string that is being read
	ends  int    // where the mark stands behind which is read, or how many closing marks of three were read
	stack []byte // closers of what is open in a value
	parts []part
	calls int // so many of them make whole calls
}

// part is a piece of a call. All places are in the window.
type part struct {
	kind  kind
	at, n int
}

type kind uint8

const (
	name kind = iota
	key
	text    // a string, without its quotes
	literal // any other value
	callEnd
)

type state uint8

const (
	atOpen     state = iota // "["
	atCall                  // a call must come
	inName                  // in a call's name
	atArg                   // an argument or ")"
	inKey                   // in an argument's name
	atEquals                // behind it
	atValue                 // a value must come
	atItem                  // a value or the closer of a list, a tuple or a dictionary
	afterQuote              // behind a mark that may end a string, or be the second of three
	inTriple                // in a value between three marks each
	inTripleEscape
	inString // in a value
	inEscape
	inKeyString // in a dictionary's key
	inKeyEscape
	inWord    // in a number or a constant
	atColon   // behind a dictionary's key
	atComma   // behind a value
	afterCall // after a call
	finished  // behind the list
)

// Start makes r ready for a list that begins at place lead of the window. What
// stands before it, white space behind a marker say, goes with it.
func (r *Reader) Start(w *sdk.Window, f Form, lead int) {
	*r = Reader{form: f, stack: r.stack[:0], parts: r.parts[:0]}
	if f.Lines {
		r.state = atCall
	}
	w.Scanned = lead
}

// Next reads on. Yes: the calls were emitted, and the window stands behind them. No:
// this is no list. Its first w.Scanned bytes might have been one; the window
// stands where it did, or behind the last call that was emitted. Wait: more bytes
// are needed; at the end of the text see Certain and Cut.
func (r *Reader) Next(w *sdk.Window) scan.Verdict {
	for {
		b := w.Bytes()
		b = b[:min(len(b), MaxHeld)]
		for w.Scanned < len(b) && !r.canEmit() {
			n, ok := r.readToken(b, w.Scanned)
			if w.Scanned = n; !ok {
				return scan.No
			}
		}
		switch {
		case r.canEmit():
			done := r.state == finished
			r.emitWholeCalls(w)
			w.Skip(w.Scanned)
			if done {
				return scan.Yes
			}
		case len(b) == MaxHeld:
			return scan.No
		default:
			if r.state == inString && w.Len() < MaxHeld/2 {
				w.Hold(r.stringWatch())
			}
			return scan.Wait
		}
	}
}

// canEmit says whether there is something to say.
func (r *Reader) canEmit() bool {
	return r.state == finished || r.form.Sure && r.state == afterCall && r.calls > 0
}

// stringWatch are the bytes that matter in a string.
func (r *Reader) stringWatch() []byte {
	if r.quote == '"' {
		return scan.StringWatch
	}
	return singleQuoteWatch
}

var singleQuoteWatch = []byte{'\'', '\\'}

// InString says whether what was read ends in a string.
func (r *Reader) InString() bool { return r.state >= afterQuote && r.state <= inKeyEscape }

// HasCall says whether the end of the text would find a call begun: a list's
// bracket, a name and a parenthesis.
func (r *Reader) HasCall() bool { return r.calls > 0 || len(r.parts) > 0 }

// EndText is for the end of the text inside a list: calls that are whole are emitted,
// the rest is taken out.
func (r *Reader) EndText(w *sdk.Window) {
	r.emitWholeCalls(w)
	w.Skip(w.Len())
}

// emitWholeCalls emits the whole calls.
func (r *Reader) emitWholeCalls(w *sdk.Window) {
	for _, p := range r.parts[:r.calls] {
		switch p.kind {
		case name:
			w.Call(p.at, p.n, 0)
		case key:
			w.Key(p.at, p.n, 0)
		case text:
			w.Value(p.at, p.n, abi.ReadPythonBody)
		case literal:
			w.Value(p.at, p.n, abi.ReadPython)
		case callEnd:
			w.CallEnd()
		}
	}
	r.parts, r.calls = r.parts[:0], 0
}
