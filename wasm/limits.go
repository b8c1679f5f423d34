package wasm

import "time"

// Limits is what a module may use up. Shipped and ThirdParty are the two trust
// classes' defaults; change a copy of either.
type Limits struct {
	ModuleBytes int           // size of the module
	CompileTime time.Duration // processor time to compile it (wall-clock time where a thread's can't be read)

	MemoryPages   uint32 // linear memory of an instance, in pages of 64 KiB
	TableElements uint32 // elements of each table of an instance

	SessionsPerInstance int // sessions that share an instance
	Instances           int // instances of the module

	Fuel Fuel // what a call may compute

	Events       int // events of an answer
	LiteralBytes int // literal bytes of an answer
	HeldBytes    int // bytes of a session that were pushed and not accounted for
	ReplayBytes  int // raw text kept of a session, to rebuild it after a neighbour's fault
}

// Fuel is the budget of a call in units: about one unit for a loop's turn, 20 and
// more for a call of a function (see wasm/meter). A million units are at most
// about a millisecond, in which the garbage collector may have to wait for the
// guest, and at most some 4 MB of stack.
type Fuel struct {
	Start      int64 // to start an instance: start function, _initialize, tk_abi, tk_manifest
	Call       int64 // each call, besides what its bytes add
	Byte       int64 // for each byte that the call hands in
	Held       int64 // for each byte that the session holds back
	Most       int64 // each call, whatever its bytes add
	Constraint int64 // to build a constraint
}

// budget is the budget of a call that hands in n bytes of a session that holds back
// so many.
func (f *Fuel) budget(n, held int) int64 {
	return min(f.Most, f.Call+f.Byte*int64(n)+f.Held*int64(held))
}

// cuts says whether a cap leaves a call less than the bytes that it hands in entitle it
// to: where it then fails for want of more, it is its input that is too large.
func (f *Fuel) cuts(most int64, n int) bool { return f.Call+f.Byte*int64(n) > most }

// Shipped returns the limits for modules that come with the program.
func Shipped() Limits {
	return Limits{
		ModuleBytes:         32 << 20,
		CompileTime:         time.Minute,
		MemoryPages:         4096,
		TableElements:       1 << 20,
		SessionsPerInstance: 64,
		Instances:           1024,
		// What is held behind a quotation mark, or in a value whose end is not sure, is
		// settled in one call: up to 500 units a byte, measured over all families.
		Fuel:         Fuel{Start: 5e6, Call: 2e6, Byte: 2000, Held: 1000, Most: 1e9, Constraint: 80e6},
		Events:       1 << 20,
		LiteralBytes: 4 << 20,
		HeldBytes:    8 << 20,
		ReplayBytes:  4 << 20,
	}
}

// ThirdParty returns the limits for all other modules. A session has its
// instance for itself, and the instance ends with it.
func ThirdParty() Limits {
	return Limits{
		ModuleBytes:         16 << 20,
		CompileTime:         20 * time.Second,
		MemoryPages:         512,
		TableElements:       1 << 16,
		SessionsPerInstance: 1,
		Instances:           1024,
		Fuel:                Fuel{Start: 3e6, Call: 1e6, Byte: 1000, Held: 1, Most: 2e6, Constraint: 4e6},
		Events:              1 << 16,
		LiteralBytes:        1 << 20,
		HeldBytes:           2 << 20,
		ReplayBytes:         0,
	}
}

// sharesInstances says whether sessions share instances.
func (l *Limits) sharesInstances() bool { return l.SessionsPerInstance > 1 }

// replayLimit is how many bytes of a session are kept, to rebuild it: none where it
// has no neighbours.
func (l *Limits) replayLimit() int {
	if !l.sharesInstances() {
		return 0
	}
	return l.ReplayBytes
}
