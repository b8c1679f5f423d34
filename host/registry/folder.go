package registry

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	extension = ".wasm"
	sigSuffix = ".sig" // after the module file's name
)

// file is what was last seen of a file in the folder.
type file struct {
	print  [sha256.Size]byte // of its bytes, its signature and the lock file
	module string            // "" where it was refused
	err    error             // why it was refused
}

// scan brings the modules in line with the folder. A file that did not change is
// left alone, whatever became of its module since. refused are the errors of
// modules that are not loaded now.
func (r *Registry) scan(ctx context.Context) (refused []error, err error) {
	paths, err := os.ReadDir(r.cfg.Dir)
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
		if err := r.look(ctx, name); err != nil {
			refused = append(refused, err)
		}
	}
	for name, f := range r.files {
		if !seen[name] {
			delete(r.files, name)
			r.vanished(ctx, name, f.module)
		}
	}
	r.publishRefused()
	return refused, nil
}

func (r *Registry) publishRefused() {
	var out []Refusal
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		if err := r.files[name].err; err != nil {
			out = append(out, Refusal{name, err.Error()})
		}
	}
	r.refused.Store(&out)
}

// look loads a file if it changed.
func (r *Registry) look(ctx context.Context, name string) error {
	binary, err := r.read(name)
	signature, _ := readUpTo(filepath.Join(r.cfg.Dir, name+sigSuffix), 4096)
	f := &file{print: r.print(binary, signature)}
	if old := r.files[name]; old != nil && old.print == f.print {
		return nil
	} else if old != nil {
		f.module = old.module
	}
	r.files[name] = f
	if err == nil {
		err = r.take(ctx, f, name, binary, signature)
	}
	f.err = err
	return err
}

func (r *Registry) take(ctx context.Context, f *file, name string, binary, signature []byte) error {
	b, err := r.inspect(name, name, binary, signature)
	if err != nil {
		return err
	}
	module := b.Manifest.Module
	if other := r.slot(module).file; other != "" && other != name {
		return &RefusedError{Module: name, Step: StepNames, Cause: fmt.Errorf("module %s is in the file %s already", module, other)}
	}
	before := f.module
	err = r.admit(ctx, b, r.cfg.Rules[module].Rollout, false, func(next *slot) error {
		next.file = name
		return nil
	})
	if err != nil {
		return err
	}
	f.module = module
	if before != "" && before != module {
		r.vanished(ctx, name, before)
	}
	return nil
}

// vanished unloads the module of a file that is gone.
func (r *Registry) vanished(ctx context.Context, name, module string) {
	s := r.state.Load().slots[module]
	if s == nil || s.file != name {
		return
	}
	if err := r.swap(ctx, module, nil, nil); err != nil {
		r.log.Error("a module's file is gone, but the module stays", "file", name, "module", module, "error", err)
		return
	}
	r.log.Info("module removed", "module", module, "file", name)
}

// read reads a module's file within the limit.
func (r *Registry) read(name string) ([]byte, error) {
	most := r.MaxModuleBytes()
	binary, err := readUpTo(filepath.Join(r.cfg.Dir, name), most)
	if errors.Is(err, errLarge) {
		return binary, &RefusedError{Module: name, Step: StepSize, Cause: fmt.Errorf("it has more than the limit of %d bytes", most)}
	}
	return binary, err
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

func (r *Registry) print(binary, signature []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintln(h, len(binary), len(signature))
	h.Write(binary)
	h.Write(signature)
	if r.cfg.LockFile != "" {
		lock, _ := os.ReadFile(r.cfg.LockFile)
		h.Write(lock)
	}
	h.Sum(sum[:0])
	return sum
}

// fileName is the file that the module is kept in.
func (s *slot) fileName() string {
	if s.file != "" {
		return s.file
	}
	return s.name + extension
}

// save keeps the live version in the folder, if there is one and the module
// would be loaded from it at the next start.
func (r *Registry) save(next *slot) error {
	if r.cfg.Dir == "" || next.live == nil || next.live.binary == nil || next.shadow && !r.cfg.Rules[next.name].Shadow {
		return nil
	}
	name, b := next.fileName(), next.live.build
	path := filepath.Join(r.cfg.Dir, name)
	if len(b.signature) > 0 {
		if err := replace(path+sigSuffix, b.signature); err != nil {
			return fmt.Errorf("modules folder: %w", err)
		}
	} else if err := remove(path + sigSuffix); err != nil {
		return fmt.Errorf("modules folder: %w", err)
	}
	if err := replace(path, b.binary); err != nil {
		return fmt.Errorf("modules folder: %w", err)
	}
	next.file = name
	r.files[name] = &file{print: r.print(b.binary, b.signature), module: next.name}
	r.publishRefused()
	return nil
}

// unsave takes the module's files out of the folder.
func (r *Registry) unsave(s *slot) error {
	if r.cfg.Dir == "" || s.file == "" {
		return nil
	}
	path := filepath.Join(r.cfg.Dir, s.file)
	if err := errors.Join(remove(path), remove(path+sigSuffix)); err != nil {
		return fmt.Errorf("modules folder: %w", err)
	}
	delete(r.files, s.file)
	r.publishRefused()
	return nil
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replace writes a file in one step: who reads it sees the old or the new one.
func replace(path string, data []byte) error {
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

// Reload makes Run read the folder again, with what was refused before.
func (r *Registry) Reload() {
	select {
	case r.reload <- struct{}{}:
	default:
	}
}

// Run watches the folder and looks after the versions until ctx ends.
func (r *Registry) Run(ctx context.Context) {
	w := r.watch()
	if w.Watcher != nil {
		defer w.Close()
	}
	quiet := time.NewTimer(0) // since the folder's last change; at once: it may have changed before it was watched
	back := time.NewTimer(0)  // when a version is back from quarantine
	var poll <-chan time.Time
	if r.cfg.Poll > 0 && r.cfg.Dir != "" {
		t := time.NewTicker(r.cfg.Poll)
		defer t.Stop()
		poll = t.C
	}
	defer quiet.Stop()
	defer back.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.events:
			quiet.Reset(r.cfg.Debounce)
		case err := <-w.errors:
			r.log.Warn("watching the modules folder", "error", err)
			quiet.Reset(r.cfg.Debounce)
		case <-quiet.C:
			r.rescan(ctx, false)
		case <-poll:
			w.add(r.cfg.Dir) // it may have been made anew
			r.rescan(ctx, false)
		case <-r.reload:
			r.rescan(ctx, true)
		case <-r.wake:
			back.Reset(0)
		case <-back.C:
			if next := r.tend(ctx, time.Now()); next > 0 {
				back.Reset(next)
			}
		}
	}
}

// watcher is a watcher of the folder; without one its channels are silent.
type watcher struct {
	*fsnotify.Watcher
	events chan fsnotify.Event
	errors chan error
}

func (w *watcher) add(dir string) {
	if w.Watcher != nil {
		_ = w.Add(dir)
	}
}

func (r *Registry) watch() *watcher {
	if r.cfg.Dir == "" {
		return &watcher{}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		r.log.Warn("the modules folder can't be watched: changes are found by polling and by SIGHUP", "error", err, "modules.poll", r.cfg.Poll)
		return &watcher{}
	}
	if err := w.Add(r.cfg.Dir); err != nil {
		r.log.Warn("the modules folder can't be watched: changes are found by polling and by SIGHUP", "error", err, "modules.poll", r.cfg.Poll)
	}
	return &watcher{w, w.Events, w.Errors}
}

// rescan reads the folder; again also what was refused and did not change.
func (r *Registry) rescan(ctx context.Context, again bool) {
	r.change.Lock()
	defer r.change.Unlock()
	if r.closed || r.cfg.Dir == "" {
		return
	}
	for _, f := range r.files {
		if again && f.err != nil {
			f.print = [sha256.Size]byte{} // as if it had changed
		}
	}
	refused, err := r.scan(ctx)
	if err != nil {
		r.log.Error("the modules folder can't be read", "error", err)
	}
	for _, err := range refused {
		r.log.Error("a module of the folder is not loaded", "error", err)
	}
}
