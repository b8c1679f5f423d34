package registry

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// names says which version answers to which name. Requests read the state of the
// moment without a lock; a change replaces it as a whole. All but live is called
// under Registry.change.
type names struct {
	state  atomic.Pointer[state]
	checks map[int]modelCheck
	lastID int
}

// modelCheck says what is wrong with what would then be live.
type modelCheck = func(context.Context, *View) error

func newNames() *names {
	n := &names{checks: map[int]modelCheck{}}
	n.state.Store(&state{table: &table{}})
	return n
}

// state is what is live. It is never changed, only replaced.
type state struct {
	builtins []*version
	slots    map[string]*slot
	table    *table
}

// slotNames lists the slots in a fixed order.
func (s *state) slotNames() []string { return slices.Sorted(maps.Keys(s.slots)) }

// current is the state of the moment.
func (n *names) current() *state { return n.state.Load() }

// setBuiltins makes the built-in modules, and nothing else, live.
func (n *names) setBuiltins(builtins []*version) {
	s := &state{builtins: builtins, slots: map[string]*slot{}}
	s.table = newTable(s)
	n.state.Store(s)
}

// retireAll takes everything away. No lease may be held any more.
func (n *names) retireAll() {
	s := n.state.Swap(&state{table: &table{closed: true}})
	for _, slot := range s.slots {
		for _, v := range slot.versions() {
			v.retire(&slot.counts.draining)
		}
	}
}

// addCheck adds a check that every change must pass. The function that is returned
// takes it away.
func (n *names) addCheck(check modelCheck) (forget func()) {
	n.lastID++
	id := n.lastID
	n.checks[id] = check
	return func() { delete(n.checks, id) }
}

// swapSlot makes next the slot of that name, nil takes it away. What is left behind
// is closed when its last request ends. commit, if not nil, is what has to happen
// just before. The error leaves everything as it was.
func (n *names) swapSlot(ctx context.Context, name string, next *slot, commit func() error) error {
	now := n.current()
	s := now.withSlot(name, next)
	if err := n.checkPermitted(ctx, s, name); err != nil {
		return err
	}
	if commit != nil {
		if err := commit(); err != nil {
			return err
		}
	}
	if next != nil && (now.slots[name] == nil || next.live != now.slots[name].live) {
		next.counts.swaps.Add(1)
	}
	n.state.Store(s)
	for _, v := range now.slots[name].versions() {
		if !slices.Contains(next.versions(), v) {
			v.retire(&now.slots[name].counts.draining)
		}
	}
	return nil
}

// checkPermitted says whether s may go live, in which the slot of that name is new: no
// name may be claimed twice, and the models that are served must find their
// parsers, with the version on trial too.
func (n *names) checkPermitted(ctx context.Context, s *state, name string) error {
	if err := s.nameClash(); err != nil {
		return &RefusedError{Module: name, Step: StepNames, Cause: err}
	}
	tables := []*table{s.table}
	if slot := s.slots[name]; slot != nil && slot.trial != nil {
		promoted := *slot
		promoted.live, promoted.trial = slot.trial.version, nil
		tables = append(tables, s.withSlot(name, &promoted).table)
	}
	for _, t := range tables {
		for _, check := range n.checks {
			if err := check(ctx, &View{t}); err != nil {
				return &RefusedError{Module: name, Step: StepModels, Cause: err}
			}
		}
	}
	return nil
}

// withSlot is the state with another slot of that name, or without one.
func (s *state) withSlot(name string, next *slot) *state {
	n := s.withoutTable(name, next)
	n.table = newTable(n)
	return n
}

// withoutTable is withSlot, but for the table of names.
func (s *state) withoutTable(name string, next *slot) *state {
	n := &state{builtins: s.builtins, slots: maps.Clone(s.slots)}
	if next == nil {
		delete(n.slots, name)
	} else {
		n.slots[name] = next
	}
	return n
}

// openVersions lists the versions that requests can get.
func (s *state) openVersions() []*version {
	out := append([]*version(nil), s.builtins...)
	for _, slot := range s.slots {
		out = append(out, slot.versions()...)
	}
	return out
}

// isOnTrial says whether v is the version on trial of its module.
func (s *state) isOnTrial(v *version) bool {
	slot := s.slots[v.Manifest.Module]
	return slot != nil && slot.trial != nil && slot.trial.version == v
}

// answersAny says whether one of the module's names is answered by a live version.
func (s *state) answersAny(m *manifest.Manifest) bool {
	for i := range m.Parsers {
		if s.table.names[manifest.Normalise(m.Parsers[i].Name)] != nil {
			return true
		}
	}
	return false
}

// answersWithout says whether every name of the slot's live version is answered
// without it too.
func (s *state) answersWithout(slot *slot) bool {
	t := s.withSlot(slot.name, nil).table
	for i := range slot.live.Manifest.Parsers {
		if _, err := t.lookUp(slot.live.Manifest.Parsers[i].Name); err != nil {
			return false
		}
	}
	return true
}
