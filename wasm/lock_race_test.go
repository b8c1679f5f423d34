//go:build race

package wasm

import "testing"

// The order of locks is checked by the locks themselves, in all tests.
func TestLocksAgainstTheOrderPanic(t *testing.T) {
	var pool poolMutex
	var instance instanceMutex
	instance.Lock()
	pool.Lock()
	pool.Unlock()
	instance.Unlock()
	defer pool.Unlock()
	defer func() {
		if recover() == nil {
			t.Error("an instance's lock was taken within the pool's")
		}
	}()
	pool.Lock()
	instance.Lock()
}
