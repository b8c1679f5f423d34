package check

import "github.com/turnkey-parsers/turnkey/abi"

// Accounted is the offset up to which the text is accounted for.
func (c *Checker) Accounted() abi.RawOffset { return c.end }

// ProseEnd is the offset at which the last span of TEXT or REASONING ended.
func (c *Checker) ProseEnd() abi.RawOffset { return c.prose }

// Fatal says that a fatal ERROR came.
func (c *Checker) Fatal() bool { return c.fatal }

// OpenCall gives the number of the open call, and the offset up to which the text
// was accounted for before it.
func (c *Checker) OpenCall() (call uint16, before abi.RawOffset, open bool) {
	return c.lastCall(), c.call.before, c.open
}

// ServeWatch takes the text up to end as the span that a WATCH stands for, of
// TEXT, REASONING, ARGS or VALUE, and gives the flags and the call of its event.
func (c *Checker) ServeWatch(kind abi.Kind, end abi.RawOffset) (flags uint8, call uint16) {
	c.end = end
	switch kind {
	case abi.Args:
		return c.call.reading, c.lastCall()
	case abi.Value:
		return c.call.reading | abi.FlagMore, c.lastCall()
	}
	c.prose = end
	return 0, 0
}

// DropCall gives the open call up, as a host does after a fault.
func (c *Checker) DropCall() { c.open = false }

// TakeAsText takes all text up to end as said, as a host does that makes text of
// it after a fault.
func (c *Checker) TakeAsText(end abi.RawOffset) { c.end, c.prose = end, end }
