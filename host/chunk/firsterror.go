package chunk

import (
	"errors"
	"strings"
)

// ErrUnspecified is the error of an error item that says nothing.
var ErrUnspecified = errors.New("unspecified error")

func commentError(comments []string) error {
	if len(comments) == 0 {
		return ErrUnspecified
	}
	return errors.New(strings.Join(comments, " -- "))
}

// FirstError keeps the first error of an answer. Once there is one, nothing more is
// read, finished or flushed: the error comes last, and once.
type FirstError struct {
	err error
}

// Set keeps err unless there is an error already.
func (f *FirstError) Set(err error) {
	if f.err == nil {
		f.err = err
	}
}

// Err is the first error, nil while all is well.
func (f *FirstError) Err() error { return f.err }
