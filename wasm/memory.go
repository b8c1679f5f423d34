package wasm

import "github.com/tetratelabs/wazero/experimental"

// linearMemory is the memory of one instance, bounded.
type linearMemory struct {
	buffer  []byte
	most    uint64 // bytes
	refused uint64 // bytes that the guest last asked for in vain
}

// copyAtOnce is how much is copied before the garbage collector may step in, in
// bytes.
const copyAtOnce = 256 << 10

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
		for from := m.buffer; len(from) > 0; from = from[min(copyAtOnce, len(from)):] {
			copyPart(grown[len(m.buffer)-len(from):], from[:min(copyAtOnce, len(from))])
		}
		m.buffer = grown
	}
	m.buffer = m.buffer[:size]
	return m.buffer
}

// copyPart is a function, and not inlined, because only calls let the collector
// in: it can't stop a goroutine within copy.
//
//go:noinline
func copyPart(to, from []byte) { copy(to, from) }

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() { m.buffer = nil }

func (m *linearMemory) size() uint64 { return uint64(len(m.buffer)) }
