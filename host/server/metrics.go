package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// metrics are a server's own: two servers in a process don't share them. The
// label model only ever holds names of the configuration.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	running   *prometheus.GaugeVec
	seconds   *prometheus.HistogramVec
	first     *prometheus.HistogramVec
	chunks    *prometheus.CounterVec
	tokens    *prometheus.CounterVec
	anomalies *prometheus.CounterVec
}

func newMetrics(s *Server) *metrics {
	r := prometheus.NewRegistry()
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "turnkey_" + name, Help: help}, labels)
		r.MustRegister(v)
		return v
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "turnkey_" + name, Help: help,
			Buckets: []float64{.005, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}}, []string{"model", "route"})
		r.MustRegister(v)
		return v
	}
	m := &metrics{
		registry:  r,
		requests:  counter("requests_total", "Requests for answers, by what became of them; status 499: the client left.", "model", "route", "mode", "status"),
		running:   prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "turnkey_requests_running", Help: "Requests being answered."}, []string{"model"}),
		seconds:   histogram("request_seconds", "Time from a request to the end of its answer."),
		first:     histogram("first_chunk_seconds", "Time from a request to the first chunk of its answer."),
		chunks:    counter("chunks_total", "Chunks written to streaming clients.", "model"),
		tokens:    counter("tokens_total", "Generated tokens, by how they were counted.", "model", "counted"),
		anomalies: counter("anomalies_total", "What should not have happened in answers.", "model", "parser", "kind"),
	}
	r.MustRegister(newModuleMetrics(s.registry), m.running, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "turnkey_draining", Help: "1 while the server is stopping."}, func() float64 {
			if s.draining.Load() {
				return 1
			}
			return 0
		}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// streamHooks gives the stream of a model its counters. parser is the family that reads
// the model's calls, or its thoughts.
func (m *metrics) streamHooks(model, parser string) stream.Hooks {
	return stream.Hooks{
		Anomaly: func(kind string, n int) { m.anomalies.WithLabelValues(model, parser, kind).Add(float64(n)) },
		Metrics: func(c chunk.Metrics) {
			if c.ChunkTokens > 0 {
				m.tokens.WithLabelValues(model, c.Counted.String()).Add(float64(c.ChunkTokens))
			}
		},
	}
}

func (m *metrics) countRequest(x *exchange, status int, took time.Duration) {
	if !x.asked {
		return
	}
	m.requests.WithLabelValues(x.model, x.route, x.mode, strconv.Itoa(status)).Inc()
	if x.model == "" {
		return
	}
	m.seconds.WithLabelValues(x.model, x.route).Observe(took.Seconds())
	if x.first > 0 {
		m.first.WithLabelValues(x.model, x.route).Observe(x.first.Seconds())
	}
	m.chunks.WithLabelValues(x.model).Add(float64(x.chunks))
}
