package parse

import (
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// rawText is the raw text of a session, as far as it is still needed. It is always
// valid UTF-8: each byte that was no UTF-8 is replaced by U+FFFD, and a character
// that was cut by a push waits for its rest.
type rawText struct {
	kept   []byte // the text from base on
	base   abi.RawOffset
	length abi.RawOffset // of all that came, also of what is not kept any more
	cut    []byte        // the beginning of a character
}

// appendText appends s and says whether offsets can count it.
func (t *rawText) appendText(s string) bool {
	if uint64(t.length)+uint64(len(s))*uint64(utf8.UTFMax) > 1<<32-1 {
		return false
	}
	if len(t.cut) == 0 && utf8.ValidString(s) {
		t.kept = append(t.kept, s...)
		t.length += abi.RawOffset(len(s))
		return true
	}
	t.appendRepaired(append(t.cut, s...), false)
	return true
}

// endText appends what was left of a character that was cut.
func (t *rawText) endText() bool {
	if uint64(t.length)+uint64(len(t.cut))*uint64(utf8.UTFMax) > 1<<32-1 {
		return false
	}
	t.appendRepaired(t.cut, true)
	return true
}

// appendRepaired appends whole characters of b and keeps what may be the beginning
// of one, unless it is the last text.
func (t *rawText) appendRepaired(b []byte, final bool) {
	before := len(t.kept)
	for len(b) > 0 && (final || utf8.FullRune(b)) {
		r, n := utf8.DecodeRune(b)
		t.kept = utf8.AppendRune(t.kept, r)
		b = b[n:]
	}
	t.cut = append(t.cut[:0], b...)
	t.length += abi.RawOffset(len(t.kept) - before)
}

// slice is the text from start to end, as far as it is kept.
func (t *rawText) slice(start, end abi.RawOffset) []byte {
	start, end = max(start, t.base), min(end, t.length)
	if start >= end {
		return nil
	}
	return t.kept[start-t.base : end-t.base]
}

// dropBefore forgets the text before an offset, when that is cheap beside what it
// frees.
func (t *rawText) dropBefore(before abi.RawOffset) {
	n := int(before) - int(t.base)
	if n < 4096 || n < len(t.kept)/2 {
		return
	}
	t.kept = append(t.kept[:0], t.kept[n:]...)
	t.base = before
}
