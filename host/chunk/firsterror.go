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

// FirstError keeps the first error of an answer. Once it is shut nothing more is fed,
// finalised or flushed: the error comes last, and once.
type FirstError struct {
	err error
}

// Set latches err unless an error is latched already.
func (l *FirstError) Set(err error) {
	if l.err == nil {
		l.err = err
	}
}

// Err is the latched error, nil while all is well.
func (l *FirstError) Err() error { return l.err }
