package parse_test

import (
	"errors"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// A module whose instances are all taken is busy, whatever the policy for faults:
// text that no parser has read must not go out. With one given back it goes on.
func TestAModuleWithoutRoomIsBusy(t *testing.T) {
	rt := wasmtest.NewRuntime(t)
	limits := wasm.ThirdParty()
	limits.Instances = 1
	module, err := rt.Compile(t.Context(), wasmtest.Guest{}.Bytes(), limits)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := module.Parser(module.Manifest().Parsers[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	faults := 0
	cfg := parse.Config{Engine: engine, Open: abi.OpenBlock{}, OnFault: func(*parse.FaultError) { faults++ }}
	first, _, err := parse.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var busy *parser.BusyError
	if s, _, err := parse.Open(cfg); s != nil || !errors.As(err, &busy) || faults != 0 {
		t.Errorf("the second session: %v, %v, %d faults", s, err, faults)
	}
	first.Close()
	third, _, err := parse.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	third.Close()
}
