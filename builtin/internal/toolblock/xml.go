package toolblock

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolname"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// XML is how functions and their parameters are written.
type XML struct {
	Function string // the name follows
	NameEnd  string // behind the name; "" is ">"
	// NameEndOptional says that a parameter's opener or the function's closer ends the
	// name as well.
	NameEndOptional bool
	FunctionClose   string
	Parameter       string // the key follows
	KeyEnd          string // behind the key; "" is ">"
	Value           string // before the value, behind white space; "" is nothing
	ParameterClose  string
	// Verbatim says that the line feeds round a value are part of it.
	Verbatim bool
	// LastWins says that of a parameter that comes again soon the last value counts.
	LastWins bool
	// JSON says that a function's arguments are a JSON object in place of
	// parameters. Without a FunctionClose the function ends with it.
	JSON bool
	// ID says where in the header an id stands. Only what is not of the grammar's
	// own invention has one.
	ID IDRule
	// IDMark stands between a name and the id behind it.
	IDMark string
}

// IDRule says how a function's header carries the call's id.
type IDRule uint8

const (
	NoID       IDRule = iota
	HeaderIsID        // the header is the id; the name is what stands between its last "." and its last ":"
	IDBehind          // the header is the name, IDMark and the id
)

// Functions is the XML of Qwen3-Coder and of the models that copied it.
var Functions = &XML{
	Function: "<function=", FunctionClose: "</function>",
	Parameter: "<parameter=", ParameterClose: "</parameter>",
}

// withDefaults is x with its defaults.
func (x *XML) withDefaults() *XML {
	c := *x
	if c.NameEnd == "" {
		c.NameEnd = ">"
	}
	if c.KeyEnd == "" {
		c.KeyEnd = ">"
	}
	return &c
}

// value is a parameter's value that is being read. Its closer ends it where the
// call goes on behind it, and, where the closer was forgotten, the header of the next
// parameter at a line's start; all other markers in it are data. But where neither
// follows to the very end, the first function closer in it was its end, and failing
// that the first escape was the call's: so from these on nothing is emitted before
// the value's closer comes.
//
// Its places are in the window, or missing.
type value struct {
	begun    bool // the line feed that may lead it is settled
	emitted  bool // a part was emitted
	mute     bool // it is not emitted
	heldFrom int  // the first byte that is held
	function int  // the first function closer
	escape   int  // the first escape
}

// remains says, once the text has ended, what is not left in it, so that it is
// not searched for again.
type remains struct{ noValueClose, noFunctionClose bool }

const missing = -1

func (v *value) clearOffsets() {
	*v = value{heldFrom: missing, function: missing, escape: missing}
}

// releaseOldHold lets go of what was held for too long, now that the value was searched
// up to place at: it was data.
func (v *value) releaseOldHold(at int) {
	if v.heldFrom != missing && at-v.heldFrom > maxHeld {
		mute := v.mute
		v.clearOffsets()
		v.begun, v.emitted, v.mute = true, true, mute
	}
}

// moveOffsets moves the places along.
func (v *value) moveOffsets(n int) {
	for _, at := range [...]*int{&v.heldFrom, &v.function, &v.escape} {
		if *at != missing {
			*at -= n
		}
	}
}

// readHeader reads a function's name. A header that runs into another tag, or that has
// no end, is none: markup must not become a name.
func (b *Block) readHeader(w *sdk.Window) progress {
	p := w.Bytes()[b.lead:]
	n, v := b.g.offeredName(p, b.tools, w.Final)
	if v == scan.No {
		n, v = b.findNameEnd(p, w)
	}
	switch v {
	case scan.Wait:
		return needInput
	case scan.No:
		return b.refuse()
	}
	w.Scanned = 0
	name, callID := b.g.XML.splitHeader(p[:n])
	if name.n == 0 {
		return b.refuse()
	}
	w.Call(b.lead+name.at, name.n, 0)
	b.keys.Start(p[name.at : name.at+name.n])
	if callID.n > 0 {
		w.CallID(b.lead+callID.at, callID.n, 0)
	}
	end := b.g.XML.nameEndLen()
	if b.g.XML.NameEndOptional && !bytes.HasPrefix(p[n:], []byte(b.g.XML.NameEnd)) {
		end = 0
	}
	b.takeLead(w, n+end)
	if !b.g.XML.JSON {
		return b.goTo(atFunction)
	}
	b.args.Start(b.set.args, false)
	return b.goTo(atArgs)
}

// offeredName asks whether b begins with the name of a tool that the request offers, and
// gives its length, with quotation marks.
func (g *Grammar) offeredName(b []byte, tools []string, final bool) (n int, v scan.Verdict) {
	ends := []string{g.XML.NameEnd, g.XML.Parameter, g.XML.FunctionClose}
	if !g.XML.NameEndOptional {
		ends = ends[:1]
	}
	v = scan.No
	for _, end := range ends {
		n, is := toolname.Offered(b, tools, end, final)
		if is == scan.Yes {
			return n, is
		}
		v = max(v, is)
	}
	return 0, v
}

// NamesTool asks whether b, behind a function's marker, begins with the name of a tool that the
// request offers, as a whole header.
func (g *Grammar) NamesTool(b []byte, tools []string, final bool) scan.Verdict {
	_, v := g.offeredName(b, tools, final)
	return v
}

// findNameEnd finds the end of a header that p begins with.
func (b *Block) findNameEnd(p []byte, w *sdk.Window) (n int, v scan.Verdict) {
	n, id, v := b.set.header.Find(p, max(0, w.Scanned-b.lead), w.Final)
	w.Scanned = b.lead + n
	switch {
	case v == scan.Yes && b.set.header.means[id] == breaksName:
		return 0, scan.No
	case v != scan.Yes && n <= maxHeader:
		return 0, scan.Wait
	}
	return n, v
}

// maxHeader is the longest header of a function whose tool was not offered.
const maxHeader = 256

// StartsWithHeader says whether b begins with a function's header, behind its marker: a name
// on one line, without markers.
func (g *Grammar) StartsWithHeader(b []byte, final bool) scan.Verdict {
	b = b[:min(len(b), maxHeader)]
	set := g.plain.header
	at, id, v := set.Find(b, 0, false)
	switch {
	case bytes.IndexByte(b[:at], '\n') >= 0:
		return scan.No
	case v == scan.Yes && set.means[id] == closesName && scan.LeadingSpace(b[:at]) < at:
		return scan.Yes
	case v == scan.Yes || len(b) == maxHeader || final:
		return scan.No
	}
	return scan.Wait
}

// headerPart is a part of a header.
type headerPart struct{ at, n int }

// splitHeader finds the name and the id in a header.
func (x *XML) splitHeader(header []byte) (name, id headerPart) {
	switch x.ID {
	case HeaderIsID:
		id.at, id.n = trimName(header)
		h := header[id.at : id.at+id.n]
		from, to := bytes.LastIndexByte(h, '.')+1, bytes.LastIndexByte(h, ':')
		if to < from {
			to = len(h)
		}
		return headerPart{id.at + from, to - from}, id
	case IDBehind:
		if at := bytes.Index(header, []byte(x.IDMark)); at >= 0 {
			from := at + len(x.IDMark)
			id.at, id.n = trimName(header[from:])
			id.at += from
			header = header[:at]
		}
	}
	name.at, name.n = trimName(header)
	return name, id
}

// readArguments reads a function's JSON arguments.
func (b *Block) readArguments(w *sdk.Window) progress {
	if _, done := b.args.Next(w); !done {
		return needInput
	}
	return b.leaveFunction()
}

// leaveFunction goes on behind a function.
func (b *Block) leaveFunction() progress {
	if b.bare {
		return blockOver
	}
	return b.goTo(atJunk)
}

// readFunction looks for the next parameter or for what ends the function. The
// block's closer ends it too: the model has finished the call and forgot a tag.
// An opener starts anew, what came before it was a false start.
func (b *Block) readFunction(w *sdk.Window) progress {
	at, id, v := b.set.function.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return needInput
	}
	switch b.set.function.means[id] {
	case opensParameter:
		w.Skip(b.set.function.Len(id))
		return b.goTo(atKey)
	case closesFunction:
		b.endOpenCall(w)
		w.Skip(b.set.function.Len(id))
		return b.leaveFunction()
	case closesBlock:
		b.endOpenCall(w)
		w.Skip(b.set.function.Len(id))
		return blockOver
	case opensBlock, opensFunction:
		w.CallDrop()
		return b.leaveFunction()
	}
	w.CallDrop()
	return blockOver
}

// endOpenCall completes the open call, if one was emitted.
func (b *Block) endOpenCall(w *sdk.Window) {
	if w.InCall() {
		w.CallEnd()
	}
}

// readKey reads a parameter's key, and what stands between it and its value. A key
// holds no "<", and where ">" ends it no white space either. A header that is
// not that is dropped, up to the next tag.
func (b *Block) readKey(w *sdk.Window) progress {
	n, id, v := b.set.key.Find(w.Bytes(), w.Scanned, w.Final)
	w.Scanned = n
	if v != scan.Yes {
		return needInput
	}
	p, x := w.Bytes(), b.g.XML
	at, length := trimName(p[:n])
	sound := length > 0 && b.set.key.means[id] == closesName
	behind := n
	if sound {
		behind += len(x.KeyEnd)
		if x.Value != "" {
			behind += scan.LeadingSpace(p[behind:min(len(p), behind+maxSpace)])
		}
		switch scan.Prefix(p[behind:], x.Value, w.Final) {
		case scan.Wait:
			return needInput
		case scan.No:
			sound = false
		}
	}
	if !sound {
		w.Skip(n)
		return b.goTo(atFunction)
	}
	behind += len(x.Value)
	again := scan.No
	if x.LastWins {
		again = x.keyRepeats(p, p[at:at+length], behind, &b.looked, w.Final)
	}
	if again == scan.Wait {
		return needInput
	}
	if w.InCall() && again == scan.No {
		w.Key(at, length, 0)
	}
	b.keys.Give(p[at : at+length])
	w.Skip(behind)
	w.Scanned = 0
	b.looked = 0
	b.value.clearOffsets()
	b.value.mute = again == scan.Yes
	return b.goTo(atValue)
}

// maxSpace is the most white space between a key and its value, in bytes.
const maxSpace = 1024

// readValue reads a value: it emits what is certain of it and looks for its end.
func (b *Block) readValue(w *sdk.Window) progress {
	v := &b.value
	if !v.begun && !b.skipFrame(w) {
		return needInput
	}
	if b.remains.noValueClose {
		return b.settleUnclosedValue(w)
	}
	p := w.Bytes()
	for {
		at, id, verdict := b.set.value.Find(p, w.Scanned, w.Final)
		w.Scanned = at
		v.releaseOldHold(at)
		switch {
		case verdict != scan.Yes && w.Final:
			b.remains.noValueClose = true
			return b.settleUnclosedValue(w)
		case verdict != scan.Yes:
			b.emitCertainPart(w, at)
			return needInput
		}
		behind := at + b.set.value.Len(id)
		switch b.set.value.means[id] {
		case closesValue:
			verdict = param.Continues(p[behind:], b.set.next, w.Final)
		case opensParameter:
			verdict, behind = b.isNextParameter(w, p, at), at
			if verdict == scan.Yes && v.function != missing {
				at, behind = v.function, v.function // the call was over
			}
		default:
			verdict = scan.No
			v.hold(b.set.value.means[id], at, b.valueEnd(p, at))
		}
		switch verdict {
		case scan.Wait:
			b.emitCertainPart(w, at)
			return needInput
		case scan.Yes:
			return b.endValue(w, at, behind)
		}
		w.Scanned++
	}
}

// hold holds back what follows a marker that may end the value, at place at, and the
// line break before it, from place from on.
func (v *value) hold(means meaning, at, from int) {
	switch {
	case means == closesFunction && v.function == missing:
		v.function = at
	case means == escapes && v.escape == missing:
		v.escape = at
	}
	if v.heldFrom == missing {
		v.heldFrom = from
	}
}

// endValue ends the value before the tag at place at, and goes on at place behind.
func (b *Block) endValue(w *sdk.Window, at, behind int) progress {
	n := b.valueEnd(w.Bytes(), at)
	b.emitValue(w, n, 0)
	w.Skip(behind - n)
	w.Scanned = 0
	return b.goTo(atFunction)
}

// skipFrame skips the one line break that may lead a value. It answers false while
// it is not known whether it does.
func (b *Block) skipFrame(w *sdk.Window) bool {
	p := w.Bytes()
	switch {
	case len(p) == 0 || len(p) == 1 && p[0] == '\r' && !w.Final:
		return b.g.XML.Verbatim || w.Final
	case b.g.XML.Verbatim:
	case p[0] == '\n':
		w.Skip(1)
	case p[0] == '\r' && len(p) > 1 && p[1] == '\n':
		w.Skip(2)
	}
	b.value.begun = true
	return true
}

// isNextParameter asks whether the parameter's opener at place at of a value is the next
// parameter, because the value's closer was forgotten: it begins a line, and its key
// is declared and was not given yet.
func (b *Block) isNextParameter(w *sdk.Window, p []byte, at int) scan.Verdict {
	before := w.Prev()
	if at > 0 {
		before = p[at-1]
	}
	if before != '\n' {
		return scan.No
	}
	from := at + len(b.g.XML.Parameter)
	header := p[from:min(len(p), from+maxHeader)]
	n, id, v := b.set.key.Find(header, 0, w.Final)
	switch {
	case v == scan.Yes && b.set.key.means[id] == closesName:
		key, length := trimName(header[:n])
		if b.keys.Awaits(header[key : key+length]) {
			return scan.Yes
		}
	case v != scan.Yes && len(header) < maxHeader && !w.Final:
		return scan.Wait
	}
	return scan.No
}

// emitCertainPart emits what is certain of a value that was searched up to place at.
func (b *Block) emitCertainPart(w *sdk.Window, at int) {
	v := &b.value
	if v.heldFrom != missing {
		at = v.heldFrom
	} else {
		at = b.valueEnd(w.Bytes(), at)
	}
	if at > 0 {
		b.emitValue(w, at, abi.FlagMore)
	}
	if w.InCall() && v.emitted {
		w.Watch(abi.Value, b.set.valueWatch)
	}
}

// settleUnclosedValue settles a value that has no closer up to the end of the text.
func (b *Block) settleUnclosedValue(w *sdk.Window) progress {
	if !w.Final {
		return needInput
	}
	v, p, set := &b.value, w.Bytes(), b.set.value
	for v.function == missing && (v.escape == missing || !b.remains.noFunctionClose) {
		at, id, verdict := set.Find(p, w.Scanned, true)
		if verdict != scan.Yes {
			b.remains.noFunctionClose = true
			break
		}
		switch set.means[id] {
		case closesFunction:
			v.function = at
		case escapes:
			if v.escape == missing {
				v.escape = at
			}
		case opensParameter:
			if b.isNextParameter(w, p, at) == scan.Yes {
				return b.endValue(w, at, at)
			}
		}
		w.Scanned = at + 1
	}
	w.Scanned = 0
	switch {
	case v.function != missing:
		return b.endValue(w, v.function, v.function)
	case v.escape != missing:
		w.CallDrop()
		w.Skip(v.escape)
		return blockOver
	}
	return needInput
}

// emitValue emits the first n bytes of the window as the value, or with more as a part
// of it, and consumes them.
func (b *Block) emitValue(w *sdk.Window, n int, more uint8) {
	if w.InCall() && !b.value.mute {
		w.Value(0, n, abi.ReadSchema|more)
		b.value.emitted = true
	}
	w.Skip(n)
	b.value.moveOffsets(n)
}

// valueEnd is where a value ends that is followed, at place at, by a tag or by nothing
// yet: the one line break before the tag, also half of it, is not part of it.
func (b *Block) valueEnd(p []byte, at int) int {
	if b.g.XML.Verbatim || at == 0 {
		return at
	}
	switch {
	case p[at-1] == '\n' && at > 1 && p[at-2] == '\r':
		return at - 2
	case p[at-1] == '\n', p[at-1] == '\r' && at == len(p):
		return at - 1
	}
	return at
}

// trimName gives the part of a header that is the name: without white space
// round it, and without the quotes that some models put there.
func trimName(p []byte) (at, n int) {
	at = scan.LeadingSpace(p)
	end := max(at, scan.TrimmedLen(p))
	if end-at >= 2 && (p[at] == '"' || p[at] == '\'') && p[end-1] == p[at] {
		at, end = at+1, end-1
	}
	return at, end - at
}
