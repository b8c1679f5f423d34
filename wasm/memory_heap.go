//go:build !linux && !darwin

package wasm

// reserveMemory gives zeroed memory. Large pieces of Go's heap are fresh pages, which
// take room only when they are written.
func reserveMemory(size int) ([]byte, error) { return make([]byte, size), nil }

func releaseMemory([]byte) {}
