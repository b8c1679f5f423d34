package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/turnkey-parsers/turnkey/abi"
)

// minInput is the smallest room for input that a guest is asked for, in bytes.
const minInput = 4096

// instance is a running guest. One call runs at a time.
type instance struct {
	module *Module

	mu     sync.Mutex // held during a call; guards the fields below
	dead   bool
	ctx    context.Context // carries the instance to the WASI stub
	guest  api.Module
	memory *linearMemory
	fuel   api.MutableGlobal
	alloc  export
	open   export
	push   export
	finish export
	forget export
	stack  [8]uint64 // parameters and results of a call
	input  uint32    // where the guest has room for input
	room   uint32    // how much
	polls  int       // calls of poll_oneoff since the call began
	nextID uint32
	worn   atomic.Bool // has used half of its memory: takes no new session

	// Guarded by the pool.
	sessions int // now
	served   int // so far
	alone    bool
}

// export is a function of the guest.
type export struct {
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
		return nil, m.fault("start", err)
	}
	i := &instance{module: m, memory: memory}
	i.ctx = context.WithValue(context.Background(), instanceKey{}, i)
	ctx := experimental.WithMemoryAllocator(i.ctx, i.memory)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	guest, err := m.runtime.engine.InstantiateModule(ctx, m.code.CompiledModule, config)
	if err != nil {
		memory.Free()
		// A start function that ran out of fuel can't be told from one that traps.
		return nil, m.fault("start", fmt.Errorf("with %d units of fuel (limit Fuel.Start): %w", m.limits.Fuel.Start, err))
	}
	i.guest = guest
	i.fuel = guest.ExportedGlobal(abi.ExportFuel).(api.MutableGlobal)
	i.alloc = i.export(abi.ExportAlloc)
	i.open = i.export(abi.ExportOpen)
	i.push = i.export(abi.ExportPush)
	i.finish = i.export(abi.ExportFinish)
	i.forget = i.export(abi.ExportClose)
	if start := i.export(abi.ExportInitialize); start.fn != nil {
		if err := i.call(start, m.limits.Fuel.Start); err != nil {
			i.close()
			return nil, m.fault(start.name, err)
		}
	}
	return i, nil
}

func (i *instance) export(name string) export {
	return export{name, i.guest.ExportedFunction(name)}
}

// enter counts a session in. The pool calls it.
func (i *instance) enter(alone bool) {
	i.sessions++
	i.served++
	i.alone = alone
}

// close frees the guest. No call may be running.
func (i *instance) close() {
	i.guest.Close(context.Background())
}

// kill ends the instance once no call is running.
func (i *instance) kill() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.end()
}

// end makes the instance dead, under its lock.
func (i *instance) end() {
	if !i.dead {
		i.dead = true
		i.close()
		i.module.pool.remove(i)
	}
}

// fail ends the instance, under its lock, for an error of what was called.
func (i *instance) fail(e export, cause error) error {
	i.end()
	return i.module.fault(e.name, cause)
}

// call runs a function on i.stack with that much fuel.
func (i *instance) call(e export, fuel int64) error {
	i.polls, i.memory.refused = 0, 0
	i.fuel.Set(uint64(fuel))
	err := e.fn.CallWithStack(i.ctx, i.stack[:])
	if err != nil {
		return i.why(err, fuel)
	}
	if size := i.memory.size(); size > i.memory.most/2 && !i.worn.Load() {
		i.worn.Store(true)
	}
	return nil
}

// why names the limit that made a call fail, if one did.
func (i *instance) why(err error, fuel int64) error {
	if int64(i.fuel.Get()) < 0 {
		return &LimitError{Limit: "Fuel", Max: fuel}
	}
	if over := i.memory.refused; over > 0 {
		return fmt.Errorf("%w: %w", &LimitError{
			Limit: "MemoryPages", Max: int64(i.module.limits.MemoryPages), Value: int64(over >> 16)}, err)
	}
	return err
}

// bytes is a part of the guest's memory, valid until the guest runs again.
func (i *instance) bytes(at, n uint32) ([]byte, bool) {
	end := uint64(at) + uint64(n)
	if end > i.memory.size() {
		return nil, false
	}
	return i.memory.buffer[at:end:end], true
}

// region reads the region that the last call answered. It is the guest's memory:
// valid until the next call.
func (i *instance) region() ([]byte, error) {
	ptr, size := uint32(i.stack[0]>>32), uint32(i.stack[0])
	if size == 0 {
		return nil, nil
	}
	b, ok := i.bytes(ptr, size)
	if !ok {
		return nil, fmt.Errorf("the answer's region, %d bytes at %d, is not within the memory of %d bytes", size, ptr, i.memory.size())
	}
	return b, nil
}

// write hands data in, at i.input.
func (i *instance) write(data []byte, fuel int64) error {
	if n := uint32(len(data)); n > i.room || i.room == 0 {
		room := max(minInput, uint32(1)<<bits.Len32(n-1))
		i.stack[0] = uint64(room)
		if err := i.call(i.alloc, fuel); err != nil {
			return err
		}
		i.input, i.room = uint32(i.stack[0]), room
		if end := uint64(i.input) + uint64(room); i.input == 0 || end > i.memory.size() {
			return fmt.Errorf("%d bytes at %d, which it gave for input, are not within the memory of %d bytes", room, i.input, i.memory.size())
		}
	}
	copy(i.memory.buffer[i.input:], data)
	return nil
}

// identify compares what the module says when it runs with what it carries.
func (i *instance) identify() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	fuel := i.module.limits.Fuel.Start
	version := i.export(abi.ExportABI)
	if err := i.call(version, fuel); err != nil {
		return i.fail(version, err)
	}
	if v := uint32(i.stack[0]); v>>16 != abi.Major {
		return fmt.Errorf("the module speaks version %d.%d of the ABI, this program speaks %d.%d",
			v>>16, v&0xffff, abi.Major, abi.Minor)
	}
	manifest := i.export(abi.ExportManifest)
	if err := i.call(manifest, fuel); err != nil {
		return i.fail(manifest, err)
	}
	said, err := i.region()
	if err != nil {
		return i.fail(manifest, err)
	}
	if !bytes.Equal(said, i.module.build.text) {
		return fmt.Errorf("what %s answers (%d bytes) is not the custom section %s (%d bytes)",
			abi.ExportManifest, len(said), abi.SectionManifest, len(i.module.build.text))
	}
	return nil
}

// constrain calls tk_constraint.
func (i *instance) constrain(block []byte) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dead {
		return nil, errDead
	}
	e := i.export(abi.ExportConstraint)
	fuel := i.module.limits.Fuel.Constraint
	if err := i.write(block, fuel); err != nil {
		return nil, i.fail(i.alloc, err)
	}
	i.stack[0], i.stack[1] = uint64(i.input), uint64(len(block))
	if err := i.call(e, fuel); err != nil {
		return nil, i.fail(e, err)
	}
	b, err := i.region()
	if err == nil {
		err = over("LiteralBytes", len(b), i.module.limits.LiteralBytes)
	}
	if err != nil {
		return nil, i.fail(e, err)
	}
	return bytes.Clone(b), nil
}
