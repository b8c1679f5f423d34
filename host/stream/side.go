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
	logprobs openai.Raw
	extra    []openai.Member
	owned    bool // logprobs is a copy
}

func (s *side) take(in *openai.Choice) {
	if !jsonx.IsNull(in.Logprobs) {
		if s.logprobs == nil {
			s.logprobs, s.owned = in.Logprobs, false
		} else {
			s.logprobs, s.owned = mergeLogprobs(s.logprobs, in.Logprobs), true
		}
	}
	for _, m := range in.Extra {
		if !jsonx.IsNull(m.Value) {
			s.extra = append(s.extra, m)
		}
	}
}

func (s *side) pending() bool { return s.logprobs != nil || len(s.extra) > 0 }

func (s *side) attach(out *openai.Choice) {
	out.Logprobs, out.Extra = s.logprobs, s.extra
	*s = side{}
}

// keep makes what waits its own: the input's memory is the engine's.
func (s *side) keep() {
	if s.logprobs != nil && !s.owned {
		s.logprobs, s.owned = bytes.Clone(s.logprobs), true
	}
	for i := range s.extra {
		s.extra[i].Value = bytes.Clone(s.extra[i].Value)
	}
}

// mergeLogprobs joins the lists of two logprobs objects, member by member.
func mergeLogprobs(a, b openai.Raw) openai.Raw {
	members := jsonx.Members(a)
	for _, m := range jsonx.Members(b) {
		members = joinList(members, m)
	}
	return jsonx.AppendMembers(nil, members)
}

func joinList(members []openai.Member, m openai.Member) []openai.Member {
	for i := range members {
		old := &members[i]
		switch {
		case old.Name != m.Name:
			continue
		case jsonx.IsArray(old.Value) && jsonx.IsArray(m.Value):
			old.Value = joinArrays(old.Value, m.Value)
		case !jsonx.IsNull(m.Value):
			old.Value = m.Value
		}
		return members
	}
	return append(members, m)
}

func joinArrays(a, b openai.Raw) openai.Raw {
	out := append(openai.Raw(nil), '[')
	for _, list := range []openai.Raw{a, b} {
		for it := jsonx.ArrayOf(list); ; {
			v, ok := it.Next()
			if !ok {
				break
			}
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, v...)
		}
	}
	return append(out, ']')
}
