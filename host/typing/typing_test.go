package typing_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// The rules of three families whose documents differ: values typed wherever they
// can be, strings preferred, and only what the schema says word for word.
var (
	typedWins  = manifest.Typing{}
	stringWins = manifest.Typing{Union: manifest.UnionString, Null: manifest.NullProven, JSON: manifest.JSONAny, Booleans: manifest.BooleansLoose}
	exact      = manifest.Typing{Null: manifest.NullProven, Booleans: manifest.BooleansExact, Empty: manifest.EmptyContainer}
)

// operation writes a part of a call's arguments; values come in pieces of n
// characters, 0: whole.
type operation func(w *typing.Writer, n int)

func key(name string) operation {
	return func(w *typing.Writer, _ int) { w.WriteKey([]byte(name)) }
}

func value(flags uint8, text string) operation {
	return func(w *typing.Writer, n int) {
		for rest := text; n > 0; {
			cut := 0
			for i := 0; i < n && cut < len(rest); i++ {
				_, size := utf8.DecodeRuneInString(rest[cut:])
				cut += size
			}
			if cut == len(rest) {
				w.WriteValue([]byte(rest), flags, false)
				return
			}
			w.WriteValue([]byte(rest[:cut]), flags|abi.FlagMore, false)
			rest = rest[cut:]
		}
		w.WriteValue([]byte(text), flags, false)
	}
}

func bare(text string) operation { return value(abi.ReadSchema, text) }

var (
	object operation = func(w *typing.Writer, _ int) { w.OpenContainer(false) }
	array  operation = func(w *typing.Writer, _ int) { w.OpenContainer(true) }
	closed operation = func(w *typing.Writer, _ int) { w.CloseContainer() }
)

// written is the JSON of arguments, their values in pieces of n characters.
func written(rules manifest.Typing, parameters string, n int, operations []operation) string {
	var w typing.Writer
	t := typing.Typer{Rules: rules, MaxHeld: 8 << 20}
	w.Reset(&t, typing.Compile([]byte(parameters)))
	for _, o := range operations {
		o(&w, n)
	}
	w.Finish()
	return string(w.Pending())
}

// checkWritten checks what arguments become, whole and in pieces of every size.
func checkWritten(t *testing.T, rules manifest.Typing, parameters, want string, operations ...operation) {
	t.Helper()
	for n := range 4 {
		if got := written(rules, parameters, n, operations); got != want {
			t.Errorf("%+v, %.200s, in pieces of %d:\n got %q\nwant %q", rules, parameters, n, got, want)
		}
	}
}

// withParameter is a schema whose parameter v has that schema.
func withParameter(schema string) string {
	return `{"type":"object","properties":{"v":` + schema + `}}`
}

// A tool may have no parameter of the name under which models write all of them.
func TestSoleParameterThatHoldsTheArguments(t *testing.T) {
	town := withParameter(`{"type":"string"}`)
	for _, c := range []struct {
		name, parameters, want string
		operations             []operation
	}{
		{"object", town, `{"v":"Bern"}`, []operation{key("arguments"), value(abi.ReadJSON, `{"v":"Bern"}`)}},
		{"text of an object", town, `{"v":"Bern"}`, []operation{key("input"), value(abi.ReadString, ` {"v":"Bern"}`)}},
		{"opened object", town, `{"v":1}`, []operation{key("input"), object, key("v"), value(abi.ReadJSON, `1`), closed}},
		{"no object", town, `{"arguments":[1]}`, []operation{key("arguments"), value(abi.ReadJSON, `[1]`)}},
		{"text of none", town, `{"arguments":"Bern"}`, []operation{key("arguments"), value(abi.ReadString, `Bern`)}},
		{"not alone", town, `{"arguments":{},"v":"x"}`, []operation{key("arguments"), value(abi.ReadJSON, `{}`), key("v"), value(abi.ReadString, `x`)}},
		{"not the first", town, `{"v":"x","input":{}}`, []operation{key("v"), value(abi.ReadString, `x`), key("input"), value(abi.ReadJSON, `{}`)}},
		{"the tool's own", `{"type":"object","properties":{"input":{"type":"object"}}}`, `{"input":{}}`, []operation{key("input"), value(abi.ReadJSON, `{}`)}},
		{"any other may come", `{"type":"object","additionalProperties":{"type":"object"}}`, `{"input":{}}`, []operation{key("input"), value(abi.ReadJSON, `{}`)}},
		{"no schema", ``, `{"input":{}}`, []operation{key("input"), value(abi.ReadJSON, `{}`)}},
		{"within an object", town, `{"v":{"input":{}}}`, []operation{key("v"), object, key("input"), value(abi.ReadJSON, `{}`), closed}},
	} {
		t.Run(c.name, func(t *testing.T) { checkWritten(t, typedWins, c.parameters, c.want, c.operations...) })
	}
}

type reading struct{ schema, in, want string }

func checkReadings(t *testing.T, rules manifest.Typing, list []reading) {
	for _, r := range list {
		t.Run(r.schema+" "+r.in, func(t *testing.T) {
			checkWritten(t, rules, withParameter(r.schema), `{"v":`+r.want+`}`, key("v"), bare(r.in))
		})
	}
}

// What all families have in common.
func TestTypingEverywhere(t *testing.T) {
	for _, rules := range []manifest.Typing{typedWins, stringWins, exact} {
		checkReadings(t, rules, []reading{
			{`{"type":"boolean"}`, `True`, `true`},
			{`{"type":"boolean"}`, ` False `, `false`},
			{`{"type":["string","null"]}`, `None`, `null`},
			{`{"type":"null"}`, `None`, `null`},
			{`{"type":"string"}`, `None`, `"None"`},
			{`{"type":"object"}`, `{'deep': True, 'max': None}`, `{"deep": true, "max": null}`},
			{`{"type":"object"}`, `{"a": [1, 2,],}`, `{"a": [1, 2]}`},
			{`{"type":"array"}`, `['a', "b"]`, `["a", "b"]`},
			{`{"type":"array"}`, `(1, 'b')`, `[1,"b"]`},
			{`{"type":"array","items":{"type":"array"}}`, `[(1, 2), ()]`, `[[1,2],[]]`},
			{`{"type":"object"}`, `{'k': it's}`, `"{'k': it's}"`},
			{`{"type":"string"}`, `{'k': True}`, `"{'k': True}"`},
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
	checkReadings(t, typedWins, []reading{
		{`{"type":["string","integer"]}`, `42`, `42`},
		{`{"type":["string","integer"]}`, `forty`, `"forty"`},
		{`{"type":["integer","string"]}`, `42.5`, `"42.5"`},
		{`{"anyOf":[{"const":"any"},{"type":"integer"}]}`, `any`, `"any"`},
		{`{"anyOf":[{"const":"42"},{"type":"integer"}]}`, `42`, `42`},
		{`{"anyOf":[{"const":"{\"x\":1}"},{"type":"object"}]}`, `{"x":1}`, `{"x":1}`},
		{`{"anyOf":[{"const":"null"},{"type":"null"}]}`, `null`, `null`},
		{`{"const":7}`, `7`, `7`},
		{`{"type":"object"}`, `{\"a\": \"x\"}`, `{"a": "x"}`},
		{`{"type":"object"}`, `{\"a\": \"x}`, `"{\\\"a\\\": \\\"x}"`},
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
	checkReadings(t, stringWins, []reading{
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
	checkReadings(t, exact, []reading{
		{`{"type":"boolean"}`, `TRUE`, `"TRUE"`},
		{`{"type":"boolean"}`, `yes`, `"yes"`},
		{`{"type":"integer"}`, `null`, `"null"`},
		{`{"type":["integer","null"]}`, ` null `, `null`},
		{`{"type":["string","null"]}`, `none`, `"none"`},
		{`{"type":"array"}`, ``, `[]`},
		{`{"type":"object"}`, ` `, `{}`},
		{`{"type":["string","array"]}`, ``, `""`},
		{`{"type":"integer"}`, ``, `""`},
	})
}

func TestUndeclaredParameters(t *testing.T) {
	for _, c := range []struct {
		name     string
		rules    manifest.Typing
		in, want string
	}{
		{"a number", typedWins, `42`, `"42"`},
		{"an object", typedWins, `{"a":1}`, `"{\"a\":1}"`},
		{"null", typedWins, ` null `, `null`},
		{"a word that begins with null", typedWins, `nullify`, `"nullify"`},
		{"a number where strings win", stringWins, `42`, `"42"`},
		{"an object where strings win", stringWins, `{"a":1}`, `"{\"a\":1}"`},
		{"null where it needs proof", stringWins, `null`, `"null"`},
		{"nothing", exact, ``, `""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := `{"w":` + c.want + `}`
			checkWritten(t, c.rules, withParameter(`{"type":"integer"}`), want, key("w"), bare(c.in))
			checkWritten(t, c.rules, ``, want, key("w"), bare(c.in))
		})
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
		t.Run(c.schema, func(t *testing.T) {
			parameters := fmt.Sprintf(references, c.schema)
			checkWritten(t, typedWins, parameters, `{"v":`+c.typed+`}`, key("v"), bare(c.in))
			checkWritten(t, stringWins, parameters, `{"v":`+c.str+`}`, key("v"), bare(c.in))
		})
	}
}

// Nested values are typed by their own schema.
func TestNestedTyping(t *testing.T) {
	const parameters = `{"$ref":"#/$defs/Root","$defs":{"Root":{"properties":{
		"order":{"anyOf":[{"$ref":"#/$defs/Order"},{"type":"null"}]},
		"pair":{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"boolean"}},
		"old":{"items":[{"type":"integer"},{"type":"string"}]},
		"map":{"additionalProperties":{"type":"integer"},"properties":{"s":{"type":"string"}}},
		"odd":{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"integer"}},
		"either":{"anyOf":[{"properties":{"v":{"type":"integer"}}},{"properties":{"v":{"type":"string"}}}]}
	}},"Order":{"properties":{"id":{"type":"integer"},"items":{"type":"array","items":{"properties":{"qty":{"type":"integer"},"sku":{"type":"string"}}}}}}}}`
	checkWritten(t, typedWins, parameters, `{"order":{"id":7,"items":[{"qty":2,"sku":"2"}]},"pair":[1,"2",true],"old":[1,"2","3"],"map":{"s":"1","k":1},"odd":{"x1":"1"},"either":{"v":1}}`,
		key("order"), object, key("id"), bare("7"), key("items"), array, object, key("qty"), bare("2"), key("sku"), bare("2"), closed, closed, closed,
		key("pair"), array, bare("1"), bare("2"), bare("true"), closed,
		key("old"), array, bare("1"), bare("2"), bare("3"), closed,
		key("map"), object, key("s"), bare("1"), key("k"), bare("1"), closed,
		key("odd"), object, key("x1"), bare("1"), closed,
		key("either"), object, key("v"), bare("1"), closed)
}

// Strings are written as they come.
func TestStringsStream(t *testing.T) {
	for schema, streams := range map[string]bool{
		`{"type":"string"}`:              true,
		`{"type":["string","null"]}`:     true,
		`{"type":"string","enum":["a"]}`: true,
		`{"type":["string","integer"]}`:  false,
		`{"type":"integer"}`:             false,
	} {
		t.Run(schema, func(t *testing.T) {
			var w typing.Writer
			w.Reset(&typing.Typer{MaxHeld: 100}, typing.Compile([]byte(withParameter(schema))))
			w.WriteKey([]byte("v"))
			w.WriteValue([]byte("first "), abi.ReadSchema|abi.FlagMore, false)
			if strings.Contains(string(w.Pending()), "first") != streams {
				t.Errorf("%s", w.Pending())
			}
		})
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
		"too large":   `{"properties":{"v":{"type":"integer"}},"description":"` + strings.Repeat("x", 1<<20) + `"}`,
		"odd members": `{"properties":7,"$ref":{},"allOf":{},"anyOf":[7,null],"oneOf":"x","items":3,"type":[[]]}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, rules := range []manifest.Typing{typedWins, stringWins} {
				checkWritten(t, rules, parameters, `{"v":{"x":"42"},"w":"1"}`, key("v"), object, key("x"), bare("42"), closed, key("w"), bare("1"))
			}
		})
	}
}

// FuzzTyping reads any text by any schema: it never panics and always writes one
// JSON object, the same however the text is cut.
func FuzzTyping(f *testing.F) {
	f.Add(`{"type":"integer"}`, "42.0", uint8(0), uint8(0))
	f.Add(`{"anyOf":[{"$ref":"#/properties/v"},{"const":"x"}]}`, " null", uint8(5), uint8(32))
	f.Add(`{"oneOf":[{"type":["string","null"]},true]}`, `\ud83d`, uint8(31), uint8(3))
	f.Add(`{}`, `{'a': [1, (2,)]}`, uint8(0), uint8(5))
	f.Add("0", "\x19\x9e\xfd& \xad\x89^", uint8('Z'), uint8('\''))
	f.Fuzz(func(t *testing.T, schema, text string, knobs, flags uint8) {
		pick := func(bit uint8, value string) string {
			if knobs&bit != 0 {
				return value
			}
			return ""
		}
		rules := manifest.Typing{Union: pick(1, manifest.UnionString), Null: pick(2, manifest.NullProven), JSON: pick(4, manifest.JSONAny),
			Empty: pick(8, manifest.EmptyContainer), Booleans: pick(16, manifest.BooleansLoose)}
		operations := []operation{key("v"), value(flags&abi.ReadMask%9|flags&abi.FlagTrim, text)}
		whole := written(rules, withParameter(schema), 0, operations)
		if !strings.HasPrefix(whole, "{") || !json.Valid([]byte(whole)) {
			t.Fatalf("%q is no JSON object", whole)
		}
		for n := 1; n < 3; n++ {
			if got := written(rules, withParameter(schema), n, operations); got != whole {
				t.Fatalf("whole %q, pieces of %d %q", whole, n, got)
			}
		}
	})
}
