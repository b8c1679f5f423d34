package builtin

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/builtin/sample"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/plugins"
	"github.com/turnkey-parsers/turnkey/sdk/native"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// family is a unified parser with its siblings, and how its models write.
type family struct {
	sample.Grammar
	parser.Engine
	siblings map[manifest.Kind]parser.Engine
	markers  []string
	cases    []cases.Case
	foreign  []cases.Case // of other families
}

// families gives all of them.
func families(t *testing.T) map[string]*family {
	paths, err := filepath.Glob("*/testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	var read []cases.Case
	for _, path := range paths {
		file, err := cases.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, file.Cases...)
	}
	all := map[string]*family{}
	for i, described := range manifests(t) {
		for _, p := range described.Parsers {
			if p.Kind != manifest.Unified {
				continue
			}
			f := &family{siblings: map[manifest.Kind]parser.Engine{}}
			var known bool
			if f.Grammar, known = sample.Grammars[p.Name]; !known {
				t.Errorf("%s: package sample lacks its grammar", p.Name)
			}
			for _, kind := range []manifest.Kind{manifest.Unified, manifest.Tools, manifest.Reasoning, manifest.Batch} {
				name := strings.TrimSuffix(p.Name+"_"+string(kind), "_unified")
				if e, err := native.Parser(Modules[i], name); err == nil {
					f.siblings[kind] = e
				}
			}
			f.Engine = f.siblings[manifest.Unified]
			f.markers = f.ownMarkers(&p)
			for _, c := range read {
				if found, ok := (manifest.Set{described}).Find(c.Family); ok && found.Parser.Name == p.Name {
					f.cases = append(f.cases, c)
				} else {
					f.foreign = append(f.foreign, c)
				}
			}
			all[p.Name] = f
		}
	}
	return all
}

// ownMarkers are those of the manifest and what stands round the sample's parts.
func (f *family) ownMarkers(p *manifest.Parser) []string {
	list := slices.Concat(p.EOS, f.Thought[:], f.Text[:], f.Call[:], f.String[:], []string{strings.ReplaceAll(f.Argument, "#", "1")})
	if p.Jail != nil {
		list = slices.Concat(list, p.Jail.Open, p.Jail.Close)
	}
	if p.Prompt != nil {
		list = slices.Concat(list, p.Prompt.Reasoning, p.Prompt.Response)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(m string) bool { return m == "" })
}

func (f *family) session(tools ...string) abi.OpenBlock {
	return abi.OpenBlock{Parser: f.Parser().Name, Tools: tools, Flags: abi.OpenParallel | abi.OpenReasoning, Start: abi.ChannelContent}
}

// lookalikes is what makes another family's text one of these, too: calls without
// markers of their own, and the tags of a parser whose manifest names none.
var lookalikes = map[string][]string{"llama3_json": {`"name"`, "[f("}, "pythonic": {`"name"`, "[g("}, "markers": {"<tool_call>"}}

// A call is found after what another family wrote, which stays as it is but for
// markers that both have.
func TestForeignMarkup(t *testing.T) {
	tools := []json.RawMessage{json.RawMessage(`{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"s":{"type":"string"}}}}}`)}
	for name, f := range families(t) {
		t.Run(name, func(t *testing.T) {
			own := "\n\n" + f.Call.Around(f.String.Around("hello"))
			tested := 0
			for _, c := range f.foreign {
				if f.sharesMarker(c.Input) || slices.ContainsFunc(lookalikes[name], func(l string) bool { return strings.Contains(c.Input, l) }) {
					continue
				}
				tested++
				text := c.Input + own
				events, err := conform.Assemble(f, &cases.Case{Tools: tools, Start: abi.ChannelContent, Input: text}, []string{text})
				calls, emitted := 0, ""
				for _, e := range events {
					if e.Kind == cases.KindToolCall && strings.Contains(string(e.Arguments), `"hello"`) {
						calls++
					}
					emitted += e.Text
				}
				if err != nil || calls != 1 || f.sharesMarker(emitted) {
					t.Errorf("after %s's %s: %d calls, error %v, in %q: %v", c.Family, c.Name, calls, err, text, events)
				}
			}
			if tested < 10 {
				t.Errorf("only %d texts", tested)
			}
		})
	}
}

// sharesMarker tells whether text holds one of the family's markers.
func (f *family) sharesMarker(text string) bool {
	return slices.ContainsFunc(f.markers, func(m string) bool {
		m = strings.TrimSpace(m)
		return len(m) > 4 && strings.Contains(text, m)
	})
}

// The batch parser emits what the one for calls emits. Where every reply is wrapped
// it takes all of the envelope off, as the unified parser does.
func TestBatchAgreesWithTools(t *testing.T) {
	for name, f := range families(t) {
		tools, batch := f.siblings[manifest.Tools], f.siblings[manifest.Batch]
		if tools == nil || batch == nil {
			t.Errorf("%s lacks one", name)
			continue
		}
		if name == "beam" || name == "harmony" || name == "muse_glimmer" {
			tools = f.Engine
		}
		for _, c := range f.cases {
			want, wantErr := conform.Assemble(tools, &c, []string{c.Input})
			got, err := conform.Assemble(batch, &c, []string{c.Input})
			for _, events := range [][]cases.Piece{want, got} {
				for i := range events {
					events[i].ID = "" // the host may have made it
				}
			}
			if !reflect.DeepEqual(got, want) || (err == nil) != (wantErr == nil) {
				t.Errorf("%s's %s: %v, error %v; want %v, error %v", name, c.Name, got, err, want, wantErr)
			}
		}
	}
}

// Tools may be called anything, also what the grammar's own words and markers are.
func TestOddTools(t *testing.T) {
	splits, err := tck.ParseSplits("random:1")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range families(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := append([]string{"f", `a"b`, "f g", "名前", "function", "name", "f\nx", "}", "", `\`, "<think>"}, f.markers...)
			for i, c := range f.foreign {
				if i%29 == 0 {
					if err := tck.CheckText(f, f.session(tools...), c.Input+f.Call.Around(""), abi.FinishUnknown, splits); err != nil {
						t.Errorf("%s's %s: %v", c.Family, c.Name, err)
					}
				}
			}
			constrain, ok := f.Engine.(parser.Constrainer)
			if !ok || !f.Parser().Constraint || name == "deepseek_v3" { // which needs to be told the dialect
				return
			}
			for _, choice := range []abi.ToolChoice{abi.ToolChoiceAuto, abi.ToolChoiceRequired, abi.ToolChoiceNamed} {
				s := f.session(tools...)
				s.ToolChoice, s.NamedTool = choice, tools[1]
				for i := range tools {
					s.Schemas = append(s.Schemas, abi.Schema{Tool: uint32(i), JSON: `{"type":"object","properties":{"a\"b":{"const":"</x>"}}}`})
				}
				if raw, err := constrain.Constraint(&s); err != nil || !json.Valid(raw) {
					t.Errorf("choice %d: error %v, constraint %q", choice, err, raw)
				}
			}
		})
	}
}

// Long texts of one thing over and over, in every place, cost no fault: nothing is
// held beyond the limits, no depth is too deep. What costs too much time shows as
// a test that does not end.
func TestHostileTexts(t *testing.T) {
	const size = 8 << 10
	for name, f := range families(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for where, leadingText := range map[string]string{
				"text": f.Text[0], "thought": f.Thought[0], "call": f.Call[0], "string": f.Call[0] + f.String[0], "after a call": f.Call.Around(""),
				"after an argument": f.Call[0] + strings.ReplaceAll(f.Argument, "#", "1"), "quotation": f.Text[0] + ` "`, "quoted call": f.Text[0] + ` "` + f.Call[0],
			} {
				for _, body := range f.bodies() {
					text := leadingText + strings.Repeat(body, size/len(body))
					if where == "string" {
						text += f.String[1] + f.Call[1]
					}
					if err := f.push(text, 16); err != nil {
						t.Errorf("%s, %q over and over: %v", where, body, err)
					}
				}
			}
		})
	}
}

// The limits hold where they are reached.
func TestVeryLongTexts(t *testing.T) {
	const size, mostCalls = 3 << 20 / 2, 60_000
	for name, f := range families(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, body := range []string{"x", " ", `{"a":`, f.Call[0], f.Call[0] + f.String[0] + "'"} {
				if err := f.push(f.Text[0]+` "`+f.Call[0]+strings.Repeat(body, min(size/len(body), mostCalls)), 4096); err != nil {
					t.Errorf("%q over and over: %v", body, err)
				}
				if err := f.push(f.Call[0]+strings.Repeat(body, min(size/len(body), mostCalls)), 4096); err != nil {
					t.Errorf("in a call, %q over and over: %v", body, err)
				}
			}
		})
	}
}

// bodies are what hostile texts repeat: plain bytes, the family's markers, parts of
// them, and both with quotation marks.
func (f *family) bodies() []string {
	list := []string{
		`"`, "'", "`", " ", "\n", "\r\n", "\n \n", `\`, "{", "[", "}", "]", "(", "<", "k", "é", "e\u0301", "\u202eשלום ", "\x00", `{"a":`, `"x" `, ` "x`,
		` "x y' z` + "`", "a word\n", "a, b: ", "f(", "a=", `{"name": "f", `, "[f(", "1",
	}
	for _, m := range f.markers {
		cut := len(m) - 1
		for cut > 0 && !utf8.RuneStart(m[cut]) {
			cut--
		}
		if cut > 0 {
			list = append(list, m[:cut])
		}
		list = append(list, m, `"`+m, m+` "x `, ` "`+m+`" `, m+`{"a":"`, m+"\n")
	}
	return list
}

// push runs a text through a parse session, in chunks of n bytes.
func (f *family) push(text string, n int) error {
	s, _, err := parse.Open(parse.Config{Engine: f, Open: f.session("f"), Policy: parse.FaultIsError})
	if err != nil {
		return err
	}
	defer s.Close()
	for at := 0; at < len(text); at += n {
		if _, err := s.Push(text[at:min(at+n, len(text))]); err != nil {
			return fmt.Errorf("at %d: %w", at, err)
		}
	}
	_, err = s.Finish(abi.FinishUnknown)
	return err
}

// As WebAssembly, with the limits of shipped modules, what a parser held back for
// long is settled within its budget.
func TestHeldTextsOfGuests(t *testing.T) {
	const size = 64 << 10
	runtime := wasmtest.NewRuntime(t)
	all := families(t)
	for _, described := range manifests(t) {
		binary, err := plugins.Module(described.Module)
		if err != nil {
			t.Fatal("no modules are built: run make modules: ", err)
		}
		module, err := runtime.Compile(t.Context(), binary, wasm.Shipped())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range described.Parsers {
			f := all[p.Name]
			if f == nil {
				continue
			}
			if f.Engine, err = module.Parser(p.Name); err != nil {
				t.Fatal(err)
			}
			quoted := f.Text[0] + ` "`
			for what, text := range map[string]string{
				"a quoted call's string":    quoted + f.LongString(size),
				"a quoted call's arguments": quoted + f.LongCall(size),
				"quoted calls":              quoted + strings.Repeat(f.Call[0]+f.String.Around("x")+f.Call[1], size/40),
				"quoted openers":            quoted + strings.Repeat(f.Call[0], size/len(f.Call[0])),
				"closers in a string":       f.Call[0] + f.String[0] + strings.Repeat("x "+f.Call[1], size/(2+len(f.Call[1]))),
			} {
				if err := f.push(text, 512); err != nil {
					t.Errorf("%s: %s: %v", p.Name, what, err)
				}
			}
		}
	}
}
