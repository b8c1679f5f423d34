package registry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

func onTrial(o Rollout) func(*Change) {
	return func(c *Change) { c.Rollout = &o }
}

func TestAShadowIsComparedAndNeverSent(t *testing.T) {
	r, log := open(t, Config{})
	put(t, r, guest{})
	put(t, r, guest{Version: "2.0.0"}, onTrial(Rollout{Mode: Shadow}))
	for range 3 {
		if got := say(t, r, "mine", "one ", "two"); got != "one two" {
			t.Errorf("got %q", got)
		}
	}
	m := module(t, r, "mine")
	if m.Live.Version != "1.0.0" || m.Trial.Version.Version != "2.0.0" || m.Trial.Answers != 3 || m.Trial.Different != 0 {
		t.Errorf("%+v, %+v", m, m.Trial)
	}
	put(t, r, guest{Version: "3.0.0", Says: abi.Reasoning}, onTrial(Rollout{Mode: Shadow}))
	if got := say(t, r, "mine", "one ", "two"); got != "one two" {
		t.Errorf("got %q", got)
	}
	if m := module(t, r, "mine"); m.Trial.Version.Version != "3.0.0" || m.Trial.Different != 1 || m.Compared != 4 || m.Different != 1 {
		t.Errorf("%+v, %+v", m, m.Trial)
	}
	if l := log.String(); !strings.Contains(l, "parses an answer differently") || strings.Contains(l, "one two") {
		t.Errorf("the log: %s", l)
	}
	if err := r.Promote(t.Context(), "mine", nil); err != nil {
		t.Fatal(err)
	}
	if got := say(t, r, "mine", "a"); got != "(a)" || module(t, r, "mine").Previous[0].Version != "1.0.0" {
		t.Errorf("promoted: %q, %+v", got, module(t, r, "mine"))
	}
}

// A live parser with WATCHes does not hear all of the text, but its shadow does.
func TestAShadowBesideABuiltInModule(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true, Rules: map[string]Rule{"toy": {Shadow: true, Rollout: Rollout{Mode: Shadow}}}})
	put(t, r, guest{Module: "toy"})
	if got := say(t, r, "toy", "one ", "two ", "three"); got != "one two three" {
		t.Errorf("got %q", got)
	}
	if m := module(t, r, "toy"); m.Live != nil || m.Trial.Answers != 1 || m.Trial.Different != 0 {
		t.Errorf("%+v, %+v", m, m.Trial)
	}
	if err := r.Rollback(t.Context(), "toy", nil); err != nil {
		t.Fatal(err)
	}
	if m := module(t, r, "toy"); m.Trial != nil || m.Live != nil || !strings.Contains(m.Note, "by an administrator") {
		t.Errorf("%+v", m)
	}
	if got := say(t, r, "toy", "a"); got != "a" {
		t.Errorf("got %q", got)
	}
}

func TestAFaultOfAShadowHarmsNobody(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true, Rules: map[string]Rule{"toy": {Shadow: true}}})
	run(t, r)
	put(t, r, guest{Module: "toy"}, onTrial(Rollout{Mode: Shadow, Faults: 2, Differences: 9}))
	for range 2 {
		k := begin(t, r, "toy").push("a", "!", "b")
		if got := k.end(); got != "a!b" || k.fault != nil {
			t.Errorf("got %q, %v", got, k.fault)
		}
	}
	eventually(t, "the trial's end", func() bool { return module(t, r, "toy").Trial == nil })
	if m := module(t, r, "toy"); !strings.Contains(m.Note, "2 faults") || m.Rollbacks != 1 {
		t.Errorf("%+v", m)
	}
}

func TestTooManyDifferencesEndATrial(t *testing.T) {
	r, _ := open(t, Config{})
	run(t, r)
	put(t, r, guest{})
	put(t, r, guest{Version: "2.0.0", Says: abi.Reasoning}, onTrial(Rollout{Mode: Shadow, Differences: 2}))
	say(t, r, "mine", "a")
	say(t, r, "mine", "a")
	eventually(t, "the trial's end", func() bool { return module(t, r, "mine").Trial == nil })
	if m := module(t, r, "mine"); m.Live.Version != "1.0.0" || !strings.Contains(m.Note, "2 of 2 answers differ") {
		t.Errorf("%+v", m)
	}
}

func TestACanaryTakesItsShare(t *testing.T) {
	for _, percent := range []int{1, 10, 33, 100} {
		t.Run(fmt.Sprint(percent), func(t *testing.T) {
			r, _ := open(t, Config{})
			put(t, r, guest{})
			put(t, r, guest{Version: "2.0.0", Says: abi.Reasoning}, onTrial(Rollout{Mode: Canary, Percent: percent}))
			taken := 0
			for range 200 {
				l, err := r.Lease(t.Context(), "mine", "mine")
				if err != nil {
					t.Fatal(err)
				}
				if len(l.Infos()) != 1 {
					t.Fatal("one request has two versions")
				}
				if l.Infos()[0].Manifest.Version == "2.0.0" {
					taken++
				}
				l.Release()
			}
			if taken != 2*percent {
				t.Errorf("%d of 200", taken)
			}
		})
	}
}

func TestACanaryIsPromotedAfterGoodAnswers(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, Config{Dir: dir})
	run(t, r)
	put(t, r, guest{})
	put(t, r, guest{Version: "2.0.0"}, onTrial(Rollout{Mode: Canary, Percent: 100, Promote: 3}))
	if i, err := Inspect(dir + "/mine.wasm"); err != nil || i.Manifest.Version != "1.0.0" {
		t.Errorf("a version on trial is in the folder: %v, %v", i, err)
	}
	for range 3 {
		k := begin(t, r, "mine") // cut off: no answer
		k.s.Close()
		k.lease.Release()
	}
	if got := module(t, r, "mine").Trial.Answers; got != 0 {
		t.Errorf("%d answers of requests that were cut off", got)
	}
	for range 3 {
		say(t, r, "mine", "a")
	}
	eventually(t, "the promotion", func() bool { return live(t, r, "mine") == "2.0.0" })
	if i, err := Inspect(dir + "/mine.wasm"); err != nil || i.Manifest.Version != "2.0.0" {
		t.Errorf("in the folder: %v, %v", i, err)
	}
}

func TestACanaryOfTooManyFaultsEnds(t *testing.T) {
	r, _ := open(t, Config{})
	run(t, r)
	put(t, r, guest{})
	put(t, r, guest{Version: "2.0.0"}, onTrial(Rollout{Mode: Canary, Percent: 100, Faults: 1}))
	k := begin(t, r, "mine").push("a", "!b")
	if got := k.end(); got != "a!b" || k.fault == nil {
		t.Errorf("got %q, %v", got, k.fault)
	}
	eventually(t, "the trial's end", func() bool { return module(t, r, "mine").Trial == nil })
	if live(t, r, "mine") != "1.0.0" {
		t.Errorf("live %s", live(t, r, "mine"))
	}
}

func TestRolloutCheck(t *testing.T) {
	for _, o := range []Rollout{{Mode: "soon"}, {Mode: Canary}, {Mode: Canary, Percent: 101}, {Mode: Shadow, Faults: -1}, {Promote: -1}} {
		if o.Check() == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	o := Rollout{}
	if err := o.Check(); err != nil || o != (Rollout{Mode: Live, Faults: 3, Differences: 10}) {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestQuarantine(t *testing.T) {
	r, log := open(t, Config{Budget: Budget{Faults: 2, Window: time.Hour, Backoff: time.Minute, MaxBackoff: 3 * time.Minute}})
	put(t, r, guest{})
	put(t, r, guest{Version: "2.0.0"})
	fail := func(n int) {
		t.Helper()
		for range n {
			k := begin(t, r, "mine").push("a", "!b", "c")
			if got := k.end(); got != "a!bc" || k.fault == nil {
				t.Errorf("the guilty stream: %q, %v", got, k.fault)
			}
		}
	}
	now := time.Now()
	fail(1)
	if r.maintain(t.Context(), now); live(t, r, "mine") != "2.0.0" {
		t.Error("one fault was too many")
	}
	for strike, wait := range []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute, 3 * time.Minute} {
		fail(2)
		if next := r.maintain(t.Context(), now); next != wait {
			t.Errorf("strike %d: out for %v, want %v", strike+1, next, wait)
		}
		m := module(t, r, "mine")
		if m.Live.Version != "1.0.0" || m.Quarantine == nil || m.Quarantine.Version.Version != "2.0.0" || m.Quarantine.Strikes != strike+1 || m.Quarantines != uint64(strike+1) {
			t.Fatalf("strike %d: %+v", strike+1, m)
		}
		if r.maintain(t.Context(), now.Add(wait-time.Second)); live(t, r, "mine") != "1.0.0" {
			t.Errorf("strike %d: back too early", strike+1)
		}
		now = now.Add(wait)
		r.maintain(t.Context(), now)
		if m := module(t, r, "mine"); m.Live.Version != "2.0.0" || m.Quarantine != nil || m.Previous[0].Version != "1.0.0" {
			t.Fatalf("strike %d: not back: %+v", strike+1, m)
		}
	}
	for _, want := range []string{"module quarantined", "module is back from quarantine"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q", want)
		}
	}
}

func TestQuarantineBringsABuiltInModuleBack(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true, Rules: map[string]Rule{"toy": {Shadow: true}}, Budget: Budget{Faults: 1, Window: time.Hour, Backoff: time.Hour, MaxBackoff: time.Hour}})
	run(t, r)
	put(t, r, guest{Module: "toy", Says: abi.Reasoning})
	begin(t, r, "toy").push("!").end()
	eventually(t, "the quarantine", func() bool { return module(t, r, "toy").Quarantine != nil })
	if got := say(t, r, "toy", "a"); got != "a" {
		t.Errorf("got %q", got)
	}
	put(t, r, guest{Module: "toy", Version: "2.0.0"})
	if m := module(t, r, "toy"); m.Quarantine != nil || m.Live.Version != "2.0.0" {
		t.Errorf("after a new version: %+v", m)
	}
}

func TestTheOnlyVersionGoesOn(t *testing.T) {
	r, log := open(t, Config{Budget: Budget{Faults: 1, Window: time.Hour, Backoff: time.Hour, MaxBackoff: time.Hour}})
	run(t, r)
	put(t, r, guest{})
	begin(t, r, "mine").push("!").end()
	eventually(t, "the log", func() bool { return strings.Contains(log.String(), "no version to fall back to") })
	if got := say(t, r, "mine", "a"); got != "a" {
		t.Errorf("got %q", got)
	}
}

func TestFaultBudget(t *testing.T) {
	start := time.Now()
	b := &Budget{Faults: 3, Window: time.Minute}
	for name, c := range map[string]struct {
		seconds []int
		over    int // which fault uses the budget up; 0 none
	}{
		"at once":        {[]int{0, 0, 0}, 3},
		"just within":    {[]int{0, 30, 60}, 3},
		"too slow":       {[]int{0, 30, 61}, 0},
		"faster later":   {[]int{0, 50, 100, 105, 106}, 4},
		"said once":      {[]int{0, 1, 2, 3, 4}, 3},
		"never so often": {[]int{0, 59, 118, 177}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var f faults
			got := 0
			for i, s := range c.seconds {
				if f.countFault(start.Add(time.Duration(s)*time.Second), b) {
					if got != 0 {
						t.Errorf("%s: said twice", name)
					}
					got = i + 1
				}
			}
			if got != c.over || f.exceeded() != (c.over > 0) || f.total() != uint64(len(c.seconds)) {
				t.Errorf("%s: over at %d, want %d", name, got, c.over)
			}
		})
	}
}
