package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/server"
)

// serverFlags say which server an administrator talks to.
type serverFlags struct{ url, keyEnv string }

// upload is a version of a module that is sent to a server.
type upload struct {
	binary, signature []byte
	shadow            bool
	match             string
	flags             *pflag.FlagSet // those of the rollout
}

func modulePath(name string) string { return "/admin/modules/" + url.PathEscape(name) }

// rolloutQuery gives the rollout's parameters, where they were set.
func (p *upload) rolloutQuery() string {
	q := url.Values{}
	for _, name := range []string{"rollout", "percent", "max-faults", "max-differences", "promote-after"} {
		if f := p.flags.Lookup(name); f.Changed {
			q.Set(strings.ReplaceAll(name, "-", "_"), f.Value.String())
		}
	}
	if p.shadow {
		q.Set("shadow", "true")
	}
	return q.Encode()
}

// putModule gives the server a version of the module called name.
func (s *serverFlags) putModule(ctx context.Context, name string, p *upload) (*registry.Module, error) {
	header, err := s.matchHeader(ctx, name, p.match)
	if err != nil {
		return nil, err
	}
	if len(p.signature) == 64 {
		p.signature = []byte(base64.StdEncoding.EncodeToString(p.signature))
	}
	if len(p.signature) > 0 {
		header.Set("X-Turnkey-Signature", string(bytes.TrimSpace(p.signature)))
	}
	var m registry.Module
	_, err = s.sendRequest(ctx, http.MethodPut, modulePath(name)+"?"+p.rolloutQuery(), header, p.binary, &m)
	return &m, err
}

// changeModule makes a change without a body. The module is nil where it is gone.
func (s *serverFlags) changeModule(ctx context.Context, method, name, action, match string) (*registry.Module, error) {
	header, err := s.matchHeader(ctx, name, match)
	if err != nil {
		return nil, err
	}
	var m registry.Module
	status, err := s.sendRequest(ctx, method, modulePath(name)+action, header, nil, &m)
	if err != nil || status == http.StatusNoContent {
		return nil, err
	}
	return &m, nil
}

// matchHeader makes a change depend on the state that the module has now, or on
// the one that the administrator says.
func (s *serverFlags) matchHeader(ctx context.Context, name, match string) (http.Header, error) {
	h := http.Header{}
	if match != "" {
		h.Set("If-Match", `"`+strings.Trim(match, `"`)+`"`)
		return h, nil
	}
	var list server.ModuleList
	if err := s.getJSON(ctx, "/admin/modules", &list); err != nil {
		return nil, err
	}
	for _, m := range list.Modules {
		if m.Name == name && !m.BuiltIn {
			h.Set("If-Match", `"`+m.ETag+`"`)
			return h, nil
		}
	}
	h.Set("If-None-Match", "*")
	return h, nil
}

func (s *serverFlags) getJSON(ctx context.Context, path string, into any) error {
	_, err := s.sendRequest(ctx, http.MethodGet, path, nil, nil, into)
	return err
}

// sendRequest sends a request and reads the answer. The key goes to the server only, in a
// header.
func (s *serverFlags) sendRequest(ctx context.Context, method, path string, header http.Header, body []byte, into any) (status int, err error) {
	if s.url == "" {
		return 0, errors.New("--server is needed: the address of a running server")
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(s.url, "/")+path, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("--server: %w", err)
	}
	if header != nil {
		r.Header = header
	}
	key := os.Getenv(s.keyEnv)
	if key == "" {
		return 0, fmt.Errorf("--key-env: the environment variable %s is not set; it holds the server's admin.key", s.keyEnv)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return resp.StatusCode, refusalError(resp.StatusCode, answer)
	}
	if len(answer) == 0 {
		return resp.StatusCode, nil
	}
	return resp.StatusCode, json.Unmarshal(answer, into)
}

// refusalError makes an error of the server's error object.
func refusalError(status int, answer []byte) error {
	var e struct {
		Error struct{ Message, Code string }
	}
	if json.Unmarshal(answer, &e) != nil || e.Error.Message == "" {
		return fmt.Errorf("the server answers %d %s", status, http.StatusText(status))
	}
	if e.Error.Code == "no_such_endpoint" {
		return errors.New("the server has no admin endpoints: it needs admin.key in its configuration")
	}
	return fmt.Errorf("the server refuses: %s (%d)", e.Error.Message, status)
}
