// Command hotswap swaps a parser module a thousand times while fifty streams run
// through it, and prints what became of the streams and of the memory:
//
//	go run ./examples/hotswap
//
// Each swap is the whole of it: the bytes are verified, compiled, run against
// their own cases and the kit's checks, and made live. Each stream says a turn
// with thoughts and calls, with pauses, so that swaps happen in the middle of it;
// it must be, event by event, what it is without any swap.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/registry"
)

// config is what is to be done.
type config struct {
	module  string // a file with a Birch module; "" builds it
	swaps   int
	warm    int // swaps before the memory is first measured
	streams int
	pause   time.Duration // between two pieces of a stream's text
}

func main() {
	c := config{warm: 50, pause: 100 * time.Millisecond}
	flag.StringVar(&c.module, "module", "", "a module with the parser birch; without one, examples/plugins/birch_wasm is built")
	flag.IntVar(&c.swaps, "swaps", 1000, "how often the module is swapped")
	flag.IntVar(&c.streams, "streams", 50, "streams that run at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.swapWhileStreaming(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "hotswap:", err)
		os.Exit(1)
	}
}

// swapWhileStreaming swaps, prints, and gives an error if a stream failed or the
// memory grew by more than a tenth.
func (c *config) swapWhileStreaming(ctx context.Context, out io.Writer) error {
	builds, err := c.twoBuilds()
	if err != nil {
		return err
	}
	cache, err := os.MkdirTemp("", "hotswap")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	r, err := registry.New(ctx, registry.Config{CacheDir: cache, Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		return err
	}
	defer r.Close(context.WithoutCancel(ctx))
	if err := r.Put(ctx, "birch", registry.Change{Binary: builds[1]}); err != nil {
		return err
	}
	undisturbed, err := runStream(ctx, r, 0)
	if err != nil {
		return err
	}
	s := c.startStreams(ctx, r, undisturbed)
	before, after, err := c.swapModules(ctx, r, builds, out)
	s.stopStreams()
	if err != nil {
		return err
	}
	growth := 100 * (float64(after)/float64(before) - 1)
	fmt.Fprintf(out, "swaps %d, streams at a time %d\nstreams finished %d, of them through a swap %d\nfailed streams %d\n",
		c.swaps, c.streams, s.finished.Load(), s.crossed.Load(), s.failed.Load())
	fmt.Fprintf(out, "RSS after %d swaps %.1f MiB, after %d swaps %.1f MiB: %+.1f %%\n", c.warm, toMebibytes(before), c.swaps, toMebibytes(after), growth)
	switch {
	case s.failed.Load() > 0:
		return fmt.Errorf("streams failed; the first: %v", s.first.Load())
	case s.crossed.Load() == 0:
		return errors.New("no stream ran through a swap: that shows nothing")
	case growth > 10:
		return errors.New("the memory grew by more than a tenth")
	}
	return nil
}

func toMebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// twoBuilds gives two builds of the module that differ in nothing but their bytes.
func (c *config) twoBuilds() (builds [2][]byte, err error) {
	binary, err := c.moduleBytes()
	for i := range builds {
		if err == nil {
			builds[i], err = manifest.WithSection(binary, "build", fmt.Append(nil, i))
		}
	}
	return builds, err
}

func (c *config) moduleBytes() ([]byte, error) {
	if c.module != "" {
		return os.ReadFile(c.module)
	}
	dir, err := os.MkdirTemp("", "hotswap")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	const birch = "github.com/turnkey-parsers/turnkey/examples/plugins/birch"
	to := filepath.Join(dir, "birch.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", to, birch+"_wasm")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	binary, err := os.ReadFile(to)
	if err != nil {
		return nil, err
	}
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", birch).Output()
	if err != nil {
		return nil, err
	}
	for section, file := range map[string]string{abi.SectionManifest: "manifest.json", abi.SectionCases: "testdata/cases.json"} {
		content, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), file))
		if err != nil {
			return nil, err
		}
		if binary, err = manifest.WithSection(binary, section, content); err != nil {
			return nil, err
		}
	}
	return binary, nil
}

// swapModules makes the builds live in turn, and gives the memory after the first swaps
// and at the end.
func (c *config) swapModules(ctx context.Context, r *registry.Registry, builds [2][]byte, out io.Writer) (before, after int64, err error) {
	begun := time.Now()
	for n := 1; n <= c.swaps; n++ {
		if err := r.Put(ctx, "birch", registry.Change{Binary: builds[n%2^1]}); err != nil {
			return 0, 0, err
		}
		if n != c.warm && n%100 != 0 && n != c.swaps {
			continue
		}
		took := time.Since(begun) / time.Duration(n)
		after = usedMemory(r)
		if n == c.warm {
			before = after
		}
		fmt.Fprintf(out, "%4d swaps, %v a swap, RSS %.1f MiB\n", n, took.Round(time.Millisecond), toMebibytes(after))
	}
	return before, after, nil
}

// samples is how many measurements a figure is the median of: streams begin and
// end all the time, and with them instances.
const samples = 9

// usedMemory is the process's resident memory while all streams run on the live
// version, without what Go keeps for later. How many versions are draining
// depends on how fast the machine swaps: they are waited for.
func usedMemory(r *registry.Registry) int64 {
	for anyDraining(r) {
		time.Sleep(10 * time.Millisecond)
	}
	var values []int64
	for range samples {
		time.Sleep(50 * time.Millisecond)
		debug.FreeOSMemory()
		values = append(values, residentMemory())
	}
	slices.Sort(values)
	return values[samples/2]
}

func anyDraining(r *registry.Registry) bool {
	m, ok := r.Module("birch")
	return ok && m.Draining > 0
}

func residentMemory() int64 {
	var total, resident int64
	statm, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(statm), &total, &resident)
	}
	if err != nil {
		panic("resident memory can only be read on Linux: " + err.Error())
	}
	return resident * int64(os.Getpagesize())
}

// streams are those that run while the module is swapped.
type streams struct {
	finished, crossed, failed atomic.Int64
	first                     atomic.Value // the first failure
	cancel                    context.CancelFunc
	running                   sync.WaitGroup
}

func (s *streams) stopStreams() {
	s.cancel()
	s.running.Wait()
}

func (c *config) startStreams(ctx context.Context, r *registry.Registry, undisturbed string) *streams {
	s := &streams{}
	ctx, s.cancel = context.WithCancel(ctx)
	for range c.streams {
		s.running.Go(func() {
			for ctx.Err() == nil {
				live := liveDigest(r)
				said, err := runStream(context.WithoutCancel(ctx), r, c.pause)
				if err == nil && said != undisturbed {
					err = fmt.Errorf("said %s, without swaps %s", said, undisturbed)
				}
				if err != nil {
					s.failed.Add(1)
					s.first.CompareAndSwap(nil, err.Error())
				}
				if liveDigest(r) != live {
					s.crossed.Add(1)
				}
				s.finished.Add(1)
			}
		})
	}
	return s
}

// liveDigest tells the live version from others.
func liveDigest(r *registry.Registry) string {
	info, err := r.View().Info("birch")
	if err != nil {
		return ""
	}
	return info.SHA256
}

// turn is what each stream says, piece by piece.
var turn = strings.SplitAfter("<think>The bell, then. Three times, or four?</think>Ringing now: "+
	`<call>ring{"times": 3, "why": "a <b> in a \"string\""}</call> and <call>ring{"times": 4}</call> Done, a < b.`, " ")

// runStream is one stream from its beginning to its end.
func runStream(ctx context.Context, r *registry.Registry, pause time.Duration) (string, error) {
	l, err := r.Lease(ctx, "birch")
	if err != nil {
		return "", err
	}
	defer l.Release()
	var fault *parse.FaultError
	s, events, err := parse.Open(parse.Config{
		Engine: l.Families[0].Unified, Open: abi.OpenBlock{Tools: []string{"ring"}, Flags: abi.OpenReasoning | abi.OpenParallel},
		OnFault: func(e *parse.FaultError) { fault = e },
	})
	if err != nil {
		return "", err
	}
	defer s.Close()
	var said transcript
	said.addEvents(events)
	for _, piece := range turn {
		time.Sleep(pause)
		if events, err = s.Push(piece); err != nil {
			return "", err
		}
		said.addEvents(events)
	}
	if events, err = s.Finish(abi.FinishUnknown); err != nil {
		return "", err
	}
	said.addEvents(events)
	if fault != nil {
		return "", fault
	}
	return said.String(), nil
}

// transcript is what was said: runs of one kind, each behind its kind's number.
type transcript struct {
	strings.Builder
	last abi.Kind
}

func (t *transcript) addEvents(events []parse.CheckedEvent) {
	for _, e := range events {
		if e.Kind == abi.Commit {
			continue
		}
		if e.Kind != t.last || e.Kind > abi.Reasoning && e.Kind != abi.Args {
			fmt.Fprintf(t, "|%d:", e.Kind)
		}
		t.Write(e.Data)
		t.last = e.Kind
	}
}
