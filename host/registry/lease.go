package registry

import (
	"context"
	"slices"

	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// Lease holds the parsers of one request: the versions that were live when it
// began, open until Release.
type Lease struct {
	// Families are those of the names asked for, nil for "".
	Families []*parser.Family

	held   []*version
	chosen []chosen
}

// chosen is a decision of this request about a version on trial.
type chosen struct {
	trial *trial
	takes bool // the request takes it (canary) or runs beside it (shadow)
}

// Lease takes the parsers of those names for one request. "" stands for none.
// The error is an *UnknownError, that of a module that can't be opened, or
// ErrClosed.
func (r *Registry) Lease(ctx context.Context, names ...string) (*Lease, error) {
	for {
		l := &Lease{Families: make([]*parser.Family, len(names))}
		ok, err := l.fill(ctx, r.names.live().table, names)
		if ok {
			return l, nil
		}
		l.Release()
		if err != nil {
			return nil, err
		}
		// A version was replaced and closed just now: the next table is there.
	}
}

func (l *Lease) fill(ctx context.Context, t *table, names []string) (bool, error) {
	for i, name := range names {
		if name == "" {
			continue
		}
		e, err := t.find(name)
		if err != nil {
			return false, err
		}
		var ok bool
		if l.Families[i], ok, err = l.take(ctx, e); !ok {
			return false, err
		}
	}
	return true, nil
}

// take gives the family for an entry. It is not ok where a version was closed
// meanwhile.
func (l *Lease) take(ctx context.Context, e *entry) (f *parser.Family, ok bool, err error) {
	if e.slot == nil || !l.tries(e.slot.trial) {
		return l.hold(ctx, e.live)
	}
	candidate, ok, err := l.hold(ctx, e.beside)
	if !ok {
		return nil, false, err
	}
	if e.slot.trial.Mode == Canary {
		return e.slot.trial.counted(candidate), true, nil
	}
	live, ok, err := l.hold(ctx, e.live)
	if !ok {
		return nil, false, err
	}
	return e.slot.trial.shadowed(live, candidate), true, nil
}

func (l *Lease) hold(ctx context.Context, c claim) (*parser.Family, bool, error) {
	if !slices.Contains(l.held, c.version) {
		if !c.version.acquire() {
			return nil, false, nil
		}
		l.held = append(l.held, c.version)
	}
	if err := c.version.open(ctx); err != nil {
		return nil, false, err
	}
	return c.family(), true, nil
}

// tries decides, once a request, whether it takes part in a trial.
func (l *Lease) tries(t *trial) bool {
	for _, c := range l.chosen {
		if c.trial == t {
			return c.takes
		}
	}
	c := chosen{t, t.Mode == Shadow || t.takesNext()}
	l.chosen = append(l.chosen, c)
	return c.takes
}

// Infos describes the versions that answer the request.
func (l *Lease) Infos() []*Info {
	var out []*Info
	for _, v := range l.held {
		if !l.shadows(v) {
			out = append(out, &v.Info)
		}
	}
	return out
}

// shadows says whether v only runs beside.
func (l *Lease) shadows(v *version) bool {
	return slices.ContainsFunc(l.chosen, func(c chosen) bool { return c.trial.version == v && c.trial.Mode == Shadow })
}

// Release ends the request's use. All of its sessions must be closed.
func (l *Lease) Release() {
	for _, v := range l.held {
		v.release()
	}
	l.held = nil
}

// Parser gives the parser of that name or alias, for as long as the registry is
// open and its module is not changed.
func (r *Registry) Parser(ctx context.Context, name string) (parser.Engine, *Info, error) {
	e, err := r.names.live().table.find(name)
	if err != nil {
		return nil, nil, err
	}
	if err := e.live.version.open(ctx); err != nil {
		return nil, nil, err
	}
	return e.live.version.engine(e.live.parser), &e.live.version.Info, nil
}
