package tck

import (
	"fmt"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// CheckText asks of one parser, on one text of valid UTF-8, what the ABI asks
// of it whatever the grammar:
//
//   - every answer is well-formed;
//   - what has been said after some bytes depends on these bytes alone: it is
//     compared after every chunk of every split, with each WATCH ignored,
//     honoured in both ways, and with chunks cut at the watched byte;
//   - the text may end after every character, for the given reason and, with
//     EverySplit, for all others; the last answer accounts for all bytes;
//   - a session that is told that the whole text comes in one push says the same.
//
// The error names the split and shows both sums.
func CheckText(e parser.Engine, s abi.OpenBlock, text string, reason abi.Finish, splits Splits) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("the text is not UTF-8")
	}
	c := textCheck{e: e, s: s, text: text, reason: reason}
	if err := c.reference(); err != nil {
		return fmt.Errorf("text %q: one character a push: %w", text, err)
	}
	for split := range splits.Of(text) {
		for _, how := range deliveries {
			if err := c.split(split, how); err != nil {
				return fmt.Errorf("text %q: split %s, WATCH %v: %w", text, split.Name, how, err)
			}
		}
	}
	reasons := []abi.Finish{reason}
	if splits.twoWay {
		reasons = []abi.Finish{abi.FinishUnknown, abi.FinishEOS, abi.FinishLength, abi.FinishUserStop, abi.FinishTransport, abi.FinishCancelled}
	}
	for _, reason := range reasons {
		if err := c.ends(reason); err != nil {
			return fmt.Errorf("text %q: %w", text, err)
		}
	}
	c.s.Flags |= abi.OpenBatch
	if err := c.split(Split{"whole", []string{text}}, ignored); err != nil {
		return fmt.Errorf("text %q: in one push, with the batch flag: %w", text, err)
	}
	return nil
}

// textCheck is one text and the sums of what has to be said of it.
type textCheck struct {
	e      parser.Engine
	s      abi.OpenBlock
	text   string
	reason abi.Finish
	after  []state // by how many bytes were pushed; only character boundaries are set
	final  state
}

// reference pushes each character alone and keeps the sum after each.
func (c *textCheck) reference() error {
	d, err := open(c.e, c.s, ignored)
	if err != nil {
		return err
	}
	defer d.src.Close()
	c.after = make([]state, len(c.text)+1)
	c.after[0] = d.ledger.state()
	at := 0
	for _, ch := range chars(c.text) {
		if err := d.push([]byte(ch)); err != nil {
			return err
		}
		at += len(ch)
		c.after[at] = d.ledger.state()
	}
	if err := d.finish(c.reason); err != nil {
		return err
	}
	c.final = d.ledger.state()
	return nil
}

func (c *textCheck) split(split Split, how delivery) error {
	d, err := open(c.e, c.s, how)
	if err != nil {
		return err
	}
	defer d.src.Close()
	at := 0
	for _, chunk := range split.Chunks {
		if err := d.push([]byte(chunk)); err != nil {
			return err
		}
		at += len(chunk)
		if got := d.ledger.state(); got != c.after[at] {
			return c.differs(&d.ledger, at)
		}
	}
	if err := d.finish(c.reason); err != nil {
		return err
	}
	if got := d.ledger.state(); got != c.final {
		return c.differs(&d.ledger, nowhere)
	}
	return nil
}

// differs tells of a sum that is not that of the reference, after at bytes or,
// with nowhere, at the end.
func (c *textCheck) differs(got *ledger, at int) error {
	prefix, place := c.text, "at the end"
	if at != nowhere {
		prefix, place = c.text[:at], fmt.Sprintf("after %d bytes", at)
	}
	d, err := open(c.e, c.s, ignored)
	if err != nil {
		return err
	}
	defer d.src.Close()
	for _, ch := range chars(prefix) {
		if err := d.push([]byte(ch)); err != nil {
			return err
		}
	}
	if at == nowhere {
		if err := d.finish(c.reason); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s, what was said differs:\n one character a push: %v\n here:                 %v", place, &d.ledger, got)
}

// ends ends the text after every character: pushed whole and left out where a
// WATCH allows it, the sum has to be the same.
func (c *textCheck) ends(reason abi.Finish) error {
	for at := 0; at <= len(c.text); at++ {
		if at < len(c.text) && !utf8.RuneStart(c.text[at]) {
			continue
		}
		var first *ledger
		for _, how := range []delivery{ignored, served} {
			d, err := c.endAfter(at, how, reason)
			if err != nil {
				return fmt.Errorf("the text ends after %d bytes, WATCH %v: %w", at, how, err)
			}
			if first == nil {
				first = &d.ledger
			} else if first.state() != d.ledger.state() {
				return fmt.Errorf("the text ends after %d bytes (reason %d), what was said differs:\n in one push:         %v\n in two, WATCH served: %v", at, reason, first, &d.ledger)
			}
		}
	}
	return nil
}

// endAfter ends the text after at bytes; unless the WATCH is ignored the last
// characters come alone, so that there is one to honour.
func (c *textCheck) endAfter(at int, how delivery, reason abi.Finish) (*drive, error) {
	d, err := open(c.e, c.s, how)
	if err != nil {
		return nil, err
	}
	defer d.src.Close()
	half := 0
	if how != ignored {
		for half = at / 2; half > 0 && !utf8.RuneStart(c.text[half]); half-- {
		}
	}
	for _, chunk := range []string{c.text[:half], c.text[half:at]} {
		if err := d.push([]byte(chunk)); err != nil {
			return nil, err
		}
	}
	return d, d.finish(reason)
}

// Prose gives all that a parser makes visible text and reasoning of a text.
func Prose(e parser.Engine, s abi.OpenBlock, input string, reason abi.Finish) (text, reasoning string, err error) {
	d, err := open(e, s, ignored)
	if err != nil {
		return "", "", err
	}
	defer d.src.Close()
	if err := d.push([]byte(input)); err != nil {
		return "", "", err
	}
	if err := d.finish(reason); err != nil {
		return "", "", err
	}
	for _, it := range d.ledger.items {
		for _, p := range it.parts {
			switch it.kind {
			case abi.Text:
				text += input[p.start:p.end]
			case abi.Reasoning:
				reasoning += input[p.start:p.end]
			}
		}
	}
	return text, reasoning, nil
}

// Held gives how many bytes of a text a parser still holds back once all of it
// has been pushed, in pushes of 4 KiB.
func Held(e parser.Engine, s abi.OpenBlock, input string) (int, error) {
	d, err := open(e, s, ignored)
	if err != nil {
		return 0, err
	}
	defer d.src.Close()
	for at := 0; at < len(input); {
		n := min(at+4096, len(input))
		for n < len(input) && !utf8.RuneStart(input[n]) {
			n++
		}
		if err := d.push([]byte(input[at:n])); err != nil {
			return 0, err
		}
		at = n
	}
	return len(input) - int(d.ledger.check.Accounted()), nil
}
