package stream

import "strings"

// leadingSpace holds the white space that an answer begins with, where the answer is to
// be JSON by the client's response format: its first other byte tells whether it
// has begun although the prompt left a thought open.
type leadingSpace struct {
	jsonStarts string // the bytes that the JSON can begin with; "": nothing is held
	held       string
}

// push gives the text to go on with, once there is any; answer says that it is
// JSON.
func (l *leadingSpace) push(text string) (_ string, ready, answer bool) {
	if l.jsonStarts == "" {
		return text, true, false
	}
	text = l.held + text
	first := strings.TrimLeft(text, " \t\r\n")
	if first == "" {
		l.held = text
		return "", false, false
	}
	answer = strings.IndexByte(l.jsonStarts, first[0]) >= 0
	*l = leadingSpace{}
	return text, true, answer
}

// flush gives the white space that is held at the end of the text.
func (l *leadingSpace) flush() string {
	held := l.held
	*l = leadingSpace{}
	return held
}
