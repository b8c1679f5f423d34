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

// Auto gives the name of the parser for a model: the one that suggests itself for the
// name that the engine has for it, the one whose markers its chat template holds, or
// the one that suggests itself for its own name. engineName and template may be "".
func (v *View) Auto(engineName, template, name string) (string, error) {
	if engineName != "" {
		if parser, err := v.ForModel(engineName); err == nil {
			return parser, nil
		}
	}
	named, err := v.ForModel(name)
	written := v.writtenIn(template)
	switch {
	case len(written) == 1:
		return written[0], nil
	case len(written) > 1 && err != nil:
		return "", fmt.Errorf("the markers of %d parsers stand in the chat template of model %q: %s; name one", len(written), name, joinNames(written))
	}
	return named, err
}

// CheckWhole refuses a name that is to stand for all of a model's grammar, but is only
// that of a parser of thoughts, where the name begins those of parsers that read calls.
func (v *View) CheckWhole(name string) error {
	found, ok := v.table.set.Find(name)
	if !ok || found.Parser.Kind != manifest.Reasoning {
		return nil
	}
	var others []string
	for _, family := range v.table.families() {
		other, ok := v.table.set.Find(family)
		if ok && other.Parser.Kind != manifest.Reasoning && strings.HasPrefix(family, manifest.Normalise(name)+"_") {
			others = append(others, family)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return fmt.Errorf("parser: %s reads thoughts only: say reasoning_parser: %s, or name the parser that reads the model's calls too: %s", name, name, joinNames(others))
}

// writtenIn names the parsers whose markers a chat template holds: the most of them, and
// the longest.
func (v *View) writtenIn(template string) []string {
	var parsers []string
	best := [2]int{1, 0}
	for _, m := range v.table.set {
		for i := range m.Parsers {
			p := &m.Parsers[i]
			e := v.table.names[manifest.Normalise(p.Name)]
			if p.Kind != manifest.Unified || p.Jail == nil || e == nil || e.live.version.Manifest != m {
				continue
			}
			switch got := markersIn(template, p.Jail); {
			case got[0] > best[0], got[0] == best[0] && got[1] > best[1]:
				best, parsers = got, []string{p.Name}
			case got == best:
				parsers = append(parsers, p.Name)
			}
		}
	}
	return parsers
}

// markersIn measures how much of a family's markers of calls a template holds: their
// length together, and less for each that is not there. One that is a bare word says
// nothing.
func markersIn(template string, jail *manifest.Jail) (got [2]int) {
	opened := false
	for _, marker := range slices.Concat(jail.Open, jail.Close) {
		switch {
		case !strings.ContainsAny(marker, "<[") || !strings.Contains(template, strings.TrimSpace(marker)):
			got[1]--
		default:
			got[0] += len(marker)
			opened = opened || slices.Contains(jail.Open, marker)
		}
	}
	if !opened {
		return [2]int{}
	}
	return got
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
		return "", fmt.Errorf("no parser suggests itself for a model named %q; name one, or give it a response_template%s: known are %s", model, nearest(model, v.table.families()), joinNames(v.table.families()))
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

// nearest says which of the known names are most like name; "" if none is.
func nearest(name string, known []string) string {
	name = manifest.Normalise(name[strings.LastIndexByte(name, '/')+1:])
	var near []string
	for _, k := range known {
		if n := commonPrefix(name, manifest.Normalise(k)); n >= 4 || n >= 2 && n >= len(k)-2 {
			near = append(near, k)
		}
	}
	if len(near) == 0 {
		return ""
	}
	return "; nearest are " + joinNames(near)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func joinNames(words []string) string { return strings.Join(words, ", ") }

// ErrClosed is the error of a registry that was closed.
var ErrClosed = errors.New("the module registry is closed")
