//go:build !linux

package wasm

import "time"

// threadClock gives the time from now on: a thread's own can't be read here.
func threadClock() func() time.Duration {
	begun := time.Now()
	return func() time.Duration { return time.Since(begun) }
}
