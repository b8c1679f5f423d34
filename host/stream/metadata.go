package stream

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// choiceMetadata is what stands beside a choice's delta: log-probabilities, and members
// that the host does not know. It leaves once, with the last output of the input
// that brought it, or with the choice's next.
type choiceMetadata struct {
	logprobs logprobs
	extra    []openai.Member
	owned    int // members of extra that are copies
}

func (s *choiceMetadata) collect(in *openai.Choice) {
	s.logprobs.collect(in.Logprobs)
	for _, m := range in.Extra {
		if !jsonx.IsNull(m.Value) {
			s.extra = append(s.extra, m)
		}
	}
}

func (s *choiceMetadata) pending() bool { return s.logprobs.raw != nil || len(s.extra) > 0 }

func (s *choiceMetadata) attachTo(out *openai.Choice) {
	out.Logprobs, out.Extra = s.logprobs.raw, s.extra
	*s = choiceMetadata{}
}

// ownMemory makes what waits its own: the input's memory is the engine's.
func (s *choiceMetadata) ownMemory() {
	s.logprobs.ownMemory()
	for ; s.owned < len(s.extra); s.owned++ {
		s.extra[s.owned].Value = bytes.Clone(s.extra[s.owned].Value)
	}
}
