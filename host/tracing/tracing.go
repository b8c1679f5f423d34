// Package tracing sends spans of requests to an OpenTelemetry collector: one for
// each request of a client, one below it for the request to the engine. Spans hold
// what the log holds, never a prompt, an answer or a key.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Config says where spans go.
type Config struct {
	// Endpoint is a collector's address for OTLP over HTTP, such as
	// http://127.0.0.1:4318. Empty leaves it to OTEL_EXPORTER_OTLP_ENDPOINT and
	// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT; where none is given, nothing is traced.
	Endpoint string
	// Environ looks up a variable of the environment; nil: os.LookupEnv. What the
	// OpenTelemetry libraries read themselves (OTEL_SERVICE_NAME,
	// OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS …) is the process's own.
	Environ func(string) (string, bool)
	Version string // the program's
	Logger  *slog.Logger
}

// Tracing makes spans. Nil makes none and costs nothing.
type Tracing struct {
	provider *sdk.TracerProvider
	options  []otelhttp.Option
}

// New prepares the export; it does not connect. The result is nil where tracing
// is off.
func New(ctx context.Context, c Config) (*Tracing, error) {
	var options []otlptracehttp.Option
	switch {
	case c.Endpoint != "":
		endpoint, err := url.JoinPath(c.Endpoint, "v1/traces") // as for the standard variable
		if err != nil {
			return nil, fmt.Errorf("tracing: %w", err)
		}
		options = append(options, otlptracehttp.WithEndpointURL(endpoint))
	case !c.isAskedFor():
		return nil, nil
	}
	if c.Logger != nil {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { c.Logger.Warn("spans are not delivered", "error", err) }))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "turnkey"), attribute.String("service.version", c.Version)),
		resource.WithFromEnv()) // the last wins
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	return newTracing(sdk.WithBatcher(exporter), sdk.WithResource(about)), nil
}

// isAskedFor says whether the standard variables ask for tracing.
func (c *Config) isAskedFor() bool {
	look := c.Environ
	if look == nil {
		look = os.LookupEnv
	}
	get := func(name string) string { v, _ := look(name); return v }
	if get("OTEL_SDK_DISABLED") == "true" || get("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return get("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

func newTracing(options ...sdk.TracerProviderOption) *Tracing {
	t := &Tracing{provider: sdk.NewTracerProvider(options...)}
	t.options = []otelhttp.Option{
		otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithPropagators(propagation.TraceContext{}),
	}
	return t
}

// Close sends what is waiting and ends the export.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Handler makes a span of each request. A caller's traceparent is continued.
func (t *Tracing) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return otelhttp.NewHandler(next, "request", t.options...)
}

// Transport makes a span of each request to an engine, which is told of it.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return otelhttp.NewTransport(next, t.options...)
}

// Describe names the span of a request and adds what became of it.
func Describe(ctx context.Context, name string, attributes ...attribute.KeyValue) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetName(name)
	span.SetAttributes(attributes...)
}
