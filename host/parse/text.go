package parse

import (
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// text is the raw text of a session, as far as it is still needed. It is UTF-8
// always: what is none came in as U+FFFD, and a character that was cut by a push
// waits for its rest.
type text struct {
	kept   []byte // the text from base on
	base   abi.RawOffset
	pushed abi.RawOffset // where it ends
	cut    []byte        // the beginning of a character
}

// add appends s and says whether offsets can count it.
func (t *text) add(s string) bool {
	if uint64(t.pushed)+uint64(len(s))*uint64(utf8.UTFMax) > 1<<32-1 {
		return false
	}
	if len(t.cut) == 0 && utf8.ValidString(s) {
		t.kept = append(t.kept, s...)
		t.pushed += abi.RawOffset(len(s))
		return true
	}
	t.repair(append(t.cut, s...), false)
	return true
}

// end appends what was left of a character that was cut.
func (t *text) end() bool {
	if uint64(t.pushed)+uint64(len(t.cut))*uint64(utf8.UTFMax) > 1<<32-1 {
		return false
	}
	t.repair(t.cut, true)
	return true
}

func (t *text) repair(b []byte, final bool) {
	before := len(t.kept)
	for len(b) > 0 && (final || utf8.FullRune(b)) {
		r, n := utf8.DecodeRune(b)
		t.kept = utf8.AppendRune(t.kept, r)
		b = b[n:]
	}
	t.cut = append(t.cut[:0], b...)
	t.pushed += abi.RawOffset(len(t.kept) - before)
}

// slice is the text from start to end, as far as it is kept.
func (t *text) slice(start, end abi.RawOffset) []byte {
	start, end = max(start, t.base), min(end, t.pushed)
	if start >= end {
		return nil
	}
	return t.kept[start-t.base : end-t.base]
}

// drop forgets the text before an offset, when that is cheap beside what it
// frees.
func (t *text) drop(before abi.RawOffset) {
	n := int(before) - int(t.base)
	if n < 4096 || n < len(t.kept)/2 {
		return
	}
	t.kept = append(t.kept[:0], t.kept[n:]...)
	t.base = before
}
