package museglimmer

import (
	"bytes"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	blockOpen      = "<atem:function_calls>"
	blockClose     = "</atem:function_calls>"
	invoke         = "<atem:invoke"
	invokeClose    = "</atem:invoke>"
	parameter      = "<atem:parameter"
	parameterClose = "</atem:parameter>"
)

const (
	// maxTag is the longest tag in bytes: longer is none.
	maxTag = 1024
	// maxHeld is how much of a value is held back to learn whether it ends.
	maxHeld = 1<<20 - 1<<16
)

var (
	// inBlocks and inCalls are what matters outside and inside an invoke.
	inBlocks = scan.NewSet(eom, eot, start, invoke, blockClose)
	inCalls  = scan.NewSet(eom, eot, start, invoke, invokeClose, blockClose, parameter)
	// inValues may end a value; the special tokens only where its closer is missing.
	inValues = scan.NewSet(parameterClose, parameter, eom, eot, start)
)

// readBlock reads a message to a tool up to its next invoke or its end. What else
// stands there is for nobody.
func (p *parser) readBlock(w *sdk.Window) bool {
	at, id, v := inBlocks.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return false
	}
	if marker := inBlocks.Marker(id); marker != blockClose {
		p.takeEnder(w, marker)
		return true
	}
	w.Skip(len(blockClose))
	if p.around != toTool {
		p.enterBody(p.around, w.Offset())
	}
	return true
}

// readStrayBlock reads a block in a message to the user or to nobody: an invoke that
// names a tool is a call there, too. The window begins with the block's opener, which is
// prose without one.
func (p *parser) readStrayBlock(w *sdk.Window) bool {
	b := w.Bytes()
	n := len(blockOpen) + scan.LeadingSpace(b[len(blockOpen):])
	v := scan.Prefix(b[n:], invoke, w.Final)
	if v == scan.Yes {
		var t tag
		if t, v = readTag(b[n:], len(invoke), w.Final); v == scan.Yes {
			p.around = p.body
			p.beginCall(w, n, t)
			return true
		}
	}
	if v == scan.Wait && n <= maxTag {
		return false
	}
	p.emitProse(w, len(blockOpen))
	p.state = inProse
	return true
}

// takeEnder goes on behind or at a marker outside parameters.
func (p *parser) takeEnder(w *sdk.Window, marker string) {
	switch marker {
	case eom, eot:
		w.CallDrop()
		w.Skip(len(marker))
		p.enterBody(outside, w.Offset())
	case start:
		w.CallDrop()
		p.state = inHeader
	case invoke:
		w.CallDrop()
		p.state = inInvoke
	case parameter:
		p.state = inKey
	default: // the invoke's closer, or the block's in its place
		if w.InCall() {
			w.CallEnd()
		}
		w.Skip(len(marker))
		p.state = inBlock
		if p.guided {
			p.state = behind
		}
	}
}

// readInvoke reads an invoke's tag.
func (p *parser) readInvoke(w *sdk.Window) bool {
	b := w.Bytes()
	t, v := readTag(b, len(invoke), w.Final)
	switch {
	case v == scan.Wait:
		return false
	case v == scan.No:
		w.Skip(len(invoke))
		p.state = inBlock
		return true
	}
	p.beginCall(w, 0, t)
	return true
}

// beginCall opens the call of the invoke's tag at place at of the window, if it has a
// name.
func (p *parser) beginCall(w *sdk.Window, at int, t tag) {
	p.state = inCall
	name := w.Bytes()[at+t.at : at+t.at+t.n]
	key := p.swallowedKey(name)
	switch {
	case key > 0:
		w.Call(at+t.at, key-1, 0)
		w.Key(at+t.at+key, t.n-key, 0)
		p.keys.Give(name[key:])
		p.value = value{known: true, noClose: p.value.noClose}
		p.state = inValue
	case t.n > 0:
		from := p.declaredTool(string(name))
		w.Call(at+t.at+from, t.n-from, 0)
		p.keys.Start(name[from:])
	}
	w.Skip(at + t.len)
	w.Scanned = 0
}

// swallowedKey is the place in name of a parameter's key that stands behind a tool's name
// and a dot: the parameter's tag was swallowed, and its value follows. It is 0 where
// none does.
func (p *parser) swallowedKey(name []byte) int {
	if slices.Contains(p.tools, string(name)) {
		return 0
	}
	for i, c := range name {
		if c != '.' || !slices.Contains(p.tools, string(name[:i])) {
			continue
		}
		if p.keys.Start(name[:i]); p.keys.Awaits(name[i+1:]) {
			return i + 1
		}
	}
	return 0
}

// declaredTool is where in name the name of a tool begins. A namespace that stands
// twice before a tool's name is one too many.
func (p *parser) declaredTool(name string) int {
	if slices.Contains(p.tools, name) {
		return 0
	}
	for i := 0; i < len(name); i++ {
		if name[i] != '.' {
			continue
		}
		space, tool := name[:i], name[i+1:]
		if slices.Contains(p.tools, tool) && (tool == space || strings.HasPrefix(tool, space+".")) {
			return i + 1
		}
	}
	return 0
}

// readCall reads an invoke up to its next parameter or its end.
func (p *parser) readCall(w *sdk.Window) bool {
	at, id, v := inCalls.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		if w.Final && w.Reason == abi.FinishUserStop && w.InCall() {
			w.CallEnd() // the stop string was the call's closer
		}
		return false
	}
	p.takeEnder(w, inCalls.Marker(id))
	return true
}

// readKey reads a parameter's tag. Without a name the parameter is none.
func (p *parser) readKey(w *sdk.Window) bool {
	t, v := readTag(w.Bytes(), len(parameter), w.Final)
	switch {
	case v == scan.Wait:
		return false
	case v == scan.No:
		w.Skip(len(parameter))
		p.state = inCall
		return true
	}
	p.value = value{mute: !w.InCall() || t.n == 0, noClose: p.value.noClose}
	if !p.value.mute {
		key := w.Bytes()[t.at : t.at+t.n]
		w.Key(t.at, t.n, 0)
		p.keys.Give(key)
		p.value.known = p.keys.Declares(key)
	}
	w.Skip(t.len)
	w.Scanned = 0
	p.state = inValue
	return true
}

// value is a parameter's value while it is read. Its closer ends it where the call
// goes on behind it, and, where the closer was forgotten, the next parameter at a
// line's start; a special token in it is data. But where no closer follows to the very end, the message
// ended at the first of them: so from there on nothing is emitted before the closer
// comes.
type value struct {
	mute    bool
	known   bool // its key is declared
	begun   bool // a part was emitted
	json    bool // it is JSON, if it can be
	held    bool // the window begins with a special token
	noClose bool // the text has ended, and holds no closer any more
}

// valueWatch are the bytes that matter in a value.
var valueWatch = []byte{'<'}

// readValue reads a value.
func (p *parser) readValue(w *sdk.Window) bool {
	for {
		at, id, v := inValues.Find(w.Bytes(), w.Scanned, w.Final)
		p.value.held = p.value.held && at <= maxHeld
		switch {
		case v == scan.Yes && id <= opensParameter:
			behind := at
			if id == closesParameter {
				behind += len(parameterClose)
				v = param.Continues(w.Bytes()[behind:], inCalls, w.Final)
			} else {
				v = p.isNextParameter(w, at)
			}
			switch v {
			case scan.Yes:
				p.emitValue(w, at, 0)
				w.Skip(behind - at)
				p.state = inCall
				return true
			case scan.No:
				w.Scanned = at + 1
				continue
			}
		case v == scan.Yes:
			if !p.value.held {
				p.emitValue(w, at, abi.FlagMore)
				p.value.held, at = true, 0
			}
			if p.value.noClose {
				return p.settleUnclosedValue(w)
			}
			w.Scanned = at + 1
			continue
		case w.Final:
			p.value.noClose = true
			return p.settleUnclosedValue(w)
		}
		w.Scanned = at
		if !p.value.held {
			p.emitValue(w, at, abi.FlagMore)
			if !p.value.mute {
				w.Watch(abi.Value, valueWatch)
			}
		}
		return false
	}
}

// places in inValues
const (
	closesParameter = iota
	opensParameter
)

// isNextParameter asks whether the parameter's tag at place at of a value is the next
// parameter, because the value's closer was forgotten.
func (p *parser) isNextParameter(w *sdk.Window, at int) scan.Verdict {
	b, before := w.Bytes(), w.Prev()
	if at > 0 {
		before = b[at-1]
	}
	if before != '\n' {
		return scan.No
	}
	b = b[at:]
	t, v := readTag(b, len(parameter), w.Final)
	if v == scan.Yes && !p.keys.Awaits(b[t.at:t.at+t.n]) {
		return scan.No
	}
	return v
}

// emitValue emits the next n bytes of a value, or with more of a part of it. A declared
// parameter is read by its schema, a string in quotation marks and what is not
// declared as JSON, if it can be.
func (p *parser) emitValue(w *sdk.Window, n int, more uint8) {
	if v := &p.value; !v.mute && (n > 0 || more == 0) {
		if !v.begun {
			v.begun, v.json = true, !v.known || n > 0 && w.Bytes()[0] == '"'
		}
		how := abi.ReadSchema
		if v.json {
			how = abi.ReadJSONOrText
		}
		w.Value(0, n, how|more)
	}
	w.Skip(n)
}

// settleUnclosedValue drops a call in a value without a closer. What follows the value's first
// special token is read.
func (p *parser) settleUnclosedValue(w *sdk.Window) bool {
	w.CallDrop()
	p.state = inBlock
	if !p.value.held {
		w.Skip(w.Len())
	}
	return true
}

// tag is an opening tag: the place and length of its name attribute, and of all of
// it.
type tag struct{ at, n, len int }

var nameAttribute = []byte(`name="`)

// readTag reads the tag that b begins with, behind its first n bytes. A message
// marker that slipped into it belongs to nothing.
func readTag(b []byte, n int, final bool) (t tag, v scan.Verdict) {
	i := n
	for ; i < len(b) && i <= maxTag; i++ {
		if b[i] == '<' {
			switch scan.Prefix(b[i:], message, final) {
			case scan.Wait:
				return t, scan.Wait
			case scan.No:
				return t, scan.No
			}
			i += len(message) - 1
			continue
		}
		if b[i] == '>' {
			t.len = i + 1
			t.at, t.n = findNameAttribute(b[:i], n)
			return t, scan.Yes
		}
	}
	if i > maxTag || final {
		return t, scan.No
	}
	return t, scan.Wait
}

// findNameAttribute finds the name attribute in a tag, from place n on.
func findNameAttribute(b []byte, n int) (at, length int) {
	i := bytes.Index(b[n:], nameAttribute)
	if i < 0 {
		return 0, 0
	}
	at = n + i + len(nameAttribute)
	if length = bytes.IndexAny(b[at:], `"<`); length < 0 {
		length = len(b) - at
	}
	return at, length
}
