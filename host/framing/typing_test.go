package framing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// The knobs of three families whose documents differ: values typed wherever they
// can be, strings preferred, and only what the schema says word for word.
var (
	typedWins  = manifest.Typing{}
	stringWins = manifest.Typing{Union: manifest.UnionString, Null: manifest.NullProven, JSON: manifest.JSONAny, Booleans: manifest.BooleansLoose}
	exact      = manifest.Typing{Null: manifest.NullProven, Booleans: manifest.BooleansExact, Empty: manifest.EmptyContainer}
)

type reading struct{ schema, in, want string }

func reads(t *testing.T, knobs manifest.Typing, list []reading) {
	t.Helper()
	for _, r := range list {
		cfg := Config{Tools: typed(r.schema), Typing: &knobs}
		for n := range 3 {
			events := pieces(of(opens(0, "f"), key("v"), val(abi.ReadSchema, r.in), end), n)
			want := `call 0 f * {"v":` + r.want + `}`
			if got, _ := framed(cfg, events, n == 0); len(got) != 1 || got[0] != want {
				t.Errorf("%s, text %q in pieces of %d:\n got %q\nwant %q", r.schema, r.in, n, got, want)
			}
		}
	}
}

// What all families have in common.
func TestTypingEverywhere(t *testing.T) {
	for _, knobs := range []manifest.Typing{typedWins, stringWins, exact} {
		reads(t, knobs, []reading{
			{`{"type":"string"}`, `{"a":1}`, `"{\"a\":1}"`},
			{`{"type":"string"}`, `42`, `"42"`},
			{`{"type":"string"}`, `true`, `"true"`},
			{`{"type":"string"}`, "  x\n ", `"  x\n "`},
			{`{"type":"string"}`, `&lt;`, `"&lt;"`},
			{`{"type":"string"}`, `null`, `"null"`},
			{`{"type":"string"}`, ``, `""`},
			{`{"type":"integer"}`, ` 42 `, `42`},
			{`{"type":"integer"}`, `-7`, `-7`},
			{`{"type":"integer"}`, `5.0`, `5`},
			{`{"type":"integer"}`, `2.5e1`, `25`},
			{`{"type":"integer"}`, `120e-1`, `12`},
			{`{"type":"integer"}`, `1E2`, `100`},
			{`{"type":"integer"}`, `-4.2E+1`, `-42`},
			{`{"type":"integer"}`, `0.0e-400`, `0`},
			{`{"type":"integer"}`, `5.5`, `"5.5"`},
			{`{"type":"integer"}`, `1e-1`, `"1e-1"`},
			{`{"type":"integer"}`, `1.0000000000000000000001`, `"1.0000000000000000000001"`},
			{`{"type":"integer"}`, `9007199254740993`, `9007199254740993`},
			{`{"type":"integer"}`, `9007199254740993.0`, `9007199254740993`},
			{`{"type":"integer"}`, strings.Repeat("9", 40), strings.Repeat("9", 40)},
			{`{"type":"integer"}`, `1e999999999`, `"1e999999999"`},
			{`{"type":"integer"}`, `1e99999999999999999999999`, `"1e99999999999999999999999"`},
			{`{"type":"integer"}`, `10e-99999999999999999999999`, `"10e-99999999999999999999999"`},
			{`{"type":"integer"}`, `0e99999999999999999999999`, `0`},
			{`{"type":"integer"}`, `1_000`, `"1_000"`},
			{`{"type":"integer"}`, `0x1f`, `"0x1f"`},
			{`{"type":"integer"}`, `NaN`, `"NaN"`},
			{`{"type":"integer"}`, `007`, `"007"`},
			{`{"type":"integer"}`, `+3`, `"+3"`},
			{`{"type":"integer"}`, `-`, `"-"`},
			{`{"type":"integer"}`, `soon`, `"soon"`},
			{`{"type":"integer"}`, ``, `""`},
			{`{"type":"number"}`, `3.25`, `3.25`},
			{`{"type":"number"}`, `1e3`, `1e3`},
			{`{"type":"number"}`, `0.1000000000000000055`, `0.1000000000000000055`},
			{`{"type":"number"}`, `.5`, `".5"`},
			{`{"type":"number"}`, `Infinity`, `"Infinity"`},
			{`{"type":"number"}`, `12,5`, `"12,5"`},
			{`{"type":"boolean"}`, ` true`, `true`},
			{`{"type":"boolean"}`, `false`, `false`},
			{`{"type":"boolean"}`, `maybe`, `"maybe"`},
			{`{"type":"null"}`, ` null `, `null`},
			{`{"type":"object"}`, ` {"x": [1.50]} `, `{"x": [1.50]}`},
			{`{"type":"object"}`, "{\"x\":\"a\nb\"}", `{"x":"a\nb"}`},
			{`{"type":"object"}`, `{oops`, `"{oops"`},
			{`{"type":"array"}`, `[1, 2]`, `[1, 2]`},
			{`{"type":"array"}`, `a, b`, `"a, b"`},
			{`{"type":"array"}`, `[1,`, `"[1,"`},
			{`{"type":["integer","null"],"const":42}`, `42.0`, `42`},
			{`{"type":["integer","null"],"enum":[42]}`, `4.2e1`, `42`},
			{`{"enum":["42","x"]}`, `42`, `"42"`},
			{`{"type":["string","null"]}`, `null`, `null`},
			{`{"type":["string","null"]}`, ` null `, `null`},
			{`{"type":["string","null"]}`, `nullable`, `"nullable"`},
			{`{"type":["string","null"]}`, `nul`, `"nul"`},
			{`{"type":["string","null"]}`, `42`, `"42"`},
			{`{"type":["string","null"]}`, ``, `""`},
			{`{"type":"string","nullable":true}`, `null`, `null`},
			{`{"type":"integer","nullable":true}`, `7`, `7`},
			{`{"anyOf":[{"type":"boolean"},{"type":"null"}]}`, `null`, `null`},
			{`true`, `42`, `"42"`},
			{`{}`, `42`, `"42"`},
			{`{"type":"tuple"}`, `42`, `"42"`},
			{`{"type":"varchar"}`, `42`, `"42"`},
			{`{"type":"int64"}`, `42`, `42`},
			{`{"type":"float32"}`, `1.5`, `1.5`},
			{`{"type":"bool"}`, `true`, `true`},
			{`{"type":"dict[str, int]"}`, `{"a":1}`, `{"a":1}`},
			{`{"type":"list"}`, `[1]`, `[1]`},
		})
	}
}

func TestTypedReadingWins(t *testing.T) {
	reads(t, typedWins, []reading{
		{`{"type":["string","integer"]}`, `42`, `42`},
		{`{"type":["string","integer"]}`, `forty`, `"forty"`},
		{`{"type":["integer","string"]}`, `42.5`, `"42.5"`},
		{`{"anyOf":[{"const":"any"},{"type":"integer"}]}`, `any`, `"any"`},
		{`{"anyOf":[{"const":"42"},{"type":"integer"}]}`, `42`, `42`},
		{`{"anyOf":[{"const":"{\"x\":1}"},{"type":"object"}]}`, `{"x":1}`, `{"x":1}`},
		{`{"anyOf":[{"const":"null"},{"type":"null"}]}`, `null`, `null`},
		{`{"const":7}`, `7`, `7`},
		{`{"const":"42"}`, `42`, `"42"`},
		{`{"enum":[1,"a"]}`, `1`, `1`},
		{`{"enum":[1,"a"]}`, `a`, `"a"`},
		{`{"anyOf":[{"type":"integer"},{}]}`, `42`, `"42"`},
		{`{"allOf":[{"type":["string","integer"]},{"type":"integer"}]}`, `42`, `42`},
		{`{"allOf":[{"type":"string"},{"type":"integer"}]}`, `42`, `"42"`},
		{`{"type":"string","anyOf":[{"type":"string"},{"type":"null"}]}`, `null`, `"null"`},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `null`, `"null"`},
		{`{"type":"integer"}`, `null`, `null`},
		{`{"type":"integer"}`, ` NULL `, `null`},
		{`{}`, `Null`, `null`},
		{`{"type":"integer","nullable":true,"enum":[1]}`, `null`, `null`},
		{`{"type":"boolean"}`, `True`, `true`},
		{`{"type":"boolean"}`, ` FALSE `, `false`},
		{`{"type":"boolean"}`, `yes`, `"yes"`},
		{`{"type":"boolean"}`, `1`, `"1"`},
		{`{"type":"object"}`, `[1]`, `"[1]"`},
		{`{"type":"array"}`, `{"a":1}`, `"{\"a\":1}"`},
		{`{"type":"array"}`, ``, `""`},
		{`{"type":"integer"}`, `"7"`, `"\"7\""`},
		{`{}`, `{"a":1}`, `"{\"a\":1}"`},
	})
}

func TestStringWins(t *testing.T) {
	reads(t, stringWins, []reading{
		{`{"type":["string","integer"]}`, `42`, `"42"`},
		{`{"anyOf":[{"const":"any"},{"type":"integer"}]}`, `42`, `42`},
		{`{"anyOf":[{"const":"any"},{"type":"integer"}]}`, `any`, `"any"`},
		{`{"oneOf":[{"type":"integer"},{"const":"any"}]}`, `any`, `"any"`},
		{`{"anyOf":[{"const":"42"},{"type":"integer"}]}`, `42`, `"42"`},
		{`{"anyOf":[{"const":"{\"x\":1}"},{"type":"object"}]}`, `{"x":1}`, `"{\"x\":1}"`},
		{`{"anyOf":[{"const":"any"},{"type":"boolean"}]}`, `true`, `true`},
		{`{"anyOf":[{"const":"null"},{"type":"null"}]}`, `null`, `null`},
		{`{"const":"null"}`, `null`, `"null"`},
		{`{"type":"integer"}`, `null`, `"null"`},
		{`{"type":"null"}`, `NULL`, `"NULL"`},
		{`{}`, `null`, `"null"`},
		{`{"type":"string","nullable":true,"enum":["a"]}`, `null`, `"null"`},
		{`{"type":"string","nullable":true,"const":"a"}`, `null`, `"null"`},
		{`{"oneOf":[{"type":"null"},{"type":["string","null"]}]}`, `null`, `"null"`},
		{`{"oneOf":[{"type":"null"},{}]}`, `null`, `"null"`},
		{`{"allOf":[{"type":["string","null"]},{"type":"null"}]}`, `null`, `null`},
		{`{"allOf":[{"type":["string","null"]},{"type":"string"}]}`, `null`, `"null"`},
		{`{"type":"boolean"}`, `Yes`, `true`},
		{`{"type":"boolean"}`, `no`, `false`},
		{`{"type":"boolean"}`, `1`, `true`},
		{`{"type":"boolean"}`, `0`, `false`},
		{`{"type":"integer"}`, `"7"`, `"7"`},
		{`{"type":"array"}`, `{"a":1}`, `{"a":1}`},
		{`{}`, `{"a":1}`, `{"a":1}`},
		{`{}`, `{"a":`, `"{\"a\":"`},
	})
}

func TestExactTyping(t *testing.T) {
	reads(t, exact, []reading{
		{`{"type":"boolean"}`, `True`, `"True"`},
		{`{"type":"boolean"}`, `yes`, `"yes"`},
		{`{"type":"integer"}`, `null`, `"null"`},
		{`{"type":["integer","null"]}`, ` null `, `null`},
		{`{"type":["string","null"]}`, `None`, `"None"`},
		{`{"type":"array"}`, ``, `[]`},
		{`{"type":"object"}`, ` `, `{}`},
		{`{"type":["string","array"]}`, ``, `""`},
		{`{"type":"integer"}`, ``, `""`},
	})
}

func TestUndeclared(t *testing.T) {
	for _, c := range []struct {
		knobs    manifest.Typing
		in, want string
	}{
		{typedWins, `42`, `"42"`}, {typedWins, `{"a":1}`, `"{\"a\":1}"`}, {typedWins, ` null `, `null`}, {typedWins, `nullify`, `"nullify"`},
		{stringWins, `42`, `"42"`}, {stringWins, `{"a":1}`, `"{\"a\":1}"`}, {stringWins, `null`, `"null"`}, {exact, ``, `""`},
	} {
		want := `call 0 f * {"w":` + c.want + `}`
		frames(t, Config{Tools: typed(`{"type":"integer"}`), Typing: &c.knobs}, of(opens(0, "f"), key("w"), val(abi.ReadSchema, c.in), end), want)
		frames(t, Config{Typing: &c.knobs}, of(opens(0, "f"), key("w"), val(abi.ReadSchema, c.in), end), want)
	}
}

const references = `{"type":"object","$defs":{
	"house no":{"type":"integer"},"naïve+":{"type":"integer"},"p/q~r":{"type":"integer"},
	"Alias":{"$ref":"#/$defs/Ratio"},"Ratio":{"type":"number"},"Text":{"type":"string"},
	"Scalar":{"type":["string","integer"]},"Loop":{"$ref":"#/$defs/Loop"},"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"},
	"Scoped":{"$id":"https://schemas.invalid/scoped","type":"integer"},
	"List":[{"type":"string"},{"type":"integer"}]},
	"properties":{"v":%s}}`

func TestReferences(t *testing.T) {
	for _, c := range []struct{ schema, in, typed, str string }{
		{`{"$ref":"#/$defs/house%20no"}`, `42`, `42`, `42`},
		{`{"$ref":"#/$defs/na%c3%afve+"}`, `42`, `42`, `42`},
		{`{"$ref":"#/$defs/p%7E1q%7E0r"}`, `42`, `42`, `42`},
		{`{"$ref":"#/$defs/p~1q~0r"}`, `42`, `42`, `42`},
		{`{"$ref":"#/$defs/Alias"}`, `3.5`, `3.5`, `3.5`},
		{`{"$ref":"#/$defs/Text"}`, `[1]`, `"[1]"`, `"[1]"`},
		{`{"$ref":"#/$defs/Text","allOf":[{"type":"string"}]}`, `{"x":1}`, `"{\"x\":1}"`, `"{\"x\":1}"`},
		{`{"$ref":"#/$defs/Scalar"}`, `42`, `42`, `"42"`},
		{`{"$ref":"#/$defs/Scalar","type":"integer"}`, `42`, `42`, `42`},
		{`{"$ref":"#/$defs/house%20no","minimum":1}`, `42`, `42`, `42`},
		{`{"$ref":"#/$defs/List/1"}`, `42`, `42`, `42`},
		{`{"$ref":"#/$defs/List/01"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/List/x"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/List/9999999999999999999999"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#"}`, `{"a":1}`, `{"a":1}`, `{"a":1}`},
		{`{"$ref":"#/$defs/Loop"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/A"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/Loop","type":"integer"}`, `42`, `42`, `42`},
		{`{"$ref":"#/$defs/Missing"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"https://schemas.invalid/x"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#house"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/%FF"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/%GG"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/%2"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/a~b"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":7}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/Scoped"}`, `42`, `"42"`, `"42"`},
		{`{"$dynamicRef":"#/$defs/Ratio"}`, `42`, `"42"`, `"42"`},
		{`{"$ref":"#/$defs/Text","nullable":true}`, `null`, `"null"`, `"null"`},
	} {
		for _, k := range []struct {
			knobs manifest.Typing
			want  string
		}{{typedWins, c.typed}, {stringWins, c.str}} {
			tools := NewTools([]Tool{{Name: "f", Parameters: fmt.Appendf(nil, references, c.schema)}})
			frames(t, Config{Tools: tools, Typing: &k.knobs}, of(opens(0, "f"), key("v"), val(abi.ReadSchema, c.in), end), `call 0 f * {"v":`+k.want+`}`)
		}
	}
}

// Nested values are typed by their own schema.
func TestNestedTyping(t *testing.T) {
	tools := NewTools([]Tool{{Name: "f", Parameters: []byte(`{"$ref":"#/$defs/Root","$defs":{"Root":{"properties":{
		"order":{"anyOf":[{"$ref":"#/$defs/Order"},{"type":"null"}]},
		"pair":{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"boolean"}},
		"old":{"items":[{"type":"integer"},{"type":"string"}]},
		"map":{"additionalProperties":{"type":"integer"},"properties":{"s":{"type":"string"}}},
		"odd":{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"integer"}},
		"either":{"anyOf":[{"properties":{"v":{"type":"integer"}}},{"properties":{"v":{"type":"string"}}}]}
	}},"Order":{"properties":{"id":{"type":"integer"},"items":{"type":"array","items":{"properties":{"qty":{"type":"integer"},"sku":{"type":"string"}}}}}}}}`)}})
	v := func(s string) event { return val(abi.ReadSchema, s) }
	frames(t, Config{Tools: tools}, of(opens(0, "f"),
		key("order"), object, key("id"), v("7"), key("items"), array, object, key("qty"), v("2"), key("sku"), v("2"), shut, shut, shut,
		key("pair"), array, v("1"), v("2"), v("true"), shut,
		key("old"), array, v("1"), v("2"), v("3"), shut,
		key("map"), object, key("s"), v("1"), key("k"), v("1"), shut,
		key("odd"), object, key("x1"), v("1"), shut,
		key("either"), object, key("v"), v("1"), shut,
		end), `call 0 f * {"order":{"id":7,"items":[{"qty":2,"sku":"2"}]},"pair":[1,"2",true],"old":[1,"2","3"],"map":{"s":"1","k":1},"odd":{"x1":"1"},"either":{"v":1}}`)
}

// Strings go out as they come.
func TestStringsStream(t *testing.T) {
	s := of(opens(0, "f"), key("v"), val(abi.ReadSchema|abi.FlagMore, "first "))
	for schema, streams := range map[string]bool{
		`{"type":"string"}`:              true,
		`{"type":["string","null"]}`:     true,
		`{"type":"string","enum":["a"]}`: true,
		`{"type":["string","integer"]}`:  false,
		`{"type":"integer"}`:             false,
	} {
		f := New(Config{Tools: typed(schema)})
		got := view(f.Apply(s, nil))[0]
		if strings.Contains(got, "first") != streams {
			t.Errorf("%s: %s", schema, got)
		}
	}
}

// Schemas come from clients: none may cost more than its budget.
func TestHostileSchemas(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"properties":{"v":{"$ref":"#/$defs/G0"}},"$defs":{`)
	for i := range 40 {
		ref := fmt.Sprintf(`{"$ref":"#/$defs/G%d"}`, i+1)
		fmt.Fprintf(&b, `"G%d":{"allOf":[%s,%s,%s],"properties":{"x":{}}},`, i, ref, ref, ref)
	}
	b.WriteString(`"G40":{"type":"integer"}}}`)
	wide := `{"properties":{"v":{"$ref":"#/$defs/W"}},"$defs":{"W":{"enum":["x"` + strings.Repeat(`,"x"`, 50_000) + `],"anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/W"},`, 5_000) + `{}]}}}`
	deep := strings.Repeat(`{"anyOf":[`, 400) + `{"type":"integer"}` + strings.Repeat(`]}`, 400)
	// Without a budget the first would never end.
	for name, parameters := range map[string]string{
		"branching":   b.String(),
		"wide":        wide,
		"deep":        `{"properties":{"v":` + deep + `}}`,
		"too deep":    `{"properties":{"v":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`,
		"no JSON":     `{"properties":`,
		"no object":   `[1]`,
		"too large":   `{"properties":{"v":{"type":"integer"}},"description":"` + strings.Repeat("x", maxSchema) + `"}`,
		"odd members": `{"properties":7,"$ref":{},"allOf":{},"anyOf":[7,null],"oneOf":"x","items":3,"type":[[]]}`,
	} {
		for _, knobs := range []manifest.Typing{typedWins, stringWins} {
			t.Log(name)
			tools := NewTools([]Tool{{Name: "f", Parameters: []byte(parameters)}})
			frames(t, Config{Tools: tools, Typing: &knobs}, of(opens(0, "f"), key("v"), object, key("x"), val(abi.ReadSchema, "42"), shut, key("w"), val(abi.ReadSchema, "1"), end),
				`call 0 f * {"v":{"x":"42"},"w":"1"}`)
		}
	}
}
