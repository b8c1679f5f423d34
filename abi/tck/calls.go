package tck

import (
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
)

// callEvent takes an event that belongs to a call.
func (l *ledger) callEvent(e abi.Event, p part) error {
	if e.Kind == abi.Call {
		if l.open != nil {
			return fmt.Errorf("call %d is still open; end it with CALL_END or CALL_DROP first", l.calls-1)
		}
		if int(e.Call) != l.calls {
			return fmt.Errorf("the call has the number %d; the next is %d", e.Call, l.calls)
		}
		l.open = &callState{}
		l.calls++
	}
	if l.open == nil || int(e.Call) != l.calls-1 {
		return fmt.Errorf("call %d is not open", e.Call)
	}
	if err := l.open.event(e); err != nil {
		return err
	}
	it := item{kind: e.Kind, flags: e.Flags, call: e.Call}
	if hasSpan(e) || p.own != "" {
		it.parts = []part{p}
	}
	switch e.Kind {
	case abi.Value:
		it.more = e.Flags&abi.FlagMore != 0
		it.flags &^= abi.FlagMore
	case abi.CallEnd, abi.CallDrop:
		l.open = nil
	}
	l.add(it)
	return nil
}

// event checks one event of the open call against the ones before it.
func (c *callState) event(e abi.Event) error {
	switch e.Kind {
	case abi.Call, abi.CallID:
		return bodyReading(e.Flags, abi.ReadPythonBody, abi.ReadEntities, abi.ReadQuotAmp)
	case abi.Args:
		return c.takeArgs(e.Flags)
	case abi.Key:
		return c.key(e)
	case abi.Value:
		return c.takeValue(e.Flags)
	case abi.Open:
		if e.Flags != abi.FlagObject && e.Flags != abi.FlagArray {
			return fmt.Errorf("flags %d; 1 is an object, 2 an array", e.Flags)
		}
		if err := c.beginValue(); err != nil {
			return err
		}
		if len(c.nest) == abi.MaxNesting {
			return fmt.Errorf("%d values are open already", abi.MaxNesting)
		}
		c.nest = append(c.nest, e.Flags)
	case abi.Close:
		if len(c.nest) == 0 {
			return errors.New("nothing is open")
		}
		if err := c.complete(); err != nil {
			return err
		}
		c.nest = c.nest[:len(c.nest)-1]
	case abi.CallEnd:
		return c.callEnd(e.Flags)
	}
	return nil
}

func (c *callState) takeArgs(flags uint8) error {
	switch {
	case c.keys:
		return errors.New("the call has KEYs already; it is either one or the other")
	case c.args != nil && *c.args != flags:
		return fmt.Errorf("flags %#x, but the arguments began with %#x", flags, *c.args)
	}
	c.args = &flags
	return bodyReading(flags)
}

func (c *callState) callEnd(flags uint8) error {
	switch {
	case flags&^abi.FlagUnsound != 0:
		return fmt.Errorf("flags %#x are not defined for it", flags)
	case flags&abi.FlagUnsound != 0:
		return nil
	case len(c.nest) > 0:
		return fmt.Errorf("%d nested values are still open", len(c.nest))
	}
	return c.complete()
}

func (c *callState) key(e abi.Event) error {
	switch {
	case c.args != nil:
		return errors.New("the call has ARGS already; it is either one or the other")
	case len(c.nest) > 0 && c.nest[len(c.nest)-1] == abi.FlagArray:
		return errors.New("it stands in an array")
	}
	if err := c.complete(); err != nil {
		return err
	}
	c.keys, c.wanted = true, true
	return bodyReading(e.Flags, abi.ReadPythonBody, abi.ReadEntities, abi.ReadQuotAmp)
}

func (c *callState) takeValue(flags uint8) error {
	if flags&abi.ReadMask > abi.ReadJSONOrText || flags&^(abi.ReadMask|abi.FlagMore|abi.FlagTrim) != 0 {
		return fmt.Errorf("flags %#x are not defined for it", flags)
	}
	if c.value == nil {
		if err := c.beginValue(); err != nil {
			return err
		}
	} else if *c.value != flags&^abi.FlagMore {
		return fmt.Errorf("flags %#x, but the value began with %#x", flags&^abi.FlagMore, *c.value)
	}
	c.value = nil
	if flags&abi.FlagMore != 0 {
		begun := flags &^ abi.FlagMore
		c.value = &begun
	}
	return nil
}

// beginValue asks that a value may stand here.
func (c *callState) beginValue() error {
	if c.value != nil {
		return errors.New("the value before it is not complete")
	}
	if !c.wanted && (len(c.nest) == 0 || c.nest[len(c.nest)-1] == abi.FlagObject) {
		return errors.New("a value stands without a KEY")
	}
	c.wanted = false
	return nil
}

// complete asks that no value is missing or cut.
func (c *callState) complete() error {
	if c.value != nil {
		return errors.New("the last value said that more follows")
	}
	if c.wanted {
		return errors.New("the last KEY has no value")
	}
	return nil
}

func bodyReading(flags uint8, more ...uint8) error {
	if flags == 0 || flags == abi.ReadJSONBody {
		return nil
	}
	for _, m := range more {
		if flags == m {
			return nil
		}
	}
	return fmt.Errorf("flags %#x are not defined for it", flags)
}
