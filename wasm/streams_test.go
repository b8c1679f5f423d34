package wasm_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// hostile is a guest that goes wrong in a stream of these pieces.
type hostile struct {
	name   string
	guest  func(testing.TB) []byte
	pieces []string
	// fault is in the error; "" means that none comes: the guest lies within what
	// a parser may say, and its own stream bears it.
	fault string
	said  string // what is visible of them; "" means all, each byte once
}

// lies are guests whose answers are well-formed memory, but not true.
func lies() []hostile {
	code := wasm.Bad
	now := func(kind abi.Kind, flags uint8) string { // of what was pushed
		return wasm.Event(0, kind, flags, wasm.PushedOff, wasm.PushedLen, wasm.PushedEnd) + wasm.Answer(1) + "; return"
	}
	watch := func(flags uint8, end string) string {
		return wasm.Event(0, abi.Watch, flags, "i32.const -1", "i32.const -1", end) + wasm.Answer(1) + "; return"
	}
	said := func(kind abi.Kind, watched uint8) string {
		return wasm.Event(0, kind, 0, wasm.PushedOff, wasm.PushedLen, wasm.PushedEnd) +
			wasm.Event(1, abi.Watch, watched, "i32.const -1", "i32.const -1", wasm.PushedEnd) + wasm.Answer(2) + "; return"
	}
	lie := func(name, answer, fault string) hostile {
		return hostile{name: name, guest: code(answer), pieces: []string{"fine ", "! gone", " and on"}, fault: fault}
	}
	drops := func(h hostile) hostile { h.said = "fine  and on"; return h }
	return []hostile{
		lie("end beyond the input", wasm.One(abi.Commit, 0, 0, 9999), "is beyond the 11 bytes"),
		lie("events going backwards", wasm.One(abi.Commit, 0, 0, 2), "goes down from 5 to 2"),
		lie("text said twice", wasm.One(abi.Text, 0, 5, 11), "is outside 5 to 11"),
		lie("span beyond the input", wasm.One(abi.Reasoning, 5, 4000, 11), "is outside 5 to 11"),
		lie("length that overflows", wasm.One(abi.Text, 5, 0xffffffff, 11), "is outside 5 to 11"),
		lie("unknown event", now(99, 0), "the kind is unknown"),
		lie("a call that is not open", now(abi.Args, 0), "call 0 is not open"),
		lie("text by LITERAL", wasm.Event(0, abi.Literal, 0, "i32.const 0", "i32.const 4", wasm.PushedOff)+
			wasm.Event(1, abi.Text, 0, wasm.PushedOff, wasm.PushedLen, wasm.PushedEnd)+wasm.Answer(2)+"; return", "a LITERAL must not stand before it"),
		lie("flooding answers", wasm.Reply(0, 200*abi.EventSize), "200 events are too many"),
		lie("WATCH while holding", watch(uint8(abi.Text), wasm.PushedOff), "holds 6 bytes back"),
		lie("WATCH without a call", watch(uint8(abi.Args), wasm.PushedEnd), "no open ARGS to continue"),
		lie("WATCH of nothing, as text", said(abi.Text, uint8(abi.Text)), ""),
		lie("WATCH of nothing, as thought", said(abi.Text, uint8(abi.Reasoning)), ""),
		drops(lie("WATCH that holds, then is silent", watch(abi.FlagHold, wasm.PushedOff), "")),
		drops(lie("calls prose markup", now(abi.Commit, 0), "")),
		lie("calls prose a thought", now(abi.Reasoning, 0), ""),
		{name: "says nothing at the end", guest: wasm.Hand(wasm.HandGuest{
			Finish: "local.get 1; i32.const 11; i32.eq; if; i64.const 0; return; end; " + committed,
			Bad:    "i64.const 0; return"}), pieces: []string{"fine ", "! gone"}, fault: "accounts for 5 of 11 bytes"},
		{name: "trap in open", guest: wasm.Hand(wasm.HandGuest{Open: openTraps}), pieces: []string{"fine ", "or ", "not"}, fault: "tk_open: wasm error: unreachable"},
		{name: "trap in finish", guest: wasm.Hand(wasm.HandGuest{Finish: finishTraps}), pieces: []string{"fine ", "or ", "not"}, fault: "tk_finish: wasm error: unreachable"},
		{name: "trap, and poison for who comes next", guest: wasm.Hand(wasm.HandGuest{
			Bad: "i32.const 1; global.set 0; unreachable",
			Push: "global.get 0; if;" + wasm.Event(0, abi.Reasoning, 0, wasm.PushedOff, wasm.PushedLen, wasm.PushedEnd) + wasm.Answer(1) + "; return; end;" +
				text,
			Build: func(m *wat.Module) { m.Global("", "i32", "i32.const 0") }}), pieces: []string{"fine ", "! gone", " and on"}, fault: "unreachable"},
	}
}

var text = wasm.Event(0, abi.Text, 0, wasm.PushedOff, wasm.PushedLen, wasm.PushedEnd) + wasm.Answer(1)

// openTraps traps at the guilty stream's open block, which is longer by an option.
var openTraps = fmt.Sprintf("local.get 2; i32.const %d; i32.gt_u; if; unreachable; end; i64.const 0",
	len(abi.AppendOpen(nil, &abi.OpenBlock{Parser: "brackets"})))

// finishTraps traps where the guilty stream ends.
var finishTraps = "local.get 1; i32.const 11; i32.eq; if; unreachable; end; " + committed

// committed answers that all is accounted for.
var committed = wasm.Event(0, abi.Commit, 0, "i32.const 0", "i32.const 0", "local.get 1") + wasm.Answer(1)

func streams() []hostile {
	all := []hostile{{name: "none: this one behaves", guest: wasm.Hand(wasm.HandGuest{}), pieces: []string{"fine ", "! it ", "is"}}}
	wasm.Hostiles(func(name string, guest func(testing.TB) []byte, trigger string) {
		all = append(all, hostile{name: name, guest: guest, pieces: []string{"fine ", trigger, " and on", "!again."}, fault: ": "})
	})
	return append(all, lies()...)
}

// heard is what a client got: everything in order, and the visible bytes alone.
type heard struct {
	all   strings.Builder
	bytes strings.Builder
	fault error // told to the operator
	err   error // told to the client
}

func (h *heard) take(deltas []framing.Delta, err error) {
	for _, d := range deltas {
		fmt.Fprintf(&h.all, "%d:%s|", d.Kind, d.Text)
		h.bytes.WriteString(d.Text)
	}
	h.err = errors.Join(h.err, err)
}

// stream runs pieces through a parse session and a framer, as a request does.
// between is called after the first piece, when the session has state to lose.
func stream(t testing.TB, m *wasm.Module, policy parse.FaultPolicy, options []abi.Option, pieces []string, between func()) *heard {
	h := &heard{}
	engine, err := m.Parser("brackets")
	if err != nil {
		t.Error(err)
		return h
	}
	f := framing.New(framing.Config{})
	var deltas []framing.Delta
	s, events, err := parse.Open(parse.Config{Engine: engine, Open: abi.OpenBlock{Options: options}, Policy: policy, Sent: f.Sent,
		OnFault: func(e *parse.FaultError) { h.fault = e }})
	if s == nil {
		h.err = err
		return h
	}
	defer s.Close()
	h.take(f.Apply(events, deltas[:0]), err)
	for i, piece := range pieces {
		events, err := s.Push(piece)
		h.take(f.Apply(events, deltas[:0]), err)
		if i == 0 {
			between()
		}
	}
	events, err = s.Finish(abi.FinishUnknown)
	h.take(f.Apply(events, deltas[:0]), err)
	h.take(f.Finish(deltas[:0]), nil)
	return h
}

// calm is what the neighbours say: a thought, held back from push to push.
var calm = []string{"one <tw", "o> three", " four <", "fi", "ve", "> six <seven", " eight"}

func nothing() {}

// TestHostileStreams lets each guest go wrong amid other streams on the same host,
// half of them in the same module and so in the same instances, half in another,
// and prints what came of it.
func TestHostileStreams(t *testing.T) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer out.Flush()
	fmt.Fprintf(out, "guest\tthe guilty stream\tneighbours harmed (of %d)\tlongest GC wait\n", wasm.Neighbours())
	r := wasm.NewTestRuntime(t)
	good := wasm.CompileGuest(t, r, wasm.GoGuestBytes(t), wasm.HostileLimits())
	for _, h := range streams() {
		t.Run(h.name, func(t *testing.T) {
			m := wasm.CompileGuest(t, r, h.guest(t), wasm.HostileLimits())
			var outcome string
			harmed, gc := 0, time.Duration(0)
			for _, policy := range []parse.FaultPolicy{parse.FaultToText, parse.FaultIsError} {
				n, wait := amid(t, m, good, func() {
					for range wasm.Neighbours() / 10 { // a collection stops the world only now and then
						outcome = h.run(t, m, policy)
					}
				})
				harmed, gc = harmed+n, max(gc, wait)
				if policy == parse.FaultToText {
					fmt.Fprintf(out, "%s\t%s", h.name, outcome)
				}
			}
			fmt.Fprintf(out, "\t%d\t%v\n", harmed, gc.Round(time.Microsecond))
			if harmed > 0 {
				t.Errorf("%d neighbours were harmed", harmed)
			}
			if err := m.Close(context.Background()); err != nil {
				t.Error(err)
			}
			if got := m.Stats(); got.Instances != 0 || got.Sessions != 0 {
				t.Errorf("left: %+v", got)
			}
		})
	}
	refused(t, out, r, good)
	if err := good.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// run is the guilty stream; it checks what the client and the operator are told.
func (h hostile) run(t *testing.T, m *wasm.Module, policy parse.FaultPolicy) (outcome string) {
	options := []abi.Option{{Key: "guilty", Value: "of something"}}
	all := strings.Join(h.pieces, "")
	if h.said != "" {
		all = h.said
	}
	got := stream(t, m, policy, options, h.pieces, nothing)
	said := got.bytes.String()
	if policy == parse.FaultIsError && h.fault != "" {
		var fault *parse.FaultError
		if !errors.As(got.err, &fault) || !strings.Contains(got.err.Error(), h.fault) {
			t.Errorf("the client is told %v, want a fault of %q", got.err, h.fault)
		}
		if !strings.HasPrefix(all, said) {
			t.Errorf("said %.60q before the error, want a beginning of %.60q", said, all)
		}
		return ""
	}
	if said != all || got.err != nil {
		t.Errorf("said %.60q (%d bytes), %v; want %.60q (%d), each byte once", said, len(said), got.err, all, len(all))
	}
	if h.fault == "" {
		if got.fault != nil {
			t.Errorf("a fault: %v", got.fault)
		}
		if h.said != "" {
			return "lacks what its parser gave up, no fault"
		}
		return "all bytes once, no fault"
	}
	if got.fault == nil || !strings.Contains(got.fault.Error(), h.fault) {
		t.Fatalf("fault %v, want %q", got.fault, h.fault)
	}
	var cause *parse.FaultError
	errors.As(got.fault, &cause)
	why, _, _ := strings.Cut(cause.Cause.Error(), "\n")
	return "all bytes once; " + why
}

// amid runs guilty while other streams are in the middle of theirs. It gives how
// many of these went otherwise than undisturbed, and the longest time that the
// garbage collector had to wait for goroutines to stop.
func amid(t *testing.T, m, good *wasm.Module, guilty func()) (harmed int, gc time.Duration) {
	t.Helper()
	modules := []*wasm.Module{m, good}
	var want [2]string
	for i, m := range modules {
		want[i] = stream(t, m, parse.FaultToText, nil, calm, nothing).all.String()
	}
	var ready, running sync.WaitGroup
	var wrong atomic.Int64
	strike := make(chan struct{})
	for n := range wasm.Neighbours() {
		ready.Add(1)
		running.Go(func() {
			got := stream(t, modules[n%2], parse.FaultToText, nil, calm, func() {
				ready.Done()
				<-strike
			})
			if got.all.String() != want[n%2] || got.fault != nil || got.err != nil {
				wrong.Add(1)
			}
		})
	}
	ready.Wait()
	gc = wasm.WhileWaiting(func() {
		close(strike)
		guilty()
	})
	running.Wait()
	return int(wrong.Load()), gc
}

// refused are modules that never run for a stream: neighbours go on while they are
// loaded.
func refused(t *testing.T, out *tabwriter.Writer, r *wasm.Runtime, good *wasm.Module) {
	imports := func(f func(m *wat.Module)) []byte { return wasm.HandGuest{Imports: f}.Bytes() }
	for _, h := range []struct {
		name, want string
		binary     []byte
	}{
		{"forbidden import", "import env.read: a parser may import nothing but " + wasm.WASI,
			imports(func(m *wat.Module) { m.Import("env", "read", "i32", "i32") })},
		{"import of WASI that is none", "there is no such function",
			imports(func(m *wat.Module) { m.Import(wasm.WASI, "launch", "i32", "i32") })},
		{"huge module", "limit ModuleBytes", make([]byte, wasm.ThirdParty().ModuleBytes+1)},
		{"huge memory", "limit MemoryPages: 60000", wasm.HandGuest{Pages: 60_000}.Bytes()},
		{"_initialize never ends", "_initialize: limit Fuel",
			wasm.HandGuest{Build: func(m *wat.Module) { m.Func(abi.ExportInitialize, "", "", "", "loop; br 0; end") }}.Bytes()},
		{"another manifest when it runs", "is not the custom section", wasm.HandGuest{Said: "{}"}.Bytes()},
		{"no module at all", "not a WebAssembly module", []byte("GIF89a")},
	} {
		t.Run(h.name, func(t *testing.T) {
			load := func() error {
				_, err := r.Compile(context.Background(), h.binary, wasm.ThirdParty())
				return err
			}
			refuses(t, out, good, h.name, h.want, load)
		})
	}
	t.Run("fails its own cases", func(t *testing.T) {
		reg, err := registry.New(context.Background(), registry.Config{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer reg.Close(context.Background())
		const cases = `{"family":"mine","cases":[{"name":"greeting","why":"x","basis":"golden","start":"none",` +
			`"input":"Hello.","finish":"stop","want":{"events":[{"kind":"text","text":"Bye."}]}}]}`
		binary := wasmtest.Guest{Cases: cases}.Bytes()
		load := func() error { return reg.Put(context.Background(), "mine", registry.Change{Binary: binary}) }
		refuses(t, out, good, "fails its own cases", "its own cases", load)
		if m, ok := reg.Module("mine"); ok && m.Live != nil {
			t.Error("it is live")
		}
	})
}

func refuses(t *testing.T, out *tabwriter.Writer, good *wasm.Module, name, want string, load func() error) {
	t.Helper()
	var err error
	harmed, gc := amid(t, good, good, func() { err = load() })
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want %q", err, want)
	}
	if harmed > 0 {
		t.Errorf("%d neighbours were harmed", harmed)
	}
	fmt.Fprintf(out, "%s\trefused: %.110v\t%d\t%v\n", name, err, harmed, gc.Round(time.Microsecond))
}

// TestHostileStreamsLeaveNoGoroutines counts after hundreds of faults.
func TestHostileStreamsLeaveNoGoroutines(t *testing.T) {
	r := wasm.NewTestRuntime(t)
	m := wasm.CompileGuest(t, r, wasm.Bad("unreachable")(t), wasm.ThirdParty())
	before := runtime.NumGoroutine()
	for range 200 {
		if got := stream(t, m, parse.FaultToText, nil, []string{"fine ", "!"}, nothing); got.fault == nil {
			t.Fatal("no fault")
		}
	}
	if got := m.Stats(); got.Sessions != 0 || got.Instances != 0 || got.Faults != 200 {
		t.Errorf("stats %+v", got)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}
