package chunk

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Names of nvext members that have rules of their own.
const (
	FieldIDs       = "completion_token_ids"
	FieldPromptIDs = "prompt_token_ids"
	FieldTiming    = "timing"
	// FieldAlignment says which tokens each part of an answer came from.
	FieldAlignment = "token_alignment"
	// FieldStopReason is the user's stop that a choice hit. It belongs to the
	// choice's finish reason.
	FieldStopReason = "stop_reason"

	fieldEngineData     = "engine_data"
	fieldExperts        = "routed_experts"
	fieldPromptLogprobs = "prompt_logprobs"
)

// finishOnly are the members that may not leave before a finish reason.
func finishOnly(name string) bool { return name == FieldTiming || name == fieldPromptLogprobs }

// Joiner takes the metadata off the chunks that come in and puts it on the
// outputs that go out: a parser may swallow chunks, but not what rode on them.
// Every pending value leaves once. An answer without metadata costs nothing.
type Joiner struct {
	// Wants says whether the client asked for an nvext member.
	Wants func(name string) bool
	// Ignored counts the incoming values that were no use.
	Ignored int

	metrics    Metrics
	hasMetrics bool
	members    Members
	extra      []openai.Member
	logprobs   openai.Raw // prompt_logprobs
	out        []byte     // memory of the nvext texts since Reset
}

// Reset takes the memory back of what was attached so far.
func (j *Joiner) Reset() { j.out = j.out[:0] }

// Collect takes the metadata off an item. Usage is not the joiner's.
func (j *Joiner) Collect(it *Item) {
	if m := it.Metrics; m != nil {
		m.ChunkTokens += j.metrics.ChunkTokens
		j.metrics, j.hasMetrics = *m, true
		it.Metrics = nil
	}
	c := it.Data
	if c == nil {
		return
	}
	j.collectEvidence(it)
	if !jsonx.IsNull(c.PromptLogprobs) {
		j.logprobs = bytes.Clone(c.PromptLogprobs)
		j.offerMember(fieldPromptLogprobs, c.PromptLogprobs)
	}
	if c.NVExt != nil {
		j.mergeMembers(c.NVExt, it.hasStop())
	}
	for _, m := range c.Extra {
		if !jsonx.IsNull(m.Value) {
			j.addExtra(m)
		}
	}
	c.PromptLogprobs, c.NVExt, c.PromptTokenIDs, c.Extra = nil, nil, nil, nil
}

// collectEvidence makes members of what the engine says outside nvext.
func (j *Joiner) collectEvidence(it *Item) {
	c := it.Data
	ownIDs := jsonx.Get(c.NVExt, FieldIDs) != nil
	for i := range c.Choices {
		choice := &c.Choices[i]
		if !jsonx.IsNull(choice.TokenIDs) && !ownIDs {
			j.offerMember(FieldIDs, choice.TokenIDs)
		}
	}
	if !jsonx.IsNull(c.PromptTokenIDs) {
		j.offerMember(FieldPromptIDs, c.PromptTokenIDs)
	}
	if it.EngineData != nil {
		j.offerMember(fieldEngineData, it.EngineData)
		if v := jsonx.Get(it.EngineData, fieldExperts); v != nil {
			j.offerMember(fieldExperts, v)
		}
		it.EngineData = nil
	}
}

// mergeMembers merges an nvext that the engine sent itself. Where it told the stop that
// was hit, the choice has that already.
func (j *Joiner) mergeMembers(incoming openai.Raw, stopped bool) {
	if !jsonx.IsObject(incoming) {
		j.Ignored++
		return
	}
	for o := jsonx.ObjectOf(incoming); ; {
		name, value, ok := o.Next()
		if !ok {
			return
		}
		if !stopped || string(name) != FieldStopReason {
			j.offerMember(string(name), value)
		}
	}
}

// offerMember merges one member if the client asked for it.
func (j *Joiner) offerMember(name string, value openai.Raw) {
	if j.Wants(name) && !j.members.Merge(name, value) {
		j.Ignored++
	}
}

// Offer merges a member that the host makes itself.
func (j *Joiner) Offer(name string, value openai.Raw) { j.offerMember(name, value) }

// Has says whether a member is pending.
func (j *Joiner) Has(name string) bool { return j.members.index(name) >= 0 }

func (j *Joiner) addExtra(m openai.Member) {
	m.Value = bytes.Clone(m.Value)
	for i := range j.extra {
		if j.extra[i].Name == m.Name {
			j.extra[i].Value = m.Value
			return
		}
	}
	j.extra = append(j.extra, m)
}

// Attach puts what is pending on an output that has a choice. finished says
// whether a finish reason is on this output or has gone before.
func (j *Joiner) Attach(c *openai.Chunk, finished bool) {
	c.NVExt = j.drainMembers(finished)
	c.PromptLogprobs, j.logprobs = j.logprobs, nil
	c.Extra, j.extra = j.extra, nil
}

// drainMembers gives the pending nvext, nil where nothing is due. The text is valid
// until Reset.
func (j *Joiner) drainMembers(finished bool) openai.Raw {
	if j.members.Len() == 0 {
		return nil
	}
	start := len(j.out)
	out := append(j.out, '{')
	for _, m := range j.members.List() {
		if finished || !finishOnly(m.Name) {
			out = jsonx.AppendMember(out, m.Name, m.Value)
		}
	}
	j.members.dropMembers(func(name string) bool { return finished || !finishOnly(name) })
	if len(out) == start+1 {
		return nil
	}
	j.out = append(out, '}')
	return j.out[start:len(j.out):len(j.out)]
}

// DrainMetrics gives the pending metrics: the latest, with the tokens of all the
// chunks since the last drain. ok is false where there are none.
func (j *Joiner) DrainMetrics() (m Metrics, ok bool) {
	m, ok = j.metrics, j.hasMetrics
	j.metrics, j.hasMetrics = Metrics{}, false
	return m, ok
}

// Pending says whether anything that a client sees is pending.
func (j *Joiner) Pending() bool {
	return j.members.Len() > 0 || j.logprobs != nil || len(j.extra) > 0
}

// Members is an nvext object under merge, in order of first appearance.
type Members struct {
	list []openai.Member
	free [][]byte // memory of values that were dropped
}

// List gives the members.
func (l *Members) List() []openai.Member { return l.list }

// Len is the number of members.
func (l *Members) Len() int { return len(l.list) }

func (l *Members) index(name string) int {
	for i := range l.list {
		if l.list[i].Name == name {
			return i
		}
	}
	return -1
}

// Merge merges one member: token ids are appended, and so is their alignment;
// any other value is replaced whole. It copies the value. It is false where the
// value was ignored, because it has to be a list and is none.
func (l *Members) Merge(name string, value openai.Raw) bool {
	i := l.index(name)
	appends := name == FieldIDs || name == FieldAlignment
	if appends && !jsonx.IsArray(value) {
		return false
	}
	switch {
	case i < 0:
		l.list = append(l.list, openai.Member{Name: name, Value: append(l.freeRoom(), value...)})
	case appends:
		l.list[i].Value = AppendList(l.list[i].Value, value)
	default:
		l.list[i].Value = append(l.list[i].Value[:0], value...)
	}
	return true
}

// MergeObject merges all members of an object. Anything else is ignored.
func (l *Members) MergeObject(v openai.Raw) {
	for o := jsonx.ObjectOf(v); ; {
		name, value, ok := o.Next()
		if !ok {
			return
		}
		l.Merge(string(name), value)
	}
}

func (l *Members) freeRoom() []byte {
	n := len(l.free) - 1
	if n < 0 {
		return nil
	}
	b := l.free[n]
	l.free = l.free[:n]
	return b
}

// dropMembers forgets members; their memory is used again.
func (l *Members) dropMembers(which func(name string) bool) {
	kept := l.list[:0]
	for _, m := range l.list {
		if which(m.Name) {
			l.free = append(l.free, m.Value[:0])
		} else {
			kept = append(kept, m)
		}
	}
	l.list = kept
}

// AppendList appends the elements of a JSON array to a text that ends in another.
func AppendList(dst, add openai.Raw) openai.Raw {
	inner := bytes.TrimSpace(add[1 : len(add)-1])
	if len(inner) == 0 {
		return dst
	}
	dst = bytes.TrimRight(dst[:len(dst)-1], " \t\r\n")
	if dst[len(dst)-1] != '[' {
		dst = append(dst, ',')
	}
	return append(append(dst, inner...), ']')
}
