package typing_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// The same text is a number, a string or null by the schema of its parameter.
func ExampleWriter() {
	tools := typing.NewTools([]typing.Tool{{Name: "open_vent", Parameters: []byte(`{"type": "object", "properties": {
		"house": {"type": "integer"}, "label": {"type": "string"}, "until": {"type": ["string", "null"]}}}`)}})
	var w typing.Writer
	w.Reset(&typing.Typer{MaxHeld: 8 << 20}, tools.Schema("open_vent"))
	w.WriteKey([]byte("house"))
	w.WriteValue([]byte(" 42 "), abi.ReadSchema, false)
	w.WriteKey([]byte("label"))
	w.WriteValue([]byte("4"), abi.ReadSchema|abi.FlagMore, false)
	fmt.Printf("so far %s\n", w.Pending())
	w.WriteValue([]byte("2"), abi.ReadSchema, false)
	w.WriteKey([]byte("until"))
	w.WriteValue([]byte("null"), abi.ReadSchema, false)
	w.Finish()
	fmt.Printf("%s\n", w.Pending())
	// Output:
	// so far {"house":42,"label":"4
	// {"house":42,"label":"42","until":null}
}

// Escapes may be cut between two pieces of text.
func ExampleDecoder() {
	var d typing.Decoder
	d.Reset(abi.ReadJSONBody)
	fmt.Printf("%q\n", d.Append(nil, []byte(`caf\u00`), false))
	fmt.Printf("%q\n", d.Append(nil, []byte(`e9`), true))
	// Output:
	// "caf"
	// "é"
}
