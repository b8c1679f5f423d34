package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// Where a module comes from, if not from a file of the folder, and what runs it.
const (
	OriginEmbedded = "embedded"
	OriginLinked   = "linked"
	OriginProcess  = "process"
	OriginAdmin    = "admin"

	EngineWasm    = "wasm"
	EngineNative  = "native"
	EngineProcess = "process"
)

// Info describes a version of a module.
type Info struct {
	Manifest *manifest.Manifest
	// Origin is one of the Origin… values, or a file's name in the folder.
	Origin string
	// Engine is one of the Engine… values.
	Engine string
	// SHA256 is that of the module's bytes, in hexadecimal; "" where it has none.
	SHA256 string
}

// String names the version in one line.
func (i *Info) String() string {
	line := i.Manifest.Module + "@" + i.Manifest.Version + " " + i.Engine
	if i.SHA256 != "" {
		line += " sha256:" + i.SHA256
	}
	return line
}

// Inspect describes the module in a file, without running it.
func Inspect(file string) (*Info, error) {
	binary, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	b, err := describeBuild(filepath.Base(file), wasm.NewBuild(binary))
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", filepath.Base(file), err)
	}
	return &b.Info, nil
}

// build is a version's code and what is known of it, whether it runs or not.
type build struct {
	Info
	code      *wasm.Build // nil for another engine
	signature []byte
	strikes   atomic.Int32 // how often it was quarantined
}

func describeBuild(origin string, code *wasm.Build) (*build, error) {
	described, err := code.Manifest()
	if err != nil {
		return nil, err
	}
	digest := code.Digest()
	return &build{Info: Info{Manifest: described, Origin: origin, Engine: EngineWasm, SHA256: hex.EncodeToString(digest[:])}, code: code}, nil
}

// hasDigest says whether the build's code has that SHA-256.
func (b *build) hasDigest(digest [sha256.Size]byte) bool {
	return b.code != nil && b.code.Digest() == digest
}

// sameCode says whether both are the same bytes.
func (b *build) sameCode(c *build) bool { return c.code != nil && b.hasDigest(c.code.Digest()) }

// running is what a version is when it runs.
type running struct {
	engines []parser.Engine
	module  *wasm.Module // nil for another engine
	close   func()       // nil where nothing is to be closed
}

// version is a build that can be used. It is made ready when it is first needed.
type version struct {
	*build
	faults faults

	compile  func(context.Context) (running, error)
	once     sync.Once
	running  running
	families map[string]*parser.Family // by the parser's name
	err      error
	since    time.Time

	mu      sync.Mutex // guards the fields below
	users   int
	retired bool
	ready   bool

	draining *atomic.Int64
}

func newVersion(b *build, load func(context.Context) (running, error)) *version {
	return &version{build: b, compile: load}
}

// open makes the version ready. A request that gives up does not spoil it for
// the others.
func (v *version) open(ctx context.Context) error {
	v.once.Do(func() {
		v.running, v.err = v.compile(context.WithoutCancel(ctx))
		v.families = map[string]*parser.Family{}
		for _, e := range v.running.engines {
			f := parser.FamilyOf(e, v.running.engines)
			v.families[e.Parser().Name] = &f
		}
		v.mu.Lock()
		v.since, v.ready = time.Now(), v.err == nil
		v.mu.Unlock()
	})
	return v.err
}

// whenReady gives what runs, and since when, once the version is ready.
func (v *version) whenReady() (running, time.Time, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.ready {
		return running{}, time.Time{}, false
	}
	return v.running, v.since, true
}

// engineNamed gives the parser of that name.
func (v *version) engineNamed(parser string) parser.Engine {
	for _, e := range v.running.engines {
		if e.Parser().Name == parser {
			return e
		}
	}
	return nil
}

// parserNamed is engine for who asks with an error.
func (v *version) parserNamed(name string) (parser.Engine, error) { return v.engineNamed(name), nil }

// acquire keeps the version open until release. It fails once the version was
// retired and nobody uses it.
func (v *version) acquire() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.retired {
		return false
	}
	v.users++
	return true
}

func (v *version) release() {
	v.mu.Lock()
	v.users--
	last := v.retired && v.users == 0
	v.mu.Unlock()
	if last {
		v.closeEngines()
	}
}

// retire closes the version when its last user is gone; until then it counts as
// draining.
func (v *version) retire(draining *atomic.Int64) {
	v.mu.Lock()
	last := !v.retired && v.users == 0
	if !v.retired && !last {
		v.draining = draining
		draining.Add(1)
	}
	v.retired = true
	v.mu.Unlock()
	if last {
		v.closeEngines()
	}
}

func (v *version) closeEngines() {
	if v.draining != nil {
		v.draining.Add(-1)
	}
	if v.running.close != nil {
		v.running.close()
	}
}

// requestsNow is how many requests use the version.
func (v *version) requestsNow() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.users
}
