package wasm

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadClock gives the processor time of the calling thread from now on. It may
// be read from any goroutine for as long as the caller stays on its thread.
func threadClock() func() time.Duration {
	id := int32(^unix.Gettid()<<3 | 6) // clock_getcpuclockid(3): a thread's, as scheduled
	read := func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(id, &t) // fails where the thread is gone: 0
		return time.Duration(t.Nano())
	}
	begun := read()
	return func() time.Duration { return read() - begun }
}
