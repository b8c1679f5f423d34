package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"go.uber.org/goleak"

	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/tracing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// upstream is an engine whose answers a test writes itself.
type upstream struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	gone   chan struct{} // gets a value when a request is cancelled
}

// engine answers with answer, which may block: the context ends when the request
// is cancelled or the test is over.
func engine(t *testing.T, answer func(ctx context.Context, w http.ResponseWriter)) *upstream {
	t.Helper()
	u := &upstream{gone: make(chan struct{}, 8)}
	over := make(chan struct{})
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		u.bodies = append(u.bodies, string(body))
		u.mu.Unlock()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		finished := make(chan struct{})
		go func() {
			select {
			case <-r.Context().Done():
				u.gone <- struct{}{}
			case <-over:
				cancel()
			case <-finished:
			}
		}()
		defer close(finished)
		answer(ctx, w)
	}))
	t.Cleanup(func() { close(over); u.Close() })
	return u
}

// requests gives the bodies of the requests so far.
func (u *upstream) requests() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string(nil), u.bodies...)
}

// sends writes lines as events, the end of the stream after them.
func sends(lines ...string) func(context.Context, http.ResponseWriter) {
	return func(_ context.Context, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, lines...)
		event(w, "[DONE]")
	}
}

func event(w http.ResponseWriter, lines ...string) {
	w.(http.Flusher).Flush()
	for _, l := range lines {
		fmt.Fprintf(w, "data: %s\n\n", l)
		w.(http.Flusher).Flush()
	}
}

func text(s string) string {
	return fmt.Sprintf(`{"id":"e","object":"chat.completion.chunk","created":1,"model":"e","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, s)
}

const (
	stopped = `{"id":"e","object":"chat.completion.chunk","created":1,"model":"e","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	used    = `{"id":"e","object":"chat.completion.chunk","created":1,"model":"e","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`
)

// host is a running server.
type host struct {
	*Server
	address string
	log     *buffer
	stop    context.CancelFunc
	served  chan error
}

// buffer is a log that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// serve starts a server for the model m at the engine's address. more is YAML.
func serve(t *testing.T, engine, model, more string) *host {
	t.Helper()
	if !strings.Contains(more, "upstreams:") {
		more += fmt.Sprintf("\nupstreams: [{name: e, base_url: %q, profile: vllm, api_key: upstream-secret}]\n", engine+"/v1")
	}
	if !strings.Contains(more, "models:") {
		more += "models: [{name: m" + model + "}]\n"
	}
	cfg, err := config.Load(config.Sources{Data: []byte("listen: 127.0.0.1:0\n" + more)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.New(t.Context(), registry.Config{Linked: builtin.Modules, Native: true})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, cfg, r)
}

// start starts a server and closes the registry after it.
func start(t *testing.T, cfg *config.Config, r *registry.Registry) *host {
	t.Helper()
	return startWith(t, cfg, r, nil)
}

// startWith is start with spans.
func startWith(t *testing.T, cfg *config.Config, r *registry.Registry, spans *tracing.Tracing) *host {
	t.Helper()
	h := &host{log: &buffer{}, served: make(chan error, 1)}
	var err error
	h.Server, err = New(t.Context(), Options{Config: cfg, Registry: r, Version: "test", Tracing: spans,
		Logger: slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		t.Fatal(err)
	}
	h.address = "http://" + l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() { h.served <- h.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err, ok := <-h.served; ok && err != nil {
			t.Errorf("serving ended with %v", err)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// client is the official one.
func (h *host) client() openai.Client {
	return openai.NewClient(option.WithBaseURL(h.address+"/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}))
}

// post sends body as it stands.
func (h *host) post(t *testing.T, ctx context.Context, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func (h *host) get(t *testing.T, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, h.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, all(t, resp)
}

func all(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	return string(b)
}

// eventually waits for something that happens after the client has its answer, for
// as long as the test program may run: a busy machine decides nothing.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := patience(t); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Errorf("%s: it never came", what)
}

// patience is until when a test may wait for what has to come.
func patience(t *testing.T) time.Time {
	if end, ok := t.Deadline(); ok {
		return end.Add(-10 * time.Second)
	}
	return time.Now().Add(10 * time.Minute)
}

// ask is a request for model m.
func ask(more string) string {
	return `{"model":"m","messages":[{"role":"user","content":"a prompt that is private"}]` + more + `}`
}

const streaming = `,"stream":true`

// readUntil reads the stream until part has come.
func readUntil(t *testing.T, r io.Reader, part string) string {
	t.Helper()
	var got strings.Builder
	b := make([]byte, 512)
	for !strings.Contains(got.String(), part) {
		n, err := r.Read(b)
		got.Write(b[:n])
		if err != nil && !strings.Contains(got.String(), part) {
			t.Fatalf("want %q, got %q and %v", part, got.String(), err)
		}
	}
	return got.String()
}
