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
// The error names the split and shows both transcripts.
func CheckText(e parser.Engine, s abi.OpenBlock, text string, reason abi.Finish, splits Splits) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("the text is not UTF-8")
	}
	c := textCheck{engine: e, block: s, text: text, reason: reason}
	if err := c.recordReference(); err != nil {
		return fmt.Errorf("text %q: one character a push: %w", text, err)
	}
	for split := range splits.Of(text) {
		for _, how := range watchHandlings {
			if err := c.checkSplit(split, how); err != nil {
				return fmt.Errorf("text %q: split %s, WATCH %v: %w", text, split.Name, how, err)
			}
		}
	}
	reasons := []abi.Finish{reason}
	if splits.twoWay {
		reasons = []abi.Finish{abi.FinishUnknown, abi.FinishEOS, abi.FinishLength, abi.FinishUserStop, abi.FinishTransport, abi.FinishCancelled}
	}
	for _, reason := range reasons {
		if err := c.checkEveryEnd(reason); err != nil {
			return fmt.Errorf("text %q: %w", text, err)
		}
	}
	c.block.Flags |= abi.OpenBatch
	if err := c.checkSplit(Split{"whole", []string{text}}, watchIgnored); err != nil {
		return fmt.Errorf("text %q: in one push, with the batch flag: %w", text, err)
	}
	return nil
}

// textCheck is one text, and the summary of what a parser has to say of it after
// each of its bytes.
type textCheck struct {
	engine parser.Engine
	block  abi.OpenBlock
	text   string
	reason abi.Finish
	after  []summary // by how many bytes were pushed; only character boundaries are set
	final  summary
}

// recordReference pushes each character alone and keeps the summary after each.
func (c *textCheck) recordReference() error {
	d, err := openDriven(c.engine, c.block, watchIgnored)
	if err != nil {
		return err
	}
	defer d.source.Close()
	c.after = make([]summary, len(c.text)+1)
	c.after[0] = d.transcript.summary()
	at := 0
	for _, ch := range characters(c.text) {
		if err := d.pushText([]byte(ch)); err != nil {
			return err
		}
		at += len(ch)
		c.after[at] = d.transcript.summary()
	}
	if err := d.finishText(c.reason); err != nil {
		return err
	}
	c.final = d.transcript.summary()
	return nil
}

// checkSplit pushes the chunks of a split and compares after each of them.
func (c *textCheck) checkSplit(split Split, how watchHandling) error {
	d, err := openDriven(c.engine, c.block, how)
	if err != nil {
		return err
	}
	defer d.source.Close()
	at := 0
	for _, chunk := range split.Chunks {
		if err := d.pushText([]byte(chunk)); err != nil {
			return err
		}
		at += len(chunk)
		if got := d.transcript.summary(); got != c.after[at] {
			return c.difference(&d.transcript, at)
		}
	}
	if err := d.finishText(c.reason); err != nil {
		return err
	}
	if got := d.transcript.summary(); got != c.final {
		return c.difference(&d.transcript, nowhere)
	}
	return nil
}

// difference is the error for a transcript that is not that of the reference, after
// at bytes or, with nowhere, at the end.
func (c *textCheck) difference(got *transcript, at int) error {
	prefix, place := c.text, "at the end"
	if at != nowhere {
		prefix, place = c.text[:at], fmt.Sprintf("after %d bytes", at)
	}
	d, err := openDriven(c.engine, c.block, watchIgnored)
	if err != nil {
		return err
	}
	defer d.source.Close()
	for _, ch := range characters(prefix) {
		if err := d.pushText([]byte(ch)); err != nil {
			return err
		}
	}
	if at == nowhere {
		if err := d.finishText(c.reason); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s, what was said differs:\n one character a push: %v\n here:                 %v", place, &d.transcript, got)
}

// checkEveryEnd ends the text after every character: pushed whole, and left out
// where a WATCH allows it, the summary has to be the same.
func (c *textCheck) checkEveryEnd(reason abi.Finish) error {
	for at := 0; at <= len(c.text); at++ {
		if at < len(c.text) && !utf8.RuneStart(c.text[at]) {
			continue
		}
		var first *transcript
		for _, how := range []watchHandling{watchIgnored, watchServed} {
			d, err := c.finishAfter(at, how, reason)
			if err != nil {
				return fmt.Errorf("the text ends after %d bytes, WATCH %v: %w", at, how, err)
			}
			if first == nil {
				first = &d.transcript
			} else if first.summary() != d.transcript.summary() {
				return fmt.Errorf("the text ends after %d bytes (reason %d), what was said differs:\n in one push:         %v\n in two, WATCH served: %v", at, reason, first, &d.transcript)
			}
		}
	}
	return nil
}

// finishAfter ends the text after at bytes; unless the WATCH is ignored the last
// characters come alone, so that there is one to honour.
func (c *textCheck) finishAfter(at int, how watchHandling, reason abi.Finish) (*drivenSession, error) {
	d, err := openDriven(c.engine, c.block, how)
	if err != nil {
		return nil, err
	}
	defer d.source.Close()
	half := 0
	if how != watchIgnored {
		for half = at / 2; half > 0 && !utf8.RuneStart(c.text[half]); half-- {
		}
	}
	for _, chunk := range []string{c.text[:half], c.text[half:at]} {
		if err := d.pushText([]byte(chunk)); err != nil {
			return nil, err
		}
	}
	return d, d.finishText(reason)
}

// Prose gives all of a text that a parser makes visible text, joined, and all that
// it makes reasoning.
func Prose(e parser.Engine, s abi.OpenBlock, input string, reason abi.Finish) (text, reasoning string, err error) {
	d, err := openDriven(e, s, watchIgnored)
	if err != nil {
		return "", "", err
	}
	defer d.source.Close()
	if err := d.pushText([]byte(input)); err != nil {
		return "", "", err
	}
	if err := d.finishText(reason); err != nil {
		return "", "", err
	}
	for _, it := range d.transcript.statements {
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
	d, err := openDriven(e, s, watchIgnored)
	if err != nil {
		return 0, err
	}
	defer d.source.Close()
	for at := 0; at < len(input); {
		n := min(at+4096, len(input))
		for n < len(input) && !utf8.RuneStart(input[n]) {
			n++
		}
		if err := d.pushText([]byte(input[at:n])); err != nil {
			return 0, err
		}
		at = n
	}
	return len(input) - int(d.transcript.check.Accounted()), nil
}
