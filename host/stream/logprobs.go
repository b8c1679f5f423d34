package stream

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// logprobs are the logprobs objects of several chunks, their lists put together.
type logprobs struct {
	raw   openai.Raw
	owned bool // raw is a copy
	// list is the name of the only member that is no null; "" where there are
	// more. raw then ends with its list.
	list string
}

// collect adds a chunk's logprobs. The memory is the engine's, until own is called.
func (l *logprobs) collect(in openai.Raw) {
	switch {
	case jsonx.IsNull(in):
	case l.raw == nil:
		l.raw, l.list = in, onlyList(in)
	default:
		l.ownMemory()
		l.mergeLists(in)
	}
}

// ownMemory makes what was added a copy.
func (l *logprobs) ownMemory() {
	if l.raw == nil || l.owned {
		return
	}
	l.owned = true
	if l.list == "" {
		l.raw = bytes.Clone(l.raw)
		return
	}
	l.raw = jsonx.AppendMember([]byte{'{'}, l.list, jsonx.Get(l.raw, l.list))
	l.raw = append(l.raw, '}')
}

func (l *logprobs) mergeLists(in openai.Raw) {
	if l.list != "" && onlyList(in) == l.list { // the usual case: in place
		end := len(l.raw) - 1
		l.raw = append(chunk.AppendList(l.raw[:end], jsonx.Get(in, l.list)), '}')
		return
	}
	members := jsonx.Members(l.raw)
	for _, m := range jsonx.Members(in) {
		members = joinMember(members, m)
	}
	l.raw, l.list = jsonx.AppendMembers(nil, members), ""
}

// joinMember adds a member: lists of one name become one.
func joinMember(members []openai.Member, m openai.Member) []openai.Member {
	for i := range members {
		old := &members[i]
		switch {
		case old.Name != m.Name:
			continue
		case jsonx.IsArray(old.Value) && jsonx.IsArray(m.Value):
			old.Value = chunk.AppendList(bytes.Clone(old.Value), m.Value)
		case !jsonx.IsNull(m.Value):
			old.Value = m.Value
		}
		return members
	}
	return append(members, m)
}

// onlyList is the name of an object's only member that is no null, if that is a
// list; else "".
func onlyList(v openai.Raw) (name string) {
	for o := jsonx.ObjectOf(v); ; {
		n, value, ok := o.Next()
		switch {
		case !ok:
			return name
		case jsonx.IsNull(value):
		case name != "" || !jsonx.IsArray(value):
			return ""
		default:
			name = string(n)
		}
	}
}
