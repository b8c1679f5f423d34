package wasm

import (
	"log/slog"
)

// Config configures a Runtime. It is immutable: every With method returns a
// changed copy.
type Config struct {
	cacheDir string
	logger   *slog.Logger
	onFault  func(*Fault)
}

// NewConfig returns the default configuration: no cache on disk, slog's default
// logger.
func NewConfig() *Config {
	return &Config{logger: slog.Default()}
}

// WithCacheDir keeps compiled code in dir, so that a module is compiled once a
// machine. The folder is made if it is missing.
func (c *Config) WithCacheDir(dir string) *Config {
	d := *c
	d.cacheDir = dir
	return &d
}

// WithLogger sets where faults and what guests write go. Guests' output is
// logged at debug level, as it may hold what a model said.
func (c *Config) WithLogger(l *slog.Logger) *Config {
	d := *c
	d.logger = l
	return &d
}

// WithOnFault sets a function that is told of every fault of a module, after the
// instance is gone. It must not block.
func (c *Config) WithOnFault(f func(*Fault)) *Config {
	d := *c
	d.onFault = f
	return &d
}
