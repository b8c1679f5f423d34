// Package guest makes a WebAssembly module of an sdk.Module: it exports the chunk
// ABI's functions. A plugin's main package is
//
//	func init() { guest.Serve(&larch.Module) }
//	func main() {}
//
// built with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared. For other
// systems the package is empty but for Serve, so that everything builds.
package guest

import (
	"unsafe"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Serve makes m the module that the exports serve. It is called once, from an
// init function.
func Serve(m *sdk.Module) { served.module = m }

// served is what the exports work on. The host never calls from two goroutines
// at once.
var served server

// server keeps the sessions of one instance. In steady state it allocates
// nothing.
type server struct {
	module   *sdk.Module
	input    []byte // what tk_alloc gave out
	sessions map[uint32]*sdk.Session
	fault    [1]abi.Event // the answer where there is no session to give one
	json     []byte       // the last constraint
}

func (s *server) alloc(size uint32) []byte {
	if int(size) > cap(s.input) {
		s.input = make([]byte, max(int(size), 2*cap(s.input), 4096))
	}
	return s.input[:size]
}

func (s *server) open(id uint32, block []byte) abi.Answer {
	session, err := abi.DecodeOpen(block)
	if err != nil {
		return s.refuse(abi.CodeBadOpen)
	}
	if s.sessions == nil {
		s.sessions = make(map[uint32]*sdk.Session)
	}
	opened, answer := sdk.Open(s.module, &session)
	s.sessions[id] = opened
	return answer
}

func (s *server) push(id, off, back uint32, data []byte) abi.Answer {
	session := s.sessions[id]
	if session == nil {
		return s.refuse(abi.CodeInternal)
	}
	return session.Push(abi.RawOffset(off), int(back), data)
}

func (s *server) finish(id, off, reason uint32) abi.Answer {
	session := s.sessions[id]
	if session == nil {
		return s.refuse(abi.CodeInternal)
	}
	return session.Finish(abi.RawOffset(off), abi.Finish(reason))
}

func (s *server) close(id uint32) { delete(s.sessions, id) }

func (s *server) constraint(block []byte) []byte {
	session, err := abi.DecodeOpen(block)
	if err != nil || s.module.Constraint == nil {
		return nil
	}
	s.json = s.module.Constraint(&session)
	return s.json
}

func (s *server) refuse(code uint32) abi.Answer {
	s.fault[0] = abi.Event{Kind: abi.Error, Flags: abi.FlagFatal, Start: code}
	return abi.Answer{Events: s.fault[:]}
}

// An abi.Event lies in memory as its record does on the wire, so that events
// are handed out as they are. These lines fail to compile where that is not so.
var (
	_ [abi.EventSize]byte = [unsafe.Sizeof(abi.Event{})]byte{}
	_ [1]byte             = [unsafe.Offsetof(abi.Event{}.Flags)]byte{}
	_ [2]byte             = [unsafe.Offsetof(abi.Event{}.Call)]byte{}
	_ [4]byte             = [unsafe.Offsetof(abi.Event{}.Start)]byte{}
	_ [8]byte             = [unsafe.Offsetof(abi.Event{}.Len)]byte{}
	_ [12]byte            = [unsafe.Offsetof(abi.Event{}.End)]byte{}
)
