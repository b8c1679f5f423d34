package jinja

import "fmt"

// SyntaxError says that a template can't be compiled.
type SyntaxError struct {
	Line    int
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// RenderError says that a rendering failed, as it does in Python: an operation on
// a value that is undefined or of another type.
type RenderError struct {
	Line    int
	Message string
}

func (e *RenderError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// RaisedError is what a template said with raise_exception: it refuses the
// conversation.
type RaisedError struct{ Message string }

func (e *RaisedError) Error() string { return "the template refuses the conversation: " + e.Message }

// LimitError says which of Limits a rendering would have broken.
type LimitError struct {
	Limit string // a field of Limits
	Line  int
	Max   int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("line %d: the rendering was ended: limit %s, %d", e.Line, e.Limit, e.Max)
}
