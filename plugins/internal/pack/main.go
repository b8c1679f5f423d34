// Command pack builds every plugin into plugins/dist: NAME.wasm, with the
// family's manifest and cases as custom sections, and a compressed copy that
// package plugins embeds. A module that is up to date is left alone.
//
// It is run in the module's root: go run ./plugins/internal/pack [NAME…]
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

const (
	plugins = "plugins"
	dist    = plugins + "/dist"
	embed   = dist + "/embed"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	all, err := filepath.Glob(plugins + "/*/main.go")
	if err != nil || len(all) == 0 {
		return errors.New("no plugins/*/main.go here; run it in the module's root")
	}
	if err := os.MkdirAll(embed, 0o755); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	found := map[string]bool{}
	for _, main := range all {
		name := filepath.Base(filepath.Dir(main))
		found[name] = true
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		group.Go(func() error {
			if err := pack(name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	err = group.Wait()
	for _, name := range names {
		if !found[name] {
			err = errors.Join(err, fmt.Errorf("no plugin %s", name))
		}
	}
	if len(names) > 0 {
		return err
	}
	return errors.Join(err, prune(found))
}

// prune takes away what was built of plugins that are gone.
func prune(found map[string]bool) error {
	var errs []error
	for _, dir := range []string{dist, embed} {
		entries, err := os.ReadDir(dir)
		errs = append(errs, err)
		for _, e := range entries {
			name, suffix, _ := strings.Cut(e.Name(), ".")
			if strings.HasPrefix(suffix, "wasm") && !found[name] {
				errs = append(errs, os.Remove(filepath.Join(dir, e.Name())))
			}
		}
	}
	return errors.Join(errs...)
}

// pack builds one plugin, unless what it was last built from is unchanged.
func pack(name string) error {
	src, err := list(name)
	if err != nil {
		return err
	}
	key, err := src.key()
	if err != nil {
		return err
	}
	out, zipped, keyFile := dist+"/"+name+".wasm", embed+"/"+name+".wasm.gz", dist+"/"+name+".wasm.key"
	if old, err := os.ReadFile(keyFile); err == nil && string(old) == key && exist(out, zipped) {
		return nil
	}
	wasm, err := src.build(name)
	if err != nil {
		return err
	}
	if wasm, err = src.attach(wasm); err != nil {
		return err
	}
	var z bytes.Buffer
	w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if _, err := w.Write(wasm); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	for file, data := range map[string][]byte{out: wasm, zipped: z.Bytes(), keyFile: []byte(key)} {
		if err := replace(file, data); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d bytes, %d compressed\n", out, len(wasm), z.Len())
	return nil
}

func exist(files ...string) bool {
	for _, f := range files {
		if _, err := os.Stat(f); err != nil {
			return false
		}
	}
	return true
}

// replace writes a file in one step: a reader sees the old or the new one.
func replace(file string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".pack-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// source is what a module is built from.
type source struct {
	files     []string // Go files and embedded files, of the module's own packages
	described string   // the file of the manifest
	manifest  []byte   // with its siblings written out
	cases     []byte   // nil if there are none
}

// profile tells the compiler what to inline: a call costs a guest more than its
// body. go run ./host/internal/bench -profile FILE makes it anew.
const profile = plugins + "/internal/pack/guest.pgo"

var buildFlags = []string{"-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-pgo=" + profile}

// list finds a plugin's files. The family's package is the one among its direct
// imports that has a manifest.json.
func list(name string) (*source, error) {
	const format = `{{if not .Standard}}{{.Dir}}{{range .GoFiles}} {{.}}{{end}}{{range .EmbedFiles}} {{.}}{{end}}{{end}}`
	out, err := goTool("list", "-deps", "-f", format, "./"+plugins+"/"+name)
	if err != nil {
		return nil, err
	}
	src := &source{files: []string{"go.mod", profile}}
	for line := range strings.Lines(string(out)) {
		dir, files, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, f := range strings.Fields(files) {
			src.files = append(src.files, filepath.Join(dir, f))
		}
	}
	out, err = goTool("list", "-f", `{{range .Imports}}{{println .}}{{end}}`, "./"+plugins+"/"+name)
	if err != nil {
		return nil, err
	}
	out, err = goTool(append([]string{"list", "-f", "{{.Dir}}"}, strings.Fields(string(out))...)...)
	if err != nil {
		return nil, err
	}
	for dir := range strings.Lines(string(out)) {
		dir = strings.TrimSpace(dir)
		raw, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if src.manifest != nil {
			return nil, fmt.Errorf("two of its imports have a manifest.json, one is %s", dir)
		}
		src.described = filepath.Join(dir, "manifest.json")
		if _, err := manifest.Parse(raw); err != nil {
			return nil, fmt.Errorf("%s: %w", src.described, err)
		}
		if src.manifest, err = manifest.Resolve(raw); err != nil {
			return nil, fmt.Errorf("%s: %w", src.described, err)
		}
		src.cases, err = os.ReadFile(filepath.Join(dir, "testdata", "cases.json"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if src.manifest == nil {
		return nil, errors.New("none of its imports has a manifest.json beside its Go files")
	}
	return src, nil
}

// key is a digest of all that goes into the module.
func (s *source) key() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), buildFlags)
	for _, f := range s.files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %x\n", filepath.Base(f), sha256.Sum256(data))
	}
	fmt.Fprintf(h, "%x %x", sha256.Sum256(s.manifest), sha256.Sum256(s.cases))
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (s *source) attach(wasm []byte) ([]byte, error) {
	wasm, err := manifest.WithSection(wasm, abi.SectionManifest, s.manifest)
	if err != nil || s.cases == nil {
		return wasm, err
	}
	return manifest.WithSection(wasm, abi.SectionCases, s.cases)
}

// build compiles a plugin. In place of the manifest's file the compiler gets it
// with its siblings written out: the guest answers byte for byte what stands in
// its custom section, and hosts that don't know of siblings read that too.
func (s *source) build(name string) ([]byte, error) {
	tmp, err := os.MkdirTemp("", "pack")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	out, resolved, overlay := filepath.Join(tmp, name+".wasm"), filepath.Join(tmp, "manifest.json"), filepath.Join(tmp, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {s.described: resolved}})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.WriteFile(resolved, s.manifest, 0o600), os.WriteFile(overlay, replaced, 0o600)); err != nil {
		return nil, err
	}
	args := append(append([]string{"build"}, buildFlags...), "-overlay", overlay, "-o", out, "./"+plugins+"/"+name)
	if _, err := goTool(args...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// goTool runs the go command for guests.
func goTool(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return out, nil
}
