package parse

import (
	"bytes"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
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
	Constraint: func(s *abi.OpenBlock) []byte { return []byte(s.Tools[0]) },
}

func TestNative(t *testing.T) {
	e, err := Native(&toys, "firecracker")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, Config{Engine: e})
	same(t, "text", push(t, s, "Valve B2 "), `text "Valve B2 "`)
	same(t, "panic", push(t, s, "BOOM"), `text "BOOM"`)
	same(t, "after it", push(t, s, " is shut."), `text " is shut."`)
	same(t, "finish", finish(t, s))

	s, _ = open(t, Config{Engine: e})
	push(t, s, "fine")
	same(t, "finish", finish(t, s))
	if s.Fault() != nil || s.Accounted() != 4 {
		t.Errorf("fault %v, accounted %d", s.Fault(), s.Accounted())
	}
}

func TestNativeErrors(t *testing.T) {
	if _, err := Native(&toys, "other"); err == nil {
		t.Error("a parser that the module lacks: no error")
	}
	if _, err := Native(&sdk.Module{Manifest: "{"}, "x"); err == nil {
		t.Error("a broken manifest: no error")
	}
	for _, name := range []string{"missing", "broken"} {
		e, err := Native(&toys, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(Config{Engine: e, Policy: FaultIsError}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNativeConstraint(t *testing.T) {
	e, _ := Native(&toys, "bomb")
	c, ok := e.(Constrainer)
	if !ok {
		t.Fatal("no Constrainer")
	}
	if got, err := c.Constraint(&abi.OpenBlock{Tools: []string{"f"}}); string(got) != "f" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if _, err := c.Constraint(&abi.OpenBlock{}); err == nil {
		t.Error("a panic: no error")
	}
}
