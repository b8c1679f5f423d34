package wasm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/examples/plugins/guests"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
	"github.com/turnkey-parsers/turnkey/wasm/meter"
)

// BenchmarkPush is a push of 16 bytes with all that the package does around it.
func BenchmarkPush(b *testing.B) {
	for name, binary := range map[string][]byte{"hand": handGuest{}.bytes(), "go": goGuestBytes(b)} {
		for class, limits := range map[string]Limits{"shipped": Shipped(), "thirdparty": ThirdParty()} {
			b.Run(name+"/"+class, func(b *testing.B) {
				m := compile(b, newRuntime(b), binary, limits)
				s := openStream(b, m)
				defer s.Close()
				text, off := []byte("sixteen bytes of"), abi.RawOffset(0)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Push(off, 0, text); err != nil {
						b.Fatal(err)
					}
					off += abi.RawOffset(len(text))
				}
			})
		}
	}
}

// BenchmarkMetering compares calls of the same guest: plain, metered, and with
// wazero's own way to bound a call. "scan" is a hand-written loop of five
// instructions over 82 bytes, the others are a push of 82 bytes to the example
// parser, and of 2,000 bytes.
func BenchmarkMetering(b *testing.B) {
	scan := handGuest{
		Push: `local.get 4; local.set 5
			loop
				local.get 3; i32.load8_u 0; local.get 6; i32.add; local.set 6
				local.get 3; i32.const 1; i32.add; local.set 3
				local.get 5; i32.const 1; i32.sub; local.tee 5
				br_if 0
			end; i64.const 0`,
		PushLocals: "i32 i32",
	}
	line := "Eighty-two bytes of prose are about what an engine sends in five chunks or so, yes"
	for _, guest := range []struct {
		name   string
		parser string
		binary func(testing.TB) []byte
		text   string
	}{
		{"scan", "brackets", hand(scan), line},
		{"scan2000", "brackets", hand(scan), strings.Repeat(line, 25)[:2000]},
		{"go", "birch", guests.Go, line},
		{"go2000", "birch", guests.Go, strings.Repeat(line, 25)[:2000]},
		{"c", "birch", guests.C, line},
		{"c2000", "birch", guests.C, strings.Repeat(line, 25)[:2000]},
		{"rust", "birch", guests.Rust, line},
		{"rust2000", "birch", guests.Rust, strings.Repeat(line, 25)[:2000]},
	} {
		for _, how := range []string{"plain", "metered", "closeoncontextdone"} {
			b.Run(guest.name+"/"+how, func(b *testing.B) {
				benchGuest(b, guest.binary(b), how, guest.parser, []byte(guest.text))
			})
		}
	}
}

func benchGuest(b *testing.B, binary []byte, how, parser string, text []byte) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	engine := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().
		WithCloseOnContextDone(how == "closeoncontextdone"))
	defer engine.Close(ctx)
	if err := addWASI(ctx, engine); err != nil {
		b.Fatal(err)
	}
	memory, err := newMemory(1 << 28)
	if err != nil {
		b.Fatal(err)
	}
	defer memory.Free()
	if how == "metered" {
		if binary, err = meter.Rewrite(binary, meter.Options{Start: 1e9, TableElements: 1 << 16}); err != nil {
			b.Fatal(err)
		}
	}
	i := &instance{memory: memory}
	ctx = experimental.WithMemoryAllocator(context.WithValue(ctx, instanceKey{}, i), i.memory)
	guest, err := engine.InstantiateWithConfig(ctx, binary, wazero.NewModuleConfig().WithStartFunctions(abi.ExportInitialize))
	if err != nil {
		b.Fatal(err)
	}
	call := func(name string, params ...uint64) uint64 {
		b.Helper()
		results, err := guest.ExportedFunction(name).Call(ctx, params...)
		if err != nil {
			b.Fatal(err)
		}
		return results[0]
	}
	input := call(abi.ExportAlloc, minInput)
	open := abi.AppendOpen(nil, &abi.OpenBlock{Parser: parser})
	guest.Memory().Write(uint32(input), open)
	call(abi.ExportOpen, 1, input, uint64(len(open)))
	guest.Memory().Write(uint32(input), text)
	push := guest.ExportedFunction(abi.ExportPush)
	fuel, _ := guest.ExportedGlobal(abi.ExportFuel).(api.MutableGlobal)
	stack := make([]uint64, 5)
	off := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		if fuel != nil {
			fuel.Set(1e9)
		}
		stack[0], stack[1], stack[2], stack[3], stack[4] = 1, off, 0, input, uint64(len(text))
		if err := push.CallWithStack(ctx, stack); err != nil {
			b.Fatal(err)
		}
		off += uint64(len(text))
	}
}

// BenchmarkCollectionWait has the collector run while guests run away on the
// third-party budget. It reports the longest time that the collector had to wait,
// and the time of the shortest call, which is the guest's own part of it: on a
// machine with other work a wait lasts until the guest's thread runs again. "none"
// behaves: its wait is what the machine itself adds.
func BenchmarkCollectionWait(b *testing.B) {
	deep := strings.Repeat("local.get 0; i64.const 3; i64.mul;", 1000) + "local.get 0; call 7;" + strings.Repeat("i64.add;", 1000)
	for _, g := range []struct {
		name  string
		guest handGuest
	}{
		{"none", handGuest{}},
		{"loop", handGuest{Bad: "loop; br 0; end"}},
		{"stores", handGuest{Bad: "loop; i32.const 0; i32.const 1; i32.store 0; br 0; end"}},
		{"recursion", handGuest{Bad: "call 7", Build: func(m *wat.Module) { m.Func("", "", "", "", "call 7") }}},
		{"large-frames", handGuest{Bad: "i64.const 1; call 7; drop", Build: func(m *wat.Module) { m.Func("", "i64", "i64", "", deep) }}},
		{"fill", handGuest{Bad: "loop; i32.const 65536; i32.const 0; i32.const 65536; memory.fill; br 0; end"}},
		{"growth", handGuest{Bad: "loop; i32.const 1; memory.grow; i32.const -1; i32.ne; br_if 0; end; unreachable"}},
	} {
		b.Run(g.name, func(b *testing.B) {
			m := compile(b, newRuntime(b), g.guest.bytes(), ThirdParty())
			shortest := time.Hour
			longest := whileCollecting(func() {
				for b.Loop() {
					s := openStream(b, m)
					begun := time.Now()
					err := s.push("!")
					shortest = min(shortest, time.Since(begun))
					if (err != nil) != (g.guest.Bad != "") {
						b.Fatal(err)
					}
					s.Close()
				}
			})
			b.ReportMetric(float64(longest.Microseconds()), "µs-longest-wait")
			b.ReportMetric(float64(shortest.Microseconds()), "µs-shortest-call")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	for name, binary := range map[string][]byte{"hand": handGuest{}.bytes(), "go": goGuestBytes(b)} {
		for class, limits := range map[string]Limits{"shipped": Shipped(), "thirdparty": ThirdParty()} {
			b.Run(name+"/"+class, func(b *testing.B) {
				m := compile(b, newRuntime(b), binary, limits)
				for b.Loop() {
					openStream(b, m).Close()
				}
			})
		}
	}
}

// BenchmarkCompile is a module found in the cache on disk.
func BenchmarkCompile(b *testing.B) {
	binary := goGuestBytes(b)
	compile(b, newRuntime(b), binary, Shipped())
	for b.Loop() {
		r := newRuntime(b)
		compile(b, r, binary, Shipped())
		r.Close(context.Background())
	}
}
