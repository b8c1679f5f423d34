package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// Framer frames the events of one choice. It is used by one goroutine at a time.
type Framer struct {
	cfg    Config
	typing typer
	counts Counts
	dst    []Delta
	next   int    // index of the next call that goes out
	calls  int    // calls that went out, or were about to when they were dropped
	end    uint32 // how far the raw text was accounted for

	call   call
	prose  run
	last   Kind // of the last thing that stays: Content, Reasoning or CallEnd
	guided *guided
}

// run is text or reasoning that waits to go out with what directly follows it.
type run struct {
	kind       Kind
	text       []byte
	start, end uint32
}

// New makes a Framer.
func New(cfg Config) *Framer {
	if cfg.IDs == nil {
		cfg.IDs = NewIDs("")
	}
	if cfg.MaxHeld <= 0 {
		cfg.MaxHeld = defaultHeld
	}
	f := &Framer{cfg: cfg, typing: typer{keep: cfg.KeepControl, held: cfg.MaxHeld}}
	if cfg.Typing != nil {
		f.typing.knobs = *cfg.Typing
	}
	if cfg.Guided == abi.ModeGuidedNamed {
		f.cfg.Only = cfg.NamedTool
	}
	if cfg.Guided != abi.ModeNative {
		f.guided = newGuided(f)
	}
	return f
}

// Apply appends the deltas that events make to dst. What can't be told yet waits
// for the next Apply or for Finish.
func (f *Framer) Apply(events []parse.CheckedEvent, dst []Delta) []Delta {
	f.dst = dst
	for i := range events {
		f.event(&events[i])
	}
	return f.flush()
}

// Finish appends what waited. It comes after the events of the parse session's
// own end.
func (f *Framer) Finish(dst []Delta) []Delta {
	f.dst = dst
	if f.guided != nil {
		f.guided.finish()
	}
	return f.flush()
}

func (f *Framer) flush() []Delta {
	f.flushCall()
	f.flushProse()
	dst := f.dst
	f.dst = nil
	return dst
}

// Sent says whether it is decided what the client sees of a call: something of
// it went out, or it goes nowhere on purpose. Only other calls can still become
// text.
func (f *Framer) Sent(number uint16) bool {
	c := &f.call
	return !c.open || c.number != number || c.sent || c.fate == fateGone
}

// TakeIndex gives away the next index on the wire, for a call that the engine
// itself made.
func (f *Framer) TakeIndex() int {
	f.calls++
	return f.index()
}

func (f *Framer) index() int {
	f.next++
	return f.next - 1
}

// Counts is what was counted so far.
func (f *Framer) Counts() Counts {
	c := f.counts
	c.Repaired += f.typing.repaired
	c.Overlong += f.typing.overlong
	return c
}

func (f *Framer) event(e *parse.CheckedEvent) {
	switch e.Kind {
	case abi.Text, abi.Reasoning:
		f.said(e)
	case abi.Call:
		f.callOpens(e)
	case abi.CallID, abi.Args, abi.Open, abi.Key, abi.Value, abi.Close, abi.CallEnd, abi.CallDrop:
		if f.call.open && f.call.number == e.Call {
			f.inCall(e)
		}
	}
	f.end = e.Accounted
}

// said takes text or reasoning from the parser.
func (f *Framer) said(e *parse.CheckedEvent) {
	if len(e.Data) == 0 {
		return
	}
	kind := Content
	if e.Kind == abi.Reasoning {
		kind = Reasoning
	}
	if f.guided != nil {
		f.guided.said(kind, e)
		return
	}
	f.speak(kind, e)
}

// speak lets a run of text or reasoning go out, set off from one that it directly
// follows if it is a block of its own.
func (f *Framer) speak(kind Kind, e *parse.CheckedEvent) {
	if e.Flags&abi.FlagNewBlock != 0 && f.last == kind {
		f.say(kind, newline, e.Start, e.Start)
	}
	f.say(kind, e.Data, e.Start, e.End)
}

var newline = []byte("\n")

// say lets text or reasoning go out.
func (f *Framer) say(kind Kind, text []byte, start, end uint32) {
	f.flushCall()
	if f.prose.kind != kind {
		f.flushProse()
	}
	r := &f.prose
	if len(r.text) == 0 {
		r.kind, r.start = kind, start
	}
	r.text, r.end = append(r.text, text...), end
	f.last = kind
}

func (f *Framer) flushProse() {
	r := &f.prose
	if len(r.text) == 0 {
		return
	}
	f.dst = append(f.dst, Delta{Kind: r.kind, Text: string(r.text), Start: r.start, End: r.end})
	r.text = r.text[:0]
}

// callOpens starts a call and settles what becomes of it.
func (f *Framer) callOpens(e *parse.CheckedEvent) {
	name := e.Data
	if !e.Literal {
		name = decoded(name, e.Flags&abi.ReadMask)
	}
	if f.guided != nil {
		f.guided.finish()
	}
	f.begin(e.Call, string(name))
	f.call.from, f.call.to = e.Start, e.End
}

func (f *Framer) begin(number uint16, name string) {
	f.flushCall()
	c := &f.call
	c.begin(number, name, f.end)
	tool := f.cfg.Tools.find(name)
	c.fate = f.fateOf(name, tool != nil)
	c.writer.reset(&f.typing, tool.schema())
}

func (f *Framer) fateOf(name string, offered bool) fate {
	switch {
	case name == "":
		f.counts.Dropped++
		return fateGone
	case f.cfg.CallsOff, f.cfg.Only != "" && name != f.cfg.Only, f.cfg.Single && f.calls > 0:
		f.counts.Suppressed++
		return fateGone
	}
	if !offered {
		f.counts.Unknown++
		switch f.cfg.Unknown {
		case UnknownDrop:
			return fateGone
		case UnknownText:
			return fateText
		}
	}
	if f.cfg.Arguments == Whole {
		return fateHold
	}
	return fateSend
}

// whole frames a call that is there as a whole: what names it, its arguments, and
// the text that it is if it becomes none.
func (f *Framer) whole(name string, title, arguments, text *parse.CheckedEvent) {
	f.begin(0, name)
	if f.call.fate == fateText {
		f.call.open = false
		f.say(Content, text.Data, text.Start, text.End)
		return
	}
	f.call.from, f.call.to = title.Start, title.End
	f.inCall(arguments)
	f.callEnds(&parse.CheckedEvent{Kind: abi.CallEnd})
}

// inCall takes an event of the open call.
func (f *Framer) inCall(e *parse.CheckedEvent) {
	c := &f.call
	switch e.Kind {
	case abi.CallEnd:
		f.callEnds(e)
		return
	case abi.CallDrop:
		f.count(c)
		f.callDrops()
		return
	}
	if c.fate == fateGone || c.fate == fateText {
		return
	}
	c.covers(e)
	switch e.Kind {
	case abi.CallID:
		f.callID(e)
		return
	case abi.Args:
		c.args(e, !f.cfg.KeepControl)
	case abi.Key:
		c.form = formKeys
		key := e.Data
		if !e.Literal {
			key = decoded(key, e.Flags&abi.ReadMask)
		}
		c.writer.key(key)
	case abi.Value:
		c.writer.part(e.Data, e.Flags, e.Literal)
	case abi.Open:
		c.writer.open(e.Flags == abi.FlagArray)
	case abi.Close:
		c.writer.close()
	}
	if !c.fixed && c.fate == fateSend {
		f.calls++
	}
	c.fixed = true
}

// callID takes the grammar's id. Behind a head that goes out at once it comes
// too late.
func (f *Framer) callID(e *parse.CheckedEvent) {
	c := &f.call
	if c.fixed && c.fate == fateSend {
		f.counts.IDs++
		return
	}
	id := e.Data
	if !e.Literal {
		id = decoded(id, e.Flags&abi.ReadMask)
	}
	c.id = string(id)
}

// callEnds completes the open call.
func (f *Framer) callEnds(e *parse.CheckedEvent) {
	c := &f.call
	f.count(c)
	switch c.fate {
	case fateGone:
		c.open = false
		return
	case fateText:
		f.callBecomesText(e)
		return
	}
	sound := e.Flags&abi.FlagUnsound == 0
	if sound {
		sound = c.complete(!f.cfg.KeepControl)
	}
	if !sound {
		f.counts.Unsound++
		if !f.unsound(e) {
			f.callDrops()
			return
		}
	}
	if !c.fixed || c.fate == fateHold {
		f.calls++
	}
	c.fixed, c.fate = true, fateSend
	f.flushCall()
	f.dst = append(f.dst, Delta{Kind: CallEnd, Index: c.index, Unsound: !sound})
	f.counts.Calls++
	f.last = CallEnd
	c.open = false
}

// count counts what happened within a call that ends.
func (f *Framer) count(c *call) {
	f.counts.Duplicates += c.writer.duplicates
	f.counts.Repaired += c.json.escaped
}

// unsound applies the policy for arguments that are no JSON object, and says
// whether the call stays.
func (f *Framer) unsound(e *parse.CheckedEvent) bool {
	c := &f.call
	switch f.cfg.Invalid {
	case InvalidRaw:
		if !c.sent && len(e.Data) > 0 {
			c.form, c.out = formJSON, append(c.out[:0], e.Data...)
			c.covers(e)
		}
		return true
	case InvalidEmpty:
		if c.sent {
			return false
		}
		c.form, c.out = formJSON, append(c.out[:0], "{}"...)
		return true
	}
	return false
}

// callBecomesText shows a call of a tool that was not offered as what the model
// wrote.
func (f *Framer) callBecomesText(e *parse.CheckedEvent) {
	c := &f.call
	c.open = false
	if f.cfg.Raw == nil {
		return
	}
	if raw := f.cfg.Raw(c.before, e.Accounted); len(raw) > 0 {
		f.say(Content, raw, c.before, e.Accounted)
	}
}

// callDrops gives the open call up.
func (f *Framer) callDrops() {
	c := &f.call
	c.open = false
	switch {
	case c.sent:
		f.flushCall()
		f.dst = append(f.dst, Delta{Kind: CallCut, Index: c.index})
		f.counts.Cut++
	case c.fate != fateGone:
		f.counts.Dropped++
	}
	c.taken()
}

// flushCall lets go out what waits of a call that goes out as it comes.
func (f *Framer) flushCall() {
	c := &f.call
	if !c.open || c.fate != fateSend || !c.fixed {
		return
	}
	if !c.sent {
		f.head()
	}
	if text := c.waiting(); len(text) > 0 {
		f.dst = append(f.dst, Delta{Kind: CallArgs, Index: c.index, Text: string(text), Start: c.start, End: c.end})
		c.taken()
	}
}

func (f *Framer) head() {
	f.flushProse()
	c := &f.call
	id, own := f.cfg.IDs.take(c.id, c.name)
	if c.id != "" && !own {
		f.counts.IDs++
	}
	c.sent, c.index = true, f.index()
	f.dst = append(f.dst, Delta{Kind: CallHead, Index: c.index, ID: id, Name: c.name, Start: c.from, End: c.to})
}
