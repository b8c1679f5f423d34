package server

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/tracing"
)

// collect is a collector of spans.
func collect(t *testing.T) (address string, spans func() []*otlp.Span) {
	t.Helper()
	var mu sync.Mutex
	var got []*otlp.Span
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(r.Body)
		}
		raw, _ := io.ReadAll(body)
		var request collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(raw, &request); err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				got = append(got, scope.Spans...)
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []*otlp.Span {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// TestTracing: a request is a span that continues its caller's trace, the request
// to the engine is one below it, the stream still streams, and nothing of what was
// said is in any span.
func TestTracing(t *testing.T) {
	address, spans := collect(t)
	spanner, err := tracing.New(t.Context(), tracing.Config{Endpoint: address, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	traceparent := make(chan string, 1)
	goOn := make(chan struct{})
	u := engine(t, nil)
	u.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traceparent <- r.Header.Get("traceparent")
		event(w, text("said in confidence"))
		<-goOn
		sends(stopped)(r.Context(), w)
	})
	cfg, err := config.Load(config.Sources{Data: []byte("listen: 127.0.0.1:0\nmodels: [{name: m, parser: hermes}]\nupstreams: [{name: e, api_key: upstream-secret, base_url: '" + u.URL + "/v1'}]")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.New(t.Context(), registry.Config{Linked: builtin.Modules, Native: true})
	if err != nil {
		t.Fatal(err)
	}
	h := startWith(t, cfg, r, spanner)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	resp := h.post(t, t.Context(), ask(streaming), "traceparent", "00-"+trace+"-00f067aa0ba902b7-01", "Authorization", "Bearer client-secret")
	readUntil(t, resp.Body, "said in confidence") // before the engine goes on
	close(goOn)
	all(t, resp)
	if got := <-traceparent; !strings.Contains(got, trace) {
		t.Errorf("the engine was told %q", got)
	}
	eventually(t, "the request has ended", func() bool { return h.running.Load() == 0 && strings.Contains(h.log.String(), "msg=request") })
	if err := spanner.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	names := map[string]*otlp.Span{}
	for _, s := range spans() {
		names[s.Name] = s
		for _, private := range []string{"confidence", "private", "secret"} {
			if strings.Contains(s.String(), private) {
				t.Errorf("%q is in %v", private, s)
			}
		}
	}
	request, below := names["POST /v1/chat/completions"], names["HTTP POST"]
	if request == nil || below == nil || len(names) != 2 {
		t.Fatalf("got %v", spans())
	}
	if string(below.ParentSpanId) != string(request.SpanId) {
		t.Errorf("%v is not below %v", below, request)
	}
	for _, want := range []attribute.KeyValue{attribute.String("turnkey.model", "m"), attribute.String("turnkey.route", "unified"), attribute.String("turnkey.mode", "stream")} {
		found := false
		for _, a := range request.Attributes {
			found = found || a.Key == string(want.Key) && a.Value.GetStringValue() == want.Value.AsString()
		}
		if !found {
			t.Errorf("%v is not in %v", want, request)
		}
	}
}
