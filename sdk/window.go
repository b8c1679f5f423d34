package sdk

import (
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Window is the unconsumed part of the raw text, and what a Parser says about
// it. Prose and structure are consumed with Text, Reasoning and Skip; the parts
// of a call are first pointed at, by their place in Bytes, then skipped.
type Window struct {
	// Final is true in the last Step: nothing follows what is in the window.
	Final bool
	// Reason says why the text ended, once Final is true.
	Reason abi.Finish
	// Scanned is for the parser's use: how far into Bytes it has looked already.
	// It moves along as bytes are consumed, so that a held value is not scanned
	// again with each push.
	Scanned int

	data []byte        // left context, then the unconsumed bytes
	head int           // where the unconsumed bytes begin in data
	off  abi.RawOffset // absolute offset of data[head]

	events   []abi.Event
	literals []byte
	watch    abi.Event
	watchSet []byte // the set that watch is made of
	watching bool
	newBlock uint8 // by kind: a new block is owed
	noTools  bool

	calls    uint16   // calls opened so far
	callOpen bool     // the last of them is open
	growable abi.Kind // what of the open call may go on: Args, Value, or Commit for nothing
}

// Bytes is the window: all bytes that are not consumed yet. The slice is valid
// until the end of the Step.
func (w *Window) Bytes() []byte { return w.data[w.head:] }

// Len is the number of bytes in the window.
func (w *Window) Len() int { return len(w.data) - w.head }

// Offset is the absolute offset of the window's first byte.
func (w *Window) Offset() abi.RawOffset { return w.off }

// Prev is the byte before the window, 0 at the start of the text.
func (w *Window) Prev() byte {
	if w.head == 0 {
		return 0
	}
	return w.data[w.head-1]
}

// PrevRune is the character before the window, 0 at the start of the text.
func (w *Window) PrevRune() rune {
	if w.head == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRune(w.data[:w.head])
	return r
}

// NoTools says that the request offers no tools: nothing is a call, and markup
// of calls is text.
func (w *Window) NoTools() bool { return w.noTools }

// Text consumes n bytes as visible content.
func (w *Window) Text(n int) { w.consumeProse(abi.Text, 0, n) }

// Payload consumes n bytes as guided JSON, from which the host reads the calls.
// There is no WATCH for it.
func (w *Window) Payload(n int) { w.consumeProse(abi.Text, abi.FlagPayload, n) }

// Reasoning consumes n bytes as chain of thought.
func (w *Window) Reasoning(n int) { w.consumeProse(abi.Reasoning, 0, n) }

// NewBlock marks the next run of text and the next of reasoning as blocks of
// their own: where one directly follows a run of its kind, the host puts one line
// feed between.
func (w *Window) NewBlock() { w.newBlock = 1<<abi.Text | 1<<abi.Reasoning }

// NewThought does that for reasoning alone.
func (w *Window) NewThought() { w.newBlock |= 1 << abi.Reasoning }

// Skip consumes n bytes as structure.
func (w *Window) Skip(n int) {
	if n == 0 {
		return
	}
	w.consume(n)
	if last := len(w.events) - 1; last >= 0 {
		w.events[last].End = w.off
		return
	}
	w.emit(abi.Event{Kind: abi.Commit})
}

// Call opens a tool call whose name is the n bytes at place at of the window,
// and gives its number. how is 0 or one of the readings that abi.Call may carry.
// A call that is still open is dropped.
func (w *Window) Call(at, n int, how uint8) uint16 {
	w.CallDrop()
	w.beginCall()
	w.pointSpan(abi.Call, how, at, n)
	return w.calls - 1
}

// CallLiteral opens a tool call with a name that is not in the raw text. Needs
// "synthesises" in the manifest.
func (w *Window) CallLiteral(name string) uint16 {
	w.CallDrop()
	w.beginCall()
	w.emitLiteral(abi.Call, 0, name)
	return w.calls - 1
}

func (w *Window) beginCall() {
	w.callOpen = true
	w.calls++
}

// InCall says whether a call is open.
func (w *Window) InCall() bool { return w.callOpen }

// CallID points at the id that the grammar carries for the open call.
func (w *Window) CallID(at, n int, how uint8) { w.pointSpan(abi.CallID, how, at, n) }

// CallIDLiteral gives the open call an id that is not in the raw text.
func (w *Window) CallIDLiteral(id string) { w.emitLiteral(abi.CallID, 0, id) }

// Args points at a fragment of the open call's arguments object, verbatim JSON.
func (w *Window) Args(at, n int, how uint8) { w.pointFragment(abi.Args, how, at, n) }

// ArgsLiteral gives a fragment of the arguments that is not in the raw text.
func (w *Window) ArgsLiteral(json string) { w.emitLiteral(abi.Args, 0, json) }

// Key points at a member's name; on a call's top level it is a parameter.
func (w *Window) Key(at, n int, how uint8) { w.pointSpan(abi.Key, how, at, n) }

// KeyLiteral gives a member's name that is not in the raw text.
func (w *Window) KeyLiteral(name string) { w.emitLiteral(abi.Key, 0, name) }

// Value points at a value or, with abi.FlagMore, at a part of one. flags is a
// reading with abi.FlagMore and abi.FlagTrim. All parts of one value carry the
// same reading and abi.FlagTrim.
func (w *Window) Value(at, n int, flags uint8) { w.pointFragment(abi.Value, flags, at, n) }

// ValueLiteral gives a value, or a part of one, that is not in the raw text.
func (w *Window) ValueLiteral(v string, flags uint8) { w.emitLiteral(abi.Value, flags, v) }

// OpenObject and OpenArray open a nested value; Close closes the innermost.
func (w *Window) OpenObject() {
	w.emit(abi.Event{Kind: abi.Open, Flags: abi.FlagObject, Call: w.currentCall()})
}

// OpenArray opens a nested array.
func (w *Window) OpenArray() {
	w.emit(abi.Event{Kind: abi.Open, Flags: abi.FlagArray, Call: w.currentCall()})
}

// Close closes the innermost OpenObject or OpenArray.
func (w *Window) Close() { w.emit(abi.Event{Kind: abi.Close, Call: w.currentCall()}) }

// CallEnd completes the open call.
func (w *Window) CallEnd() {
	w.emit(abi.Event{Kind: abi.CallEnd, Call: w.currentCall()})
	w.callOpen = false
}

// CallUnsound ends the open call, whose closed body, the n bytes at place at, is
// not what the grammar asks. n is 0 where the body was already given as
// arguments.
func (w *Window) CallUnsound(at, n int) {
	w.pointSpan(abi.CallEnd, abi.FlagUnsound, at, n)
	w.callOpen = false
}

// CallDrop takes the open call back, if there is one.
func (w *Window) CallDrop() {
	if w.callOpen {
		w.emit(abi.Event{Kind: abi.CallDrop, Call: w.currentCall()})
		w.callOpen = false
	}
}

// Error reports an error of the abi's Code… values with abi.FlagFatal or
// abi.FlagMalformed. The host makes it a request error only where the session
// is strict.
func (w *Window) Error(code uint32, flags uint8) {
	w.emit(abi.Event{Kind: abi.Error, Flags: flags, Call: w.currentCall(), Start: code})
}

// Note leaves a diagnostic for the operator.
func (w *Window) Note(message string) { w.emitLiteral(abi.Note, 0, message) }

// Watch promises that input without any byte of set belongs wholly to the
// channel of kind (abi.Text, abi.Reasoning, abi.Args or abi.Value) and changes
// nothing in the parser's state. It holds until the next Step, which has to give
// it again, and is dropped where the promise can't be made: bytes are held, a
// new block is owed, set has more than eight bytes, or kind is Args or Value and
// the call has no fragment that could go on. Take set from a scanner.
func (w *Window) Watch(kind abi.Kind, set []byte) {
	inCall := kind == abi.Args || kind == abi.Value
	if len(set) > 8 || w.newBlock>>kind&1 != 0 || inCall && w.growable != kind {
		return
	}
	w.setWatch(uint8(kind), set)
}

// setWatch makes the WATCH record. Sets are tables of a grammar: most often it is
// that of the step before.
func (w *Window) setWatch(flags uint8, set []byte) {
	if len(set) == 0 || len(set) != len(w.watchSet) || &set[0] != &w.watchSet[0] {
		w.watch, w.watchSet = abi.WatchEvent(0, 0, set, 0), set
	}
	w.watch.Flags, w.watch.Call, w.watching = flags, w.currentCall(), true
}

// Hold promises that the parser goes on holding until a byte of set comes: the
// host may deliver what comes before together with it.
func (w *Window) Hold(set []byte) {
	if len(set) > 8 {
		return
	}
	w.setWatch(abi.FlagHold, set)
}

func (w *Window) currentCall() uint16 {
	if w.calls == 0 {
		return 0
	}
	return w.calls - 1
}

// consumeProse consumes n bytes as a span of text or reasoning, which grows the event
// before it where that is of the same kind.
func (w *Window) consumeProse(kind abi.Kind, flags uint8, n int) {
	if n == 0 {
		return
	}
	if w.newBlock>>kind&1 != 0 {
		flags |= abi.FlagNewBlock
		w.newBlock &^= 1 << kind
	}
	start := uint32(w.off)
	w.consume(n)
	if last := len(w.events) - 1; last >= 0 {
		e := &w.events[last]
		if e.Kind == kind && e.Flags&^abi.FlagNewBlock == flags && e.Start+e.Len == start {
			e.Len += uint32(n)
			e.End = w.off
			return
		}
	}
	w.emit(abi.Event{Kind: kind, Flags: flags, Start: start, Len: uint32(n)})
}

// pointFragment points like pointSpan, and lets a fragment that continues the event before
// it grow that event.
func (w *Window) pointFragment(kind abi.Kind, flags uint8, at, n int) {
	start := uint32(w.off) + uint32(at)
	if last := len(w.events) - 1; last >= 0 {
		e := &w.events[last]
		more := kind == abi.Args || e.Flags&abi.FlagMore != 0
		if e.Kind == kind && more && e.Flags&^abi.FlagMore == flags&^abi.FlagMore && e.Start+e.Len == start &&
			(last == 0 || w.events[last-1].Kind != abi.Literal) {
			e.Len += uint32(n)
			e.Flags = flags
			e.End = w.off
			if kind == abi.Value && flags&abi.FlagMore == 0 {
				w.growable = abi.Commit
			}
			return
		}
	}
	w.pointSpan(kind, flags, at, n)
}

// pointSpan emits an event about the n bytes at place at of the window.
func (w *Window) pointSpan(kind abi.Kind, flags uint8, at, n int) {
	if at < 0 || n < 0 || at+n > w.Len() {
		panic("sdk: a span outside the window")
	}
	w.emit(abi.Event{Kind: kind, Flags: flags, Call: w.currentCall(), Start: uint32(w.off) + uint32(at), Len: uint32(n)})
}

// emitLiteral emits an event whose text the guest made: LITERAL, then the event.
func (w *Window) emitLiteral(kind abi.Kind, flags uint8, s string) {
	w.emit(abi.Event{Kind: abi.Literal, Start: uint32(len(w.literals)), Len: uint32(len(s))})
	w.literals = append(w.literals, s...)
	w.emit(abi.Event{Kind: kind, Flags: flags, Call: w.currentCall()})
}

func (w *Window) emit(e abi.Event) {
	switch e.Kind {
	case abi.Args:
		w.growable = abi.Args
	case abi.Value:
		w.growable = abi.Commit
		if e.Flags&abi.FlagMore != 0 {
			w.growable = abi.Value
		}
	case abi.Call, abi.CallEnd, abi.CallDrop, abi.Key, abi.Open, abi.Close:
		w.growable = abi.Commit
	}
	e.End = w.off
	w.events = append(w.events, e)
}

func (w *Window) consume(n int) {
	if n < 0 || n > w.Len() {
		panic("sdk: consumed more than the window holds")
	}
	w.head += n
	w.off += abi.RawOffset(n)
	w.Scanned = max(0, w.Scanned-n)
}

// addInput takes new input in. Bytes that a WATCH left out come before off; the
// parser promised that they change nothing.
func (w *Window) addInput(off abi.RawOffset, back int, data []byte) {
	w.events, w.literals, w.watching = w.events[:0], w.literals[:0], false
	if off > w.off+abi.RawOffset(w.Len()) {
		w.data, w.head, w.off, w.Scanned = append(w.data[:0], data[:back]...), back, off, 0
	}
	w.compact()
	w.data = append(w.data, data[back:]...)
}

// compact drops consumed bytes but for the left context, when that is cheap
// beside what has been consumed.
func (w *Window) compact() {
	keep := min(w.head, abi.MaxLeftContext)
	if w.head < 64 || w.head < w.Len() {
		return
	}
	w.data = append(w.data[:0], w.data[w.head-keep:]...)
	w.head = keep
}

// finish ends the session: an open call is dropped, and what is left is text.
func (w *Window) finish() {
	w.watching = false
	inCall := w.callOpen
	w.CallDrop()
	if inCall {
		w.Skip(w.Len())
	} else {
		w.Text(w.Len())
	}
}

// answer closes a Step: the WATCH, if one can be promised, comes last.
func (w *Window) answer() abi.Answer {
	if w.watching && !w.Final && (w.watch.Flags == abi.FlagHold) == (w.Len() > 0) {
		w.emit(w.watch)
	}
	w.watching = false
	return abi.Answer{Events: w.events, Literals: w.literals}
}
