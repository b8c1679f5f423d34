package museglimmer

import (
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// startGuided begins the payload.
func (p *parser) startGuided() {
	p.state = inPayload
	p.payload.Start()
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
	if n < len(b) && (b[n] == '{' || b[n] == '[') {
		w.Skip(n)
		p.startGuided()
		return true
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
	for i < len(b) && i-n <= maxTag && b[i] != '{' && b[i] != '[' && b[i] != '>' && b[i] != '<' {
		i++
	}
	switch {
	case i == len(b) && !w.Final && i-n <= maxTag:
		return false
	case i < len(b) && (b[i] == '{' || b[i] == '['):
		w.Skip(i)
		p.startGuided()
		return true
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
	if next < len(b) && (b[next] == '{' || b[next] == '[') {
		w.Skip(next)
		p.startGuided()
		return true
	}
	w.Skip(i)
	p.state, p.body = inCall, toTool
	return true
}
