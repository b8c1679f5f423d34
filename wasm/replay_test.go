package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

// pair opens sessions until two are on one instance.
func pair(t *testing.T, m *Module) (a, b *stream) {
	t.Helper()
	on := map[*instance]*stream{}
	for range 1000 {
		s := openStream(t, m)
		t.Cleanup(s.Close)
		if other := on[s.inst]; other != nil {
			return other, s
		}
		on[s.inst] = s
	}
	t.Fatal("no two sessions share an instance")
	return nil, nil
}

func TestInnocentSessionIsRebuilt(t *testing.T) {
	m := compile(t, newRuntime(t), goGuestBytes(t), Shipped())
	innocent, guilty := pair(t, m)
	lost := innocent.inst
	if err := innocent.push("one <tw"); err != nil {
		t.Fatal(err)
	}
	if err := guilty.push("!exit."); err == nil {
		t.Fatal("no fault")
	}
	if got := m.Stats(); got.Faults != 2 { // once among others, once alone
		t.Errorf("stats %+v", got)
	}
	for _, text := range []string{"o> three ", "<four>"} {
		if err := innocent.push(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := innocent.finish(); err != nil {
		t.Fatal(err)
	}
	if want := "one <two> three <four>"; innocent.said != want {
		t.Errorf("said %q, want %q", innocent.said, want)
	}
	if innocent.inst == lost {
		t.Error("the instance was used again")
	}
	if got := m.Stats(); got.Replays != 2 {
		t.Errorf("stats %+v", got)
	}
}

func TestSkippedTextIsReplayed(t *testing.T) {
	m := compile(t, newRuntime(t), goGuestBytes(t), Shipped())
	s, guilty := pair(t, m)
	if _, err := s.Push(0, 0, []byte("one ")); err != nil {
		t.Fatal(err)
	}
	// Bytes 4 to 100 were left out under a WATCH.
	if _, err := s.Push(100, 2, []byte("xx<tw")); err != nil {
		t.Fatal(err)
	}
	if held := s.heldBytes(); held != 3 {
		t.Errorf("%d bytes are held, want 3", held)
	}
	_ = guilty.push("!exit.")
	a, err := s.Push(103, 0, []byte("o>"))
	if err != nil {
		t.Fatal(err)
	}
	want := abi.Event{Kind: abi.Reasoning, Start: 101, Len: 3, End: 105}
	if len(a.Events) == 0 || a.Events[len(a.Events)-1] != want {
		t.Errorf("got %+v, want %+v", a.Events, want)
	}
}

// poisoned is a guest in which "!" makes every later push of the instance trap.
func poisoned() []byte {
	return handGuest{
		Bad:   "i32.const 1; global.set 0",
		Push:  "global.get 0; if; local.get 3; i32.load8_u 0; i32.const 33; i32.ne; if; unreachable; end; end;" + textAnswer,
		Build: func(m *wat.Module) { m.Global("", "i32", "i32.const 0") },
	}.bytes()
}

var textAnswer = event(0, abi.Text, 0, pushedOff, pushedLen, pushedEnd) + answer(1)

func TestPoisonedSessionIsTriedAlone(t *testing.T) {
	m := compile(t, newRuntime(t), poisoned(), Shipped())
	innocent, guilty := pair(t, m)
	for _, s := range []*stream{innocent, guilty} {
		if err := s.push("fine "); err != nil {
			t.Fatal(err)
		}
	}
	if err := guilty.push("!"); err != nil {
		t.Fatal(err)
	}
	if err := innocent.push("still fine"); err != nil {
		t.Fatal(err)
	}
	if innocent.said != "fine still fine" {
		t.Errorf("said %q", innocent.said)
	}
	if innocent.inst.sessions != 1 || !innocent.inst.exclusive {
		t.Error("the session does not have its instance for itself")
	}
	if err := guilty.push("x"); err == nil {
		t.Error("the guilty session goes on")
	}
}

func TestReplayThatDiffersIsAFault(t *testing.T) {
	guest := handGuest{
		Push: `global.get 0; i32.const 1; i32.add; global.set 0;` +
			event(0, abi.Text, 0, pushedOff, pushedLen, "global.get 0") + answer(1),
		Bad:   "local.get 3; i32.load8_u 1; i32.const 33; i32.eq; if; unreachable; end",
		Build: func(m *wat.Module) { m.Global("", "i32", "i32.const 0") },
	}
	m := compile(t, newRuntime(t), guest.bytes(), Shipped())
	s, other := pair(t, m)
	for range 3 {
		_, _ = other.Push(0, 0, []byte("x"))
	}
	if _, err := s.Push(0, 0, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Push(1, 0, []byte("!!")); err == nil {
		t.Fatal("no fault")
	}
	if _, err := s.Push(1, 0, []byte("x")); !errors.Is(err, errReplay) {
		t.Errorf("got %v, want %v", err, errReplay)
	}
}

func TestSessionTooLongToReplay(t *testing.T) {
	limits := Shipped()
	limits.ReplayBytes = 10
	m := compile(t, newRuntime(t), goGuestBytes(t), limits)
	long, guilty := pair(t, m)
	if err := long.push("more than ten bytes"); err != nil {
		t.Fatal(err)
	}
	_ = guilty.push("!exit.")
	if err := long.push("x"); !errors.Is(err, errReplayTooLong) {
		t.Errorf("got %v, want %v", err, errReplayTooLong)
	}
}

func TestDiscardEndsTheInstance(t *testing.T) {
	m := compile(t, newRuntime(t), goGuestBytes(t), Shipped())
	innocent, guilty := pair(t, m)
	if err := innocent.push("<o"); err != nil {
		t.Fatal(err)
	}
	malformed := errors.New("event 3 goes backwards")
	guilty.Discard(malformed)
	guilty.Discard(malformed)
	if err := guilty.push("x"); !errors.Is(err, malformed) {
		t.Errorf("got %v, want %v", err, malformed)
	}
	if got := m.Stats(); got.Faults != 1 {
		t.Errorf("stats %+v", got)
	}
	if err := innocent.push("ne>"); err != nil || innocent.said != "<one>" {
		t.Errorf("the neighbour said %q, %v", innocent.said, err)
	}
}

func TestThirdPartySessionsAreApart(t *testing.T) {
	m := compile(t, newRuntime(t), goGuestBytes(t), ThirdParty())
	a, b := openStream(t, m), openStream(t, m)
	if a.inst == b.inst {
		t.Error("two sessions share an instance")
	}
	if err := a.push("!exit."); err == nil {
		t.Error("no fault")
	}
	if got := m.Stats(); got.Faults != 1 || got.Instances != 1 {
		t.Errorf("stats %+v", got)
	}
	if err := b.push("fine"); err != nil || b.said != "fine" {
		t.Errorf("said %q, %v", b.said, err)
	}
	a.Close()
	b.Close()
	if got := m.Stats(); got.Instances != 0 {
		t.Errorf("stats %+v", got)
	}
}

func TestInstancesAreBounded(t *testing.T) {
	limits := ThirdParty()
	limits.Instances = 2
	m := compile(t, newRuntime(t), handGuest{}.bytes(), limits)
	a, b := openStream(t, m), openStream(t, m)
	defer b.Close()
	_, _, err := m.Open(context.Background(), &abi.OpenBlock{})
	var l *LimitError
	if !errors.As(err, &l) || l.Limit != "Instances" || !strings.Contains(err.Error(), "hand") {
		t.Errorf("got %v", err)
	}
	a.Close()
	openStream(t, m).Close()
}

func TestSessionsShareInstances(t *testing.T) {
	limits := Shipped()
	limits.SessionsPerInstance = 10
	m := compile(t, newRuntime(t), handGuest{}.bytes(), limits)
	for range 95 {
		s := openStream(t, m)
		defer s.Close()
	}
	if got := m.Stats(); got.Instances != 10 || got.Sessions != 95 {
		t.Errorf("stats %+v", got)
	}
}

func TestWornInstanceTakesNoNewSession(t *testing.T) {
	limits := Shipped()
	limits.MemoryPages = 16
	m := compile(t, newRuntime(t), handGuest{Bad: "i32.const 8; memory.grow; drop"}.bytes(), limits)
	s := openStream(t, m)
	if err := s.push("!"); err != nil {
		t.Fatal(err)
	}
	other := openStream(t, m)
	defer other.Close()
	if other.inst == s.inst {
		t.Error("a worn instance was given out")
	}
	worn := s.inst
	s.Close()
	for _, i := range m.pool.instances {
		if i == worn {
			t.Error("the worn instance stays")
		}
	}
}

func TestLiteralsAreCopiedAndRebased(t *testing.T) {
	lit := func(n int, at, size int) string {
		return event(n, abi.Literal, 0, fmt.Sprint("i32.const ", at), fmt.Sprint("i32.const ", size), "i32.const 0")
	}
	guest := handGuest{
		Push:  lit(0, 500, 3) + lit(1, 503, 4) + lit(2, 0, 0) + answer(3),
		Build: func(m *wat.Module) { m.Data(500, "onemore") },
	}
	m := compile(t, newRuntime(t), guest.bytes(), ThirdParty())
	s := openStream(t, m)
	defer s.Close()
	a, err := s.Push(0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range a.Events {
		got = append(got, string(a.Literals[e.Start:e.Start+e.Len]))
	}
	if want := []string{"one", "more", ""}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLeftContext(t *testing.T) {
	m := compile(t, newRuntime(t), handGuest{}.bytes(), ThirdParty())
	s := openStream(t, m)
	defer s.Close()
	a, err := s.Push(10, 2, []byte("abXYZ"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (abi.Event{Kind: abi.Text, Start: 10, Len: 3, End: 13}); a.Events[0] != want {
		t.Errorf("got %+v, want %+v", a.Events[0], want)
	}
	for _, back := range []int{-1, 5, 6} {
		if _, err := s.Push(13, back, []byte("abcde")); err == nil {
			t.Errorf("%d bytes of left context were taken", back)
		}
	}
	if _, err := s.Push(13, 0, []byte("abcde")); err != nil {
		t.Errorf("the session is over: %v", err)
	}
}

func TestConstraint(t *testing.T) {
	open := &abi.OpenBlock{Parser: "brackets"}
	m := compile(t, newRuntime(t), handGuest{}.bytes(), ThirdParty())
	if c, err := m.Constraint(context.Background(), open); c != nil || err != nil {
		t.Errorf("a module without tk_constraint: %q, %v", c, err)
	}
	echo := handGuest{Build: func(m *wat.Module) {
		m.Func(abi.ExportConstraint, "i32 i32", "i64", "",
			"local.get 0; i64.extend_i32_u; i64.const 32; i64.shl; local.get 1; i64.extend_i32_u; i64.or")
	}}
	m = compile(t, newRuntime(t), echo.bytes(), ThirdParty())
	c, err := m.Constraint(context.Background(), open)
	if want := string(abi.AppendOpen(nil, open)); string(c) != want || err != nil {
		t.Errorf("got %q, %v; want %q", c, err, want)
	}
	trap := handGuest{Build: func(m *wat.Module) { m.Func(abi.ExportConstraint, "i32 i32", "i64", "", "unreachable") }}
	m = compile(t, newRuntime(t), trap.bytes(), Shipped())
	_, err = m.Constraint(context.Background(), open)
	hostile{want: "tk_constraint: wasm error: unreachable"}.check(t, err)
	if s := openStream(t, m); s.push("fine") != nil {
		t.Error("the module is of no use after a fault in tk_constraint")
	}
}

// locksAllocate says that the locks check their order.
var locksAllocate bool

func TestPushAllocatesNothing(t *testing.T) {
	if locksAllocate {
		t.Skip("the locks allocate under the race detector")
	}
	for name, binary := range map[string][]byte{"hand": handGuest{}.bytes(), "Go": goGuestBytes(t)} {
		for class, limits := range map[string]Limits{"shipped": Shipped(), "third party": ThirdParty()} {
			m := compile(t, newRuntime(t), binary, limits)
			s := openStream(t, m)
			text, off := []byte("sixteen bytes of"), abi.RawOffset(0)
			got := testing.AllocsPerRun(1000, func() {
				if _, err := s.Push(off, 0, text); err != nil {
					t.Fatal(err)
				}
				off += abi.RawOffset(len(text))
			})
			if got != 0 {
				t.Errorf("%s, %s: %v allocations a push", name, class, got)
			}
			s.Close()
		}
	}
}
