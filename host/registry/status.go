package registry

import (
	"slices"
	"time"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// Module describes a module for an operator.
type Module struct {
	Name string `json:"name"`
	// ETag stands for what is live and on trial; "" for a built-in module.
	ETag    string   `json:"etag,omitempty"`
	BuiltIn bool     `json:"built_in"`
	Shadows bool     `json:"shadows,omitempty"` // it takes the place of a built-in module
	Live    *Version `json:"live,omitempty"`
	Trial   *Trial   `json:"trial,omitempty"`
	// Previous are the versions that a rollback can bring back, the latest first.
	Previous   []Version   `json:"previous,omitempty"`
	Quarantine *Quarantine `json:"quarantine,omitempty"`
	File       string      `json:"file,omitempty"` // in the modules folder; "" where it is not kept over a restart
	Note       string      `json:"note,omitempty"` // the last thing that happened to it

	Draining    int64  `json:"draining,omitempty"` // versions that were replaced and still have requests
	Swaps       uint64 `json:"swaps,omitempty"`
	Rollbacks   uint64 `json:"rollbacks,omitempty"`
	Quarantines uint64 `json:"quarantines,omitempty"`
	Compared    uint64 `json:"compared,omitempty"`  // answers, by all trials
	Different   uint64 `json:"different,omitempty"` // of those
}

// Version describes a version of a module.
type Version struct {
	Version string   `json:"version"`
	SHA256  string   `json:"sha256,omitempty"`
	Engine  string   `json:"engine"`
	Origin  string   `json:"origin"`
	Size    int      `json:"size,omitempty"` // of the module, in bytes
	Kinds   []string `json:"kinds"`          // of its parsers, each once
	// Families are the parsers' names, siblings under the name that they have in
	// common.
	Families []string `json:"families"`
	Aliases  []string `json:"aliases,omitempty"`
	Parsers  []string `json:"parsers"`
	// The rest is of a version that is open.
	Since     *time.Time `json:"since,omitempty"`
	Requests  int        `json:"requests"` // that use it now
	Sessions  int        `json:"sessions"`
	Instances int        `json:"instances"`
	Opened    uint64     `json:"opened"`  // sessions so far
	Replays   uint64     `json:"replays"` // sessions rebuilt after a neighbour's fault
	Faults    uint64     `json:"faults"`

	Manifest *manifest.Manifest `json:"-"`
}

// Trial describes a version on trial.
type Trial struct {
	Version
	Mode      Mode   `json:"mode"`
	Percent   int    `json:"percent,omitempty"`
	Answers   uint64 `json:"answers"`   // compared, or served by the canary
	Different uint64 `json:"different"` // that differ from the live version's
	// What ends it: so many faults or differences; or, if not 0, answers.
	MaxFaults      int `json:"max_faults"`
	MaxDifferences int `json:"max_differences"`
	PromoteAfter   int `json:"promote_after,omitempty"`
}

// Quarantine describes a version that is out of service for its faults.
type Quarantine struct {
	Version
	Until   time.Time `json:"until"`
	Strikes int       `json:"strikes"` // how often in a row
}

// Refusal is a file of the folder that was not loaded.
type Refusal struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// Modules describes all modules: those of the operator's, then the built-in ones.
func (r *Registry) Modules() []Module {
	s := r.names.current()
	var out []Module
	for _, name := range s.slotNames() {
		out = append(out, s.describe(s.slots[name]))
	}
	for _, v := range s.builtins {
		out = append(out, Module{Name: v.Manifest.Module, BuiltIn: true, Live: v.describe()})
	}
	return out
}

// Module describes the module of that name; the operator's goes before a
// built-in one that it shadows.
func (r *Registry) Module(name string) (*Module, bool) {
	for _, m := range r.Modules() {
		if m.Name == name {
			return &m, true
		}
	}
	return nil, false
}

func (s *state) describe(slot *slot) Module {
	m := Module{Name: slot.name, ETag: slot.etag(), Shadows: slot.shadow, File: slot.file, Note: slot.note,
		Draining: slot.counts.draining.Load(), Swaps: slot.counts.swaps.Load(), Rollbacks: slot.counts.rollbacks.Load(), Quarantines: slot.counts.quarantines.Load(),
		Compared: slot.counts.compared.Load(), Different: slot.counts.different.Load()}
	if slot.live != nil {
		m.Live = slot.live.describe()
	}
	if t := slot.trial; t != nil {
		m.Trial = &Trial{Version: *t.version.describe(), Mode: t.Mode, Percent: t.Percent, Answers: t.answers.Load(), Different: t.different.Load(),
			MaxFaults: t.Faults, MaxDifferences: t.Differences, PromoteAfter: t.Promote}
	}
	for _, b := range slot.previous {
		m.Previous = append(m.Previous, b.describe())
	}
	if q := slot.quarantined; q != nil {
		m.Quarantine = &Quarantine{q.describe(), q.until, int(q.strikes.Load())}
	}
	return m
}

func (b *build) describe() Version {
	v := Version{Version: b.Manifest.Version, SHA256: b.SHA256, Engine: b.Engine, Origin: b.Origin, Manifest: b.Manifest}
	if b.code != nil {
		v.Size = b.code.Size()
	}
	for i := range b.Manifest.Parsers {
		p := &b.Manifest.Parsers[i]
		v.Parsers = append(v.Parsers, p.Name)
		v.Kinds = appendNew(v.Kinds, string(p.Kind))
		v.Families = appendNew(v.Families, p.BaseName())
		for _, alias := range p.Aliases {
			v.Aliases = appendNew(v.Aliases, alias)
		}
	}
	return v
}

func (v *version) describe() *Version {
	d := v.build.describe()
	d.Requests, d.Faults = v.requestsNow(), v.faults.total()
	if run, since, ok := v.whenReady(); ok {
		d.Since = &since
		if run.module != nil {
			stats := run.module.Stats()
			d.Sessions, d.Instances, d.Opened, d.Replays = stats.Sessions, stats.Instances, stats.Opened, stats.Replays
		}
	}
	return &d
}

// appendNew adds a word that is not there yet.
func appendNew(words []string, word string) []string {
	if slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}
