package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// minInput is the smallest room for input that a guest is asked for, in bytes.
const minInput = 4096

// instance is a running guest. One call runs at a time.
type instance struct {
	module *Module

	mu           instanceMutex // held during a call; guards the fields below
	dead         bool
	ctx          context.Context // carries the instance to the WASI stub
	guest        api.Module
	memory       *linearMemory
	fuel         api.MutableGlobal
	allocExport  exportedFunc
	openExport   exportedFunc
	pushExport   exportedFunc
	finishExport exportedFunc
	closeExport  exportedFunc
	stack        [8]uint64 // parameters and results of a call
	inputAt      uint32    // where the guest has room for input
	inputSize    uint32    // how much
	polls        int       // calls of poll_oneoff since the call began
	nextID       uint32
	wornOut      atomic.Bool // has used half of its memory: takes no new session

	// Guarded by the pool.
	sessions  int // now
	served    int // so far
	exclusive bool
}

// exportedFunc is a function of the guest.
type exportedFunc struct {
	name string
	fn   api.Function
}

// errDead is what a call answers if the instance ended before it began.
var errDead = errors.New("the instance has ended")

type instanceKey struct{}

// newInstance starts a guest: the start function, then _initialize.
func newInstance(m *Module) (*instance, error) {
	memory, err := newMemory(uint64(m.limits.MemoryPages) << 16)
	if err != nil {
		return nil, m.newFault("start", err)
	}
	i := &instance{module: m, memory: memory}
	i.ctx = context.WithValue(context.Background(), instanceKey{}, i)
	ctx := experimental.WithMemoryAllocator(i.ctx, i.memory)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	guest, err := m.runtime.engine.InstantiateModule(ctx, m.code.CompiledModule, config)
	if err != nil {
		memory.Free()
		// A start function that ran out of fuel can't be told from one that traps.
		return nil, m.newFault("start", fmt.Errorf("with %d units of fuel (limit Fuel.Start): %w", m.limits.Fuel.Start, err))
	}
	i.guest = guest
	i.fuel = guest.ExportedGlobal(abi.ExportFuel).(api.MutableGlobal)
	i.allocExport = i.exportNamed(abi.ExportAlloc)
	i.openExport = i.exportNamed(abi.ExportOpen)
	i.pushExport = i.exportNamed(abi.ExportPush)
	i.finishExport = i.exportNamed(abi.ExportFinish)
	i.closeExport = i.exportNamed(abi.ExportClose)
	if start := i.exportNamed(abi.ExportInitialize); start.fn != nil {
		if err := i.callExport(start, m.limits.Fuel.Start); err != nil {
			i.closeGuest()
			return nil, m.newFault(start.name, err)
		}
	}
	return i, nil
}

func (i *instance) exportNamed(name string) exportedFunc {
	return exportedFunc{name, i.guest.ExportedFunction(name)}
}

// addSession counts a session in. The pool calls it.
func (i *instance) addSession(alone bool) {
	i.sessions++
	i.served++
	i.exclusive = alone
}

// closeGuest frees the guest. No call may be running.
func (i *instance) closeGuest() {
	i.guest.Close(context.Background())
}

// endWhenIdle ends the instance once no call is running.
func (i *instance) endWhenIdle() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.endLocked()
}

// endLocked makes the instance dead, under its lock.
func (i *instance) endLocked() {
	if !i.dead {
		i.dead = true
		i.closeGuest()
		i.module.pool.removeDead(i)
	}
}

// failLocked ends the instance, under its lock, for an error of what was called.
func (i *instance) failLocked(e exportedFunc, cause error) error {
	i.endLocked()
	return i.module.newFault(e.name, cause)
}

// failBlockLocked is failLocked for a call that was handed an open block of n bytes, and
// whose fuel is capped at most by that setting. A block that is too large for a limit is
// no fault of the module: a *parser.TooLargeError, which is not counted.
func (i *instance) failBlockLocked(e exportedFunc, cause error, n int, most int64, setting string) error {
	var limit *LimitError
	if !errors.As(cause, &limit) || !i.module.limits.Fuel.cuts(most, n) {
		return i.failLocked(e, cause)
	}
	i.endLocked()
	return &parser.TooLargeError{Limit: limit.settingOf(setting), Cause: cause}
}

// callExport runs a function on i.stack with that much fuel.
func (i *instance) callExport(e exportedFunc, fuel int64) error {
	i.polls, i.memory.refused = 0, 0
	i.fuel.Set(uint64(fuel))
	err := e.fn.CallWithStack(i.ctx, i.stack[:])
	if err != nil {
		return i.explainFailure(err, fuel)
	}
	if size := i.memory.size(); size > i.memory.most/2 && !i.wornOut.Load() {
		i.wornOut.Store(true)
	}
	return nil
}

// explainFailure names the limit that made a call fail, if one did.
func (i *instance) explainFailure(err error, fuel int64) error {
	if int64(i.fuel.Get()) < 0 {
		return &LimitError{Limit: "Fuel", Max: fuel}
	}
	if over := i.memory.refused; over > 0 {
		return fmt.Errorf("%w: %w", &LimitError{
			Limit: "MemoryPages", Max: int64(i.module.limits.MemoryPages), Value: int64(over >> 16)}, err)
	}
	return err
}

// memoryAt is a part of the guest's memory, valid until the guest runs again.
func (i *instance) memoryAt(at, n uint32) ([]byte, bool) {
	end := uint64(at) + uint64(n)
	if end > i.memory.size() {
		return nil, false
	}
	return i.memory.buffer[at:end:end], true
}

// answerRegion reads the region that the last call answered. It is the guest's memory:
// valid until the next call.
func (i *instance) answerRegion() ([]byte, error) {
	ptr, size := uint32(i.stack[0]>>32), uint32(i.stack[0])
	if size == 0 {
		return nil, nil
	}
	b, ok := i.memoryAt(ptr, size)
	if !ok {
		return nil, fmt.Errorf("the answer's region, %d bytes at %d, is not within the memory of %d bytes", size, ptr, i.memory.size())
	}
	return b, nil
}

// writeInput hands data in, at i.input.
func (i *instance) writeInput(data []byte, fuel int64) error {
	if n := uint32(len(data)); n > i.inputSize || i.inputSize == 0 {
		room := max(minInput, uint32(1)<<bits.Len32(n-1))
		i.stack[0] = uint64(room)
		if err := i.callExport(i.allocExport, fuel); err != nil {
			return err
		}
		i.inputAt, i.inputSize = uint32(i.stack[0]), room
		if end := uint64(i.inputAt) + uint64(room); i.inputAt == 0 || end > i.memory.size() {
			return fmt.Errorf("%d bytes at %d, which it gave for input, are not within the memory of %d bytes", room, i.inputAt, i.memory.size())
		}
	}
	copy(i.memory.buffer[i.inputAt:], data)
	return nil
}

// checkIdentity compares what the module says when it runs with what it carries.
func (i *instance) checkIdentity() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	fuel := i.module.limits.Fuel.Start
	version := i.exportNamed(abi.ExportABI)
	if err := i.callExport(version, fuel); err != nil {
		return i.failLocked(version, err)
	}
	if v := uint32(i.stack[0]); v>>16 != abi.Major {
		return fmt.Errorf("the module speaks version %d.%d of the ABI, this program speaks %d.%d",
			v>>16, v&0xffff, abi.Major, abi.Minor)
	}
	manifest := i.exportNamed(abi.ExportManifest)
	if err := i.callExport(manifest, fuel); err != nil {
		return i.failLocked(manifest, err)
	}
	said, err := i.answerRegion()
	if err != nil {
		return i.failLocked(manifest, err)
	}
	if !bytes.Equal(said, i.module.build.text) {
		return fmt.Errorf("what %s answers (%d bytes) is not the custom section %s (%d bytes)",
			abi.ExportManifest, len(said), abi.SectionManifest, len(i.module.build.text))
	}
	return nil
}

// callConstraint calls tk_constraint.
func (i *instance) callConstraint(block []byte) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dead {
		return nil, errDead
	}
	e := i.exportNamed(abi.ExportConstraint)
	fuel := i.module.limits.Fuel.Constraint
	fail := func(e exportedFunc, cause error) error {
		return i.failBlockLocked(e, cause, len(block), fuel, "fuel_constraint")
	}
	if err := i.writeInput(block, fuel); err != nil {
		return nil, fail(i.allocExport, err)
	}
	i.stack[0], i.stack[1] = uint64(i.inputAt), uint64(len(block))
	if err := i.callExport(e, fuel); err != nil {
		return nil, fail(e, err)
	}
	b, err := i.answerRegion()
	if err == nil {
		err = exceeds("LiteralBytes", len(b), i.module.limits.LiteralBytes)
	}
	if err != nil {
		return nil, fail(e, err)
	}
	return bytes.Clone(b), nil
}
