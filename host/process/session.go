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
	process *Process
	run     *processRun
	stream  grpc.ClientStream
	cancel  context.CancelFunc
	closed  bool

	requests     []process.Frame // all so far, for a replay; nil once they are too long
	requestBytes int             // length of all requests
	received     process.Frame   // the last answer, undecoded
	events       []abi.Event     // of the last answer
}

// errLost says that the session can't be rebuilt.
var errLost = errors.New("the process died, and the session's text is too long to be replayed")

// Open starts a session. An error is a *Fault, as it is of Push and Finish; the
// session is then over.
func (p *Process) Open(block *abi.OpenBlock) (*Session, abi.Answer, error) {
	session := &Session{process: p}
	if err := session.connect(); err != nil {
		return nil, abi.Answer{}, session.newFault("open", err)
	}
	answer, err := session.sendRequest("open", abi.AppendOpen(process.Frame{process.RequestOpen}, block))
	if err != nil {
		return nil, abi.Answer{}, err
	}
	return session, answer, nil
}

// Push hands in data, whose first back bytes are left context and whose rest stands
// at offset off. The answer is valid until the session's next call.
func (s *Session) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	return s.sendRequest("push", process.AppendPush(make(process.Frame, 0, 6+len(data)), off, back, data))
}

// Finish ends the text at offset off.
func (s *Session) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	return s.sendRequest("finish", process.AppendFinish(nil, off, reason))
}

// Discard ends the session after an answer that made no sense. The process goes
// on: its other sessions share no state with this one.
func (s *Session) Discard(error) { s.Close() }

// Close forgets the session. It may be called at any time, also twice.
func (s *Session) Close() {
	s.closed = true
	if s.cancel != nil {
		s.cancel()
	}
}

// connect opens a stream to the process, which is started if it does not run.
func (s *Session) connect() (err error) {
	if s.run, err = s.process.currentRun(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.stream, err = s.run.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, process.MethodSession, records)
	return err
}

// sendRequest makes one call of the session, and keeps its request for a replay.
func (s *Session) sendRequest(call string, request process.Frame) (abi.Answer, error) {
	if s.closed {
		return abi.Answer{}, s.newFault(call, ErrClosed)
	}
	answer, err := s.answerTo(request)
	if err != nil {
		s.Close()
		return abi.Answer{}, s.newFault(call, err)
	}
	if s.requestBytes += len(request); s.requestBytes <= s.process.cfg.ReplayBytes {
		s.requests = append(s.requests, request)
	} else {
		s.requests = nil
	}
	return answer, nil
}

// answerTo gets the answer to a request, from a new process if the one before has
// died.
func (s *Session) answerTo(request process.Frame) (abi.Answer, error) {
	if s.run.client.Exited() { // while this session was idle
		if err := s.replayInNewProcess(); err != nil {
			return abi.Answer{}, err
		}
	}
	if err := s.roundTrip(request); err != nil {
		return abi.Answer{}, err
	}
	answer, err := process.DecodeAnswer(s.received, s.events[:0])
	s.events = answer.Events
	return answer, err
}

// replayInNewProcess brings the session to where it was in a new process: a parser is
// deterministic, so the answers are the ones that were given already.
func (s *Session) replayInNewProcess() error {
	if len(s.requests) == 0 {
		return errLost
	}
	s.cancel()
	if err := s.connect(); err != nil {
		return err
	}
	for _, request := range s.requests {
		if err := s.roundTrip(request); err != nil {
			return fmt.Errorf("replay in a new process: %w", err)
		}
	}
	return nil
}

// roundTrip sends a request and waits for its answer. A process that does not
// answer in time is killed, because it may be in a loop.
func (s *Session) roundTrip(request process.Frame) error {
	client := s.run.client
	var once sync.Once
	hung := time.AfterFunc(s.process.cfg.CallTimeout, func() { once.Do(client.Kill) })
	err := s.stream.SendMsg(&request)
	if err == nil || errors.Is(err, io.EOF) { // after EOF the answer has the real error
		err = s.stream.RecvMsg(&s.received)
	}
	if !hung.Stop() {
		once.Do(client.Kill) // waits for a kill that is under way
		return fmt.Errorf("no answer within %v; the process was killed", s.process.cfg.CallTimeout)
	}
	return err
}

// newFault makes a *Fault of the error of a call.
func (s *Session) newFault(call string, err error) error {
	module := s.process.cfg.Command[0]
	if s.process.manifest != nil {
		module = s.process.manifest.Module
	}
	return &Fault{Module: module, Call: call, Err: err}
}
