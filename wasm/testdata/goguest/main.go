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

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

//go:embed manifest.json
var manifest string

var module = sdk.Module{Manifest: manifest, New: func(s *abi.OpenBlock) sdk.Parser {
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

func init() { guest.Serve(&module) }

func main() {}
