// Command goguest is the Go guest of the wasm package's tests. Its parser takes
// what stands between angle brackets for reasoning, all else for text, holds an
// open bracket back until it closes, and misbehaves on demand.
package main

import (
	_ "embed"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var manifest string

var module = sdk.Module{Manifest: manifest, New: func(s *abi.Session) sdk.Parser {
	if s.Option("open") == "panic" {
		panic("asked to")
	}
	return &parser{}
}}

type parser struct{}

var heap [][]byte

func (p *parser) Step(w *sdk.Window) {
	for w.Len() > 0 {
		b := w.Bytes()
		switch at := strings.IndexAny(string(b), "<!"); {
		case at < 0:
			w.Text(len(b))
		case at > 0:
			w.Text(at)
		case b[0] == '<':
			end := strings.IndexByte(string(b), '>')
			if end < 0 {
				return
			}
			w.Skip(1)
			w.Reasoning(end - 1)
			w.Skip(1)
		default:
			end := strings.IndexByte(string(b), '.')
			if end < 0 {
				return
			}
			misbehave(string(b[1:end]))
			w.Skip(end + 1)
		}
	}
}

func misbehave(how string) {
	switch how {
	case "panic":
		panic("asked to")
	case "exit":
		os.Exit(7)
	case "loop":
		for {
			runtime.KeepAlive(how)
		}
	case "recurse":
		recurse(1)
	case "deadlock":
		select {}
	case "sleep":
		time.Sleep(time.Hour)
	case "nap":
		time.Sleep(time.Nanosecond)
	case "grow":
		for {
			heap = append(heap, make([]byte, 1<<20))
		}
	case "collect":
		runtime.GC()
	case "print":
		println("printed by the guest")
	}
}

func recurse(n int) int { return recurse(n+1) + recurse(n+2) }

var (
	input    []byte
	output   []byte
	sessions = map[uint32]*sdk.Session{}
)

//go:wasmexport tk_abi
func tkABI() uint32 { return abi.Version }

//go:wasmexport tk_manifest
func tkManifest() uint64 { return region([]byte(module.Manifest)) }

//go:wasmexport tk_alloc
func tkAlloc(size uint32) uint32 {
	input = make([]byte, size)
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(input))))
}

//go:wasmexport tk_open
func tkOpen(id, ptr, n uint32) uint64 {
	open, err := abi.DecodeOpen(input[:n])
	if err != nil {
		panic(err)
	}
	s, answer := sdk.Open(&module, &open)
	sessions[id] = s
	return encode(answer)
}

//go:wasmexport tk_push
func tkPush(id, off, back, ptr, n uint32) uint64 {
	return encode(sessions[id].Push(off, int(back), input[:n]))
}

//go:wasmexport tk_finish
func tkFinish(id, off, reason uint32) uint64 {
	return encode(sessions[id].Finish(off, abi.Finish(reason)))
}

//go:wasmexport tk_close
func tkClose(id uint32) { delete(sessions, id) }

func encode(a abi.Answer) uint64 {
	output = output[:0]
	base := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(a.Literals))))
	for _, e := range a.Events {
		if e.Kind == abi.Literal {
			e.Start += base
		}
		output = abi.AppendEvent(output, e)
	}
	return region(output)
}

func region(b []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))<<32 | uint64(len(b))
}

func main() {}
