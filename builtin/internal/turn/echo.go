package turn

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// echo knows the body of a block, which the model may write once more behind it.
type echo struct {
	on   bool
	from abi.RawOffset // where the body begins
	body []byte        // what was seen from there on
}

// maxEcho is the longest body that is kept, in bytes.
const maxEcho = 64 << 10

// start begins with a block whose opener, of n bytes, the window begins with.
func (e *echo) start(w *sdk.Window, n int) {
	e.on, e.from, e.body = true, w.Offset()+abi.RawOffset(n), e.body[:0]
}

// keep takes what the window holds of the block and was not seen yet.
func (e *echo) keep(w *sdk.Window) {
	seen := e.from + abi.RawOffset(len(e.body))
	if end := w.Offset() + abi.RawOffset(w.Len()); !e.on || end <= seen {
		return
	}
	if w.Offset() > seen || len(e.body) > maxEcho { // left out by a watch, or too long
		e.on = false
		return
	}
	e.body = append(e.body, w.Bytes()[seen-w.Offset():]...)
}

// end ends the body in front of closer, behind which the window stands.
func (e *echo) end(w *sdk.Window, closer string) {
	n := int(w.Offset() - e.from)
	if !e.on || n > len(e.body) {
		e.body = e.body[:0]
		return
	}
	e.body = bytes.TrimSpace(bytes.TrimSuffix(e.body[:n], []byte(closer)))
}

// skip skips the echo if the window begins with it, and the white space before it. It says
// whether that is known.
func (e *echo) skip(w *sdk.Window) (known bool) {
	b := w.Bytes()
	n := scan.LeadingSpace(b[:min(len(b), maxLead)])
	v := scan.No
	if len(e.body) > 0 && n < maxLead {
		v = scan.Prefix(b[n:], string(e.body), w.Final)
	}
	if v == scan.Yes {
		w.Skip(n + len(e.body))
	}
	return v != scan.Wait
}
