package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/process"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// The engines that a command can be told to use.
const (
	engineWasm    = registry.EngineWasm
	engineNative  = registry.EngineNative
	engineProcess = registry.EngineProcess
)

var engines = []string{engineWasm, engineNative, engineProcess}

func checkEngine(name string) error {
	if !slices.Contains(engines, name) {
		return fmt.Errorf("--engine: %q is not one of %s", name, strings.Join(engines, ", "))
	}
	return nil
}

// openRegistry gathers the modules at hand for a command that looks at them or
// runs them. Where strict is set the engine named is the only one; else linked
// parsers fill in for modules that are not there.
func openRegistry(ctx context.Context, engine, dir, cache string, strict bool, log *slog.Logger) (*registry.Registry, error) {
	c := registry.Config{Embedded: embeddedModules{}, Linked: linkedModules(), Dir: dir, Native: engine == engineNative,
		CacheDir: cmp.Or(cache, wasm.CacheDir()), Lenient: true, Logger: log}
	switch {
	case engine == engineProcess:
		var err error
		if c.Processes, err = linkedProcesses(); err != nil {
			return nil, err
		}
		c.Embedded, c.Linked = nil, nil
	case strict && c.Native:
		c.Embedded = nil
	case strict:
		c.Linked = nil
	}
	return registry.New(ctx, c)
}

// configuredRegistry gathers the modules as the configuration says.
func configuredRegistry(ctx context.Context, cfg *config.Config, log *slog.Logger) (*registry.Registry, error) {
	m := &cfg.Modules
	c := registry.Config{
		Embedded: embeddedModules{}, Linked: linkedModules(), Native: cfg.Engine == engineNative,
		Dir: m.Dir, CacheDir: cmp.Or(m.Cache, wasm.CacheDir()), LockFile: m.Lock,
		Poll: m.Poll, Debounce: m.Debounce, Keep: m.Keep,
		Budget: registry.Budget{Faults: m.Faults.Count, Window: m.Faults.Window, Backoff: m.Faults.Backoff, MaxBackoff: m.Faults.MaxBackoff},
		Rules:  map[string]registry.Rule{}, Logger: log,
	}
	shipped, third := m.Limits.Shipped.Over(wasm.Shipped()), m.Limits.ThirdParty.Over(wasm.ThirdParty())
	c.Shipped, c.ThirdParty = &shipped, &third
	for i, text := range m.Keys {
		key, err := registry.ParseKey(text)
		if err != nil {
			return nil, fmt.Errorf("configuration: modules.keys[%d]: %w", i, err)
		}
		c.Keys = append(c.Keys, key)
	}
	for _, r := range m.Rules {
		c.Rules[r.Name] = registry.Rule{Shadow: r.Shadow, Trusted: r.Trust == "shipped", Rollout: registry.Rollout{
			Mode: registry.Mode(r.Rollout), Percent: r.Percent, Faults: r.MaxFaults, Differences: r.MaxDifferences, Promote: r.PromoteAfter}}
	}
	for _, p := range m.Processes {
		var env []string
		for _, e := range p.Env {
			env = append(env, e.Reveal())
		}
		c.Processes = append(c.Processes, registry.Process{Name: p.Name, Config: process.Config{
			Command: p.Command, SHA256: p.SHA256, Env: env, StartTimeout: p.StartTimeout, CallTimeout: p.CallTimeout, Logger: log}})
	}
	return registry.New(ctx, c)
}

// runRegistry looks after the modules until stop is called. A hang-up signal
// makes it read the modules folder again.
func runRegistry(ctx context.Context, r *registry.Registry) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, syscall.SIGHUP)
	done := make(chan struct{}, 2)
	go func() {
		r.Run(ctx)
		done <- struct{}{}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		for {
			select {
			case <-hangUp:
				r.Reload()
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		signal.Stop(hangUp)
		cancel()
		<-done
		<-done
	}
}
