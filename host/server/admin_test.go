package server

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

const withKey = "admin: {key: admin-secret}\n"

// do sends a request with the administrator's key. header is names and values.
func (h *host) do(t *testing.T, method, path string, body []byte, header ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, h.address+path, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer admin-secret")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, all(t, resp), resp.Header
}

// mine is a module of the operator's.
func mine(version string) wasmtest.Guest { return wasmtest.Guest{Version: version} }

func TestAdministratorsNeedTheKey(t *testing.T) {
	u := engine(t, sends(stopped))
	off := serve(t, u.URL, "", "")
	if status, body, _ := off.do(t, "GET", "/admin/modules", nil); status != http.StatusNotFound || !strings.Contains(body, "no_such_endpoint") {
		t.Errorf("without a key in the configuration: %d %s", status, body)
	}
	on := serve(t, u.URL, "", withKey)
	for _, header := range []string{"", "Bearer ", "Bearer wrong", "admin-secret", "Basic admin-secret", "Bearer admin-secretx"} {
		status, body, h := on.do(t, "GET", "/admin/modules", nil, "Authorization", header)
		if status != http.StatusUnauthorized || strings.Contains(body, "secret") || h.Get("WWW-Authenticate") == "" {
			t.Errorf("%q: %d %s", header, status, body)
		}
	}
	if status, _, _ := on.do(t, "GET", "/admin/modules", nil); status != http.StatusOK {
		t.Errorf("with the key: %d", status)
	}
	if l := on.log.String(); strings.Contains(l, "admin-secret") || strings.Contains(l, "wrong") {
		t.Errorf("keys are in the log: %s", l)
	}
}

// TestModulesOverHTTP goes through a module's life.
func TestModulesOverHTTP(t *testing.T) {
	h := serve(t, engine(t, sends(stopped)).URL, "", withKey)
	const path = "/admin/modules/mine"
	one, two := mine("1.0.0").Bytes(), mine("2.0.0").Bytes()
	etag := ""
	for i, step := range []struct {
		method, path string
		body         []byte
		header       []string
		status       int
		want         string // in the answer
	}{
		{"GET", path, nil, nil, 404, "module_not_found"},
		{"PUT", path, one, nil, 428, "If-Match"},
		{"PUT", path, one, []string{"If-Match", `"x"`}, 412, "changed"},
		{"PUT", path, one, []string{"If-None-Match", `"x"`}, 400, "can only be *"},
		{"PUT", path, one, []string{"If-None-Match", "*"}, 201, `"version":"1.0.0"`},
		{"PUT", path, one, []string{"If-None-Match", "*"}, 412, "changed"},
		{"PUT", path, two, []string{"If-Match", `"old", W/"x"`}, 412, "changed"},
		{"PUT", path, two, []string{"If-Match", "ETAG"}, 200, `"version":"2.0.0"`},
		{"GET", path, nil, nil, 200, `"previous":[{"version":"1.0.0"`},
		{"GET", "/admin/modules", nil, nil, 200, `"refused":[]`},
		{"POST", path + "/rollback", nil, nil, 428, "If-Match"},
		{"POST", path + "/rollback", nil, []string{"If-Match", "ETAG"}, 200, `"live":{"version":"1.0.0"`},
		{"POST", path + "/rollback", nil, []string{"If-Match", "*"}, 409, "nothing_to_change"},
		{"PUT", path + "?rollout=canary&percent=5&promote_after=9", two, []string{"If-Match", "*"}, 200, `"mode":"canary","percent":5`},
		{"POST", path + "/promote", nil, []string{"If-Match", "ETAG"}, 200, `"live":{"version":"2.0.0"`},
		{"PUT", path + "?rollout=canary&percent=0", one, []string{"If-Match", "*"}, 400, "1 to 100 percent"},
		{"PUT", path + "?rollout=soon", one, []string{"If-Match", "*"}, 400, "live, shadow or canary"},
		{"PUT", path + "?percent=x", one, []string{"If-Match", "*"}, 400, "whole number"},
		{"PUT", path + "?shadow=x", one, []string{"If-Match", "*"}, 400, "true or false"},
		{"PUT", path + "?colour=red", one, []string{"If-Match", "*"}, 400, "no parameter"},
		{"PUT", path, []byte("no module"), []string{"If-Match", "*"}, 422, "module_refused_manifest"},
		{"PUT", "/admin/modules/yours", one, []string{"If-None-Match", "*"}, 409, "calls it mine"},
		{"PUT", "/admin/modules/hermes", wasmtest.Guest{Module: "hermes"}.Bytes(), []string{"If-None-Match", "*"}, 409, "shadow: true"},
		{"GET", "/admin/modules/hermes", nil, nil, 200, `"built_in":true`},
		{"DELETE", path, nil, nil, 428, "If-Match"},
		{"DELETE", path, nil, []string{"If-Match", "ETAG"}, 204, ""},
		{"DELETE", path, nil, []string{"If-Match", "*"}, 412, "changed"},
		{"POST", path + "/promote", nil, []string{"If-None-Match", "*"}, 404, "module_not_found"},
	} {
		for n, v := range step.header {
			if v == "ETAG" {
				step.header[n] = etag
			}
		}
		status, body, header := h.do(t, step.method, step.path, step.body, step.header...)
		if status != step.status || !strings.Contains(body, step.want) {
			t.Errorf("step %d, %s %s: %d %s, want %d %s", i, step.method, step.path, status, body, step.status, step.want)
		}
		if tag := header.Get("ETag"); tag != "" {
			etag = tag
		}
	}
}

// told gives what the server says of the model m.
func (h *host) told(t *testing.T) (o modelObject) {
	t.Helper()
	_, body := h.get(t, "/v1/models/m")
	if err := json.Unmarshal([]byte(body), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestASwapUnderAStream swaps the parser of a model that is being asked.
func TestASwapUnderAStream(t *testing.T) {
	more := make(chan struct{})
	u := engine(t, func(ctx context.Context, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, text("one "))
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
		event(w, text("two"), stopped, "[DONE]")
	})
	h := serve(t, u.URL, ", parser: hermes", withKey)
	before := h.told(t)
	running := h.post(t, t.Context(), ask(streaming), headerDebug, "1")
	got := readUntil(t, running.Body, "one ")
	thinker := wasmtest.Guest{Module: "hermes", Version: "9.0.0", Says: abi.Reasoning}
	status, body, _ := h.do(t, "PUT", "/admin/modules/hermes?shadow=true", thinker.Bytes(), "If-None-Match", "*")
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	if m := h.told(t).Turnkey.Modules; len(m) != 1 || m[0].Version != "9.0.0" || m[0].Engine != "wasm" || len(m[0].SHA256) != 64 {
		t.Errorf("the model's modules: %+v", m)
	}
	if got := running.Header.Get("X-Turnkey-Module"); !strings.HasPrefix(got, "hermes@1.0.0 native") {
		t.Errorf("the running stream's module: %s", got)
	}
	close(more)
	got += all(t, running)
	if strings.Contains(got, "reasoning_content") || !strings.Contains(got, `"content":"two"`) || !strings.Contains(got, "[DONE]") {
		t.Errorf("the running stream: %s", got)
	}
	fresh := h.post(t, t.Context(), ask(streaming), headerDebug, "1")
	if got := all(t, fresh); !strings.Contains(got, `"reasoning_content":"two"`) || !strings.HasPrefix(fresh.Header.Get("X-Turnkey-Module"), "hermes@9.0.0 wasm sha256:") {
		t.Errorf("a new stream: %s %v", got, fresh.Header)
	}
	if _, metrics := h.get(t, "/metrics"); !strings.Contains(metrics, `turnkey_module_swaps_total{module="hermes"} 1`) ||
		!strings.Contains(metrics, `version="9.0.0"} 1`) {
		t.Errorf("metrics: %s", metrics)
	}
	if status, body, _ := h.do(t, "DELETE", "/admin/modules/hermes", nil, "If-Match", "*"); status != http.StatusOK || !strings.Contains(body, `"built_in":true`) {
		t.Errorf("%d %s", status, body)
	}
	if after := h.told(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("after: %v, before: %v", after, before)
	}
}

// A change that a served model can't take is refused.
func TestAServedModelKeepsItsParsers(t *testing.T) {
	h := serve(t, engine(t, sends(stopped)).URL, ", parser: hermes, parser_version: 1", withKey)
	status, body, _ := h.do(t, "PUT", "/admin/modules/hermes?shadow=true", wasmtest.Guest{Module: "hermes"}.Bytes(), "If-None-Match", "*")
	if status != http.StatusConflict || !strings.Contains(body, "model m: ") || !strings.Contains(body, "module_refused_models") {
		t.Errorf("a version without what parser_version 1 needs: %d %s", status, body)
	}
}

func TestTheParserThatSuggestsItself(t *testing.T) {
	h := serve(t, engine(t, sends(text("hi"), stopped)).URL, "", withKey+"models: [{name: Kimi-K2-Instruct, parser: auto}]\n")
	if _, body := h.get(t, "/v1/models/Kimi-K2-Instruct"); !strings.Contains(body, `"tool_parser":"kimi_k2"`) {
		t.Errorf("got %s", body)
	}
	status, body, _ := h.do(t, "PUT", "/admin/modules/mine", wasmtest.Guest{Models: "(?i)kimi"}.Bytes(), "If-None-Match", "*")
	if status != http.StatusConflict || !strings.Contains(body, "2 parsers suggest themselves for the model") {
		t.Errorf("a second one: %d %s", status, body)
	}
	cfg, err := config.Load(config.Sources{Data: []byte("upstreams: [{name: e, kind: replay}]\nmodels: [{name: nothing-known, parser: auto}]\n")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), Options{Config: cfg, Registry: h.registry}); err == nil || !strings.Contains(err.Error(), "no parser suggests itself") {
		t.Errorf("got %v", err)
	}
}

func TestTrialsInMetrics(t *testing.T) {
	h := serve(t, engine(t, sends(text("one"), stopped)).URL, ", parser: hermes", withKey)
	status, body, _ := h.do(t, "PUT", "/admin/modules/hermes?shadow=true&rollout=shadow", wasmtest.Guest{Module: "hermes", Says: abi.Reasoning}.Bytes(), "If-None-Match", "*")
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	if got := all(t, h.post(t, t.Context(), ask(streaming))); !strings.Contains(got, `"content":"one"`) || strings.Contains(got, "reasoning") {
		t.Errorf("a shadow was sent: %s", got)
	}
	eventually(t, "the comparison", func() bool {
		_, metrics := h.get(t, "/metrics")
		return strings.Contains(metrics, `turnkey_module_trial_differences_total{module="hermes"} 1`) && strings.Contains(metrics, `state="shadow"`)
	})
}

func TestUnsignedModulesOverHTTP(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	small := wasm.ThirdParty()
	small.ModuleBytes = 4096
	cfg, err := config.Load(config.Sources{Data: []byte(withKey + "upstreams: [{name: e, kind: replay}]\nmodels: [{name: m}]\n")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.New(t.Context(), registry.Config{Keys: []ed25519.PublicKey{public}, Shipped: &small, ThirdParty: &small})
	if err != nil {
		t.Fatal(err)
	}
	h := start(t, cfg, r)
	binary := mine("1.0.0").Bytes()
	if status, body, _ := h.do(t, "PUT", "/admin/modules/mine", binary, "If-None-Match", "*"); status != http.StatusUnprocessableEntity || !strings.Contains(body, "not signed") {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := h.do(t, "PUT", "/admin/modules/mine", make([]byte, 4097), "If-None-Match", "*"); status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "modules.limits") {
		t.Errorf("%d %s", status, body)
	}
	signature := base64.StdEncoding.EncodeToString(ed25519.Sign(private, binary))
	if status, body, _ := h.do(t, "PUT", "/admin/modules/mine", binary, "If-None-Match", "*", headerSignature, signature); status != http.StatusCreated {
		t.Errorf("%d %s", status, body)
	}
}
