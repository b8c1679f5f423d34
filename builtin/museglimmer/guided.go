package museglimmer

import (
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// beginsPayload says whether the payload begins at place i.
func beginsPayload(b []byte, i int) bool { return i < len(b) && (b[i] == '{' || b[i] == '[') }

// startPayload begins the payload, behind n bytes of markup.
func (p *parser) startPayload(w *sdk.Window, n int) bool {
	w.Skip(n)
	p.state = inPayload
	p.payload.Start()
	return true
}

// wrappers are what may stand round the payload, behind a header.
var wrappers = scan.NewSet(blockOpen, blockClose, invoke, invokeClose)

// readWrapper reads what follows markup in a guided mode: more markup, the payload, a
// native call in its place, or prose.
func (p *parser) readWrapper(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	if n == len(b) && !w.Final && n < maxHeader {
		return false
	}
	if beginsPayload(b, n) {
		return p.startPayload(w, n)
	}
	id, v := wrappers.MatchPrefix(b[n:], w.Final)
	switch {
	case v == scan.Wait && n < len(b):
		return false
	case v != scan.Yes:
		p.state = inProse
		return true
	case wrappers.Marker(id) == invoke:
		return p.readInvokeOrText(w, n)
	}
	w.Skip(n + wrappers.Len(id))
	return true
}

// readInvokeOrText reads an invoke's tag at place n, which the payload may cut short. A
// native call is skipped.
func (p *parser) readInvokeOrText(w *sdk.Window, n int) bool {
	b := w.Bytes()
	i := n + len(invoke)
	for i < len(b) && i-n <= maxTag && !beginsPayload(b, i) && b[i] != '>' && b[i] != '<' {
		i++
	}
	switch {
	case i == len(b) && !w.Final && i-n <= maxTag:
		return false
	case beginsPayload(b, i):
		return p.startPayload(w, i)
	case i == len(b) || b[i] != '>':
		w.Skip(i)
		p.state = inProse
		return true
	}
	i++
	next := i + scan.LeadingSpace(b[i:])
	if next == len(b) && !w.Final && next-i < maxHeader {
		return false
	}
	if beginsPayload(b, next) {
		return p.startPayload(w, next)
	}
	w.Skip(n)
	p.state, p.body, p.around = inInvoke, toTool, toTool // the model wrote a native call all the same
	return true
}
