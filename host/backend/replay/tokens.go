package replay

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// vocabulary is the range of the made-up token ids.
const vocabulary = 150_000

// longestWord is the longest run of letters that is one token.
const longestWord = 7

// cutToken splits text into pieces as a tokenizer would: markers in angle brackets
// whole, a word with the blank before it (long words in parts), up to three
// digits, white space in runs, anything else character by character. The pieces
// make the text again.
func cutToken(text string) []string {
	var pieces []string
	for text != "" {
		n := next(text)
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

// next is the length of the first piece.
func next(s string) int {
	if n := marker(s); n > 0 {
		return n
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == ' ' && len(s) > 1 && isLetter(firstRune(s[1:])):
		return 1 + run(s[1:], longestWord, isLetter)
	case isLetter(r):
		return run(s, longestWord, isLetter)
	case unicode.IsDigit(r):
		return run(s, 3, unicode.IsDigit)
	case unicode.IsSpace(r):
		return run(s, len(s), func(c rune) bool { return c == r })
	}
	return size
}

// marker is the length of a marker at the start of s: <|…|>, <tag> or </tag>.
func marker(s string) int {
	if s[0] != '<' {
		return 0
	}
	if strings.HasPrefix(s, "<|") {
		if end := strings.Index(s, "|>"); end > 0 && !strings.ContainsAny(s[:end], " \n") {
			return end + 2
		}
		return 0
	}
	end := strings.IndexByte(s, '>')
	if end < 2 || strings.ContainsFunc(s[1:end], func(r rune) bool { return r != '/' && r != '_' && (r < 'a' || r > 'z') }) {
		return 0
	}
	return end + 1
}

// isLetter takes the letters that are written as words; of other scripts each
// character is a token.
func isLetter(r rune) bool { return unicode.IsLetter(r) && r < 0x3000 }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// run is the length in bytes of up to most characters that are of a class.
func run(s string, most int, class func(rune) bool) int {
	count := 0
	for i, r := range s {
		if count == most || !class(r) {
			return i
		}
		count++
	}
	return len(s)
}

// tokenID is the made-up id of a piece: the same piece has the same id.
func tokenID(piece string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(piece))
	return int64(h.Sum32() % vocabulary)
}
