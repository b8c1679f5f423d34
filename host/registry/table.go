package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// table says which version answers to a name. It is never changed.
type table struct {
	set       manifest.Set
	versionOf map[*manifest.Manifest]*version
	names     map[string]*entry // normalised
	closed    bool
}

// entry is what a name stands for.
type entry struct {
	live      target
	trialSlot *slot  // of the trial
	candidate target // the version on trial, if it has the name too
}

// target is what a name leads to: a parser of a version.
type target struct {
	version *version
	parser  string
}

func (c target) family() *parser.Family { return c.version.families[c.parser] }

// newTable resolves every name: modules that shadow built-in ones come before
// them, the others after, and a parser's own name goes before any alias.
func newTable(s *state) *table {
	t := &table{names: map[string]*entry{}}
	t.set, t.versionOf = s.byPrecedence(func(slot *slot) *version { return slot.live })
	for name, found := range resolveNames(t.set) {
		t.names[name] = &entry{live: target{t.versionOf[found.Manifest], found.Parser.Name}}
	}
	for _, slot := range s.slots {
		if slot.trial != nil {
			t.addTrial(s, slot)
		}
	}
	return t
}

// addTrial notes which names the version on trial would have.
func (t *table) addTrial(s *state, trial *slot) {
	set, of := s.byPrecedence(func(slot *slot) *version {
		if slot == trial {
			return slot.trial.version
		}
		return slot.live
	})
	for name, found := range resolveNames(set) {
		if v := of[found.Manifest]; v == trial.trial.version && t.names[name] != nil {
			t.names[name].trialSlot, t.names[name].candidate = trial, target{v, found.Parser.Name}
		}
	}
}

// byPrecedence lists the versions as they take precedence.
func (s *state) byPrecedence(of func(*slot) *version) (manifest.Set, map[*manifest.Manifest]*version) {
	var before, after []*version
	for _, name := range s.slotNames() {
		slot := s.slots[name]
		switch v := of(slot); {
		case v == nil:
		case slot.shadow:
			before = append(before, v)
		default:
			after = append(after, v)
		}
	}
	var set manifest.Set
	byManifest := map[*manifest.Manifest]*version{}
	for _, v := range slices.Concat(before, s.builtins, after) {
		set = append(set, v.Manifest)
		byManifest[v.Manifest] = v
	}
	return set, byManifest
}

func resolveNames(set manifest.Set) map[string]manifest.Match {
	out := map[string]manifest.Match{}
	add := func(name string) {
		if found, ok := set.Find(name); ok {
			out[manifest.Normalise(name)] = found
		}
	}
	for _, m := range set {
		for i := range m.Parsers {
			add(m.Parsers[i].Name)
			for _, alias := range m.Parsers[i].Aliases {
				add(alias)
			}
		}
	}
	return out
}

// lookUp gives the entry of a name. Its versions may not be open yet.
func (t *table) lookUp(name string) (*entry, error) {
	if t.closed {
		return nil, ErrClosed
	}
	e := t.names[manifest.Normalise(name)]
	if e == nil {
		return nil, &UnknownError{Name: name, Known: t.families()}
	}
	return e, nil
}

// families names the families of parsers at hand.
func (t *table) families() []string {
	var names []string
	for _, m := range t.set {
		for i := range m.Parsers {
			if name := m.Parsers[i].BaseName(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// View is what is live, or what would be after a change.
type View struct{ table *table }

// Family gives the family to which the parser of that name or alias belongs. Its
// module is compiled if need be.
func (v *View) Family(ctx context.Context, name string) (*parser.Family, error) {
	e, err := v.table.lookUp(name)
	if err != nil {
		return nil, err
	}
	if err := e.live.version.open(ctx); err != nil {
		return nil, err
	}
	return e.live.family(), nil
}

// Info describes the version that answers to that name or alias.
func (v *View) Info(name string) (*Info, error) {
	e, err := v.table.lookUp(name)
	if err != nil {
		return nil, err
	}
	return &e.live.version.Info, nil
}

// ForModel gives the name of the parser that suggests itself for a model of that
// name. More than one family is an *AmbiguousError.
func (v *View) ForModel(model string) (string, error) {
	var families, parsers, owners []string
	for _, found := range v.table.set.ForModel(model) {
		e := v.table.names[manifest.Normalise(found.Parser.Name)]
		if e.live.version.Manifest != found.Manifest { // it is shadowed
			continue
		}
		if family := found.Parser.BaseName(); !slices.Contains(families, family) {
			families = append(families, family)
			parsers = append(parsers, found.Parser.Name)
			owners = append(owners, found.Manifest.Module)
		}
	}
	switch len(parsers) {
	case 0:
		return "", fmt.Errorf("no parser suggests itself for a model named %q; name one: known are %s", model, joinNames(v.table.families()))
	case 1:
		return parsers[0], nil
	}
	return "", &AmbiguousError{Model: model, Parsers: parsers, Modules: owners}
}

// AmbiguousError says that more than one parser suggests itself for a model.
type AmbiguousError struct {
	Model            string
	Parsers, Modules []string // side by side
}

func (e *AmbiguousError) Error() string {
	var claims []string
	for i, p := range e.Parsers {
		claims = append(claims, p+" of module "+e.Modules[i])
	}
	return fmt.Sprintf("%d parsers suggest themselves for the model %q: %s; name one", len(e.Parsers), e.Model, joinNames(claims))
}

func joinNames(words []string) string { return strings.Join(words, ", ") }

// ErrClosed is the error of a registry that was closed.
var ErrClosed = errors.New("the module registry is closed")
