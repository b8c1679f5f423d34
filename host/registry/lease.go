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

	held    []*version
	choices []trialChoice
}

// trialChoice is a decision of this request about a version on trial.
type trialChoice struct {
	trial *trial
	joins bool // the request takes it (canary) or runs beside it (shadow)
}

// Lease takes the parsers of those names for one request. "" stands for none.
// The error is an *UnknownError, that of a module that can't be opened, or
// ErrClosed.
func (r *Registry) Lease(ctx context.Context, names ...string) (*Lease, error) {
	for {
		l := &Lease{Families: make([]*parser.Family, len(names))}
		ok, err := l.takeFamilies(ctx, r.names.current().table, names)
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

func (l *Lease) takeFamilies(ctx context.Context, t *table, names []string) (bool, error) {
	for i, name := range names {
		if name == "" {
			continue
		}
		e, err := t.lookUp(name)
		if err != nil {
			return false, err
		}
		var ok bool
		if l.Families[i], ok, err = l.takeFamily(ctx, e); !ok {
			return false, err
		}
	}
	return true, nil
}

// takeFamily gives the family for an entry. It is not ok where a version was closed
// meanwhile.
func (l *Lease) takeFamily(ctx context.Context, e *entry) (f *parser.Family, ok bool, err error) {
	if e.trialSlot == nil || !l.joinsTrial(e.trialSlot.trial) {
		return l.holdVersion(ctx, e.live)
	}
	candidate, ok, err := l.holdVersion(ctx, e.candidate)
	if !ok {
		return nil, false, err
	}
	if e.trialSlot.trial.Mode == Canary {
		return e.trialSlot.trial.canaryFamily(candidate), true, nil
	}
	live, ok, err := l.holdVersion(ctx, e.live)
	if !ok {
		return nil, false, err
	}
	return e.trialSlot.trial.shadowFamily(live, candidate), true, nil
}

func (l *Lease) holdVersion(ctx context.Context, c target) (*parser.Family, bool, error) {
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

// joinsTrial decides, once a request, whether it takes part in a trial.
func (l *Lease) joinsTrial(t *trial) bool {
	for _, c := range l.choices {
		if c.trial == t {
			return c.joins
		}
	}
	c := trialChoice{t, t.Mode == Shadow || t.takesNext()}
	l.choices = append(l.choices, c)
	return c.joins
}

// Infos describes the versions that answer the request.
func (l *Lease) Infos() []*Info {
	var out []*Info
	for _, v := range l.held {
		if !l.isShadow(v) {
			out = append(out, &v.Info)
		}
	}
	return out
}

// isShadow says whether v only runs for a comparison.
func (l *Lease) isShadow(v *version) bool {
	return slices.ContainsFunc(l.choices, func(c trialChoice) bool { return c.trial.version == v && c.trial.Mode == Shadow })
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
	e, err := r.names.current().table.lookUp(name)
	if err != nil {
		return nil, nil, err
	}
	if err := e.live.version.open(ctx); err != nil {
		return nil, nil, err
	}
	return e.live.version.engineNamed(e.live.parser), &e.live.version.Info, nil
}
