package cases

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

const goodCases = `{"family":"toy","tools":{"std":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]},"cases":[
 {"name":"a","why":"w","tools":"std","start":"reasoning","mode":"guided_named:f","turn_grammar":true,"input":"x","finish":"eos",
  "want":{"events":[{"kind":"tool_call","name":"f","arguments":{"n":42.0},"id":"i"},{"kind":"text","text":"t"},{"kind":"text","text":"u"},{"kind":"reasoning","text":"r"}],"error":"e"},"basis":"golden"},
 {"name":"b","dialect":"toy_2","chunks":["x","y"],"want":{"events":[]}},
 {"name":"c","family":"fir","dialect":"toy_2","tools":[],"input":"","finish":"eos","want":{"events":[]}}]}`

func TestParseFile(t *testing.T) {
	f, err := ParseFile("toy.json", []byte(goodCases))
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := f.Cases[0], f.Cases[1], f.Cases[2]
	if a.Family != "toy" || b.Family != "toy_2" || c.Family != "fir" {
		t.Errorf("families %s, %s, %s", a.Family, b.Family, c.Family)
	}
	if len(a.Want) != 3 || a.Want[1].Text != "tu" || a.WantError != "e" {
		t.Errorf("wants %v", a.Want)
	}
	if b.Input != "xy" || b.Chunks == nil || a.Chunks != nil {
		t.Errorf("chunks %q of %q", b.Chunks, b.Input)
	}
	s, err := a.OpenBlock("p")
	if err != nil || s.Parser != "p" || s.Start != abi.ChannelReasoning || s.Mode != abi.ModeGuidedNamed || s.NamedTool != "f" ||
		!slices.Equal(s.Tools, []string{"f"}) || s.Flags != abi.OpenReasoning|abi.OpenParallel|abi.OpenTurnGrammar {
		t.Errorf("session %+v, %v", s, err)
	}
	if a.Finish != abi.FinishEOS || c.Finish != abi.FinishUnknown {
		t.Errorf("an end is confirmed only under a turn grammar: %d and %d", a.Finish, c.Finish)
	}
}

func TestParseFileErrors(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"not an object", `{"family"`, `["family"`, "toy.json: at byte"},
		{"a case that is no object", `"cases":[`, `"cases":[7,`, "case 0"},
		{"unknown member", `"why"`, `"wy"`, `case 0 "a": at byte`},
		{"no name", `"name":"b",`, ``, "case 1 \"\": name: missing"},
		{"one name twice", `"name":"b"`, `"name":"a"`, `case 1: name: "a" is there twice`},
		{"neither input nor chunks", `"input":"x",`, ``, "input: a case has either"},
		{"both input and chunks", `"chunks":["x","y"]`, `"chunks":["x"],"input":"x"`, "input: a case has either"},
		{"unknown set of tools", `"tools":"std"`, `"tools":"sdt"`, `tools: the file has no set "sdt"`},
		{"tools that are no list", `"tools":[]`, `"tools":7`, "tools: neither"},
		{"tool without a name", `"tools":[]`, `"tools":[{}]`, "tools[0]: function.name: missing"},
		{"unknown start", `"reasoning","mode"`, `"thinking","mode"`, `start: "thinking"; write`},
		{"unknown mode", `"guided_named:f"`, `"guided_named"`, `mode: "guided_named"; write`},
		{"unknown finish", `"finish":"eos"`, `"finish":"end"`, `finish: "end"; write`},
		{"unknown kind of a piece", `"kind":"reasoning"`, `"kind":"thought"`, `want.events[3]: kind: "thought"`},
		{"text with a name", `"text":"t"`, `"name":"t"`, `want.events[1]: text: only text`},
		{"call without arguments", `"name":"f","arguments":{"n":42.0},`, `"name":"f",`, `want.events[0]: tool_call: name and arguments`},
		{"no want", `,"want":{"events":[]}}]}`, `}]}`, "want: missing"},
		{"no family", `"family":"toy",`, ``, "family: missing"},
		{"no cases", goodCases, `{"family":"toy","cases":[]}`, "cases: none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			edited := strings.Replace(goodCases, c.old, c.new, 1)
			if edited == goodCases {
				t.Fatalf("%s changes nothing", c.old)
			}
			if _, err := ParseFile("toy.json", []byte(edited)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something with %q", err, c.want)
			}
		})
	}
	if _, err := Load("testdata/no-such-file.json"); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestSameJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b string
		same bool
	}{
		{"order of members", `{"a":1,"b":[true,null]}`, ` {"b": [true, null], "a": 1}`, true},
		{"fraction", `42.0`, `42`, false},
		{"exponent", `1e2`, `100`, false},
		{"long integer", `12345678901234567890`, `12345678901234567891`, false},
		{"escape", `"é"`, `"\u00e9"`, true},
		{"order of elements", `[1,2]`, `[2,1]`, false},
		{"empty text", `{}`, ``, false},
		{"two values", `{}`, `{} {}`, false},
	} {
		if got := sameJSON([]byte(c.a), []byte(c.b)); got != c.same {
			t.Errorf("%s: %s and %s: %v", c.name, c.a, c.b, got)
		}
	}
}

func TestDiffPieces(t *testing.T) {
	call := Piece{Kind: KindToolCall, Name: "f", Arguments: json.RawMessage(`{}`), ID: "1"}
	with := func(change func(*Piece)) Piece { e := call; change(&e); return e }
	for _, c := range []struct {
		name      string
		want, got Piece
		differs   string
	}{
		{"same", call, call, ""},
		{"id not asked for", with(func(e *Piece) { e.ID = "" }), call, ""},
		{"id", call, with(func(e *Piece) { e.ID = "2" }), "event 0: id"},
		{"name", call, with(func(e *Piece) { e.Name = "g" }), "event 0: name"},
		{"arguments", call, with(func(e *Piece) { e.Arguments = json.RawMessage(`[]`) }), "event 0: arguments"},
		{"no JSON", call, with(func(e *Piece) { e.Arguments = json.RawMessage(`{`) }), "event 0: arguments"},
		{"kind", call, Piece{Kind: KindText, Text: "f"}, "event 0: kind"},
		{"text", Piece{Kind: KindText, Text: "f"}, Piece{Kind: KindText, Text: "g"}, "event 0: text"},
	} {
		if got := DiffPieces([]Piece{c.want}, []Piece{c.got}); got != c.differs {
			t.Errorf("%s: got %q, want %q", c.name, got, c.differs)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte(goodCases))
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := ParseFile("fuzz.json", raw)
		if err != nil {
			return
		}
		for _, c := range file.Cases {
			if _, err := c.OpenBlock("p"); err != nil {
				t.Errorf("a case that was read has no session: %v", err)
			}
			if d := DiffPieces(c.Want, c.Want); d != "" {
				t.Errorf("what is wanted differs from itself: %s", d)
			}
		}
	})
}
