package registry

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/turnkey-parsers/turnkey/wasm"
)

const (
	extension = ".wasm"
	sigSuffix = ".sig" // after the module file's name
)

// store is the folder with the operator's modules: it finds what changed in it,
// and keeps there what an administrator hands in. It is called under
// Registry.change, but for refusals and run.
type store struct {
	cfg      *Config
	log      *slog.Logger
	maxBytes int // of a module's file

	files   map[string]*folderFile // by the file's name
	refused atomic.Pointer[[]Refusal]
}

// fileDeployer brings the modules in line with a file of the folder.
type fileDeployer interface {
	// deployFile makes the module in a file live, or puts it on trial. It keeps its
	// name in f.
	deployFile(ctx context.Context, f *folderFile, name string, code *wasm.Build, signature []byte) error
	// removeFile unloads the module of a file that is gone.
	removeFile(ctx context.Context, name, module string)
}

// folderFile is what was last seen of a file in the folder.
type folderFile struct {
	seen   fingerprint
	module string // "" where it was refused
	err    error  // why it was refused
}

// fingerprint tells whether there is anything new to a file.
type fingerprint struct {
	code            [sha256.Size]byte
	signature, lock string // the signature file's and the lock file's text
}

func newStore(cfg *Config, maxBytes int) *store {
	return &store{cfg: cfg, log: cfg.Logger, maxBytes: maxBytes, files: map[string]*folderFile{}}
}

// scanFolder brings the modules in line with the folder. A file that did not change is
// left alone, whatever became of its module since. refused are the errors of
// modules that are not loaded now.
func (s *store) scanFolder(ctx context.Context, d fileDeployer) (refused []error, err error) {
	paths, err := os.ReadDir(s.cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("modules: %w", err)
	}
	seen := map[string]bool{}
	for _, entry := range paths {
		name := entry.Name()
		if filepath.Ext(name) != extension || entry.IsDir() {
			continue
		}
		seen[name] = true
		if err := s.scanFile(ctx, d, name); err != nil {
			refused = append(refused, err)
		}
	}
	for name, f := range s.files {
		if !seen[name] {
			delete(s.files, name)
			d.removeFile(ctx, name, f.module)
		}
	}
	s.publishRefusals()
	return refused, nil
}

// rescanFolder is scanFolder for a running program: what goes wrong is logged.
// retry looks also at what was refused before and did not change.
func (s *store) rescanFolder(ctx context.Context, retry bool, d fileDeployer) {
	for _, f := range s.files {
		if retry && f.err != nil {
			f.seen = fingerprint{} // as if it had changed
		}
	}
	refused, err := s.scanFolder(ctx, d)
	if err != nil {
		s.log.Error("the modules folder can't be read", "error", err)
	}
	for _, err := range refused {
		s.log.Error("a module of the folder is not loaded", "error", err)
	}
}

// scanFile loads a file if it changed. Its bytes are hashed here, once.
func (s *store) scanFile(ctx context.Context, d fileDeployer, name string) error {
	binary, err := s.readModule(name)
	signature, _ := readUpTo(filepath.Join(s.cfg.Dir, name+sigSuffix), 4096)
	code := wasm.NewBuild(binary)
	f := &folderFile{seen: s.fingerprintOf(code, signature)}
	if old := s.files[name]; old != nil && old.seen == f.seen {
		return nil
	} else if old != nil {
		f.module = old.module
	}
	s.files[name] = f
	if err == nil {
		err = d.deployFile(ctx, f, name, code, signature)
	}
	f.err = err
	return err
}

// readModule reads a module's file within the limit.
func (s *store) readModule(name string) ([]byte, error) {
	binary, err := readUpTo(filepath.Join(s.cfg.Dir, name), s.maxBytes)
	if errors.Is(err, errLarge) {
		return binary, &RefusedError{Module: name, Step: StepSize, Cause: fmt.Errorf("it has more than the limit of %d bytes", s.maxBytes)}
	}
	return binary, err
}

func (s *store) fingerprintOf(code *wasm.Build, signature []byte) fingerprint {
	f := fingerprint{code: code.Digest(), signature: string(signature)}
	if s.cfg.LockFile != "" {
		lock, _ := os.ReadFile(s.cfg.LockFile)
		f.lock = string(lock)
	}
	return f
}

func (s *store) publishRefusals() {
	var out []Refusal
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if err := s.files[name].err; err != nil {
			out = append(out, Refusal{name, err.Error()})
		}
	}
	s.refused.Store(&out)
}

// refusals lists the files that were not loaded.
func (s *store) refusals() []Refusal {
	if list := s.refused.Load(); list != nil {
		return *list
	}
	return nil
}

// saveModule keeps a build in the folder, in a file of that name.
func (s *store) saveModule(name string, b *build) error {
	binary, err := b.code.Bytes()
	if err == nil {
		err = s.saveFiles(filepath.Join(s.cfg.Dir, name), binary, b.signature)
	}
	if err != nil {
		return fmt.Errorf("modules folder: %w", err)
	}
	s.files[name] = &folderFile{seen: s.fingerprintOf(b.code, b.signature), module: b.Manifest.Module}
	s.publishRefusals()
	return nil
}

// saveFiles writes the signature first: a module without it would be refused.
func (s *store) saveFiles(path string, binary, signature []byte) error {
	var err error
	if len(signature) > 0 {
		err = replaceFile(path+sigSuffix, signature)
	} else {
		err = removeIfThere(path + sigSuffix)
	}
	if err != nil {
		return err
	}
	return replaceFile(path, binary)
}

// removeModule takes a module's files out of the folder; "" is none.
func (s *store) removeModule(name string) error {
	if s.cfg.Dir == "" || name == "" {
		return nil
	}
	path := filepath.Join(s.cfg.Dir, name)
	if err := errors.Join(removeIfThere(path), removeIfThere(path+sigSuffix)); err != nil {
		return fmt.Errorf("modules folder: %w", err)
	}
	delete(s.files, name)
	s.publishRefusals()
	return nil
}

var errLarge = errors.New("the file is too large")

func readUpTo(path string, most int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		return data[:most], errLarge
	}
	return data, err
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replaceFile writes a file in one step: who reads it sees the old or the new one.
func replaceFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".turnkey-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
