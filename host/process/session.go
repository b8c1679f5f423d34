package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/process"
)

// Session is one session in a process: a stream of requests and answers. It is
// not for use by two goroutines at once.
//
// A process that dies takes its sessions along. The one whose call it died in is
// at fault; the others are rebuilt in a new process from what they were sent, and
// don't notice.
type Session struct {
	p      *Process
	run    *run
	stream grpc.ClientStream
	cancel context.CancelFunc
	closed bool

	sent      []process.Frame // all requests, for a replay
	sentBytes int
	in        process.Frame
	events    []abi.Event
}

// errLost says that the session can't be rebuilt.
var errLost = errors.New("the process died, and the session's text is too long to be replayed")

// Open starts a session.
func (p *Process) Open(s *abi.OpenBlock) (*Session, abi.Answer, error) {
	session := &Session{p: p}
	if err := session.connect(); err != nil {
		return nil, abi.Answer{}, session.fault("open", err)
	}
	answer, err := session.ask("open", abi.AppendOpen(process.Frame{process.RequestOpen}, s))
	if err != nil {
		return nil, abi.Answer{}, err
	}
	return session, answer, nil
}

// Push gives the session data, whose first back bytes are left context.
func (s *Session) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	return s.ask("push", process.AppendPush(make(process.Frame, 0, 6+len(data)), off, back, data))
}

// Finish ends the session's text.
func (s *Session) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	return s.ask("finish", process.AppendFinish(nil, off, reason))
}

// Discard ends the session after an answer that made no sense. The process goes
// on: its other sessions share no state with this one.
func (s *Session) Discard(error) { s.Close() }

// Close ends the session.
func (s *Session) Close() {
	s.closed = true
	if s.cancel != nil {
		s.cancel()
	}
}

func (s *Session) connect() (err error) {
	if s.run, err = s.p.running(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.stream, err = s.run.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, process.MethodSession, records)
	return err
}

func (s *Session) ask(call string, request process.Frame) (abi.Answer, error) {
	if s.closed {
		return abi.Answer{}, s.fault(call, ErrClosed)
	}
	answer, err := s.answer(request)
	if err != nil {
		s.Close()
		return abi.Answer{}, s.fault(call, err)
	}
	if s.sentBytes += len(request); s.sentBytes <= s.p.cfg.ReplayBytes {
		s.sent = append(s.sent, request)
	} else {
		s.sent = nil
	}
	return answer, nil
}

func (s *Session) answer(request process.Frame) (abi.Answer, error) {
	if s.run.client.Exited() { // while this session was idle
		if err := s.rebuild(); err != nil {
			return abi.Answer{}, err
		}
	}
	if err := s.exchange(request); err != nil {
		return abi.Answer{}, err
	}
	answer, err := process.DecodeAnswer(s.in, s.events[:0])
	s.events = answer.Events
	return answer, err
}

// rebuild brings the session to where it was in a new process: a parser is
// deterministic, so the answers are the ones that were given already.
func (s *Session) rebuild() error {
	if len(s.sent) == 0 {
		return errLost
	}
	s.cancel()
	if err := s.connect(); err != nil {
		return err
	}
	for _, request := range s.sent {
		if err := s.exchange(request); err != nil {
			return fmt.Errorf("replay in a new process: %w", err)
		}
	}
	return nil
}

// exchange sends a request and waits for its answer. A process that does not
// answer in time is killed, because it may be in a loop.
func (s *Session) exchange(request process.Frame) error {
	client := s.run.client
	var once sync.Once
	hung := time.AfterFunc(s.p.cfg.CallTimeout, func() { once.Do(client.Kill) })
	err := s.stream.SendMsg(&request)
	if err == nil || errors.Is(err, io.EOF) { // after EOF the answer has the real error
		err = s.stream.RecvMsg(&s.in)
	}
	if !hung.Stop() {
		once.Do(client.Kill) // waits for a kill that is under way
		return fmt.Errorf("no answer within %v; the process was killed", s.p.cfg.CallTimeout)
	}
	return err
}

func (s *Session) fault(call string, err error) error {
	module := s.p.cfg.Command[0]
	if s.p.manifest != nil {
		module = s.p.manifest.Module
	}
	return &Fault{Module: module, Call: call, Err: err}
}
