//go:build linux || darwin

package wasm

import "syscall"

// reserveMemory gives zeroed memory that takes no room until it is written.
func reserveMemory(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
}

// releaseMemory gives it back. It can't fail for what reserve gave.
func releaseMemory(room []byte) { _ = syscall.Munmap(room) }
