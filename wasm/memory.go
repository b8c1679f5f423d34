package wasm

import "github.com/tetratelabs/wazero/experimental"

// linearMemory is the memory of one instance, bounded.
type linearMemory struct {
	buffer  []byte
	most    uint64 // bytes
	refused uint64 // bytes that the guest last asked for in vain
}

// Allocate implements experimental.MemoryAllocator.
func (m *linearMemory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory. nil makes memory.grow fail.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.most {
		m.refused = size
		return nil
	}
	if size > uint64(cap(m.buffer)) {
		grown := make([]byte, size, min(m.most, size+size/4))
		copy(grown, m.buffer)
		m.buffer = grown
	}
	m.buffer = m.buffer[:size]
	return m.buffer
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() { m.buffer = nil }

func (m *linearMemory) size() uint64 { return uint64(len(m.buffer)) }
