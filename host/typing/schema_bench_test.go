package typing_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// BenchmarkSchemaOfOneCall reads a schema anew and types two parameters by it, as a
// request does whose model calls one tool.
func BenchmarkSchemaOfOneCall(b *testing.B) {
	parameters := []byte(`{"type":"object","properties":{"house":{"type":"integer"},"label":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"string"}}}`)
	typer := typing.Typer{MaxHeld: 8 << 20}
	var w typing.Writer
	b.ReportAllocs()
	for b.Loop() {
		w.Reset(&typer, typing.Compile(parameters))
		w.WriteKey([]byte("house"))
		w.WriteValue([]byte("3"), abi.ReadSchema, false)
		w.WriteKey([]byte("label"))
		w.WriteValue([]byte("4"), abi.ReadSchema, false)
		w.Finish()
	}
}
