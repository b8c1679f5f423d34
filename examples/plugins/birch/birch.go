// Package birch is an example of a third-party parser, for a made-up grammar:
//
//	turn    = { text | thought | call } ;
//	thought = "<think>" text "</think>" ;
//	call    = "<call>" NAME object "</call>" ;      NAME: up to the first "{"
//
// The folders birch_c and birch_rust beside it hold the same parser in C and Rust.
package birch

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var manifest string

// Module is what a guest or a process serves, and what the tests test.
var Module = sdk.Module{Manifest: manifest, New: newParser}

var (
	// markup is the prose of a request with tools, plain that of one without:
	// then nothing is a call.
	markup = prose.Compile(prose.Markers{
		Think: []string{"<think>"}, EndThink: []string{"</think>"},
		Strip: []string{"</call>"}, Calls: []string{"<call>"},
	})
	plain = prose.Compile(prose.Markers{Think: []string{"<think>"}, EndThink: []string{"</think>"}})
	// closers end a call that does not go on as it should.
	closers = scan.NewSet("</call>")
)

type state uint8

const (
	inProse state = iota
	inName        // behind "<call>"
	inArgs        // in the object
	behind        // behind it
	broken        // in what is no call
)

type parser struct {
	prose prose.Machine
	json  scan.JSON
	state state
}

func newParser(s *abi.OpenBlock) sdk.Parser {
	if s.Parser != "birch" {
		return nil
	}
	g := markup
	if len(s.Tools) == 0 {
		g = plain
	}
	p := &parser{}
	p.prose.Start(g, s.Start == abi.ChannelReasoning)
	return p
}

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.step(w) {
	}
}

// step goes on to the next state. It answers false when it needs more input.
func (p *parser) step(w *sdk.Window) bool {
	switch p.state {
	case inProse:
		_, ok := p.prose.Next(w)
		if ok {
			w.Skip(len("<call>"))
			p.state = inName
		}
		return ok
	case inName:
		return p.name(w)
	case inArgs:
		return p.args(w)
	case behind, broken:
		return p.close(w)
	}
	return false
}

// name reads up to the object. The call is certain with its first byte.
func (p *parser) name(w *sdk.Window) bool {
	b := w.Bytes()
	for w.Scanned < len(b) && b[w.Scanned] != '{' && b[w.Scanned] != '<' {
		w.Scanned++
	}
	n := w.Scanned
	switch {
	case n < len(b) && b[n] == '{' && n > 0:
		w.Call(0, n, 0)
		w.Skip(n)
		p.json.Reset()
		p.state = inArgs
		return true
	case n < len(b):
		p.state = broken
		return true
	case w.Final: // half a header is never visible
		w.Skip(n)
	}
	return false
}

// args gives the object as it comes.
func (p *parser) args(w *sdk.Window) bool {
	n, status := p.json.Scan(w.Bytes())
	if n > 0 {
		w.Args(0, n, 0)
		w.Skip(n)
	}
	switch status {
	case scan.Done:
		w.CallEnd()
		p.state = behind
	case scan.Bad:
		w.CallDrop()
		p.state = broken
	default:
		if p.json.InPlainString() {
			w.Watch(abi.Args, scan.StringWatch)
		}
		return false
	}
	return true
}

// close skips up to and with the closer.
func (p *parser) close(w *sdk.Window) bool {
	at, id, v := closers.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return false
	}
	w.Skip(closers.Len(id))
	p.state = inProse
	return true
}
