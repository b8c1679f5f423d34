package cases

import (
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
)

// Client is a host as its client sees it: it runs the chunks of a case's text
// through a parser and gives what a client would put together. Adjacent runs of
// one kind are one piece; a dropped call is absent. The error is the one that the
// request would end with, and matches ErrMalformedCall where it is that; the
// pieces before it are given too. Package host/conform has turnkey's.
type Client func(e parser.Engine, c *Case, chunks []string) ([]Piece, error)

// ErrMalformedCall is the error of a request in which a turn grammar was broken.
// Its words are how cases name it.
var ErrMalformedCall = errors.New("malformed tool call")

// Failure is how a case failed.
type Failure struct {
	Split  string
	Got    []Piece
	Error  string // the error that surfaced, "" if none did
	Reason string // where it differs from what the case wants
}

// Check runs a case at the splits, or with its own chunks if it has any, and
// gives the first failure, nil if there is none.
func Check(client Client, e parser.Engine, c *Case, splits tck.Splits) *Failure {
	if c.Chunks != nil {
		return checkSplit(client, e, c, tck.Split{Name: "chunks", Chunks: c.Chunks})
	}
	for split := range splits.Of(c.Input) {
		if f := checkSplit(client, e, c, split); f != nil {
			return f
		}
	}
	return nil
}

func checkSplit(client Client, e parser.Engine, c *Case, split tck.Split) *Failure {
	got, err := client(e, c, split.Chunks)
	surfaced := errorWords(err)
	reason := DiffPieces(c.Want, got)
	if surfaced != c.WantError {
		reason = "error"
	}
	if reason == "" {
		return nil
	}
	return &Failure{Split: split.Name, Got: got, Error: surfaced, Reason: reason}
}

// CheckSplits asks that a text gives the client the same at every split,
// arguments to the byte. What the case wants does not matter. Ids are left out: a
// host may make them up.
func CheckSplits(client Client, e parser.Engine, c *Case, splits tck.Splits) error {
	view := func(chunks []string) string {
		pieces, err := client(e, c, chunks)
		for i := range pieces {
			pieces[i].ID = ""
		}
		return RenderOutcome(pieces, errorWords(err))
	}
	want := view([]string{c.Input})
	for split := range splits.Of(c.Input) {
		if got := view(split.Chunks); got != want {
			return fmt.Errorf("text %q: split %s: assembled it is\n %s\nin one push\n %s", c.Input, split.Name, got, want)
		}
	}
	return nil
}

// Outcome writes pieces, and the words of an error if there is one, on one line.
func RenderOutcome(pieces []Piece, err string) string {
	if err == "" {
		return RenderPieces(pieces)
	}
	return fmt.Sprintf("%s and error %q", RenderPieces(pieces), err)
}

// errorWords gives the words by which cases name an error.
func errorWords(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrMalformedCall):
		return ErrMalformedCall.Error()
	}
	return err.Error()
}
