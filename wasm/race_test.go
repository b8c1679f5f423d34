//go:build race

package wasm

func init() { neighbours, locksAllocate = 20, true }
