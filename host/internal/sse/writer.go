package sse

import "strings"

const (
	// DataPrefix begins the line of an event's data; the line's end and an empty line
	// end the event.
	DataPrefix = "data: "
	// DoneEvent is the event that ends an answer of the OpenAI APIs.
	DoneEvent = DataPrefix + "[DONE]\n\n"
)

// AppendField appends a line of an event: its id, its name (event), or a comment,
// which has no name. Line breaks in the value become spaces.
func AppendField(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, name...), ": "...), oneLine(value)...)
	return append(dst, '\n')
}

var lineBreaks = strings.NewReplacer("\r", " ", "\n", " ")

func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return lineBreaks.Replace(s)
}

// AppendData appends a whole event that has data only. The data must be on one line.
func AppendData(dst, data []byte) []byte {
	dst = append(append(dst, DataPrefix...), data...)
	return append(dst, "\n\n"...)
}
