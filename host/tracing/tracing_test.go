package tracing

import (
	"context"
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTracingIsOffUnlessAskedFor(t *testing.T) {
	for _, c := range []struct {
		endpoint string
		env      map[string]string
		on       bool
	}{
		{"", nil, false},
		{"http://127.0.0.1:1", nil, true},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, true},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1/v1/traces"}, true},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}, false},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"}, false},
	} {
		spans, err := New(t.Context(), Config{Endpoint: c.endpoint, Environ: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }})
		if err != nil || (spans != nil) != c.on {
			t.Errorf("%q %v: %v %v", c.endpoint, c.env, spans, err)
		}
		if err := spans.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestOffChangesNothing(t *testing.T) {
	var off *Tracing
	mux := http.NewServeMux()
	if off.Handler(mux) != http.Handler(mux) || off.Transport(http.DefaultTransport) != http.DefaultTransport {
		t.Error("something is wrapped")
	}
	Describe(t.Context(), "x")
}
