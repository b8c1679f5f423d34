package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// slot is what there is of one module of the operator's. It is never changed,
// only replaced by a copy.
type slot struct {
	name        string
	shadow      bool // it may take the place of a built-in module
	file        string
	live        *version // nil while the first version is on trial beside a built-in
	trial       *trial
	previous    []*build // versions that were live and good, the latest first
	quarantined *quarantined
	note        string // the last thing that happened to it
	counts      *counts
}

// quarantined is a version that is out of service for its faults.
type quarantined struct {
	*build
	until time.Time
}

// counts are a module's counters; copies of its slot share them.
type counts struct {
	swaps, quarantines, rollbacks atomic.Uint64
	compared, different           atomic.Uint64
	draining                      atomic.Int64 // versions that were replaced and still have requests
}

func newSlot(name string, shadow bool) *slot {
	return &slot{name: name, shadow: shadow, counts: &counts{}}
}

func (s *slot) copy() *slot {
	c := *s
	return &c
}

// etag stands for what is live and on trial. It is "" where nothing is.
func (s *slot) etag() string {
	if s == nil {
		return ""
	}
	h := sha256.New()
	for _, v := range s.versions() {
		fmt.Fprintln(h, v.Manifest.Module, v.Manifest.Version, v.SHA256)
	}
	if s.trial != nil {
		fmt.Fprintln(h, s.trial.Mode, s.trial.Percent)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// fileName is the file that the module is kept in.
func (s *slot) fileName() string {
	if s.file != "" {
		return s.file
	}
	return s.name + extension
}

// makeLive makes v the live version. The one before it is kept for a rollback.
func (s *slot) makeLive(v *version, keep int) {
	s.keepPrevious(s.live, keep)
	s.dropPrevious(v.build)
	s.live, s.trial, s.quarantined = v, nil, nil
}

func (s *slot) modeOf(v *version) Mode {
	if s.trial != nil && s.trial.version == v {
		return s.trial.Mode
	}
	return Live
}

// versions are those that are open.
func (s *slot) versions() []*version {
	if s == nil {
		return nil
	}
	var out []*version
	if s.live != nil {
		out = append(out, s.live)
	}
	if s.trial != nil {
		out = append(out, s.trial.version)
	}
	return out
}

// keepPrevious puts a version that was live among the previous ones.
func (s *slot) keepPrevious(v *version, keep int) {
	if v == nil || v.code == nil {
		return
	}
	s.previous = slices.DeleteFunc(slices.Clone(s.previous), func(b *build) bool { return b.sameCode(v.build) })
	s.previous = slices.Insert(s.previous, 0, v.build)
	s.previous = s.previous[:min(keep, len(s.previous))]
}

// dropPrevious takes a build out of the previous ones.
func (s *slot) dropPrevious(b *build) {
	s.previous = slices.DeleteFunc(slices.Clone(s.previous), func(p *build) bool { return p.sameCode(b) })
}

var errNameTaken = errors.New("there is a module of that name already")

// nameClash looks for names that are claimed twice by parsers of one rank: two
// parsers' own names, or two aliases. A module of the operator's may take names
// of built-in ones if it may shadow them.
func (s *state) nameClash() error {
	type owner struct {
		module  string
		builtin bool
	}
	var owners [2]map[string]owner // own names, aliases
	owners[0], owners[1] = map[string]owner{}, map[string]owner{}
	for _, v := range s.builtins {
		for name, rank := range claimedNames(v.Manifest) {
			owners[rank][name] = owner{v.Manifest.Module, true}
		}
	}
	for _, name := range s.slotNames() {
		slot := s.slots[name]
		if err := slot.checkShadow(s.builtins); err != nil {
			return err
		}
		for _, v := range slot.versions() {
			for claimed, rank := range claimedNames(v.Manifest) {
				o, taken := owners[rank][claimed]
				switch {
				case !taken || o.module == name && !o.builtin:
				case !o.builtin:
					return fmt.Errorf("%q is a name that modules %s and %s both claim", claimed, o.module, name)
				case !slot.shadow:
					return shadowError(name, fmt.Sprintf("the built-in module %s has the name %q", o.module, claimed))
				}
				owners[rank][claimed] = owner{name, false}
			}
		}
	}
	return nil
}

// checkShadow says whether the slot may have its name.
func (s *slot) checkShadow(builtins []*version) error {
	taken := slices.ContainsFunc(builtins, func(v *version) bool { return v.Manifest.Module == s.name })
	if taken && !s.shadow {
		return shadowError(s.name, "a built-in module has its name")
	}
	return nil
}

func shadowError(name, why string) error {
	return fmt.Errorf("%s; to let module %s take its place say shadow: true for it in modules.rules", why, name)
}

// claimedNames gives the names of a module's parsers, and their rank: 0 a parser's own
// name, 1 an alias.
func claimedNames(m *manifest.Manifest) map[string]int {
	out := map[string]int{}
	for i := range m.Parsers {
		for _, alias := range m.Parsers[i].Aliases {
			out[manifest.Normalise(alias)] = 1
		}
	}
	for i := range m.Parsers {
		out[manifest.Normalise(m.Parsers[i].Name)] = 0
	}
	return out
}
