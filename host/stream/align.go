package stream

import (
	"slices"
	"strconv"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// aligner tells which tokens of a choice became what: reasoning, content, a call,
// or nothing, as structure does. It knows the raw text that each chunk of the
// engine brought with its tokens, and the raw text that each output came from.
// Its segments tile the tokens in order.
//
// Where a chunk brings several tokens and does not tell their texts apart, they
// stay together: they go with the first part that any of their text became, and
// are marked as shared if it became another as well.
type aligner struct {
	on     bool
	units  []unit        // not settled yet
	marks  []mark        // by their start
	tokens int           // tokens so far
	text   abi.RawOffset // raw text so far, in bytes
	given  int           // tokens that are settled
	high   abi.RawOffset // where the raw text of the outputs so far ends
	all    []segment
	keep   bool // all is wanted
}

// unit is tokens whose texts can't be told apart.
type unit struct {
	tokens     int
	start, end abi.RawOffset
	made       part // what the engine itself made of them
}

// mark is raw text that became a part.
type mark struct {
	start, end abi.RawOffset
	part       part
}

// part is what text becomes.
type part struct {
	kind framing.Kind // 0: structure
	call int
}

// segment is a run of tokens of one part: from one index to before the other.
type segment struct {
	from, to int
	part     part
	shared   bool
}

// input takes the tokens and the text of a chunk. lengths are the lengths of the
// tokens' texts, where they are known.
func (a *aligner) input(tokens int, text string, lengths []int) {
	if !a.on {
		return
	}
	a.tokens += tokens
	if len(lengths) == tokens && sum(lengths) == len(text) {
		for _, n := range lengths {
			a.unit(1, n)
		}
		return
	}
	a.unit(tokens, len(text))
}

func (a *aligner) unit(tokens, length int) {
	start := a.text
	a.text += abi.RawOffset(length)
	if tokens == 0 { // text that came behind its tokens
		if n := len(a.units); n > 0 && length > 0 {
			a.units[n-1].end = a.text
		}
		return
	}
	a.units = append(a.units, unit{tokens: tokens, start: start, end: a.text})
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// made says what the engine itself made of a chunk's tokens, where the chunk has
// no text to be read.
func (a *aligner) made(p part) {
	if n := len(a.units) - 1; n >= 0 && a.units[n].start == a.units[n].end {
		a.units[n].made = p
	}
}

// output says what raw text became.
func (a *aligner) output(d *framing.Delta) {
	if !a.on || d.Start >= d.End {
		return
	}
	m := mark{d.Start, d.End, part{kind: d.Kind}}
	switch d.Kind {
	case framing.CallHead, framing.CallArgs:
		m.part = part{framing.CallHead, d.Index}
	case framing.CallEnd, framing.CallCut:
		return
	}
	at := len(a.marks)
	for at > 0 && a.marks[at-1].start > m.start {
		at--
	}
	a.marks = slices.Insert(a.marks, at, m)
}

// settle gives the segments of the tokens whose text lies before end.
func (a *aligner) settle(end abi.RawOffset) []segment {
	a.high = max(a.high, end)
	n := 0
	for n < len(a.units) && a.units[n].settled(a.high) {
		n++
	}
	return a.take(n)
}

// settled says whether all that decides about a unit lies before high.
func (u *unit) settled(high abi.RawOffset) bool {
	if u.start == u.end && u.made.kind == 0 {
		return u.end < high
	}
	return u.end <= high
}

// rest gives the segments of all tokens that are left.
func (a *aligner) rest() []segment { return a.take(len(a.units)) }

func (a *aligner) take(n int) []segment {
	var list []segment
	for _, u := range a.units[:n] {
		s := a.judge(u)
		s.from, s.to = a.given, a.given+u.tokens
		a.given = s.to
		list = join(list, s)
	}
	a.units = append(a.units[:0], a.units[n:]...)
	if n > 0 {
		a.forget()
	}
	if a.keep {
		for _, s := range list {
			a.all = join(a.all, s)
		}
	}
	return list
}

// judge finds what a unit became. Tokens without text of their own, as parts of a
// character are, go with the text that follows.
func (a *aligner) judge(u unit) (s segment) {
	if u.made.kind != 0 {
		s.part = u.made
		return s
	}
	end := max(u.end, u.start+1)
	for _, m := range a.marks {
		if m.start >= end {
			break
		}
		if m.end <= u.start {
			continue
		}
		switch {
		case s.part.kind == 0:
			s.part = m.part
		case s.part != m.part:
			s.shared = true
		}
	}
	return s
}

// forget drops the marks that no unit to come can meet.
func (a *aligner) forget() {
	from := a.text
	if len(a.units) > 0 {
		from = a.units[0].start
	}
	a.marks = slices.DeleteFunc(a.marks, func(m mark) bool { return m.end <= from })
}

// join appends a segment, or lets the last one grow.
func join(list []segment, s segment) []segment {
	if n := len(list) - 1; n >= 0 && list[n].part == s.part && list[n].shared == s.shared && list[n].to == s.from {
		list[n].to = s.to
		return list
	}
	return append(list, s)
}

// appendSegments appends segments as JSON: [{"tokens":[0,3],"kind":"reasoning"}].
func appendSegments(b []byte, list []segment) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"tokens":[`...)
		b = append(strconv.AppendInt(b, int64(s.from), 10), ',')
		b = append(strconv.AppendInt(b, int64(s.to), 10), `],"kind":"`...)
		b = append(append(b, s.part.name()...), '"')
		if s.part.kind == framing.CallHead {
			b = strconv.AppendInt(append(b, `,"index":`...), int64(s.part.call), 10)
		}
		if s.shared {
			b = append(b, `,"shared":true`...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

func (p part) name() string {
	switch p.kind {
	case framing.Reasoning:
		return "reasoning"
	case framing.Content:
		return "content"
	case framing.CallHead:
		return "tool_call"
	}
	return "structure"
}

// count is the length of a list of token ids.
func count(ids openai.Raw) (n int) {
	for a := jsonx.ArrayOf(ids); ; n++ {
		if _, ok := a.Next(); !ok {
			return n
		}
	}
}

// textLengths are the lengths of the tokens' texts in bytes, by their
// log-probabilities; nil where there are none.
func textLengths(logprobs openai.Raw) (lengths []int) {
	for a := jsonx.ArrayOf(jsonx.Get(logprobs, "content")); ; {
		entry, ok := a.Next()
		if !ok {
			return lengths
		}
		if b := jsonx.Get(entry, "bytes"); jsonx.IsArray(b) {
			lengths = append(lengths, count(b))
			continue
		}
		s, _ := jsonx.String(jsonx.Get(entry, "token"))
		lengths = append(lengths, len(s))
	}
}
