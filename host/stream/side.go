package stream

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// side is what stands beside a choice's delta: log-probabilities, and members
// that the host does not know. It leaves once, with the last output of the input
// that brought it, or with the choice's next.
type side struct {
	logprobs logprobs
	extra    []openai.Member
	kept     int // members of extra that are copies
}

func (s *side) take(in *openai.Choice) {
	s.logprobs.add(in.Logprobs)
	for _, m := range in.Extra {
		if !jsonx.IsNull(m.Value) {
			s.extra = append(s.extra, m)
		}
	}
}

func (s *side) pending() bool { return s.logprobs.raw != nil || len(s.extra) > 0 }

func (s *side) attach(out *openai.Choice) {
	out.Logprobs, out.Extra = s.logprobs.raw, s.extra
	*s = side{}
}

// keep makes what waits its own: the input's memory is the engine's.
func (s *side) keep() {
	s.logprobs.own()
	for ; s.kept < len(s.extra); s.kept++ {
		s.extra[s.kept].Value = bytes.Clone(s.extra[s.kept].Value)
	}
}
