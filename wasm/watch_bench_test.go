package wasm_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/plugins"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// BenchmarkWatch is a chunk of prose for a shipped module: "heeded" by a host that
// leaves out the call which WATCH promises to be needless, "called" without.
func BenchmarkWatch(b *testing.B) {
	const name = "hermes"
	binary, err := plugins.Module(name)
	if err != nil {
		b.Skip(err)
	}
	m, err := wasmtest.NewRuntime(b).Compile(b.Context(), binary, wasm.Shipped())
	if err != nil {
		b.Fatal(err)
	}
	engine, err := m.Parser(m.Manifest().Parsers[0].Name)
	if err != nil {
		b.Fatal(err)
	}
	open := abi.OpenBlock{Parser: engine.Parser().Name}
	chunk := []byte("sixteen letters ")
	b.Run("heeded", func(b *testing.B) {
		s, _, err := parse.Open(parse.Config{Engine: engine, Open: open})
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		for b.Loop() {
			if _, err := s.Push(string(chunk)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("called", func(b *testing.B) {
		s, _, err := engine.Open(&open)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		var at abi.RawOffset
		for b.Loop() {
			if _, err := s.Push(at, 0, chunk); err != nil {
				b.Fatal(err)
			}
			at += abi.RawOffset(len(chunk))
		}
	})
}
