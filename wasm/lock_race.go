//go:build race

package wasm

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// compilerSlowdown is by how much the build makes the compiler of modules slower: the
// race detector looks at each access to memory. Without it a limit that a module keeps
// easily would be broken in tests.
const compilerSlowdown = 10

// The ranks of locks: who holds one may only take one of a higher rank.
const (
	rankSession = iota
	rankStarting
	rankInstance
	rankPool
)

type (
	sessionMutex  struct{ mu sync.Mutex }
	startingMutex struct{ mu sync.Mutex }
	instanceMutex struct{ mu sync.Mutex }
	poolMutex     struct{ mu sync.Mutex }
)

func (m *sessionMutex) Lock()    { lockRanked(&m.mu, rankSession) }
func (m *sessionMutex) Unlock()  { unlockRanked(&m.mu, rankSession) }
func (m *startingMutex) Lock()   { lockRanked(&m.mu, rankStarting) }
func (m *startingMutex) Unlock() { unlockRanked(&m.mu, rankStarting) }
func (m *instanceMutex) Lock()   { lockRanked(&m.mu, rankInstance) }
func (m *instanceMutex) Unlock() { unlockRanked(&m.mu, rankInstance) }
func (m *poolMutex) Lock()       { lockRanked(&m.mu, rankPool) }
func (m *poolMutex) Unlock()     { unlockRanked(&m.mu, rankPool) }

// orderChecked is set by this package's own tests. In others the check would take
// most of the time: it asks for the goroutine's name at each lock.
var orderChecked bool

// heldRanks are the ranks of the locks that each goroutine holds.
var heldRanks = struct {
	sync.Mutex
	of map[string][]int
}{of: map[string][]int{}}

// goroutine names the calling goroutine.
func goroutine() string {
	var trace [64]byte
	name, _, _ := bytes.Cut(trace[:runtime.Stack(trace[:], false)], []byte(" ["))
	return string(name)
}

func lockRanked(mu *sync.Mutex, rank int) {
	if !orderChecked {
		mu.Lock()
		return
	}
	me := goroutine()
	heldRanks.Lock()
	held := heldRanks.of[me]
	if len(held) > 0 && slices.Max(held) >= rank {
		heldRanks.Unlock()
		panic(fmt.Sprintf("wasm: a lock of rank %d is taken while those of ranks %v are held", rank, held))
	}
	heldRanks.of[me] = append(held, rank)
	heldRanks.Unlock()
	mu.Lock()
}

func unlockRanked(mu *sync.Mutex, rank int) {
	mu.Unlock()
	if !orderChecked {
		return
	}
	me := goroutine()
	heldRanks.Lock()
	defer heldRanks.Unlock()
	held := heldRanks.of[me]
	at := slices.Index(held, rank)
	if held = slices.Delete(held, at, at+1); len(held) == 0 {
		delete(heldRanks.of, me)
	} else {
		heldRanks.of[me] = held
	}
}
