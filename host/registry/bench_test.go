package registry

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// BenchmarkLease is what a request pays for being able to keep its version.
func BenchmarkLease(b *testing.B) {
	r, _ := open(b, Config{Linked: append([]*sdk.Module{toy}, builtin.Modules...), Native: true})
	put(b, r, guest{})
	b.ReportAllocs()
	for b.Loop() {
		l, err := r.Lease(b.Context(), "mine", "mine")
		if err != nil {
			b.Fatal(err)
		}
		l.Release()
	}
}

// BenchmarkTable is what a swap pays for looking all names up.
func BenchmarkTable(b *testing.B) {
	r, _ := open(b, Config{Linked: append([]*sdk.Module{toy}, builtin.Modules...), Native: true})
	for b.Loop() {
		newTable(r.names.current())
	}
}

// BenchmarkShadow is a stream of 64 pushes with a version on trial beside it, and
// without.
func BenchmarkShadow(b *testing.B) {
	for name, mode := range map[string]Mode{"alone": Live, "shadowed": Shadow} {
		b.Run(name, func(b *testing.B) {
			r, _ := open(b, Config{Rules: map[string]Rule{"mine": {Trusted: true}}})
			put(b, r, guest{})
			put(b, r, guest{Version: "2.0.0"}, onTrial(Rollout{Mode: mode}))
			b.ReportAllocs()
			for b.Loop() {
				k := begin(b, r, "mine")
				for range 64 {
					k.push("a dozen bytes")
				}
				k.end()
			}
		})
	}
}
