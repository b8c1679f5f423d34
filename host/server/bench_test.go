package server

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/plugins"
	"github.com/turnkey-parsers/turnkey/wasm"
)

type embedded struct{}

func (embedded) Names() []string                    { return plugins.Names() }
func (embedded) Module(name string) ([]byte, error) { return plugins.Module(name) }

// BenchmarkRequest measures a whole request: an engine on loopback that sends
// 500 chunks at once, the server, and a client that reads them all.
func BenchmarkRequest(b *testing.B) {
	const chunks = 500
	var script bytes.Buffer
	send := func(s string) { fmt.Fprintf(&script, "data: %s\n\n", s) }
	for i := range chunks {
		switch {
		case i == 0:
			send(text("<think>"))
		case i < 200:
			send(text(" the next word"))
		case i == 200:
			send(text("</think>"))
		case i < 400:
			send(text(" and an answer"))
		case i == 400:
			send(text("<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \""))
		case i < chunks-2:
			send(text("value "))
		case i == chunks-2:
			send(text("\"}}\n</tool_call>"))
		default:
			send(stopped)
		}
	}
	send("[DONE]")
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(script.Bytes())
	}))
	defer engine.Close()
	for _, mode := range []string{"wasm", "native", "pass"} {
		b.Run(mode, func(b *testing.B) {
			parser := ", parser: hermes"
			if mode == "pass" {
				parser = ""
			}
			cfg, err := config.Load(config.Sources{Data: fmt.Appendf(nil, "upstreams: [{name: e, base_url: %q}]\nmodels: [{name: m%s}]\n", engine.URL+"/v1", parser)})
			if err != nil {
				b.Fatal(err)
			}
			rc := registry.Config{Embedded: embedded{}, CacheDir: wasm.CacheDir()}
			if mode != "wasm" {
				rc = registry.Config{Linked: builtin.Modules, Native: true}
			} else if len(plugins.Names()) == 0 {
				b.Skip("no modules are built: make modules")
			}
			r, err := registry.New(b.Context(), rc)
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close(b.Context())
			s, err := New(b.Context(), Options{Config: cfg, Registry: r, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			defer s.releaseAll()
			front := httptest.NewServer(s.http.Handler)
			defer front.Close()
			body := ask(streaming + `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}}]`)
			b.ReportAllocs()
			for b.Loop() {
				resp, err := http.Post(front.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if err != nil || n < 10000 {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*chunks), "µs/chunk")
		})
	}
}
