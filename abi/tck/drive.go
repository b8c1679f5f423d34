package tck

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// watchHandling is what a host makes of a WATCH.
type watchHandling uint8

// The ways to handle it.
const (
	watchIgnored  watchHandling = iota // every chunk is pushed
	watchHonoured                      // a chunk without a watched byte is left out
	watchServed                        // so are the bytes before a chunk's first watched byte
	watchCut                           // every chunk is pushed, cut before and behind each watched byte
)

var watchHandlings = []watchHandling{watchIgnored, watchHonoured, watchServed, watchCut}

// String is the word for it in errors.
func (d watchHandling) String() string {
	return [...]string{"ignored", "honoured", "served", "cut at the watched byte"}[d]
}

// drivenSession is a session of a parser, driven as a host may drive it, and the
// transcript of what it said.
type drivenSession struct {
	source     parser.Source
	handling   watchHandling
	transcript transcript
	leftOut    []byte // bytes that a WATCH left out since the last push
	held       []byte // bytes that a hold keeps from the parser
}

// openDriven opens a session of e; the name of its parser may be left out.
func openDriven(e parser.Engine, s abi.OpenBlock, how watchHandling) (*drivenSession, error) {
	if s.Parser == "" {
		s.Parser = e.Parser().Name
	}
	src, answer, err := e.Open(&s)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	d := &drivenSession{source: src, handling: how}
	d.transcript.check.Rules = check.Rules{Synthesises: e.Parser().Synthesises, Strict: true}
	if err := d.transcript.applyAnswer(answer, check.Opening); err != nil {
		src.Discard(err)
		return nil, fmt.Errorf("opening: %w", err)
	}
	return d, nil
}

// pushText hands the parser more text, whole characters, as far as the WATCH and its
// handling ask for it.
func (d *drivenSession) pushText(text []byte) error {
	for len(text) > 0 && !d.transcript.check.Fatal() {
		n := len(text)
		at := d.watchedAt(text)
		hold := d.transcript.watch.Flags == abi.FlagHold
		switch {
		case d.handling == watchIgnored || at == nowhere:
			if err := d.pushToParser(text); err != nil {
				return err
			}
		case d.handling == watchCut:
			n = firstPieceEnd(text, at)
			if err := d.pushToParser(text[:n]); err != nil {
				return err
			}
		case at == len(text) && hold:
			d.held = append(d.held, text...)
		case at == len(text) || d.handling == watchServed && !hold && at > 0:
			n = at
			d.transcript.leaveOut(text[:n])
			d.leftOut = append(d.leftOut, text[:n]...)
		default:
			if err := d.pushToParser(text); err != nil {
				return err
			}
		}
		text = text[n:]
	}
	return nil
}

// nowhere is what watchedAt answers where no WATCH stands.
const nowhere = -1

// watchedAt gives the place of the character with the first watched byte, or the
// text's length if it has none. (abi.NoWatchedByte is in no character.)
func (d *drivenSession) watchedAt(text []byte) int {
	w := d.transcript.watch
	if w.Kind != abi.Watch {
		return nowhere
	}
	set := w.Watched()
	start := 0
	for i, c := range text {
		if utf8.RuneStart(c) {
			start = i
		}
		if bytes.IndexByte(set[:], c) >= 0 {
			return start
		}
	}
	return len(text)
}

// firstPieceEnd is where a push is cut that has the watched character at a place:
// before it, or behind it where nothing stands before.
func firstPieceEnd(text []byte, at int) int {
	if at > 0 {
		return at
	}
	_, n := utf8.DecodeRune(text)
	return n
}

// pushToParser pushes what a hold kept back and text, whatever is watched for.
func (d *drivenSession) pushToParser(text []byte) error {
	left := leftContext(d.leftOut)
	off := abi.RawOffset(len(d.transcript.input))
	data := append(append(bytes.Clone(left), d.held...), text...)
	d.transcript.input = append(append(d.transcript.input, d.held...), text...)
	d.leftOut, d.held = d.leftOut[:0], d.held[:0]
	answer, err := d.source.Push(off, len(left), data)
	if err != nil {
		return fmt.Errorf("push of %q at %d: %w", data[len(left):], off, err)
	}
	if err := d.transcript.applyAnswer(answer, check.Pushing); err != nil {
		return fmt.Errorf("push of %q at %d: %w", data[len(left):], off, err)
	}
	return nil
}

// leftContext gives the last whole characters of at most abi.MaxLeftContext
// bytes.
func leftContext(leftOut []byte) []byte {
	at := max(0, len(leftOut)-abi.MaxLeftContext)
	for at < len(leftOut) && !utf8.RuneStart(leftOut[at]) {
		at++
	}
	return leftOut[at:]
}

// finishText ends the text. Bytes that a hold kept back go to the parser first.
func (d *drivenSession) finishText(reason abi.Finish) error {
	defer d.source.Close()
	if len(d.held) > 0 {
		if err := d.pushToParser(nil); err != nil {
			return err
		}
	}
	if d.transcript.check.Fatal() {
		return nil
	}
	off := abi.RawOffset(len(d.transcript.input))
	answer, err := d.source.Finish(off, reason)
	if err == nil {
		err = d.transcript.applyAnswer(answer, check.Finishing)
	}
	if err != nil {
		return fmt.Errorf("finish (reason %d) at %d: %w", reason, off, err)
	}
	return nil
}
