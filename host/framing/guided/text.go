package guided

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// textRun passes a run of text on to the sink, which reasoning and calls end. White
// space waits until something else stands in the run: where calls stand beside it, it
// is left out.
type textRun struct {
	sink      Sink
	space     []byte // white space that goes out if other text follows it in the run
	spaceAt   Span
	hasText   bool // the run has something other than white space
	afterCall bool // calls were made directly before
}

func (t *textRun) add(text []byte, at abi.RawOffset) {
	if len(text) == 0 {
		return
	}
	span := Span{at, at + abi.RawOffset(len(text))}
	if !t.hasText && scan.LeadingSpace(text) == len(text) {
		if len(t.space) == 0 {
			t.spaceAt.Start = at
		}
		t.space, t.spaceAt.End = append(t.space, text...), span.End
		return
	}
	t.releaseSpace()
	t.hasText, t.afterCall = true, false
	t.sink.Text(text, span)
}

func (t *textRun) releaseSpace() {
	if len(t.space) > 0 {
		t.sink.Text(t.space, t.spaceAt)
		t.space = t.space[:0]
	}
}

func (t *textRun) end() {
	if t.afterCall {
		t.space = t.space[:0]
	}
	t.releaseSpace()
	t.hasText, t.afterCall = false, false
}

// beginCalls ends the run in front of calls, and leaves out the white space there.
func (t *textRun) beginCalls() {
	t.space = t.space[:0]
	t.hasText, t.afterCall = false, true
}
