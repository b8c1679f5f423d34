package meter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

var options = Options{Start: 1e6, TableElements: 1000}

func newEngine(t testing.TB, config wazero.RuntimeConfig) wazero.Runtime {
	t.Helper()
	ctx := context.Background()
	engine := wazero.NewRuntimeWithConfig(ctx, config.
		WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall).
		WithMemoryLimitPages(16))
	t.Cleanup(func() { engine.Close(ctx) })
	_, err := engine.NewHostModuleBuilder("env").NewFunctionBuilder().
		WithFunc(func(v int32) int32 { return v * 3 }).Export("triple").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// guest is a module that was started.
type guest struct {
	api.Module
	fuel api.MutableGlobal // nil: plain
}

func start(engine wazero.Runtime, binary []byte) (guest, error) {
	mod, err := engine.InstantiateWithConfig(context.Background(), binary,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return guest{}, err
	}
	fuel, _ := mod.ExportedGlobal(abi.ExportFuel).(api.MutableGlobal)
	return guest{mod, fuel}, nil
}

// state is what a call did: its results or error, the memory, the globals.
func (g guest) state(name string, args ...uint64) string {
	got, err := g.ExportedFunction(name).Call(context.Background(), args...)
	text := fmt.Sprint(got)
	if err != nil {
		text, _, _ = strings.Cut(err.Error(), "\n")
	}
	if len(g.ExportedMemoryDefinitions()) > 0 {
		all, _ := g.Memory().Read(0, g.Memory().Size())
		text += fmt.Sprintf(" memory %d %q", len(all), bytes.TrimRight(all, "\x00"))
	}
	if own := g.ExportedGlobal("own"); own != nil {
		text += fmt.Sprintf(" own %d", own.Get())
	}
	return text
}

// programs is at least one module for each class of instruction. Every one has a
// function "f" of two i32.
var programs = []struct {
	name  string
	build func(m *wat.Module)
}{
	{"no code but one", func(m *wat.Module) { m.Func("f", "i32 i32", "", "", "") }},
	{"loop", func(m *wat.Module) {
		m.Func("f", "i32 i32", "i32", "i32", `
			block; loop
				local.get 0; i32.eqz; br_if 1
				local.get 2; local.get 1; i32.add; local.set 2
				local.get 0; i32.const 1; i32.sub; local.set 0
				br 0
			end; end
			local.get 2`)
	}},
	{"recursion and globals", func(m *wat.Module) {
		m.Global("own", "i32", "i32.const 5")
		m.Global("", "i64", "i64.const -7")
		m.Func("f", "i32 i32", "i32", "", `
			global.get 0; i32.const 1; i32.add; global.set 0
			local.get 0; i32.eqz
			if i32
				local.get 1
			else
				local.get 0; i32.const 1; i32.sub; local.get 1; i32.const 2; i32.mul; call 0
			end`)
	}},
	{"multi-value loop", func(m *wat.Module) {
		m.Func("", "i32", "i32", "", "local.get 0") // type 0
		m.Func("f", "i32 i32", "i32", "", `
			local.get 1
			loop 0
				i32.const 1; i32.add
				local.get 0; i32.const 1; i32.sub; local.tee 0
				i32.const 0; 0x4a; br_if 0
			end`)
	}},
	{"br_table and dead code", func(m *wat.Module) {
		m.Func("f", "i32 i32", "i32", "", `
			block; block; block
				local.get 0; br_table 2 0 1 2
				loop; br 0; end
			end; i32.const 10; return
			end; i32.const 20; return
			end
			unreachable; i32.const 30; i32.add`)
	}},
	{"bulk memory", func(m *wat.Module) {
		m.Memory("memory", 1, 2)
		m.PassiveData("some passive data")
		m.Func("f", "i32 i32", "i32", "", `
			local.get 0; i32.const 3; local.get 1; memory.init 0 0x00
			i32.const 100; local.get 0; local.get 1; memory.copy
			i32.const 200; i32.const 7; local.get 1; memory.fill
			data.drop 0
			i32.const 100; i32.load 0`)
	}},
	{"memory.grow", func(m *wat.Module) {
		m.Memory("memory", 1, 4)
		m.Func("f", "i32 i32", "i32 i32", "", "local.get 0; memory.grow; memory.size")
	}},
	{"tables", func(m *wat.Module) {
		m.Table(4, 100)
		f := m.Func("f", "i32 i32", "i32", "", `
			ref.func 1; local.get 0; table.grow; drop
			i32.const 1; ref.func 1; i32.const 2; table.fill
			i32.const 2; i32.const 0; i32.const 1; table.copy
			i32.const 3; i32.const 0; i32.const 1; table.init 0 0
			elem.drop 0
			local.get 1; table.get; ref.is_null
			table.size; i32.add`)
		g := m.Func("g", "", "", "", "")
		m.Elem(0, f, g)
	}},
	{"indirect calls", func(m *wat.Module) {
		m.Table(3, 0)
		a := m.Func("", "i32 i32", "i32", "", "local.get 0; local.get 1; i32.add")
		b := m.Func("", "i32 i32", "i32", "", "local.get 0; local.get 1; i32.mul")
		m.Func("f", "i32 i32", "i32", "", "i32.const 6; local.get 1; local.get 0; call_indirect 0 0")
		m.Elem(0, a, b)
	}},
	{"tail calls", func(m *wat.Module) {
		m.Table(1, 0)
		f := m.Func("f", "i32 i32", "i32", "", `
			local.get 0; i32.eqz; if; local.get 1; return; end
			local.get 0; i32.const 1; i32.sub; local.get 1; i32.const 3; i32.add
			local.get 0; i32.const 1; i32.and
			if i32 0x01
				unreachable
			else
				i32.const 0
			end
			drop
			return_call 0`)
		m.Elem(0, f)
	}},
	{"tail calls, indirect", func(m *wat.Module) {
		m.Table(1, 0)
		f := m.Func("f", "i32 i32", "i32", "", `
			local.get 0; i32.eqz; if; local.get 1; return; end
			local.get 0; i32.const 1; i32.sub; local.get 1; i32.const 3; i32.add
			i32.const 0; return_call_indirect 0 0`)
		m.Elem(0, f)
	}},
	{"import", func(m *wat.Module) {
		m.Import("env", "triple", "i32", "i32")
		m.Func("f", "i32 i32", "i32", "", "local.get 0; call 0; local.get 1; call 0; i32.add")
	}},
	{"start function", func(m *wat.Module) {
		m.Global("own", "i32", "i32.const 0")
		s := m.Func("", "", "", "", "loop; global.get 0; i32.const 1; i32.add; global.set 0; global.get 0; i32.const 50; i32.lt_u; br_if 0; end")
		m.Func("f", "i32 i32", "", "", "")
		m.Start(s)
	}},
	{"select and constants", func(m *wat.Module) {
		m.Func("f", "i32 i32", "i32 i64", "", `
			local.get 0; local.get 1; local.get 0; 0x1c 0x01 i32
			0x43 0x00 0x00 0x80 0x3f; drop
			0x44 0x00 0x00 0x00 0x00 0x00 0x00 0xf0 0x3f; drop
			i64.const -9000000000`)
	}},
	{"simd", func(m *wat.Module) {
		m.Memory("memory", 1, 1)
		m.Func("f", "i32 i32", "i32 i32", "", `
			i32.const 16
			local.get 0; 0xfd 0x0f                 # i8x16.splat
			local.get 1; 0xfd 0x0f
			0xfd 0x0d 0x00 0x10 0x01 0x11 0x02 0x12 0x03 0x13 0x04 0x14 0x05 0x15 0x06 0x16 0x07 0x17 # shuffle
			0xfd 0x0b 0x04 0x00                    # v128.store
			i32.const 16; 0xfd 0x00 0x04 0x00      # v128.load
			0xfd 0x0c 0x01 0x02 0x03 0x04 0x05 0x06 0x07 0x08 0x09 0x0a 0x0b 0x0c 0x0d 0x0e 0x0f 0x10 # v128.const
			0xfd 0x8e 0x01                         # i16x8.add
			0xfd 0x15 0x03                         # i8x16.extract_lane_s
			i32.const 17; i32.const 16; 0xfd 0x5c 0x02 0x00 # v128.load32_zero
			0xfd 0x58 0x00 0x00 0x02               # v128.store8_lane
			i32.const 17; 0xfd 0x5c 0x02 0x00
			0xfd 0x1b 0x00                         # i32x4.extract_lane`)
	}},
}

func TestSameResults(t *testing.T) {
	for _, config := range []wazero.RuntimeConfig{wazero.NewRuntimeConfigCompiler(), wazero.NewRuntimeConfigInterpreter()} {
		engine := newEngine(t, config)
		for _, p := range programs {
			t.Run(p.name, func(t *testing.T) {
				var m wat.Module
				p.build(&m)
				for a := range uint64(6) {
					for b := range uint64(6) {
						compare(t, engine, m.Bytes(), a, b)
					}
				}
			})
		}
	}
}

// compare runs f plain and metered.
func compare(t *testing.T, engine wazero.Runtime, binary []byte, args ...uint64) {
	t.Helper()
	metered, err := Rewrite(binary, options)
	if err != nil {
		t.Fatal(err)
	}
	want, err := start(engine, binary)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close(context.Background())
	got, err := start(engine, metered)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close(context.Background())
	got.fuel.Set(1e6)
	if g, w := got.state("f", args...), want.state("f", args...); g != w {
		t.Fatalf("f(%v): metered %s, plain %s", args, g, w)
	}
	if left := int64(got.fuel.Get()); left < 0 || left >= 1e6 {
		t.Fatalf("f(%v): %d units are left", args, left)
	}
}

// TestNumeric runs every numeric instruction, with the types that it takes.
func TestNumeric(t *testing.T) {
	engine := newEngine(t, wazero.NewRuntimeConfigInterpreter())
	ops := [][]byte{}
	for op := byte(0x45); op <= 0xc4; op++ {
		ops = append(ops, []byte{op})
	}
	for sub := byte(0); sub <= 7; sub++ {
		ops = append(ops, []byte{0xfc, sub})
	}
	values := []uint64{0, 1, 2, 0x7fffffff, 0x80000000, 0x3ff0000000000000, 0x7ff8000000000000, ^uint64(0)}
	for _, op := range ops {
		binary := numeric(t, engine, op)
		for _, a := range values {
			for _, b := range values {
				compare(t, engine, binary, a, b)
			}
		}
	}
}

// numeric makes a module that applies op to two i64 bit patterns.
func numeric(t *testing.T, engine wazero.Runtime, op []byte) []byte {
	t.Helper()
	from := map[string]string{"i32": "i32.wrap_i64", "i64": "nop", "f32": "i32.wrap_i64; 0xbe", "f64": "0xbf"}
	var code strings.Builder
	for _, b := range op {
		fmt.Fprintf(&code, "0x%02x ", b)
	}
	for _, conv := range from {
		for _, operands := range []string{
			"local.get 0;" + conv,
			"local.get 0;" + conv + ";local.get 1;" + conv,
		} {
			for result := range from {
				var m wat.Module
				m.Func("f", "i64 i64", result, "", operands+";"+code.String())
				if c, err := engine.CompileModule(context.Background(), m.Bytes()); err == nil {
					c.Close(context.Background())
					return m.Bytes()
				}
			}
		}
	}
	t.Fatalf("no types fit instruction %x", op)
	return nil
}

func TestFuelRunsOut(t *testing.T) {
	big := strings.Repeat("i32.const 1; drop;", 1000)
	for _, p := range []struct {
		name string
		code string
	}{
		{"endless loop", "loop; br 0; end"},
		{"endless recursion", "call 0"},
		{"endless tail calls", "return_call 0"},
		{"call tree", "call 1; call 1"},
		{"big loop", "loop;" + big + "br 0; end"},
		{"memory.fill", "loop; i32.const 0; i32.const 0; i32.const 65536; memory.fill; br 0; end"},
	} {
		t.Run(p.name, func(t *testing.T) {
			var m wat.Module
			m.Memory("memory", 1, 1)
			m.Func("f", "", "", "", p.code)
			for i := range uint32(40) {
				m.Func("", "", "", "", fmt.Sprintf("call %d; call %d", i+2, i+2))
			}
			m.Func("", "", "", "", "")
			metered, err := Rewrite(m.Bytes(), options)
			if err != nil {
				t.Fatal(err)
			}
			g, err := start(newEngine(t, wazero.NewRuntimeConfigCompiler()), metered)
			if err != nil {
				t.Fatal(err)
			}
			g.fuel.Set(100_000)
			_, err = g.ExportedFunction("f").Call(context.Background())
			if err == nil || !strings.Contains(err.Error(), "unreachable") {
				t.Fatalf("got %v, want a trap", err)
			}
			if left := int64(g.fuel.Get()); left >= 0 || left < -100_000 {
				t.Errorf("%d units are left", left)
			}
		})
	}
}

func TestStartFunctionIsCharged(t *testing.T) {
	var m wat.Module
	m.Start(m.Func("", "", "", "", "loop; br 0; end"))
	metered, err := Rewrite(m.Bytes(), options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(newEngine(t, wazero.NewRuntimeConfigCompiler()), metered); err == nil {
		t.Fatal("an endless start function ended")
	}
}

// cost is what a call of a function with that code takes.
func cost(t *testing.T, locals, code string) int64 {
	t.Helper()
	var m wat.Module
	m.Import("env", "triple", "i32", "i32")
	m.Memory("memory", 2, 2)
	m.Func("f", "", "", locals, code)
	m.Func("", "i32 i32", "i32 i32 i32 i32", "", "local.get 0; local.get 0; local.get 0; local.get 0")
	metered, err := Rewrite(m.Bytes(), options)
	if err != nil {
		t.Fatal(err)
	}
	g, err := start(newEngine(t, wazero.NewRuntimeConfigInterpreter()), metered)
	if err != nil {
		t.Fatal(err)
	}
	g.fuel.Set(1e6)
	if _, err := g.ExportedFunction("f").Call(context.Background()); err != nil {
		t.Fatal(err)
	}
	return 1e6 - int64(g.fuel.Get())
}

// TestCharges checks what things cost against each other.
func TestCharges(t *testing.T) {
	cost := func(code string) int64 { return cost(t, "", code) }
	base := cost("")
	if base != entryBase {
		t.Errorf("an empty function costs %d", base)
	}
	if got := cost("loop; end; loop; end") - base; got != 2 {
		t.Errorf("two loops cost %d", got)
	}
	if got := cost("i32.const 0; i32.const 0; i32.const 65536; memory.fill") - base; got != 3+bulkBase+65536>>bytesShift {
		t.Errorf("64 KiB of memory.fill cost %d", got)
	}
	if got := cost("i32.const 1; call 0; drop") - base; got != 1+outward {
		t.Errorf("a call of the host costs %d", got)
	}
	if got := cost("loop;" + strings.Repeat("i32.const 1; drop;", 1000) + "end"); got < 1+3000>>entryShift+3000>>loopShift {
		t.Errorf("a loop of 3,000 bytes costs %d", got)
	}
}

// TestFrames checks that a function's entry pays for what its frame may keep.
func TestFrames(t *testing.T) {
	for _, f := range []struct {
		name, locals, code string
		want               int64
	}{
		{"locals", "i32 i64", "", 2},
		{"operands", "", "i32.const 1; i32.const 2; i32.const 3; i32.add; i32.add; drop", 3},
		{"one after the other", "", "i32.const 1; drop; i32.const 2; drop", 1},
		{"in blocks", "", "i32.const 1; block i32; i32.const 2; i32.const 3; drop; end; drop; drop", 3},
		{"both arms", "", "i32.const 1; if i32; i32.const 2; else; i32.const 3; i32.const 4; drop; end; drop", 2},
		{"behind dead code", "", "block; br 0; drop; drop; end; i32.const 1; i32.const 2; drop; drop", 2},
		{"arguments and results", "", "i32.const 1; i32.const 2; call 2; drop; drop; drop; drop", 4 + entryBase + 6},
		{"large", strings.Repeat("i32 ", smallFrame+4), "", smallFrame + 4 + 4*largeFrame},
		{"vectors", "", "i32.const 1; 0xfd 0x0f; drop", 2},
	} {
		if got := cost(t, f.locals, f.code) - entryBase; got != f.want {
			t.Errorf("%s: %d for the frame, want %d", f.name, got, f.want)
		}
	}
}

func TestTablesAreBounded(t *testing.T) {
	var m wat.Module
	m.Table(10, 0)
	m.Func("f", "i32", "i32", "", "ref.null funcref; local.get 0; table.grow")
	metered, err := Rewrite(m.Bytes(), options)
	if err != nil {
		t.Fatal(err)
	}
	g, err := start(newEngine(t, wazero.NewRuntimeConfigCompiler()), metered)
	if err != nil {
		t.Fatal(err)
	}
	for grow, want := range map[uint64]int32{991: -1, 990: 10} {
		g.fuel.Set(1e6)
		got, err := g.ExportedFunction("f").Call(context.Background(), grow)
		if err != nil || int32(got[0]) != want {
			t.Errorf("growing by %d: %d, %v; want %d", grow, int32(got[0]), err, want)
		}
	}
	var large wat.Module
	large.Table(600, 0)
	large.Table(401, 0)
	_, err = Rewrite(large.Bytes(), options)
	var te *TableError
	if !errors.As(err, &te) || te.Elements != 1001 || te.Max != 1000 {
		t.Errorf("got %v, want a TableError", err)
	}
}

func TestNamesStay(t *testing.T) {
	var m wat.Module
	m.Custom("name", "\x00\x02\x01m"+"\x01\x07\x01\x00\x04crux")
	m.Custom("other", "gone")
	m.Func("f", "", "", "", "unreachable")
	metered, err := Rewrite(m.Bytes(), options)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(metered, []byte("gone")) {
		t.Error("a custom section stayed")
	}
	g, err := start(newEngine(t, wazero.NewRuntimeConfigCompiler()), metered)
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.ExportedFunction("f").Call(context.Background())
	if err == nil || !strings.Contains(err.Error(), "crux") {
		t.Errorf("got %v, want a trap in crux", err)
	}
}

func TestRefused(t *testing.T) {
	raw := func(sections string) []byte { return []byte(header + sections) }
	code := func(c string) []byte {
		var m wat.Module
		m.Global("", "i32", "i32.const 0")
		m.Memory("memory", 1, 1)
		m.Func("f", "", "", "", c)
		return m.Bytes()
	}
	export := func(name string, kind byte, index uint32) []byte {
		var m wat.Module
		m.Global("", "i32", "i32.const 0")
		m.Export(name, kind, index)
		return m.Bytes()
	}
	for _, c := range []struct {
		name   string
		module []byte
		want   string
	}{
		{"empty", nil, "no core WebAssembly module"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), "no core WebAssembly module"},
		{"tag section", raw("\x0d\x01\x00"), "section 13"},
		{"order", raw("\x03\x01\x00\x01\x01\x00"), "section 1 is out of order"},
		{"twice", raw("\x01\x01\x00\x01\x01\x00"), "section 1 is out of order"},
		{"cut", raw("\x01\x05\x00"), "can't be in the 1 bytes that are left"},
		{"a long section", raw("\x01\x02\x00\x00"), "goes on behind its end"},
		{"huge vector", raw("\x01\x05\xff\xff\xff\xff\x0f"), "can't be in"},
		{"imported global", raw("\x02\x08\x01\x01e\x01g\x03\x7f\x00"), "import e.g: only functions"},
		{"shared memory", raw("\x05\x04\x01\x03\x01\x01"), "limits of kind 0x3"},
		{"gc type", raw("\x01\x03\x01\x5f\x00"), "type form 0x5f"},
		{"fuel by its index", code("i64.const 1; global.set 1"), "there is no global 1"},
		{"scratch by its index", code("global.get 2; drop"), "there is no global 2"},
		{"the meter's local by its index", code("local.get 0; drop"), "there is no local 0"},
		{"fuel exported again", export("mine", 3, 1), "there is no global 1"},
		{"own tk_fuel", export("tk_fuel", 3, 0), "that name is the host's"},
		{"atomics", code("0xfe 0x03 0x00"), "instruction 0xfe"},
		{"exceptions", code("0x06 0x40; end"), "instruction 0x6"},
		{"call_ref", code("0x14 0x00"), "instruction 0x14"},
		{"relaxed simd", code("0xfd 0x80 0x02"), "relaxed SIMD"},
		{"simd written too long", code("0xfd 0x80 0x00"), "written too long"},
		{"misc", code("0xfc 0x12"), "instruction 0xfc 18"},
		{"no end", code("block"), "cut short"},
		{"too many ends", code("end"), "goes on behind its end"},
		{"locals", []byte(header + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x0a\x01\x08\x01\xff\xff\xff\xff\x0f\x7f\x0b"), "locals"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Rewrite(c.module, options)
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
		})
	}
}

// FuzzRewrite checks that whatever wazero takes plain, it takes metered, and the
// other way round, and that both behave the same.
func FuzzRewrite(f *testing.F) {
	for _, p := range programs {
		var m wat.Module
		p.build(&m)
		f.Add(m.Bytes())
	}
	engine := newEngine(f, wazero.NewRuntimeConfigInterpreter())
	f.Fuzz(func(t *testing.T, binary []byte) {
		ctx := context.Background()
		metered, err := Rewrite(binary, Options{Start: 10_000, TableElements: 1000})
		if err != nil {
			return
		}
		plain, plainErr := engine.CompileModule(ctx, binary)
		code, err := engine.CompileModule(ctx, metered)
		if plainErr != nil {
			if err == nil && !strings.Contains(plainErr.Error(), "custom") {
				t.Fatalf("only metered it is taken; plain: %v", plainErr)
			}
			return
		}
		defer plain.Close(ctx)
		if err != nil {
			t.Fatalf("only plain it is taken; metered: %v", err)
		}
		defer code.Close(ctx)
		got, err := start(engine, metered)
		if err != nil {
			return // it may have run out of fuel, and plain never end
		}
		defer got.Close(ctx)
		want, err := start(engine, binary)
		if err != nil {
			t.Fatalf("only metered it starts; plain: %v", err)
		}
		defer want.Close(ctx)
		for name, def := range plain.ExportedFunctions() {
			args := make([]uint64, len(def.ParamTypes()))
			for _, p := range def.ParamTypes() {
				if p != api.ValueTypeI32 && p != api.ValueTypeI64 {
					return
				}
			}
			got.fuel.Set(10_000)
			g := got.state(name, args...)
			if int64(got.fuel.Get()) < 0 {
				return
			}
			if w := want.state(name, args...); g != w {
				t.Fatalf("%s: metered %s, plain %s", name, g, w)
			}
		}
	})
}
