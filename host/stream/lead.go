package stream

import "strings"

// lead holds the white space that an answer begins with, where the answer is to
// be JSON by the client's response format: its first other byte tells whether it
// has begun although the prompt left a thought open.
type lead struct {
	starts string // the bytes that the JSON can begin with; "": nothing is held
	held   string
}

// take gives the text to go on with, once there is any; answer says that it is
// JSON.
func (l *lead) take(text string) (_ string, ready, answer bool) {
	if l.starts == "" {
		return text, true, false
	}
	text = l.held + text
	first := strings.TrimLeft(text, " \t\r\n")
	if first == "" {
		l.held = text
		return "", false, false
	}
	answer = strings.IndexByte(l.starts, first[0]) >= 0
	*l = lead{}
	return text, true, answer
}

// end gives the white space that is held at the end of the text.
func (l *lead) end() string {
	held := l.held
	*l = lead{}
	return held
}
