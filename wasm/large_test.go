package wasm

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

// spendsLength is code that takes some units for each byte that the parameter counts.
func spendsLength(parameter string) string {
	return "loop; local.get " + parameter + "; i32.const 1; i32.sub; local.tee " + parameter + "; br_if 0; end; i64.const 0"
}

// A request that goes beyond a limit for its size is refused, for a session and for a
// constraint, and is no fault of the module; one that goes beyond it for its nature is.
func TestRequestsThatAreTooLarge(t *testing.T) {
	limits := ThirdParty()
	limits.Fuel = Fuel{Start: 1e6, Call: 1e4, Byte: 100, Held: 1, Most: 1e5, Constraint: 1e5}
	open := func(bytes int) *abi.OpenBlock {
		return &abi.OpenBlock{Parser: "brackets", Tools: []string{strings.Repeat("x", bytes)}}
	}
	var faults atomic.Int64
	r := newRuntime(t, func(c *Config) *Config { return c.WithOnFault(func(*Fault) { faults.Add(1) }) })
	engineOf := func(g handGuest) *engine {
		g.Manifest = strings.Replace(handManifest, `"kind"`, `"constraint":true,"kind"`, 1)
		e, err := compile(t, r, g.bytes(), limits).Parser("brackets")
		if err != nil {
			t.Fatal(err)
		}
		return e.(*engine)
	}
	constraint := func(code string) func(*wat.Module) {
		return func(m *wat.Module) { m.Func(abi.ExportConstraint, "i32 i32", "i64", "", code) }
	}
	tooLarge := func(err error, limit string) bool {
		var large *parser.TooLargeError
		return errors.As(err, &large) && large.Limit == limit && large.Parser == "brackets" && strings.Contains(large.Error(), limit)
	}

	e := engineOf(handGuest{Open: spendsLength("2"), Build: constraint(spendsLength("1"))})
	if s, _, err := e.Open(open(50)); err != nil {
		t.Fatal(err)
	} else {
		s.Close()
	}
	if _, _, err := e.Open(open(100_000)); !tooLarge(err, "fuel_most") {
		t.Errorf("a session: %v", err)
	}
	if err := e.Admit(open(100_000)); !tooLarge(err, "fuel_most") {
		t.Errorf("admitted: %v", err)
	}
	if err := e.Admit(open(50)); err != nil {
		t.Errorf("refused: %v", err)
	}
	if _, err := e.Constraint(open(50)); err != nil {
		t.Errorf("a small constraint: %v", err)
	}
	if _, err := e.Constraint(open(100_000)); !tooLarge(err, "fuel_constraint") {
		t.Errorf("a constraint: %v", err)
	}
	if n := faults.Load(); n != 0 || e.module.Stats().Faults != 0 {
		t.Errorf("%d faults were counted", n)
	}

	endless := engineOf(handGuest{Open: "loop; br 0; end; i64.const 0", Build: constraint("loop; br 0; end; i64.const 0")})
	_, _, opened := endless.Open(open(50))
	_, built := endless.Constraint(open(50))
	for _, err := range []error{opened, built} {
		if !isFault(err) || tooLarge(err, "fuel_most") {
			t.Errorf("an endless loop: %v", err)
		}
	}
	if faults.Load() != 2 {
		t.Errorf("%d faults were counted", faults.Load())
	}
}

// A block as large as one that was opened is not tried again.
func TestAdmissionIsTriedOncePerSize(t *testing.T) {
	limits := ThirdParty()
	e, err := compile(t, newRuntime(t), handGuest{}.bytes(), limits).Parser("brackets")
	if err != nil {
		t.Fatal(err)
	}
	engine := e.(*engine)
	block := &abi.OpenBlock{Parser: "brackets", Tools: []string{strings.Repeat("x", 2000)}}
	for range 3 {
		if err := engine.Admit(block); err != nil {
			t.Fatal(err)
		}
	}
	if n := engine.module.Stats().Opened; n != 1 {
		t.Errorf("%d sessions for three admissions", n)
	}
	if err := engine.module.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}
