package wasm

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// Module is a compiled parser module.
type Module struct {
	runtime  *Runtime
	limits   Limits
	build    *Build
	manifest *manifest.Manifest // the build's
	code     *sharedCode
	pool     pool

	outputLimit *rate.Limiter

	mu       sync.Mutex // guards the fields below
	sessions int
	closing  bool
	drained  chan struct{} // closed when closing and the last session has ended

	opened, faults, replays atomic.Uint64
	largest                 atomic.Int64 // the largest open block that was opened, in bytes
}

// Stats counts what a module has done and has at the moment.
type Stats struct {
	Sessions  int    // open now
	Instances int    // alive now
	Opened    uint64 // sessions opened so far
	Faults    uint64 // instances lost by a fault so far
	Replays   uint64 // sessions rebuilt so far
}

// Manifest is what the module says of itself. It is not to be changed.
func (m *Module) Manifest() *manifest.Manifest { return m.manifest }

// Digest is the SHA-256 of the module's bytes.
func (m *Module) Digest() [32]byte { return m.build.digest }

// Stats gives the module's counters.
func (m *Module) Stats() Stats {
	m.mu.Lock()
	sessions := m.sessions
	m.mu.Unlock()
	return Stats{
		Sessions:  sessions,
		Instances: m.pool.instanceCount(),
		Opened:    m.opened.Load(),
		Faults:    m.faults.Load(),
		Replays:   m.replays.Load(),
	}
}

// Open starts a session; the answer is that of tk_open. The session must be
// closed. An error is a *Fault, a *LimitError, a *parser.TooLargeError or ErrClosed.
func (m *Module) Open(ctx context.Context, open *abi.OpenBlock) (*Session, abi.Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, abi.Answer{}, err
	}
	if !m.enterSession() {
		return nil, abi.Answer{}, ErrClosed
	}
	s := &Session{module: m}
	answer, err := s.openSession(open)
	if err != nil {
		s.Close()
		return nil, abi.Answer{}, err
	}
	m.opened.Add(1)
	if n := int64(len(s.block)); n > m.largest.Load() { // a lost race costs one more trial
		m.largest.Store(n)
	}
	return s, answer, nil
}

// mayBeTooLarge says whether an open block of n bytes may be one that can't be opened for
// its size: its fuel is capped, and none as large was opened yet.
func (m *Module) mayBeTooLarge(n int) bool {
	return m.limits.Fuel.cuts(m.limits.Fuel.Most, n) && int64(n) > m.largest.Load()
}

// Constraint asks the module for the constraint of guided native calls: JSON
// {"scope":"calls|turn","structural_tag":{…}}. It is nil where the module has
// none for this open block.
func (m *Module) Constraint(ctx context.Context, open *abi.OpenBlock) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m.code.ExportedFunctions()[abi.ExportConstraint] == nil {
		return nil, nil
	}
	if !m.enterSession() {
		return nil, ErrClosed
	}
	defer m.leaveSession()
	block := abi.AppendOpen(nil, open)
	for {
		i, err := m.pool.acquire(false)
		if err != nil {
			return nil, err
		}
		constraint, err := i.callConstraint(block)
		m.pool.release(i)
		if !errors.Is(err, errDead) { // a session's fault may have been quicker
			return constraint, err
		}
	}
}

// WithSessions gives the same code as another module, with that many sessions in
// an instance. Nothing is compiled again. Each is to be closed for itself.
func (m *Module) WithSessions(perInstance int) (*Module, error) {
	if !m.enterSession() {
		return nil, ErrClosed
	}
	defer m.leaveSession()
	limits := m.limits
	limits.SessionsPerInstance = perInstance
	n := newModule(m.runtime, m.build, limits)
	n.manifest, n.code = m.manifest, m.code.addUser()
	if err := m.runtime.addModule(n); err != nil {
		return nil, err
	}
	return n, nil
}

// Close takes no new session, waits until the last one has ended and frees the
// module. If ctx ends before, Close returns its error and the module is freed
// when the last session ends.
func (m *Module) Close(ctx context.Context) error {
	m.mu.Lock()
	first := !m.closing
	m.closing = true
	last := first && m.sessions == 0
	m.mu.Unlock()
	if last {
		m.finishClosing()
	}
	select {
	case <-m.drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enterSession counts a session in, unless the module is closing.
func (m *Module) enterSession() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return false
	}
	m.sessions++
	return true
}

func (m *Module) leaveSession() {
	m.mu.Lock()
	m.sessions--
	last := m.closing && m.sessions == 0
	m.mu.Unlock()
	if last {
		m.finishClosing()
	}
}

func (m *Module) finishClosing() {
	m.runtime.removeModule(m)
	m.freeCode()
	close(m.drained)
}

// closeNow ends the module whatever its sessions do: their next call is an error.
func (m *Module) closeNow() {
	m.mu.Lock()
	last := !m.closing && m.sessions == 0
	m.closing = true
	m.mu.Unlock()
	m.pool.closeAll()
	if last {
		m.finishClosing()
	}
}

func (m *Module) freeCode() {
	m.pool.closeAll()
	if m.code != nil {
		m.code.removeUser()
	}
}

// newFault makes the error of a call and counts it. The instance is gone already.
func (m *Module) newFault(export string, cause error) *Fault {
	f := &Fault{Module: m.manifest.Module, Version: m.manifest.Version, Digest: m.build.digest, Export: export, Cause: cause}
	m.faults.Add(1)
	m.runtime.logger.Warn("a parser module failed", "module", f.Module, "version", f.Version,
		"export", f.Export, "cause", firstLine(cause))
	if m.runtime.onFault != nil {
		m.runtime.onFault(f)
	}
	return f
}

// lostError is the error of a session that can't be rebuilt. It is no fault of its own
// and not counted.
func (m *Module) lostError() error {
	return &Fault{Module: m.manifest.Module, Version: m.manifest.Version, Digest: m.build.digest, Export: "replay", Cause: errReplayTooLong}
}
