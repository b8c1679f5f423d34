// Package process runs parsers as child processes (sdk/process serves them), for
// parsers that can't be WebAssembly modules. Sessions and events are the same as
// a module's.
package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/sdk/process"
)

// Config says what to run.
type Config struct {
	// Command is the executable and its arguments.
	Command []string
	// SHA256 is the executable's digest in hexadecimal. It is not started if its
	// file has another.
	SHA256 string
	// Env is the whole environment of the process, KEY=VALUE.
	Env []string
	// StartTimeout bounds the start; 0 is 10 s.
	StartTimeout time.Duration
	// CallTimeout bounds each answer; 0 is 2 s. A process that does not answer in
	// time is killed: it may be in a loop.
	CallTimeout time.Duration
	// ReplayBytes is how much of a session's text is kept, so that the session can
	// go on in a new process when another one's fault ended this; 0 is 4 MiB. A
	// session with more text than that ends with the process.
	ReplayBytes int
	// Logger gets what the process writes to its standard error.
	Logger *slog.Logger
}

// records makes a call carry ABI records. go-plugin's own calls on the same
// connection carry protocol buffers.
var records = grpc.CallContentSubtype(process.Codec)

// Process is a parser process. Where it has died, the next call into it starts it
// again. It may be used by many goroutines.
type Process struct {
	cfg      Config
	manifest *manifest.Manifest

	mu      sync.Mutex
	current *processRun
	closed  bool
}

// processRun is one life of the process.
type processRun struct {
	client *plugin.Client
	conn   *grpc.ClientConn
}

// ErrClosed is the error of a Process that was closed.
var ErrClosed = errors.New("the parser process is closed")

// Fault is the end of a session by its process: it crashed, hung, or answered
// nonsense.
type Fault struct {
	Module string
	Call   string // open | push | finish
	Err    error
}

// Error names the module and the call.
func (f *Fault) Error() string {
	return fmt.Sprintf("parser process %s: %s: %v", f.Module, f.Call, f.Err)
}

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Start runs the process and reads its manifest.
func Start(ctx context.Context, cfg Config) (*Process, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("parser process: no command")
	}
	if cfg.StartTimeout == 0 {
		cfg.StartTimeout = 10 * time.Second
	}
	if cfg.CallTimeout == 0 {
		cfg.CallTimeout = 2 * time.Second
	}
	if cfg.ReplayBytes == 0 {
		cfg.ReplayBytes = 4 << 20
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Process{cfg: cfg}
	r, err := p.currentRun()
	if err != nil {
		return nil, err
	}
	data, err := p.callUnary(ctx, r, process.MethodManifest, nil)
	if err == nil {
		p.manifest, err = manifest.Parse(data)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("parser process %s: manifest: %w", cfg.Command[0], err)
	}
	return p, nil
}

// Manifest is the manifest that the process answered when it was started first.
func (p *Process) Manifest() *manifest.Manifest { return p.manifest }

// Close ends the process and all of its sessions.
func (p *Process) Close() {
	p.mu.Lock()
	last := p.current
	p.current, p.closed = nil, true
	p.mu.Unlock()
	if last != nil {
		last.client.Kill()
	}
}

// currentRun gives the running process, and starts it again if it died.
func (p *Process) currentRun() (*processRun, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if p.current != nil && !p.current.client.Exited() {
		return p.current, nil
	}
	if p.current != nil {
		p.cfg.Logger.Warn("a parser process died and is started again", "command", p.cfg.Command[0])
		p.current.client.Kill()
	}
	config, err := p.clientConfig()
	if err != nil {
		return nil, err
	}
	client := plugin.NewClient(config)
	conn, err := dispenseConn(client)
	if err != nil {
		client.Kill()
		return nil, fmt.Errorf("parser process %s: start: %w", p.cfg.Command[0], err)
	}
	p.current = &processRun{client, conn}
	return p.current, nil
}

// dispenseConn gives the connection of a client that go-plugin has started.
func dispenseConn(client *plugin.Client) (*grpc.ClientConn, error) {
	protocol, err := client.Client()
	if err != nil {
		return nil, err
	}
	raw, err := protocol.Dispense(process.PluginName)
	if err != nil {
		return nil, err
	}
	return raw.(*grpc.ClientConn), nil
}

// clientConfig says how go-plugin starts the process, and which file it may start.
func (p *Process) clientConfig() (*plugin.ClientConfig, error) {
	cmd := exec.Command(p.cfg.Command[0], p.cfg.Command[1:]...)
	cmd.Env = append([]string{}, p.cfg.Env...) // never the host's own: it may hold keys
	config := &plugin.ClientConfig{
		HandshakeConfig:  process.Handshake,
		Plugins:          plugin.PluginSet{process.PluginName: &process.Plugin{}},
		Cmd:              cmd,
		SkipHostEnv:      true,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		StartTimeout:     p.cfg.StartTimeout,
		Logger:           hclog.New(&hclog.LoggerOptions{Output: &lineLogger{p.cfg.Logger, p.cfg.Command[0]}, Level: hclog.Warn}),
		GRPCDialOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(process.MaxFrame), grpc.MaxCallSendMsgSize(process.MaxFrame))},
	}
	if p.cfg.SHA256 == "" {
		return config, nil
	}
	digest, err := hex.DecodeString(p.cfg.SHA256)
	if err != nil || len(digest) != sha256.Size {
		return nil, fmt.Errorf("parser process %s: sha256 is not 64 hexadecimal digits", p.cfg.Command[0])
	}
	config.SecureConfig = &plugin.SecureConfig{Checksum: digest, Hash: sha256.New()}
	return config, nil
}

// Constraint asks for the constraint of a request; nil where there is none.
func (p *Process) Constraint(ctx context.Context, s *abi.OpenBlock) ([]byte, error) {
	r, err := p.currentRun()
	if err != nil {
		return nil, err
	}
	return p.callUnary(ctx, r, process.MethodConstraint, abi.AppendOpen(nil, s))
}

// callUnary makes a call that belongs to no session.
func (p *Process) callUnary(ctx context.Context, r *processRun, method string, in process.Frame) (process.Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.CallTimeout)
	defer cancel()
	var out process.Frame
	if err := r.conn.Invoke(ctx, method, &in, &out, records); err != nil {
		return nil, err
	}
	return out, nil
}

// lineLogger hands what the process writes on to the host's log.
type lineLogger struct {
	log     *slog.Logger
	command string
}

// Write logs what hclog writes: a line at a time.
func (l *lineLogger) Write(b []byte) (int, error) {
	l.log.Warn("parser process", "command", l.command, "says", string(b))
	return len(b), nil
}

var _ io.Writer = (*lineLogger)(nil)
