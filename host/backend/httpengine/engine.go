// Package httpengine is the backend for engines that speak the OpenAI chat API over
// HTTP. It always asks for a stream, with usage.
package httpengine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Config says where an engine is and how long to wait for it. A timeout of 0 is
// none. How long it may be silent later on, and how long an answer may take, is
// for the caller's context to say: a *backend.Error as its cause is passed on.
type Config struct {
	// BaseURL is the API's address, up to and with /v1.
	BaseURL string
	// APIKey is sent as a bearer token; "" sends none. It is never logged.
	APIKey  string
	Profile *backend.Profile
	// Completions asks the engine's completions API, with the prompt that the host
	// rendered, in place of its chat API.
	Completions bool

	Connect   time.Duration // until the connection stands
	FirstByte time.Duration // from sending the request to the first event

	// MaxEvent bounds one event of the engine, in bytes; 0 is 16 MiB.
	MaxEvent int
	// OverloadStatus is the engine's status for overload, which passes beside 503;
	// 0 is 529.
	OverloadStatus int
	// Transport wraps what sends the requests; nil leaves it as it is.
	Transport func(http.RoundTripper) http.RoundTripper
}

const (
	defaultMaxEvent = 16 << 20
	maxErrorBody    = 64 << 10
	idleConns       = 256
)

// Backend is one engine.
type Backend struct {
	cfg    Config
	url    string
	client *http.Client
}

// New checks the address; it does not connect.
func New(cfg Config) (*Backend, error) {
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("base_url must be an address such as http://127.0.0.1:8000/v1")
	}
	if cfg.Profile == nil {
		return nil, errors.New("an engine needs a profile")
	}
	if cfg.MaxEvent == 0 {
		cfg.MaxEvent = defaultMaxEvent
	}
	if cfg.OverloadStatus == 0 {
		cfg.OverloadStatus = openai.StatusOverloaded
	}
	var transport http.RoundTripper = &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: cfg.Connect, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: cfg.Connect,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true, // events must not wait in a compressor
		MaxIdleConns:        idleConns,
		MaxIdleConnsPerHost: idleConns,
		IdleConnTimeout:     90 * time.Second,
	}
	if cfg.Transport != nil {
		transport = cfg.Transport(transport)
	}
	path := "chat/completions"
	if cfg.Completions {
		path = "completions"
	}
	return &Backend{
		cfg: cfg,
		url: u.JoinPath(path).String(),
		client: &http.Client{
			Transport: transport,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // a key must not follow to another place
			},
		},
	}, nil
}

// Profile is the engine's profile.
func (b *Backend) Profile() *backend.Profile { return b.cfg.Profile }

// Close lets go of idle connections.
func (b *Backend) Close() { b.client.CloseIdleConnections() }

// Stream sends the request and waits for the engine's status.
func (b *Backend) Stream(ctx context.Context, r *backend.Request) (backend.Stream, error) {
	s := b.newStream(ctx, r)
	if err := s.openResponse(r); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// requestBody is the request for the API that is used.
func (c *Config) requestBody(r *backend.Request) ([]byte, error) {
	if !c.Completions {
		return c.Profile.AppendRequest(nil, r), nil
	}
	return c.Profile.AppendCompletion(nil, r)
}

// openResponse sends the request. The stream's timer already runs.
func (s *stream) openResponse(r *backend.Request) error {
	cfg := &s.backend.cfg
	body, err := cfg.requestBody(r)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.backend.url, bytes.NewReader(body))
	if err != nil {
		return &backend.Error{Status: http.StatusInternalServerError, Code: backend.CodeUnreachable, Message: "the engine's address can't be used", Cause: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+cfg.APIKey)
	}
	if r.ID != "" {
		req.Header.Set("X-Request-Id", r.ID)
	}
	resp, err := s.backend.client.Do(req)
	if err != nil {
		return s.failure(err, "the engine can't be reached", backend.CodeUnreachable)
	}
	s.body = resp.Body
	if resp.StatusCode != http.StatusOK {
		return s.refusal(resp)
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return &backend.Error{Status: http.StatusBadGateway, Code: backend.CodeProtocol,
			Message: "the engine, or a proxy before it, compressed its answer (" + coding + "), which was not asked for: switch that off"}
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "text/event-stream" && kind != "" {
		return s.noStream(resp, kind)
	}
	s.startReading(resp.Body)
	return nil
}

// refusal is the error for a status other than 200.
func (s *stream) refusal(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	e := backend.StatusError(resp.StatusCode, resp.Header, body)
	if resp.StatusCode == s.backend.cfg.OverloadStatus {
		e.Status, e.Code = resp.StatusCode, backend.CodeOverloaded
	}
	if key := s.backend.cfg.APIKey; key != "" {
		e.Said = strings.ReplaceAll(e.Said, key, "[key]")
	}
	return e
}

// noStream is the error for an answer that is not a stream. Some engines report
// an error in this way, with status 200.
func (s *stream) noStream(resp *http.Response, kind string) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if object := backend.ErrorObject(body); object != nil {
		return backend.ReportedError(object)
	}
	return &backend.Error{Status: http.StatusBadGateway, Code: backend.CodeProtocol,
		Message: "the engine answered with " + kind + " where a stream of events was asked for"}
}
