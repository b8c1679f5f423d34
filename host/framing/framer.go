package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing/guided"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// Framer frames the events of one choice. It is used by one goroutine at a time.
type Framer struct {
	cfg       Config
	typer     typing.Typer
	counts    Counts
	out       output
	calls     int           // calls that went out, or were about to when they were dropped
	accounted abi.RawOffset // up to which the raw text was accounted for

	call   call
	asText callAsText
	guided *guided.Reader // nil: the engine was not guided
}

// New makes a Framer.
func New(cfg Config) *Framer {
	if cfg.IDs == nil {
		cfg.IDs = NewIDs("")
	}
	if cfg.MaxHeld <= 0 {
		cfg.MaxHeld = defaultHeld
	}
	f := &Framer{cfg: cfg, typer: typing.Typer{NoRepair: cfg.NoRepair, MaxHeld: cfg.MaxHeld}}
	if cfg.Typing != nil {
		f.typer.Rules = *cfg.Typing
	}
	if cfg.Guided == abi.ModeGuidedNamed {
		f.cfg.Only = cfg.NamedTool
	}
	if cfg.Guided != abi.ModeNative {
		f.guided = guided.NewReader(guided.Config{
			Mode: cfg.Guided, NamedTool: cfg.NamedTool, Tools: cfg.Tools,
			Eager: cfg.GuidedEager && cfg.Arguments == Eager, MaxHeld: cfg.MaxHeld,
		}, guidedSink{f})
	}
	return f
}

// Apply appends the deltas that events make to dst. What can't be told yet waits
// for the next Apply or for Finish. Nothing of the events is kept.
func (f *Framer) Apply(events []parse.CheckedEvent, dst []Delta) []Delta {
	f.out.deltas = dst
	for i := range events {
		f.frameEvent(&events[i])
	}
	return f.flush()
}

// Finish appends what waited. It comes after the events of the parse session's
// own end.
func (f *Framer) Finish(dst []Delta) []Delta {
	f.out.deltas = dst
	if f.guided != nil {
		f.guided.Finish()
	}
	return f.flush()
}

func (f *Framer) flush() []Delta {
	f.flushCall()
	return f.out.takeDeltas()
}

// Sent says whether it is decided what the client sees of a call: something of
// it was sent, or it is suppressed. Only other calls can still become text.
func (f *Framer) Sent(number uint16) bool {
	c := &f.call
	return !c.open || c.number != number || c.headSent || c.disposition == suppressed
}

// TakeIndex gives away the next index on the wire, for a call that the engine
// itself made.
func (f *Framer) TakeIndex() int {
	f.calls++
	return f.out.takeIndex()
}

// Accounted is the offset up to which the events so far account for the text.
func (f *Framer) Accounted() abi.RawOffset { return f.accounted }

// Counts is what was counted so far.
func (f *Framer) Counts() Counts {
	c := f.counts
	c.Repaired += f.typer.Repaired
	c.Overlong += f.typer.Overlong
	if f.guided != nil {
		g := f.guided.Counts()
		c.NoCalls += g.NoCalls
		c.Overlong += g.Overlong
	}
	return c
}

func (f *Framer) frameEvent(e *parse.CheckedEvent) {
	if f.asText.following {
		f.followCallAsText(e)
	}
	switch e.Kind {
	case abi.Text, abi.Reasoning:
		f.frameProse(e)
	case abi.Call:
		f.openCall(e)
	case abi.CallID, abi.Args, abi.Open, abi.Key, abi.Value, abi.Close, abi.CallEnd, abi.CallDrop:
		if f.call.open && f.call.number == e.Call {
			f.frameCallEvent(e)
		}
	}
	f.accounted = e.Accounted
}

// frameProse takes text or reasoning from the parser.
func (f *Framer) frameProse(e *parse.CheckedEvent) {
	if len(e.Data) == 0 {
		return
	}
	kind := Content
	if e.Kind == abi.Reasoning {
		kind = Reasoning
	}
	if f.guided != nil {
		f.guideProse(kind, e)
		return
	}
	f.emitBlock(kind, e)
}

// emitBlock emits text or reasoning, set off from that which it directly follows if
// it is a block of its own.
func (f *Framer) emitBlock(kind Kind, e *parse.CheckedEvent) {
	if f.out.needsLineBreak(kind, e) {
		f.emitProse(kind, newline, span{Start: e.Start, End: e.Start})
	}
	f.emitProse(kind, e.Data, span{Start: e.Start, End: e.End})
}

var newline = []byte("\n")

func (f *Framer) emitProse(kind Kind, text []byte, at span) {
	f.flushCall()
	if kind == Content && f.cfg.Lead != "" {
		f.out.addProse(Content, []byte(f.cfg.Lead), span{Start: at.Start, End: at.Start})
		f.cfg.Lead = ""
	}
	f.out.addProse(kind, text, at)
}

func (f *Framer) openCall(e *parse.CheckedEvent) {
	if f.guided != nil {
		f.guided.Finish()
	}
	f.beginCall(e.Call, string(decodedName(e)), span{Start: e.Start, End: e.End})
}

// decodedName is the name, id or key that an event carries.
func decodedName(e *parse.CheckedEvent) []byte {
	if e.Literal {
		return e.Data
	}
	return typing.Decode(e.Data, e.Flags&abi.ReadMask)
}

// beginCall starts a call and settles what becomes of it.
func (f *Framer) beginCall(number uint16, name string, nameAt span) {
	f.flushCall()
	c := &f.call
	c.reset(number, name, f.accounted, !f.cfg.NoRepair)
	c.nameAt = nameAt
	c.disposition = f.dispositionOf(name)
	c.writer.Reset(&f.typer, f.cfg.Tools.Schema(name))
}

func (f *Framer) dispositionOf(name string) disposition {
	switch {
	case name == "":
		f.counts.Dropped++
		return suppressed
	case f.cfg.CallsOff, f.cfg.Only != "" && name != f.cfg.Only, f.cfg.Single && f.calls > 0:
		f.counts.Suppressed++
		return suppressed
	}
	if !f.cfg.Tools.Offers(name) {
		f.counts.Unknown++
		switch f.cfg.Unknown {
		case UnknownDrop:
			return suppressed
		case UnknownText:
			return becomesText
		}
	}
	if f.cfg.Arguments == Whole || f.cfg.Invalid != InvalidRaw {
		return sentOnceComplete
	}
	return sentAsItArrives
}

// frameCallEvent takes an event of the open call.
func (f *Framer) frameCallEvent(e *parse.CheckedEvent) {
	c := &f.call
	switch e.Kind {
	case abi.CallEnd:
		f.endCall(e)
		return
	case abi.CallDrop:
		f.countCall(c)
		f.dropCall()
		return
	}
	if c.disposition == suppressed || c.disposition == becomesText {
		return
	}
	c.widenPendingSpan(e)
	switch e.Kind {
	case abi.CallID:
		f.setCallID(e)
		return
	case abi.Args:
		c.addJSONEvent(e)
	case abi.Key:
		c.form = keyedArguments
		c.writer.WriteKey(decodedName(e))
	case abi.Value:
		c.writer.WriteValue(e.Data, e.Flags, e.Literal)
	case abi.Open:
		c.writer.OpenContainer(e.Flags == abi.FlagArray)
	case abi.Close:
		c.writer.CloseContainer()
	}
	if !c.headReady && c.disposition == sentAsItArrives {
		f.calls++
	}
	c.headReady = true
}

// setCallID takes the grammar's id. It comes too late for a head that went out with
// the first arguments.
func (f *Framer) setCallID(e *parse.CheckedEvent) {
	c := &f.call
	if c.headReady && c.disposition == sentAsItArrives {
		f.counts.IDs++
		return
	}
	c.id = string(decodedName(e))
}

// endCall completes the open call.
func (f *Framer) endCall(e *parse.CheckedEvent) {
	c := &f.call
	f.countCall(c)
	switch c.disposition {
	case suppressed:
		c.open = false
		return
	case becomesText:
		f.emitCallAsText(e)
		return
	}
	repaired := c.json.Repaired
	sound := c.finishArguments(e.Data, e.Flags&abi.FlagUnsound != 0, f.cfg.Tools.Schema(c.name).IsString())
	f.counts.Repaired += c.json.Repaired - repaired
	c.widenPendingSpan(e)
	if !sound {
		f.counts.Unsound++
		if !f.settleUnsound(e) {
			return
		}
	}
	if !c.headReady || c.disposition == sentOnceComplete {
		f.calls++
	}
	c.headReady, c.disposition = true, sentAsItArrives
	f.flushCall()
	f.out.addCallDelta(Delta{Kind: CallEnd, Index: c.index, Unsound: !sound})
	f.counts.Calls++
	f.out.last = CallEnd
	c.open = false
}

// countCall counts what happened within a call that ends.
func (f *Framer) countCall(c *call) {
	f.counts.Duplicates += c.writer.Duplicates
	f.counts.Repaired += c.json.Repaired
}

// settleUnsound applies the policy for arguments that can't be read as a JSON object,
// and says whether the call goes out.
func (f *Framer) settleUnsound(e *parse.CheckedEvent) bool {
	c := &f.call
	switch {
	case f.cfg.Invalid == InvalidRaw && c.form != keyedArguments:
		if !c.argumentsSent {
			c.replaceArguments(c.rawArguments)
		}
		return true
	case f.cfg.Invalid == InvalidRaw && !c.argumentsSent && len(e.Data) > 0:
		c.replaceArguments(e.Data)
		return true
	case f.cfg.Invalid == InvalidEmpty && !c.argumentsSent:
		c.replaceArguments([]byte("{}"))
		return true
	case (f.cfg.Invalid == InvalidText || f.cfg.Invalid == InvalidRaw) && !c.headSent:
		f.emitCallAsText(e)
		return false
	}
	f.dropCall()
	return false
}

// dropCall gives the open call up.
func (f *Framer) dropCall() {
	c := &f.call
	c.open = false
	switch {
	case c.headSent:
		f.out.addCallDelta(Delta{Kind: CallCut, Index: c.index})
		f.counts.Cut++
	case c.disposition != suppressed:
		f.counts.Dropped++
	}
	c.clearPending()
}

// flushCall emits the call's head and the arguments that are pending, if the call is
// sent as it arrives.
func (f *Framer) flushCall() {
	c := &f.call
	if !c.open || c.disposition != sentAsItArrives || !c.headReady {
		return
	}
	if !c.headSent {
		f.emitCallHead()
	}
	if text := c.pendingArguments(); len(text) > 0 {
		f.out.addCallDelta(Delta{Kind: CallArgs, Index: c.index, Text: string(text), Start: c.pendingAt.Start, End: c.pendingAt.End})
		c.argumentsSent = true
		c.clearPending()
	}
}

func (f *Framer) emitCallHead() {
	f.out.flushProse()
	c := &f.call
	id, own := f.cfg.IDs.takeOrReplace(c.id, c.name)
	if c.id != "" && !own {
		f.counts.IDs++
	}
	c.headSent, c.index = true, f.out.takeIndex()
	f.out.addCallDelta(Delta{Kind: CallHead, Index: c.index, ID: id, Name: c.name, Start: c.nameAt.Start, End: c.nameAt.End})
}
