package guest

import (
	"unsafe"

	"github.com/turnkey-parsers/turnkey/abi"
)

//go:wasmexport tk_abi
func tkABI() uint32 { return abi.Version }

//go:wasmexport tk_manifest
func tkManifest() uint64 {
	m := served.module.Manifest
	return region(unsafe.Pointer(unsafe.StringData(m)), len(m))
}

//go:wasmexport tk_alloc
func tkAlloc(size uint32) uint32 {
	return address(unsafe.Pointer(unsafe.SliceData(served.alloc(size))))
}

//go:wasmexport tk_open
func tkOpen(session uint32, ptr unsafe.Pointer, n uint32) uint64 {
	return answer(served.open(session, unsafe.Slice((*byte)(ptr), n)))
}

//go:wasmexport tk_push
func tkPush(session, offset, back uint32, ptr unsafe.Pointer, n uint32) uint64 {
	return answer(served.push(session, offset, back, unsafe.Slice((*byte)(ptr), n)))
}

//go:wasmexport tk_finish
func tkFinish(session, offset, reason uint32) uint64 {
	return answer(served.finish(session, offset, reason))
}

//go:wasmexport tk_close
func tkClose(session uint32) { served.close(session) }

//go:wasmexport tk_constraint
func tkConstraint(ptr unsafe.Pointer, n uint32) uint64 {
	c := served.constraint(unsafe.Slice((*byte)(ptr), n))
	return region(unsafe.Pointer(unsafe.SliceData(c)), len(c))
}

// answer hands out a's events where they lie; only the literals' offsets become
// addresses.
func answer(a abi.Answer) uint64 {
	if len(a.Literals) > 0 {
		base := address(unsafe.Pointer(unsafe.SliceData(a.Literals)))
		for i := range a.Events {
			if e := &a.Events[i]; e.Kind == abi.Literal {
				e.Start += base
			}
		}
	}
	return region(unsafe.Pointer(unsafe.SliceData(a.Events)), len(a.Events)*abi.EventSize)
}

func region(p unsafe.Pointer, n int) uint64 {
	if n == 0 {
		return 0
	}
	return uint64(address(p))<<32 | uint64(uint32(n))
}

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }
