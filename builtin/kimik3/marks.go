package kimik3

import "github.com/turnkey-parsers/turnkey/sdk/scan"

const (
	open      = "<|open|>"
	closer    = "<|close|>"
	separator = "<|sep|>"
	endOfTurn = "<|end_of_msg|>"
)

// mark is what a marker means.
type mark uint8

const (
	openThink mark = iota
	closeThink
	openResponse
	closeResponse
	openTools
	closeTools
	closeCall
	closeArgument
	closeJSON
	closeMessage
	endMark // the token that ends the turn

	// Heads: what follows tells more.
	headCall
	headArgument
	headJSON
	headMessage
	headThink // a thought's closer without its separator
	bare      // an opener or closer of nothing known
)

// words are what the marks from openThink to closeMessage say.
var words = [...]struct{ side, word string }{
	openThink: {open, "think"}, closeThink: {closer, "think"},
	openResponse: {open, "response"}, closeResponse: {closer, "response"},
	openTools: {open, "tools"}, closeTools: {closer, "tools"},
	closeCall: {closer, "call"}, closeArgument: {closer, "argument"}, closeJSON: {closer, "json"},
	closeMessage: {closer, "message"},
	headCall:     {open, "call"}, headArgument: {open, "argument"}, headJSON: {open, "json"}, headMessage: {open, "message"},
	headThink: {closer, "think"},
}

// spellings are the ways to write m: with and without one space behind the
// opener and before the separator.
func (m mark) spellings() []string {
	switch m {
	case endMark:
		return []string{endOfTurn}
	case bare:
		return []string{open, closer}
	}
	w := words[m]
	heads := []string{w.side + w.word, w.side + " " + w.word}
	if m >= headCall {
		return heads
	}
	return []string{heads[0] + separator, heads[1] + separator, heads[0] + " " + separator, heads[1] + " " + separator}
}

// spellingsOf gives the spellings of several marks, and the mark of each.
func spellingsOf(marks ...mark) (texts []string, kinds []mark) {
	for _, m := range marks {
		for _, s := range m.spellings() {
			texts, kinds = append(texts, s), append(kinds, m)
		}
	}
	return texts, kinds
}

func markTexts(marks ...mark) []string {
	t, _ := spellingsOf(marks...)
	return t
}

// markSet is a scan.Set that answers with marks.
type markSet struct {
	*scan.Set
	kinds []mark
}

func newMarkSet(marks ...mark) *markSet {
	t, kinds := spellingsOf(marks...)
	return &markSet{scan.NewSet(t...), kinds}
}

// matchAt asks which mark b begins with, and how long it is.
func (s *markSet) matchAt(b []byte, final bool) (m mark, n int, v scan.Verdict) {
	id, v := s.MatchPrefix(b, final)
	if v != scan.Yes {
		return 0, 0, v
	}
	return s.kinds[id], s.Len(id), v
}

// findFrom looks for the first mark in b, from place from on.
func (s *markSet) findFrom(b []byte, from int, final bool) (at int, m mark, n int, v scan.Verdict) {
	at, id, v := s.Find(b, from, final)
	if v != scan.Yes {
		return at, 0, 0, v
	}
	return at, s.kinds[id], s.Len(id), v
}

// structure is all that may stand between the parts of a turn.
var structure = newMarkSet(openThink, closeThink, openResponse, closeResponse, openTools, closeTools,
	closeCall, closeArgument, closeJSON, closeMessage, endMark, headCall, headArgument, headJSON, headMessage)

// isPartialMark says whether b is the beginning of a marker that the end of the text cut.
func isPartialMark(b []byte) bool {
	_, v := structure.MatchPrefix(b, false)
	return v == scan.Wait && len(b) > 0
}

// String is the mark as the model's own encoder writes it.
func (m mark) String() string { return m.spellings()[0] }
