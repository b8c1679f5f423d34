package stream_test

import (
	"io"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// A module that traps in one request: another one that runs at the same time, in
// the same instance, notices nothing, and the one that it met loses no text.
func TestT64_FS15_ATrapLeavesOtherRequestsAlone(t *testing.T) {
	rt := wasmtest.NewRuntime(t)
	limits := wasm.Shipped()
	limits.Instances = 1 // both share it
	module, err := rt.Compile(t.Context(), wasmtest.Guest{}.Bytes(), limits)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := module.Parser("mine")
	if err != nil {
		t.Fatal(err)
	}
	start := func(lines ...string) (*stream.Operator, *result) {
		s := scene{lines: append(lines, finish("stop")), model: func(m *stream.Model) {
			m.Route.Parsers = route.Parsers{Tool: "mine", Reasoning: "mine", Unified: engine}
		}}
		op, refused, _, res := prepare(t, &s)
		if refused != nil {
			t.Fatal(refused)
		}
		t.Cleanup(op.Close)
		if err := op.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		return op, res
	}
	traps, met := start(text("Valve B2 "), text("!BOOM"), text(" is shut."))
	calm, unmet := start(text("One "), text("two "), text("three."))
	said := map[*stream.Operator]string{}
	for open := 2; open > 0; {
		for _, op := range []*stream.Operator{traps, calm} {
			switch it, err := op.Next(); {
			case err == io.EOF:
				open--
			case err != nil:
				t.Fatal(err)
			default:
				said[op] += it.Data.Choices[0].Delta.Content
			}
		}
	}
	if said[traps] != "Valve B2 !BOOM is shut." || met.counts["parser_fault"] != 1 {
		t.Errorf("the one that it met: %q, counted %v", said[traps], met.counts)
	}
	if said[calm] != "One two three." || len(unmet.counts) != 0 {
		t.Errorf("the other: %q, counted %v", said[calm], unmet.counts)
	}
}
