package stream

import "strings"

// lead holds the white space that an answer begins with, where the answer is to
// be JSON by the client's response format: its first other byte tells whether it
// has begun although the prompt left a thought open.
type lead struct {
	structured bool
	held       string
}

// take gives the text to go on with, once there is any; answer says that it is
// JSON.
func (l *lead) take(text string) (_ string, ready, answer bool) {
	if !l.structured {
		return text, true, false
	}
	text = l.held + text
	first := strings.TrimLeft(text, " \t\r\n")
	if first == "" {
		l.held = text
		return "", false, false
	}
	l.structured, l.held = false, ""
	return text, true, looksJSON(first[0])
}

// end gives the held white space at the end of the text.
func (l *lead) end() (text string, answer bool) {
	text = l.held
	l.structured, l.held = false, ""
	return text, false
}

// looksJSON says whether a JSON value can begin with c.
func looksJSON(c byte) bool {
	return strings.IndexByte(`{["-tfn0123456789`, c) >= 0
}
