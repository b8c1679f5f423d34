package parse

import (
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// maxDepth is the deepest nesting of OPENs in a call.
const maxDepth = 256

// checker is what must be known of a session's past to judge its next answer. It
// is copied before an answer is checked, and kept only if the answer is
// well-formed.
type checker struct {
	end   uint32 // the last event's end
	prose uint32 // where the last span of text or reasoning ended
	calls uint32 // calls opened so far

	open    bool
	before  uint32 // end before the open call
	args    bool   // the open call has ARGS
	keys    bool   // the open call has KEYs
	how     uint8  // reading of the ARGS or of the value that goes on
	more    bool   // the last VALUE said that more follows
	pending bool   // a KEY waits for its value
	depth   int
	arrays  [maxDepth / 64]uint64 // which of the open levels are arrays

	literal abi.Event // a LITERAL that waits for its event
	loaded  bool
}

// call is the number of the last call.
func (c *checker) call() uint16 { return uint16(c.calls - 1) }

// bounds is what an answer is checked against.
type bounds struct {
	text        *text
	from        uint32 // end of the answer before: spans start here
	pushed      uint32 // and end here, where what was pushed ends
	literals    []byte
	synthesises bool
	opening     bool // it is the answer that opens the session
}

// check judges one event and says what is wrong with it, or "".
func (c *checker) check(e *abi.Event, b *bounds) string {
	if e.End < c.end {
		return "its end goes down"
	}
	if e.End > b.pushed {
		return "its end is beyond the input"
	}
	if !b.text.boundary(e.End) {
		return "its end is inside a character"
	}
	if e.Kind > abi.Note {
		if e.Flags&abi.SkipUnknown == 0 {
			return "unknown kind"
		}
		c.end = e.End
		return ""
	}
	if c.loaded {
		if !takesLiteral(e.Kind) {
			return "a LITERAL came before it"
		}
		if !b.synthesises && e.Kind != abi.Error && e.Kind != abi.Note {
			return "a LITERAL came before it, and the manifest does not say synthesises"
		}
	}
	before := c.end
	c.end = e.End
	why := c.apply(e, b, before)
	if e.Kind != abi.Literal {
		c.loaded = false
	}
	return why
}

func takesLiteral(k abi.Kind) bool {
	switch k {
	case abi.Args, abi.Key, abi.Value, abi.Call, abi.CallID, abi.Error, abi.Note:
		return true
	}
	return false
}

func (c *checker) apply(e *abi.Event, b *bounds, before uint32) string {
	switch e.Kind {
	case abi.Text, abi.Reasoning:
		return c.said(e, b)
	case abi.Call:
		return c.callOpens(e, b, before)
	case abi.CallID, abi.Args, abi.Open, abi.Key, abi.Value, abi.Close, abi.CallEnd, abi.CallDrop:
		if !c.open || e.Call != c.call() {
			return "its call is not open"
		}
		return c.inCall(e, b)
	case abi.State:
		if !b.opening {
			return "the session is open already"
		}
		if e.Flags > uint8(abi.ChannelResponse) {
			return "unknown channel"
		}
	case abi.Watch:
		return c.watch(e, b)
	case abi.Literal:
		return c.literalComes(e, b)
	}
	return ""
}

func (c *checker) said(e *abi.Event, b *bounds) string {
	if why := c.span(e, b); why != "" {
		return why
	}
	if e.Len == 0 {
		return ""
	}
	if e.Start < c.prose {
		return "its span was said already"
	}
	if e.Start+e.Len > e.End {
		return "its span is not accounted for"
	}
	c.prose = e.Start + e.Len
	return ""
}

func (c *checker) callOpens(e *abi.Event, b *bounds, before uint32) string {
	if c.open {
		return "another call is open"
	}
	if uint32(e.Call) != c.calls {
		return "its call has not the next number"
	}
	if !readsName(e.Flags) {
		return "its reading is not for names"
	}
	if why := c.span(e, b); why != "" {
		return why
	}
	c.calls++
	c.open, c.before = true, before
	c.args, c.keys, c.more, c.pending, c.depth = false, false, false, false, 0
	return ""
}

func (c *checker) inCall(e *abi.Event, b *bounds) string {
	switch e.Kind {
	case abi.CallID:
		if !readsName(e.Flags) {
			return "its reading is not for ids"
		}
		return c.span(e, b)
	case abi.Args:
		return c.argsComes(e, b)
	case abi.Key:
		return c.keyComes(e, b)
	case abi.Value:
		return c.valueComes(e, b)
	case abi.Open:
		return c.levelOpens(e)
	case abi.Close:
		if c.depth == 0 || c.more || c.pending {
			return "nothing to close here"
		}
		c.depth--
	case abi.CallEnd:
		if e.Flags&abi.FlagUnsound == 0 && (c.depth > 0 || c.more || c.pending) {
			return "its arguments are incomplete"
		}
		c.open = false
		if e.Flags&abi.FlagUnsound != 0 {
			return c.span(e, b)
		}
	case abi.CallDrop:
		c.open = false
	}
	return ""
}

func (c *checker) argsComes(e *abi.Event, b *bounds) string {
	if c.keys || c.depth > 0 {
		return "KEY and ARGS in one call"
	}
	how := e.Flags & abi.ReadMask
	if how != abi.ReadSchema && how != abi.ReadJSONBody {
		return "its reading is not for arguments"
	}
	if !c.loaded {
		if c.args && how != c.how {
			return "its reading is not that of the part before"
		}
		c.args, c.how = true, how
	}
	return c.span(e, b)
}

func (c *checker) keyComes(e *abi.Event, b *bounds) string {
	if c.args {
		return "KEY and ARGS in one call"
	}
	if c.more || c.pending || c.inArray() {
		return "no member can begin here"
	}
	if !readsName(e.Flags) {
		return "its reading is not for keys"
	}
	c.keys, c.pending = true, true
	return c.span(e, b)
}

func (c *checker) valueComes(e *abi.Event, b *bounds) string {
	if !c.more && !c.pending && !c.inArray() {
		return "no value can begin here"
	}
	how := e.Flags & (abi.ReadMask | abi.FlagTrim)
	if how&abi.ReadMask > abi.ReadJSONOrText {
		return "unknown reading"
	}
	if c.more && how != c.how {
		return "its reading is not that of the part before"
	}
	c.how, c.more, c.pending = how, e.Flags&abi.FlagMore != 0, false
	return c.span(e, b)
}

func (c *checker) levelOpens(e *abi.Event) string {
	if c.args {
		return "OPEN and ARGS in one call"
	}
	if c.more || (!c.pending && !c.inArray()) {
		return "no value can begin here"
	}
	if c.depth == maxDepth {
		return "nested too deeply"
	}
	word, bit := c.depth/64, uint64(1)<<(c.depth%64)
	switch e.Flags {
	case abi.FlagObject:
		c.arrays[word] &^= bit
	case abi.FlagArray:
		c.arrays[word] |= bit
	default:
		return "neither object nor array"
	}
	c.depth++
	c.pending = false
	return ""
}

func (c *checker) inArray() bool {
	d := c.depth - 1
	return d >= 0 && c.arrays[d/64]&(1<<(d%64)) != 0
}

// span judges where an event points. An empty span may stand anywhere.
func (c *checker) span(e *abi.Event, b *bounds) string {
	if c.loaded || e.Len == 0 {
		return ""
	}
	if e.Start < b.from || e.Start > b.pushed || e.Len > b.pushed-e.Start {
		return "its span is out of range"
	}
	if !b.text.boundary(e.Start) || !b.text.boundary(e.Start+e.Len) {
		return "its span cuts a character"
	}
	return ""
}

func (c *checker) watch(e *abi.Event, b *bounds) string {
	switch e.Flags {
	case 0:
		return ""
	case abi.FlagHold:
		return ""
	case uint8(abi.Text), uint8(abi.Reasoning):
	case uint8(abi.Args):
		if !c.open || !c.args || e.Call != c.call() {
			return "no arguments go on"
		}
	case uint8(abi.Value):
		if !c.open || !c.more || e.Call != c.call() {
			return "no value goes on"
		}
	default:
		return "unknown channel"
	}
	if e.End != b.pushed {
		return "it holds bytes back"
	}
	return ""
}

func (c *checker) literalComes(e *abi.Event, b *bounds) string {
	if c.loaded {
		return "two in a row"
	}
	if e.Start > uint32(len(b.literals)) || e.Len > uint32(len(b.literals))-e.Start {
		return "its bytes are out of range"
	}
	if !utf8.Valid(b.literals[e.Start : e.Start+e.Len]) {
		return "its bytes are no UTF-8"
	}
	c.literal, c.loaded = *e, true
	return ""
}

// readsName says whether a name, an id or a key may be read so.
func readsName(flags uint8) bool {
	switch flags & abi.ReadMask {
	case abi.ReadSchema, abi.ReadJSONBody, abi.ReadPythonBody, abi.ReadEntities, abi.ReadQuotAmp:
		return true
	}
	return false
}
