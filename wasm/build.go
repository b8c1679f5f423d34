package wasm

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// Build is a module's bytes with what is found out of them, each thing once: who
// verifies, lists and compiles a module hands the same Build on.
type Build struct {
	digest [sha256.Size]byte
	size   int
	bytes  func() ([]byte, error)

	parse    sync.Once
	manifest *manifest.Manifest
	text     []byte // the manifest's
	err      error
}

// NewBuild hashes a module's bytes, which it keeps and which must not be changed.
// Whether they are a module is not looked at.
func NewBuild(binary []byte) *Build {
	return &Build{digest: digestOf(binary), size: len(binary), bytes: func() ([]byte, error) { return binary, nil }}
}

// Digest is the SHA-256 of the module's bytes.
func (b *Build) Digest() [sha256.Size]byte { return b.digest }

// Size is the number of the module's bytes.
func (b *Build) Size() int { return b.size }

// Bytes gives the module's bytes. They are not to be changed.
func (b *Build) Bytes() ([]byte, error) { return b.bytes() }

// Manifest is what the module says of itself. It is not to be changed. The error
// is that of its custom section.
func (b *Build) Manifest() (*manifest.Manifest, error) {
	b.parse.Do(b.readManifest)
	return b.manifest, b.err
}

func (b *Build) readManifest() {
	binary, err := b.bytes()
	if err != nil {
		b.err = err
		return
	}
	work.parsed.Add(1)
	if b.manifest, b.err = manifest.Read(binary); b.err == nil {
		text, _ := manifest.Section(binary, abi.SectionManifest)
		b.text = bytes.Clone(text)
	}
}

// ReadAgain lets go of the module's bytes: from now on they are read where they
// are needed. It must be called before the build is shared.
func (b *Build) ReadAgain(read func() ([]byte, error)) { b.bytes = read }

// digestOf hashes in parts: the garbage collector can't step in within one.
func digestOf(binary []byte) (sum [sha256.Size]byte) {
	work.hashed.Add(1)
	h := sha256.New()
	for part := range slices.Chunk(binary, 64<<10) {
		h.Write(part)
	}
	h.Sum(sum[:0])
	return sum
}

// Work counts what has been done to modules since the program began.
type Work struct {
	Hashed, Parsed, Metered, Compiled uint64
}

var work struct{ hashed, parsed, metered, compiled atomic.Uint64 }

// WorkDone gives the counts of all runtimes and builds of the program: they tell
// whether a module is read more than once where once is enough.
func WorkDone() Work {
	return Work{work.hashed.Load(), work.parsed.Load(), work.metered.Load(), work.compiled.Load()}
}
