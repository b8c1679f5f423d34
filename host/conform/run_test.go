package conform

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/abi/tck/toy"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

const runFile = `{"family":"toy","tools":{"std":[{"type":"function","function":{"name":"f","parameters":{}}}]},"cases":[
 {"name":"good","tools":"std","input":"a<t>b</t>(f{\"n\":42.0})c","want":{"events":[{"kind":"text","text":"a"},{"kind":"reasoning","text":"b"},{"kind":"tool_call","name":"f","arguments":{"n":42.0}},{"kind":"text","text":"c"}]}},
 {"name":"number","tools":"std","input":"(f{\"n\":42.0})","want":{"events":[{"kind":"tool_call","name":"f","arguments":{"n":42}}]}},
 {"name":"known","tools":"std","input":"x","want":{"events":[]}},
 {"name":"stale","tools":"std","input":"x","want":{"events":[{"kind":"text","text":"x"}]}},
 {"name":"chunks","family":"toy_late","chunks":["(f","{","})"],"tools":"std","want":{"events":[{"kind":"tool_call","name":"f","arguments":{}}]}},
 {"name":"late","family":"toy_late","input":"(f{})","tools":"std","want":{"events":[{"kind":"tool_call","name":"f","arguments":{}}]}},
 {"name":"error","input":"x","want":{"events":[{"kind":"text","text":"x"}],"error":"malformed tool call"}},
 {"name":"alias","family":"Toy-2","input":"","want":{"events":[]}},
 {"name":"nobody","family":"larch","input":"","want":{"events":[]}}]}`

func run(t *testing.T, change func(*Config), asJSON bool) (Summary, string) {
	t.Helper()
	file, err := cases.ParseFile("toy.json", []byte(runFile))
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Files: []*cases.File{file}, Name: "native", Splits: tck.EverySplit,
		Engine: func(family string) (parser.Engine, error) {
			if strings.HasPrefix(strings.ToLower(family), "toy") {
				return native.Parser(&toy.Module, family)
			}
			return nil, nil
		},
		Exceptions: map[string]string{"toy.json/known": "for the test", "toy.json/stale": "for the test"},
	}
	change(&cfg)
	var out bytes.Buffer
	sum, err := Run(cfg, &out, asJSON)
	if err != nil {
		t.Fatal(err)
	}
	return sum, out.String()
}

func TestRun(t *testing.T) {
	sum, out := run(t, func(*Config) {}, false)
	want := []string{
		`FAIL toy.json number native whole: want [{"kind":"tool_call","name":"f","arguments":{"n":42}}] got [{"kind":"tool_call","name":"f","arguments":{"n":42.0},"id":`,
		`EXCEPTION toy.json known native whole: want [] got [{"kind":"text","text":"x"}] (event 0 is one too many) known: for the test`,
		`FAIL toy.json stale native all: want [{"kind":"text","text":"x"}] got [{"kind":"text","text":"x"}] (it is among the exceptions, but passes; take it out)`,
		`FAIL toy.json chunks native chunks: want`,
		`FAIL toy.json late native chars: want`,
		`FAIL toy.json error native whole: want [{"kind":"text","text":"x"}] and error "malformed tool call" got [{"kind":"text","text":"x"}] (error)`,
		`FAIL toy.json nobody native none: want [] got [] and error "no loaded module has a parser for the family \"larch\""`,
		`2 passed, 6 failed`,
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out)
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("got  %s\nwant %s…", lines[i], want[i])
		}
	}
	if (sum != Summary{Passed: 2, Failed: 6, Exceptions: 1}) {
		t.Errorf("got %+v", sum)
	}
}

func TestRunOneFamilyWhole(t *testing.T) {
	sum, out := run(t, func(c *Config) { c.Family, c.Splits = "toy_late", tck.Splits{} }, false)
	if (sum != Summary{Passed: 1, Failed: 1}) || !strings.HasSuffix(out, "1 passed, 1 failed\n") {
		t.Errorf("got %+v and\n%s", sum, out)
	}
}

func TestRunJSON(t *testing.T) {
	sum, out := run(t, func(*Config) {}, true)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 10 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	passed := 0
	for _, line := range lines[:9] {
		var r Result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if r.File != "toy.json" || r.Case == "" || r.Engine != "native" || r.Passed == (r.Split != "") {
			t.Errorf("got %s", line)
		}
		if r.Passed {
			passed++
		}
	}
	var last Summary
	if err := json.Unmarshal([]byte(lines[9]), &last); err != nil || last != sum || passed != sum.Passed {
		t.Errorf("got %s, %v; %d passed", lines[9], err, passed)
	}
}
