package toolname_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolname"
)

func TestOnlyFor(t *testing.T) {
	s := &abi.OpenBlock{Tools: []string{"look", "save", "noop", "move"}, Schemas: []abi.Schema{
		{Tool: 0, JSON: `{"type":"object","properties":{"q":{},"n":{}},"required":["q"]}`},
		{Tool: 1, JSON: `{"type":"object","properties":{"path":{},"text":{}},"required":["path","text"]}`},
		{Tool: 2, JSON: `{"type":"object"}`},
		{Tool: 3, JSON: `{"type":"object","properties":{"path":{},"to":{}}}`},
		{Tool: 9, JSON: `{"type":"object"}`},
	}}
	for arguments, want := range map[string]string{
		`{"q":"x"}`:               "look",
		`{'q':'x', "n":True,}`:    "look",
		`{"path":"a","text":"b"}`: "save",
		`{"path":"a"}`:            "move",
		`{}`:                      "", // two accept it
		`{"q":"x","path":"a"}`:    "",
		`{"other":1}`:             "",
	} {
		if got, ok := toolname.OnlyFor(s, []byte(arguments)); got != want || ok != (want != "") {
			t.Errorf("%s is for %q, %v; want %q", arguments, got, ok, want)
		}
	}
}

func TestOffers(t *testing.T) {
	tools := []string{"crm:contacts:find", "f"}
	for name, want := range map[string][2]bool{"crm:contacts:find": {true, true}, "crm:": {false, true}, "g": {}, "": {false, true}} {
		if got := [2]bool{toolname.Offers(tools, []byte(name)), toolname.MayOffer(tools, []byte(name))}; got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
