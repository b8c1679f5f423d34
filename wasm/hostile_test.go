package wasm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

// hostile is a guest that goes wrong when it is pushed Trigger.
type hostile struct {
	name    string
	guest   func(t testing.TB) []byte
	trigger string
	want    string // in the error
	limit   string // the LimitError's, if it is one
	// callOnly says that it takes calls that no stream makes.
	callOnly bool
}

func bad(code string) func(testing.TB) []byte {
	return func(testing.TB) []byte { return handGuest{Bad: code}.bytes() }
}

func hand(g handGuest) func(testing.TB) []byte {
	return func(testing.TB) []byte { return g.bytes() }
}

// reply is bad code that answers a region.
func reply(ptr, size uint64) string { return fmt.Sprintf("i64.const %d; return", int64(ptr<<32|size)) }

// one is bad code that answers one event, given as constants.
func one(kind abi.Kind, start, size, end uint32) string {
	c := func(v uint32) string { return fmt.Sprint("i32.const ", int32(v)) }
	return event(0, kind, 0, c(start), c(size), c(end)) + answer(1) + "; return"
}

var hostiles = []hostile{
	{"endless loop", bad("loop; br 0; end"), "!", "limit Fuel: more than 100", "Fuel", false},
	{"endless loop of stores", bad("loop; i32.const 0; i32.const 1; i32.store 0; br 0; end"), "!", "", "Fuel", false},
	{"endless recursion", hand(handGuest{Bad: "call 7", Build: func(m *wat.Module) {
		m.Func("", "", "", "", "call 7")
	}}), "!", "", "Fuel", false},
	{"recursion with a large frame", hand(handGuest{Bad: "call 7", Build: func(m *wat.Module) {
		m.Func("", "", "", strings.Repeat("i64 ", 1000), "call 7; local.get 0; drop")
	}}), "!", "", "Fuel", false},
	{"call tree without loops", hand(handGuest{Bad: "call 7", Build: func(m *wat.Module) {
		for i := range 40 {
			m.Func("", "", "", "", fmt.Sprintf("call %d; call %d", 8+i, 8+i))
		}
		m.Func("", "", "", "", "")
	}}), "!", "", "Fuel", false},
	{"memory.fill without end", bad("loop; i32.const 65536; i32.const 0; i32.const 65536; memory.fill; br 0; end"), "!", "", "Fuel", false},
	{"growth to the limit", bad("loop; i32.const 16; memory.grow; i32.const -1; i32.ne; br_if 0; end; unreachable"), "!",
		"limit MemoryPages: 1028, more than 1024", "MemoryPages", false},
	{"trap in push", bad("unreachable"), "!", "unreachable", "", false},
	{"access out of bounds", bad("i32.const -1; i32.load 0; drop"), "!", "out of bounds memory access", "", false},
	{"trap in finish", hand(handGuest{Finish: `
		i32.const 8192; i32.load8_u 0; i32.const 63; i32.eq; if; unreachable; end;
		i64.const 0`}), "?", "tk_finish: wasm error: unreachable", "", true},
	{"trap in alloc", hand(handGuest{Alloc: "local.get 0; i32.const 65536; i32.gt_u; if; unreachable; end; i32.const 8192"}),
		strings.Repeat("!", 70_000), "tk_alloc: wasm error: unreachable", "", true},
	{"input outside of the memory", hand(handGuest{Alloc: "local.get 0; i32.const 65536; i32.gt_u; if i32; i32.const -8; else; i32.const 8192; end"}),
		strings.Repeat("!", 70_000), "which it gave for input, are not within the memory", "", true},
	{"region outside of the memory", bad(reply(0xfffffff0, 32)), "!", "the answer's region, 32 bytes at 4294967280", "", false},
	{"region of half an event", bad(reply(answerAt, 24)), "!", "24 bytes, not a multiple of 16", "", false},
	{"flood of events", bad(reply(0, 3<<16)), "!", "limit Events: 12288, more than 4096", "Events", false},
	{"literal outside of the memory", bad(one(abi.Literal, 0x7fffffff, 16, 0)), "!", "a literal, 16 bytes at 2147483647", "", false},
	{"flood of literals", bad(event(0, abi.Literal, 0, "i32.const 0", "i32.const 200000", "i32.const 0") + answer(1) + "; return"), "!",
		"limit LiteralBytes: 200000, more than 65536", "LiteralBytes", false},
	{"everything is held", hand(handGuest{Pages: 16, Push: "i64.const 0"}), strings.Repeat("!", 300_000), "limit HeldBytes: 300000, more than 262144", "HeldBytes", false},
	{"proc_exit", hand(handGuest{Imports: func(m *wat.Module) { m.Import(wasiModule, "proc_exit", "i32", "") },
		Bad: "i32.const 3; call 0"}), "!", "the guest ended itself: proc_exit(3)", "", false},
	{"waits", hand(handGuest{Imports: func(m *wat.Module) { m.Import(wasiModule, "poll_oneoff", "i32 i32 i32 i32", "i32") },
		Bad: "loop; i32.const 0; i32.const 256; i32.const 1; i32.const 512; call 0; drop; br 0; end"}), "!", "the guest waits", "", false},
	{"calls the host without end", hand(handGuest{Imports: func(m *wat.Module) { m.Import(wasiModule, "sched_yield", "", "i32") },
		Bad: "loop; call 0; drop; br 0; end"}), "!", "", "Fuel", false},
	{"Go: panic", goGuestBytes, "!panic.", "unreachable", "", false},
	{"Go: exit", goGuestBytes, "!exit.", "proc_exit(7)", "", false},
	{"Go: endless loop", goGuestBytes, "!loop.", "", "Fuel", false},
	{"Go: endless recursion", goGuestBytes, "!recurse.", "", "", false},
	{"Go: deadlock", goGuestBytes, "!deadlock.", "unreachable", "", false},
	{"Go: sleep", goGuestBytes, "!sleep.", "", "", false},
	{"Go: growth", goGuestBytes, "!grow.", "limit ", "", false},
}

// hostileLimits lets sessions share instances, under tight budgets.
func hostileLimits() Limits {
	l := Shipped()
	l.SessionsPerInstance = 200
	l.Fuel = ThirdParty().Fuel
	l.Fuel.Byte = 10
	l.MemoryPages = 1024
	l.Events, l.LiteralBytes, l.HeldBytes = 4096, 64<<10, 256<<10
	return l
}

// neighbours are fewer under the race detector.
var neighbours = 100

// script is what the neighbours push: some of it is held from push to push, so
// that they have state to lose.
var script = []string{"one <tw", "o> three", " four <", "fi", "ve", "> six <seven", " eight"}

// said is a neighbour's answers, in full.
func said(s *stream) [][]abi.Event {
	var all [][]abi.Event
	keep := func(a abi.Answer, err error) {
		if err != nil {
			all = append(all, []abi.Event{{Kind: 0xff}})
			return
		}
		all = append(all, append([]abi.Event{}, a.Events...))
	}
	off := abi.RawOffset(0)
	for _, text := range script {
		keep(s.Push(off, 0, []byte(text)))
		off += abi.RawOffset(len(text))
		runtime.Gosched()
	}
	keep(s.Finish(off, abi.FinishUnknown))
	return all
}

// TestHostileGuests lets each guest go wrong amid a hundred neighbours on the
// same instances.
func TestHostileGuests(t *testing.T) {
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			var faults atomic.Int64
			r := newRuntime(t, func(c *Config) *Config {
				return c.WithOnFault(func(*Fault) { faults.Add(1) })
			})
			m := compile(t, r, h.guest(t), hostileLimits())
			alone := openStream(t, m)
			want := said(alone)
			alone.Close()

			guilty := openStream(t, m)
			defer guilty.Close()
			harmed, err := amid(t, m, want, func() error { return misbehaves(guilty, h.trigger) })
			if harmed > 0 {
				t.Errorf("%d neighbours were harmed", harmed)
			}
			h.check(t, err)
			if faults.Load() == 0 || m.Stats().Faults != uint64(faults.Load()) {
				t.Errorf("%d faults were told, %d counted", faults.Load(), m.Stats().Faults)
			}
			if _, err := guilty.Push(0, 0, nil); err == nil {
				t.Error("the guilty session goes on")
			}
			guilty.Close()
			if err := m.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			if got := m.Stats(); got.Instances != 0 || got.Sessions != 0 {
				t.Errorf("left: %+v", got)
			}
		})
	}
}

// misbehaves pushes what the guest goes wrong at, or ends there.
func misbehaves(s *stream, trigger string) error {
	if err := s.push(trigger); err != nil {
		return err
	}
	return s.finish()
}

// amid runs the guilty function while neighbours are in the middle of their
// script. It gives how many of them were answered differently.
func amid(t *testing.T, m *Module, want [][]abi.Event, guilty func() error) (harmed int, err error) {
	t.Helper()
	var running sync.WaitGroup
	var wrong atomic.Int64
	for range neighbours {
		s := openStream(t, m)
		running.Go(func() {
			defer s.Close()
			if got := said(s); !reflect.DeepEqual(got, want) {
				wrong.Add(1)
			}
		})
	}
	err = guilty()
	running.Wait()
	return int(wrong.Load()), err
}

// whileCollecting runs f while the garbage collector runs, and gives the longest
// time that the collector had to wait for goroutines to stop.
func whileCollecting(f func()) time.Duration {
	runtime.GC()
	before := stopTimes()
	began, stop, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		close(began)
		for {
			runtime.GC()
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	<-began
	f()
	close(stop)
	<-stopped
	after := stopTimes()
	for i := len(after.Counts) - 1; i >= 0; i-- {
		if after.Counts[i] > before.Counts[i] {
			return time.Duration(after.Buckets[i] * float64(time.Second))
		}
	}
	return 0
}

// stopTimes is how long stopping the world for a collection has taken so far. The
// lower bound of a bucket is what the times in it took at least.
func stopTimes() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

func (h hostile) check(t *testing.T, err error) {
	t.Helper()
	var f *Fault
	if !errors.As(err, &f) || f.Module == "" || f.Version == "" || f.Export == "" {
		t.Fatalf("got %v, want a Fault", err)
	}
	if !strings.Contains(err.Error(), h.want) {
		t.Errorf("got %v, want %q", err, h.want)
	}
	var l *LimitError
	if h.limit != "" && (!errors.As(err, &l) || l.Limit != h.limit) {
		t.Errorf("got %v, want a LimitError of %s", err, h.limit)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has more than one line: %q", err)
	}
}

func TestTrapInOpen(t *testing.T) {
	for _, limits := range []Limits{Shipped(), ThirdParty()} {
		m := compile(t, newRuntime(t), handGuest{Open: "unreachable"}.bytes(), limits)
		_, _, err := m.Open(context.Background(), &abi.OpenBlock{Parser: "brackets"})
		hostile{want: "module hand 0.1.0: tk_open: wasm error: unreachable"}.check(t, err)
		if got := m.Stats(); got.Sessions != 0 {
			t.Errorf("stats %+v", got)
		}
	}
	m := compile(t, newRuntime(t), goGuestBytes(t), Shipped())
	healthy := openStream(t, m)
	defer healthy.Close()
	_, _, err := m.Open(context.Background(), &abi.OpenBlock{Parser: "brackets", Options: []abi.Option{{Key: "open", Value: "panic"}}})
	hostile{want: "tk_open: wasm error: unreachable"}.check(t, err)
	if err := healthy.push("fine"); err != nil || healthy.said != "fine" {
		t.Errorf("the neighbour said %q, %v", healthy.said, err)
	}
}
