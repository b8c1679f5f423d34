package parse

import (
	"bytes"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// bomb is a parser of plain text that panics where it sees BOOM.
type bomb struct{}

func (bomb) Step(w *sdk.Window) {
	if bytes.Contains(w.Bytes(), []byte("BOOM")) {
		panic("boom")
	}
	w.Text(w.Len())
}

var toys = sdk.Module{
	Manifest: `{"abi":"1.0","module":"toys","version":"1.0.0","license":"Apache-2.0","parsers":[
		{"name":"bomb","aliases":["firecracker"],"kind":"unified"},{"name":"missing","kind":"unified"},{"name":"broken","kind":"unified"}]}`,
	New: func(s *abi.OpenBlock) sdk.Parser {
		switch s.Parser {
		case "bomb":
			return bomb{}
		case "broken":
			panic("no parser")
		}
		return nil
	},
}

func TestNative(t *testing.T) {
	e, err := native.Parser(&toys, "firecracker")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, Config{Engine: e})
	wantEvents(t, "text", push(t, s, "Valve B2 "), `text "Valve B2 "`)
	wantEvents(t, "panic", push(t, s, "BOOM"), `text "BOOM"`)
	wantEvents(t, "after it", push(t, s, " is shut."), `text " is shut."`)
	wantEvents(t, "finish", finish(t, s))

	s, _ = open(t, Config{Engine: e})
	push(t, s, "fine")
	wantEvents(t, "finish", finish(t, s))
	if s.Fault() != nil || s.Accounted() != 4 {
		t.Errorf("fault %v, accounted %d", s.Fault(), s.Accounted())
	}
}

func TestParserThatCannotBeMade(t *testing.T) {
	for _, name := range []string{"missing", "broken"} {
		e, err := native.Parser(&toys, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(Config{Engine: e, Policy: FaultIsError}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
