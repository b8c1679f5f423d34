package tck

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// delivery is what a host makes of a WATCH.
type delivery uint8

const (
	ignored  delivery = iota // every chunk is pushed
	honoured                 // a chunk without a watched byte is left out
	served                   // so are the bytes before a chunk's first watched byte
	cut                      // every chunk is pushed, cut before and behind each watched byte
)

var deliveries = []delivery{ignored, honoured, served, cut}

func (d delivery) String() string {
	return [...]string{"ignored", "honoured", "served", "cut at the watched byte"}[d]
}

// drive is a session of a parser, driven as a host may drive it, and the sum of
// what it said.
type drive struct {
	src     parser.Source
	how     delivery
	ledger  ledger
	skipped []byte // bytes that a WATCH left out since the last push
	held    []byte // bytes that a hold keeps from the parser
}

func open(e parser.Engine, s abi.OpenBlock, how delivery) (*drive, error) {
	if s.Parser == "" {
		s.Parser = e.Parser().Name
	}
	src, answer, err := e.Open(&s)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	d := &drive{src: src, how: how, ledger: ledger{check: check.Checker{Rules: check.Rules{Synthesises: e.Parser().Synthesises, Strict: true}}}}
	if err := d.ledger.apply(answer, check.Opening); err != nil {
		src.Discard(err)
		return nil, fmt.Errorf("opening: %w", err)
	}
	return d, nil
}

// push gives the parser more text, whole characters.
func (d *drive) push(text []byte) error {
	for len(text) > 0 && !d.ledger.check.Fatal() {
		n := len(text)
		at := d.watched(text)
		hold := d.ledger.watch.Flags == abi.FlagHold
		switch {
		case d.how == ignored || at == nowhere:
			if err := d.deliver(text); err != nil {
				return err
			}
		case d.how == cut:
			n = cutAt(text, at)
			if err := d.deliver(text[:n]); err != nil {
				return err
			}
		case at == len(text) && hold:
			d.held = append(d.held, text...)
		case at == len(text) || d.how == served && !hold && at > 0:
			n = at
			d.ledger.skip(text[:n])
			d.skipped = append(d.skipped, text[:n]...)
		default:
			if err := d.deliver(text); err != nil {
				return err
			}
		}
		text = text[n:]
	}
	return nil
}

// nowhere is what watched answers where no WATCH stands.
const nowhere = -1

// watched gives the place of the character with the first watched byte, or the
// text's length if it has none. (abi.NoWatchedByte is in no character.)
func (d *drive) watched(text []byte) int {
	w := d.ledger.watch
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

// cutAt gives the end of the first piece: what stands before the watched
// character, or that character.
func cutAt(text []byte, at int) int {
	if at > 0 {
		return at
	}
	_, n := utf8.DecodeRune(text)
	return n
}

func (d *drive) deliver(text []byte) error {
	left := leftContext(d.skipped)
	off := abi.RawOffset(len(d.ledger.input))
	data := append(append(bytes.Clone(left), d.held...), text...)
	d.ledger.input = append(append(d.ledger.input, d.held...), text...)
	d.skipped, d.held = d.skipped[:0], d.held[:0]
	answer, err := d.src.Push(off, len(left), data)
	if err != nil {
		return fmt.Errorf("push of %q at %d: %w", data[len(left):], off, err)
	}
	if err := d.ledger.apply(answer, check.Pushing); err != nil {
		return fmt.Errorf("push of %q at %d: %w", data[len(left):], off, err)
	}
	return nil
}

// leftContext gives the last whole characters of at most abi.MaxLeftContext
// bytes.
func leftContext(skipped []byte) []byte {
	at := max(0, len(skipped)-abi.MaxLeftContext)
	for at < len(skipped) && !utf8.RuneStart(skipped[at]) {
		at++
	}
	return skipped[at:]
}

// finish ends the session. Bytes that a hold kept back go to the parser first.
func (d *drive) finish(reason abi.Finish) error {
	defer d.src.Close()
	if len(d.held) > 0 {
		if err := d.deliver(nil); err != nil {
			return err
		}
	}
	if d.ledger.check.Fatal() {
		return nil
	}
	off := abi.RawOffset(len(d.ledger.input))
	answer, err := d.src.Finish(off, reason)
	if err == nil {
		err = d.ledger.apply(answer, check.Finishing)
	}
	if err != nil {
		return fmt.Errorf("finish (reason %d) at %d: %w", reason, off, err)
	}
	return nil
}
