package wasm

import (
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
)

// linearMemory is the memory of one instance, bounded. It is reserved as a whole
// outside of Go's heap, and takes room only where the guest has written: so it
// grows without being copied, and the garbage collector, which can't stop a
// goroutine within a large copy, does not see it.
type linearMemory struct {
	buffer  []byte // what the guest has: the beginning of room
	room    []byte
	most    uint64 // bytes
	refused uint64 // bytes that the guest last asked for in vain
}

func newMemory(most uint64) (*linearMemory, error) {
	room, err := reserveMemory(int(most))
	if err != nil {
		return nil, fmt.Errorf("%d bytes of address space for an instance: %w", most, err)
	}
	return &linearMemory{room: room, most: most}, nil
}

// Allocate implements experimental.MemoryAllocator.
func (m *linearMemory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory. nil makes memory.grow fail.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.most {
		m.refused = size
		return nil
	}
	m.buffer = m.room[:size:size]
	return m.buffer
}

// Free implements experimental.LinearMemory. It may be called twice.
func (m *linearMemory) Free() {
	if m.room != nil {
		releaseMemory(m.room)
	}
	m.buffer, m.room = nil, nil
}

func (m *linearMemory) size() uint64 { return uint64(len(m.buffer)) }
