package manifest

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

const good = `{"abi":"1.0","module":"larch","version":"1.2.3","license":"Apache-2.0","parsers":[
 {"name":"larch_k2","aliases":["larch-k2","larch_k25"],"kind":"unified","models":["(?i)larch[-_ ]?k2"],
  "special_tokens":true,"jail":{"open":["<|calls|>"],"close":["<|/calls|>"]},
  "thinking":{"default":"on","controls":["thinking"]},
  "prompt":{"reasoning":["<think>"],"response":["</think>"],"closed_pair":"none"},
  "eos":["<|end|>"],"guided":["required","named"],"constraint":true,
  "strict":true,"wrapped":true,"needs_schemas":true,"synthesises":true,
  "ids":"{name}:{index}",
  "typing":{"union":"string","null":"proven","json":"any","empty":"container","booleans":"loose"}},
 {"name":"larch_plain","kind":"reasoning"}]}`

func TestParseReadsEveryMember(t *testing.T) {
	m, err := Parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal([]byte(good), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	w, _ := json.Marshal(want)
	g, _ := json.Marshal(got)
	if string(w) != string(g) {
		t.Errorf("a member was lost:\nwant %s\ngot  %s", w, g)
	}
}

// Each edit of the good manifest breaks one thing; the error must hold all of
// the given words.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"not JSON", `{"abi"`, `{abi`, "not JSON"},
		{"cut short", `"reasoning"}]}`, `"reasoning"}`, "too early"},
		{"something behind", `"reasoning"}]}`, `"reasoning"}]} {}`, "something follows"},
		{"no object", good, `[1]`, "an object is expected"},
		{"null", good, `null`, `abi: ""`},
		{"no UTF-8", "Apache", "\xff", "not UTF-8"},
		{"no version", `"1.0"`, `"one"`, `abi: "one"`},
		{"version as number", `"1.0"`, `1.0`, "abi: a number where a string"},
		{"other major", `"1.0"`, `"2.0"`, "abi: the module is made for version 2.0, this host speaks 1.0"},
		{"module missing", `"module":"larch",`, ``, "module:"},
		{"module name", `"larch",`, `"lar/ch",`, `module: "lar/ch"`},
		{"module version", `"1.2.3"`, `"1.2"`, `version: "1.2"`},
		{"misspelt at the top", `"license"`, `"licence"`, `"licence": version 1.0`},
		{"misspelt in a parser", `"special_tokens"`, `"special_token"`, `parser "larch_k2": "special_token": version 1.0`},
		{"misspelt below", `"default"`, `"defualt"`, `"defualt"`},
		{"no parsers", good, `{"abi":"1.0","module":"m","version":"1.0.0"}`, "parsers: 0 entries"},
		{"parsers no list", good, `{"abi":"1.0","module":"m","version":"1.0.0","parsers":{}}`, "parsers: a object where an array"},
		{"parser no object", `{"name":"larch_plain","kind":"reasoning"}`, `7`, "parsers[1]: a number where an object"},
		{"parser without name", `"name":"larch_plain",`, ``, `parsers[1]: name: ""`},
		{"name too long", `"larch_plain"`, `"` + strings.Repeat("a", 65) + `"`, "name:"},
		{"alias", `"larch-k2"`, `""`, `parser "larch_k2": aliases[0]: ""`},
		{"kind", `"unified"`, `"united"`, `parser "larch_k2": kind: "united"; write one of ["unified" "tools" "reasoning" "batch"]`},
		{"kind missing", `,"kind":"reasoning"`, ``, `parser "larch_plain": kind: ""`},
		{"pattern", `(?i)larch`, `(larch`, `models[0]: "(larch[-_ ]?k2" is no regular expression`},
		{"pattern for all", `(?i)larch[-_ ]?k2`, `.*`, `models[0]: ".*" matches every model`},
		{"jail without markers", `"open":["<|calls|>"]`, `"open":[]`, "jail.open: empty"},
		{"empty marker", `"<|/calls|>"`, `""`, "jail.close[0]: empty"},
		{"thinking", `"default":"on"`, `"default":"yes"`, `thinking.default: "yes"; write one of ["on" "off"]`},
		{"off", `"controls":`, `"off":["always"],"controls":`, `thinking.off[0]: "always"; write one of ["named" "constrained"]`},
		{"control", `["thinking"]`, `[""]`, "thinking.controls[0]: empty"},
		{"prompt", `["<think>"]`, `["a",""]`, "prompt.reasoning[1]: empty"},
		{"closed pair", `"none"`, `"no"`, `prompt.closed_pair: "no"`},
		{"eos", `"<|end|>"`, `""`, "eos[0]: empty"},
		{"eos type", `"eos":["<|end|>"]`, `"eos":"<|end|>"`, `parser "larch_k2": eos: a string where an array is expected`},
		{"guided", `"named"]`, `"auto"]`, `guided[1]: "auto"`},
		{"bool", `"strict":true`, `"strict":"yes"`, `strict: a string where true or false is expected`},
		{"ids", `{name}:{index}`, `{name}`, `ids: "{name}"; write "short", or a text with {index} in it`},
		{"typing", `"union":"string"`, `"union":"text"`, `typing.union: "text"; write one of ["typed" "string"]`},
		{"typing member", `"empty":`, `"void":`, `"void": version 1.0`},
		{"name twice", `"larch_plain"`, `"Larch-K2"`, `parser "Larch-K2": name: parser "larch_k2" has the same one`},
		{"alias of another", `"larch_k25"`, `"larch-plain"`, `aliases[1]: "larch-plain" already leads to parser "larch_plain"`},
		{"too long", good, strings.Repeat(" ", MaxSize) + good, "at most 1048576"},
		{"too many parsers", good, `{"abi":"1.0","module":"m","version":"1.0.0","parsers":[` + strings.Repeat("{},", 256) + `{}]}`, "257 entries"},
	} {
		t.Run(c.name, func(t *testing.T) {
			edited := strings.Replace(good, c.old, c.new, 1)
			if edited == good {
				t.Fatal("the edit changes nothing")
			}
			_, err := Parse([]byte(edited))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something with %q", err, c.want)
			}
		})
	}
}

func TestNewerMinorMayHaveNewMembers(t *testing.T) {
	newer := strings.Replace(strings.Replace(good, `"1.0"`, `"1.9"`, 1), `"license"`, `"licence"`, 1)
	if _, err := Parse([]byte(newer)); err != nil {
		t.Error(err)
	}
}

func TestFind(t *testing.T) {
	parse := func(module, parsers string) *Manifest {
		t.Helper()
		m, err := Parse([]byte(`{"abi":"1.0","module":"` + module + `","version":"1.0.0","parsers":[` + parsers + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	set := Set{
		parse("one", `{"name":"fir","aliases":["ash"],"kind":"tools","models":["fir"]},{"name":"oak","kind":"tools"}`),
		parse("two", `{"name":"ash","aliases":["fir-2"],"kind":"tools","models":["(?i)^(org/)?fir-?2"]},{"name":"oak","kind":"tools"}`),
	}
	for _, c := range []struct{ name, module, parser string }{
		{"fir", "one", "fir"},
		{"FIR", "one", "fir"},
		{"ash", "two", "ash"}, // the name of one beats the alias of the other
		{"fir_2", "two", "ash"},
		{"Fir-2", "two", "ash"},
		{"oak", "one", "oak"}, // the earlier module has it
	} {
		got, ok := set.Find(c.name)
		if !ok || got.Manifest.Module != c.module || got.Parser.Name != c.parser {
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
	for _, name := range []string{"", "fi", "fir2"} {
		if got, ok := set.Find(name); ok {
			t.Errorf("%q: got %+v", name, got)
		}
	}
	for model, want := range map[string]int{"org/Fir-2-7B": 1, "x/fir": 1, "fir-2": 2, "larch": 0} {
		if got := set.ForModel(model); len(got) != want {
			t.Errorf("%s: got %d matches, want %d", model, len(got), want)
		}
	}
	if got := strings.Join(set.Names(), " "); got != "fir oak ash oak" {
		t.Error(got)
	}
}

// ABI.md's example is a manifest, and its tables name every member.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile("../ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	if _, err := Parse([]byte(example)); err != nil {
		t.Errorf("the example in ABI.md: %v", err)
	}
	var check func(typ reflect.Type, under string)
	check = func(typ reflect.Type, under string) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for field := range typ.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch name {
			case "":
			case "jail", "thinking", "prompt": // by their members
				check(field.Type, name+".")
			default:
				if !strings.Contains(string(doc), "`"+under+name+"`") {
					t.Errorf("ABI.md does not describe %s%s", under, name)
				}
				check(field.Type, "")
			}
		}
	}
	check(reflect.TypeFor[Manifest](), "")
	for _, value := range []string{UnionTyped, UnionString, NullWord, NullProven, JSONTyped, JSONAny, EmptyString, EmptyContainer, BooleansWords, BooleansExact, BooleansLoose} {
		if !strings.Contains(string(doc), "`"+value+"`") {
			t.Errorf("ABI.md does not describe the value %s", value)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"abi":"1.0","module":"m","version":"1.0.0","parsers":[{"name":"p","kind":"batch"}]}`))
	f.Add([]byte(`{"abi":"1.9","parsers":[{}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(again); err != nil {
			t.Errorf("%s was read, written again as %s, and refused: %v", raw, again, err)
		}
		for _, p := range m.Parsers {
			if got, ok := (Set{m}).Find(p.Name); !ok || got.Parser.Name != p.Name {
				t.Errorf("%q leads to %+v", p.Name, got)
			}
		}
	})
}
