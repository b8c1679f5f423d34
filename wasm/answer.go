package wasm

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
)

// decodeAnswer reads the answer of the last call into the session's own slices, and
// copies what LITERAL events point at.
func (s *Session) decodeAnswer(i *instance) error {
	s.events, s.literals = s.events[:0], s.literals[:0]
	region, err := i.answerRegion()
	if err != nil || len(region) == 0 {
		return err
	}
	if len(region)%abi.EventSize != 0 {
		return fmt.Errorf("the answer has %d bytes, not a multiple of %d", len(region), abi.EventSize)
	}
	limits := &s.module.limits
	if err := exceeds("Events", len(region)/abi.EventSize, limits.Events); err != nil {
		return err
	}
	for ; len(region) > 0; region = region[abi.EventSize:] {
		event := abi.DecodeEvent(region)
		if event.Kind == abi.Literal {
			b, ok := i.memoryAt(event.Start, event.Len)
			if !ok {
				return fmt.Errorf("event %d: a literal, %d bytes at %d, is not within the memory of %d bytes",
					len(s.events), event.Len, event.Start, i.memory.size())
			}
			if err := exceeds("LiteralBytes", len(s.literals)+len(b), limits.LiteralBytes); err != nil {
				return err
			}
			event.Start = uint32(len(s.literals))
			s.literals = append(s.literals, b...)
		}
		s.events = append(s.events, event)
	}
	return nil
}
