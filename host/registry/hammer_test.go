package registry

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// TestSwapsUnderStreams changes modules in every way while streams run. Each
// stream is of one version from its beginning to its end, and none fails.
func TestSwapsUnderStreams(t *testing.T) {
	const streams, changes = 8, 56
	r, _ := open(t, Config{CacheDir: t.TempDir(), Dir: t.TempDir(), Linked: []*sdk.Module{toy}, Native: true, Rules: map[string]Rule{"toy": {Shadow: true}}})
	run(t, r)
	put(t, r, guest{})
	var stop atomic.Bool
	var done, mixed, failed atomic.Int64
	var running sync.WaitGroup
	for i := range streams {
		running.Go(func() {
			for n := 0; !stop.Load(); n++ {
				name := []string{"mine", "toy"}[(i+n)%2]
				k := begin(t, r, name)
				for range 8 {
					k.push("ab")
				}
				said := k.end()
				switch {
				case k.fault != nil:
					failed.Add(1)
				case said != strings.Repeat("ab", 8) && said != strings.Repeat("(ab)", 8):
					mixed.Add(1)
				}
				done.Add(1)
			}
		})
	}
	kinds := []abi.Kind{abi.Text, abi.Reasoning}
	for n := range changes {
		name := []string{"mine", "toy"}[n%2]
		g := guest{Module: name, Version: fmt.Sprintf("1.0.%d", n), Says: kinds[n/2%2]}
		var err error
		switch n % 7 {
		case 2:
			err = tryPut(t, r, g, onTrial(Rollout{Mode: Shadow, Differences: 1000}))
		case 3:
			err = tryPut(t, r, g, onTrial(Rollout{Mode: Canary, Percent: 50}))
		case 4:
			err = ignoring[*NothingError](r.Promote(t.Context(), name, nil))
		case 5:
			err = ignoring[*NothingError](r.Rollback(t.Context(), name, nil))
		case 6:
			if name == "toy" {
				err = r.Remove(t.Context(), name, nil)
			}
		default:
			err = tryPut(t, r, g)
		}
		if err != nil && !isNoModule(err) {
			t.Error(err)
		}
	}
	stop.Store(true)
	running.Wait()
	t.Logf("%d streams through %d changes", done.Load(), changes)
	if mixed.Load() > 0 || failed.Load() > 0 || done.Load() < streams {
		t.Errorf("of %d streams %d were of two versions and %d failed", done.Load(), mixed.Load(), failed.Load())
	}
	for _, m := range r.Modules() {
		if m.Live != nil && (m.Live.Requests != 0 || m.Live.Sessions != 0) {
			t.Errorf("left open: %+v", m.Live)
		}
	}
}

// ignoring gives nil for an error of that type.
func ignoring[E error](err error) error {
	if _, ok := err.(E); ok {
		return nil
	}
	return err
}

// TestALeaseDuringEachSwapIsOfALiveVersion takes and gives back leases only: the
// moment between looking a version up and holding it is the one that may go wrong.
func TestALeaseDuringEachSwapIsOfALiveVersion(t *testing.T) {
	r, _ := open(t, Config{CacheDir: t.TempDir(), Lenient: true})
	put(t, r, guest{})
	ctx, cancel := context.WithCancel(t.Context())
	var takers sync.WaitGroup
	for range 8 {
		takers.Go(func() {
			for ctx.Err() == nil {
				l, err := r.Lease(t.Context(), "mine")
				if err != nil {
					t.Error(err)
					return
				}
				src, _, err := l.Families[0].Unified.Open(&abi.OpenBlock{Parser: "mine"})
				if err != nil {
					t.Errorf("a version that was leased is closed: %v", err)
				} else {
					src.Close()
				}
				l.Release()
			}
		})
	}
	for n := range 60 {
		put(t, r, guest{Version: fmt.Sprintf("1.0.%d", n)})
	}
	cancel()
	takers.Wait()
}
