package native_test

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// bomb is a parser of plain text that panics where it sees BOOM.
type bomb struct{}

func (bomb) Step(w *sdk.Window) {
	if strings.Contains(string(w.Bytes()), "BOOM") {
		panic("boom")
	}
	w.Text(w.Len())
}

var toys = sdk.Module{
	Manifest: `{"abi":"1.0","module":"toys","version":"1.0.0","license":"Apache-2.0","parsers":[
		{"name":"bomb","aliases":["firecracker"],"kind":"unified"},{"name":"broken","kind":"unified"}]}`,
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

func TestPanicIsAnError(t *testing.T) {
	e, err := native.Parser(&toys, "firecracker")
	if err != nil {
		t.Fatal(err)
	}
	src, _, err := e.Open(&abi.OpenBlock{Parser: e.Parser().Name})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if answer, err := src.Push(0, 0, []byte("fine")); err != nil || len(answer.Events) != 1 {
		t.Errorf("push: %v, %v", answer, err)
	}
	if _, err := src.Push(4, 0, []byte("BOOM")); err == nil || err.Error() != "panic: boom" {
		t.Errorf("a panic gives the error %v", err)
	}
	broken, err := native.Parser(&toys, "broken")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := broken.Open(&abi.OpenBlock{Parser: "broken"}); err == nil {
		t.Error("a panic when opening: no error")
	}
}

func TestParserErrors(t *testing.T) {
	if _, err := native.Parser(&toys, "other"); err == nil {
		t.Error("a parser that the module lacks: no error")
	}
	if _, err := native.Parser(&sdk.Module{Manifest: "{"}, "x"); err == nil {
		t.Error("a broken manifest: no error")
	}
}

func TestConstraint(t *testing.T) {
	e, err := native.Parser(&toys, "bomb")
	if err != nil {
		t.Fatal(err)
	}
	c, ok := e.(parser.Constrainer)
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
