package check

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
)

// callState follows the arguments of the open call.
type callState struct {
	before  abi.RawOffset // where the text was accounted for before the call
	args    bool          // ARGS came
	keys    bool          // KEYs came
	read    bool          // reading is that of a span of ARGS, which the next has to carry too
	reading uint8         // of the ARGS, or of the value that goes on
	more    bool          // the last VALUE said that more follows
	pending bool          // a KEY waits for its value
	depth   int           // how many OPENs are not closed
	arrays  [abi.MaxNesting / 64]uint64
}

// lastCall is the number of the call that was opened last.
func (s *state) lastCall() uint16 { return uint16(s.calls - 1) }

func (c *Checker) callOpens(e *abi.Event, before abi.RawOffset) string {
	if c.open {
		return fmt.Sprintf("call %d is still open; end it with CALL_END or CALL_DROP first", c.lastCall())
	}
	if uint32(e.Call) != c.calls {
		return fmt.Sprintf("the call has the number %d; the next is %d", e.Call, c.calls)
	}
	if why := c.nameReading(e.Flags); why != "" {
		return why
	}
	c.calls++
	c.open, c.call = true, callState{before: before}
	return ""
}

// callEvent judges an event of the open call.
func (c *Checker) callEvent(e *abi.Event, literal bool) string {
	switch e.Kind {
	case abi.CallID:
		return c.nameReading(e.Flags)
	case abi.Args:
		return c.argsEvent(e, literal)
	case abi.Key:
		return c.keyEvent(e)
	case abi.Value:
		return c.valueEvent(e)
	case abi.Open:
		return c.call.openEvent(e)
	case abi.Close:
		return c.call.closeEvent()
	case abi.CallEnd:
		return c.callEnds(e)
	case abi.CallDrop:
		c.open = false
	}
	return ""
}

func (c *Checker) callEnds(e *abi.Event) string {
	if c.Strict && e.Flags&^abi.FlagUnsound != 0 {
		return undefinedFlags(e.Flags)
	}
	if e.Flags&abi.FlagUnsound == 0 {
		if c.call.depth > 0 {
			return fmt.Sprintf("%d nested values are still open", c.call.depth)
		}
		if why := c.call.incomplete(); why != "" {
			return why
		}
	}
	c.open = false
	return ""
}

// argsEvent judges a fragment. No flags are applied to a literal one, so that its
// reading need not be that of the spans.
func (c *Checker) argsEvent(e *abi.Event, literal bool) string {
	if c.call.keys {
		return "the call has KEYs already; it is either one or the other"
	}
	reading := e.Flags & abi.ReadMask
	if reading != abi.ReadSchema && reading != abi.ReadJSONBody || c.Strict && e.Flags != reading {
		return undefinedFlags(e.Flags)
	}
	if c.call.read && !literal && reading != c.call.reading {
		return fmt.Sprintf("flags %#x, but the arguments began with %#x", e.Flags, c.call.reading)
	}
	c.call.args = true
	if !c.call.read {
		c.call.reading, c.call.read = reading, !literal
	}
	return ""
}

func (c *Checker) keyEvent(e *abi.Event) string {
	if c.call.args {
		return "the call has ARGS already; it is either one or the other"
	}
	if c.call.inArray() {
		return "it stands in an array"
	}
	if why := c.call.incomplete(); why != "" {
		return why
	}
	c.call.keys, c.call.pending = true, true
	return c.nameReading(e.Flags)
}

func (c *Checker) valueEvent(e *abi.Event) string {
	reading := e.Flags & (abi.ReadMask | abi.FlagTrim)
	if reading&abi.ReadMask > abi.ReadJSONOrText || c.Strict && e.Flags&^(abi.ReadMask|abi.FlagMore|abi.FlagTrim) != 0 {
		return undefinedFlags(e.Flags)
	}
	switch {
	case c.call.more:
		if reading != c.call.reading {
			return fmt.Sprintf("flags %#x, but the value began with %#x", reading, c.call.reading)
		}
	case !c.call.pending && !c.call.inArray():
		return "a value stands without a KEY"
	}
	c.call.reading, c.call.more, c.call.pending = reading, e.Flags&abi.FlagMore != 0, false
	return ""
}

// nameReading judges the flags of a name, an id or a key.
func (c *Checker) nameReading(flags uint8) string {
	reading := flags & abi.ReadMask
	switch reading {
	case abi.ReadSchema, abi.ReadJSONBody, abi.ReadPythonBody, abi.ReadEntities, abi.ReadQuotAmp:
		if flags == reading || !c.Strict {
			return ""
		}
	}
	return undefinedFlags(flags)
}

func (s *callState) openEvent(e *abi.Event) string {
	switch {
	case e.Flags != abi.FlagObject && e.Flags != abi.FlagArray:
		return fmt.Sprintf("flags %d; 1 is an object, 2 an array", e.Flags)
	case s.more:
		return "the value before it is not complete"
	case !s.pending && !s.inArray():
		return "a value stands without a KEY"
	case s.depth == abi.MaxNesting:
		return fmt.Sprintf("%d values are open already", abi.MaxNesting)
	}
	word, bit := s.depth/64, uint64(1)<<(s.depth%64)
	s.arrays[word] &^= bit
	if e.Flags == abi.FlagArray {
		s.arrays[word] |= bit
	}
	s.depth++
	s.pending = false
	return ""
}

func (s *callState) closeEvent() string {
	if s.depth == 0 {
		return "nothing is open"
	}
	if why := s.incomplete(); why != "" {
		return why
	}
	s.depth--
	return ""
}

// incomplete says that a value is missing or cut.
func (s *callState) incomplete() string {
	if s.more {
		return "the last value said that more follows"
	}
	if s.pending {
		return "the last KEY has no value"
	}
	return ""
}

// inArray says whether the innermost OPEN that is not closed is an array.
func (s *callState) inArray() bool {
	level := s.depth - 1
	return level >= 0 && s.arrays[level/64]&(1<<(level%64)) != 0
}
