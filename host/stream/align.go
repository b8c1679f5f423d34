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
	units  []tokenUnit   // not settled yet
	marks  []outputMark  // by their start
	tokens tokenIndex    // tokens so far
	text   abi.RawOffset // raw text so far, in bytes
	given  tokenIndex    // tokens that are settled
	high   abi.RawOffset // where the raw text of the outputs so far ends
	all    []alignedSegment
	keep   bool // all is wanted
}

// tokenIndex counts the tokens of a choice, from 0.
type tokenIndex int

// tokenUnit is tokens whose texts can't be told apart.
type tokenUnit struct {
	tokens     int
	start, end abi.RawOffset
	made       alignedPart // what the engine itself made of them
}

// outputMark is raw text that became a part.
type outputMark struct {
	start, end abi.RawOffset
	part       alignedPart
}

// alignedPart is what text becomes.
type alignedPart struct {
	kind framing.Kind // 0: structure
	call int
}

// alignedSegment is a run of tokens of one part: from one index to before the other.
type alignedSegment struct {
	from, to tokenIndex
	part     alignedPart
	shared   bool
}

// observeTokens takes the tokens and the text of a chunk. lengths are the lengths of the
// tokens' texts, where they are known.
func (a *aligner) observeTokens(tokens int, text string, lengths []int) {
	if !a.on {
		return
	}
	a.tokens += tokenIndex(tokens)
	if len(lengths) == tokens && sumLengths(lengths) == len(text) {
		for _, n := range lengths {
			a.addUnit(1, n)
		}
		return
	}
	a.addUnit(tokens, len(text))
}

func (a *aligner) addUnit(tokens, length int) {
	start := a.text
	a.text += abi.RawOffset(length)
	if tokens == 0 { // text that came behind its tokens
		if n := len(a.units); n > 0 && length > 0 {
			a.units[n-1].end = a.text
		}
		return
	}
	a.units = append(a.units, tokenUnit{tokens: tokens, start: start, end: a.text})
}

func sumLengths(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// addPart says what the engine itself made of a chunk's tokens, where the chunk has
// no text to be read.
func (a *aligner) addPart(p alignedPart) {
	if n := len(a.units) - 1; n >= 0 && a.units[n].start == a.units[n].end {
		a.units[n].made = p
	}
}

// addDelta says what raw text became.
func (a *aligner) addDelta(d *framing.Delta) {
	if !a.on || d.Start >= d.End {
		return
	}
	m := outputMark{d.Start, d.End, alignedPart{kind: d.Kind}}
	switch d.Kind {
	case framing.CallHead, framing.CallArgs:
		m.part = alignedPart{framing.CallHead, d.Index}
	case framing.CallEnd, framing.CallCut:
		return
	}
	at := len(a.marks)
	for at > 0 && a.marks[at-1].start > m.start {
		at--
	}
	a.marks = slices.Insert(a.marks, at, m)
}

// settleUpTo gives the segments of the tokens whose text lies before end.
func (a *aligner) settleUpTo(end abi.RawOffset) []alignedSegment {
	a.high = max(a.high, end)
	n := 0
	for n < len(a.units) && a.units[n].settled(a.high) {
		n++
	}
	return a.takeUnits(n)
}

// settled says whether a unit's part is decided: the output that decides it ends
// at or before high.
func (u *tokenUnit) settled(high abi.RawOffset) bool {
	if u.start == u.end && u.made.kind == 0 {
		return u.end < high
	}
	return u.end <= high
}

// settleAll gives the segments of all tokens that are left.
func (a *aligner) settleAll() []alignedSegment { return a.takeUnits(len(a.units)) }

func (a *aligner) takeUnits(n int) []alignedSegment {
	var list []alignedSegment
	for _, u := range a.units[:n] {
		s := a.segmentOf(u)
		s.from, s.to = a.given, a.given+tokenIndex(u.tokens)
		a.given = s.to
		list = joinSegment(list, s)
	}
	a.units = append(a.units[:0], a.units[n:]...)
	if n > 0 {
		a.dropSettledMarks()
	}
	if a.keep {
		for _, s := range list {
			a.all = joinSegment(a.all, s)
		}
	}
	return list
}

// segmentOf finds what a unit became. Tokens without text of their own, as parts of a
// character are, go with the text that follows.
func (a *aligner) segmentOf(u tokenUnit) (s alignedSegment) {
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

// dropSettledMarks drops the marks that end before the first unit that is left.
func (a *aligner) dropSettledMarks() {
	from := a.text
	if len(a.units) > 0 {
		from = a.units[0].start
	}
	a.marks = slices.DeleteFunc(a.marks, func(m outputMark) bool { return m.end <= from })
}

// joinSegment appends a segment, or lets the last one grow.
func joinSegment(list []alignedSegment, s alignedSegment) []alignedSegment {
	if n := len(list) - 1; n >= 0 && list[n].part == s.part && list[n].shared == s.shared && list[n].to == s.from {
		list[n].to = s.to
		return list
	}
	return append(list, s)
}

// appendSegments appends segments as JSON: [{"tokens":[0,3],"kind":"reasoning"}].
func appendSegments(b []byte, list []alignedSegment) []byte {
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

func (p alignedPart) name() string {
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

// countTokenIDs is the length of a list of token ids.
func countTokenIDs(ids openai.Raw) (n int) {
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
			lengths = append(lengths, countTokenIDs(b))
			continue
		}
		s, _ := jsonx.String(jsonx.Get(entry, "token"))
		lengths = append(lengths, len(s))
	}
}
