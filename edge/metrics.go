package edge

import (
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"reviewcast"
)

func kindOf(path string) string {
	switch {
	case path == reviewcast.PathSearch:
		return "search"
	case strings.HasPrefix(path, reviewcast.PathSince):
		return "since"
	case isMCP(path):
		return "mcp"
	case path == reviewcast.PathHub:
		return "hub"
	}
	return "file"
}

func resultOf(code int) string {
	switch {
	case code == http.StatusNotModified:
		return "not_modified"
	case code == http.StatusTooManyRequests:
		return "refused"
	case code >= 500:
		return "server_error"
	case code >= 400:
		return "client_error"
	}
	return "ok"
}

// metrics count requests.
type metrics struct {
	requests map[string]map[string]prometheus.Counter // by kind and result
	seconds  map[string]prometheus.Observer           // by kind
}

// newMetrics makes metrics and registers them, unless to is nil.
func newMetrics(to prometheus.Registerer) *metrics {
	auto := promauto.With(to)
	requests := auto.NewCounterVec(prometheus.CounterOpts{Namespace: "reviewcast", Subsystem: "http", Name: "requests_total",
		Help: "Requests by kind and result; refused is 429."}, []string{"kind", "result"})
	seconds := auto.NewHistogramVec(prometheus.HistogramOpts{Namespace: "reviewcast", Subsystem: "http", Name: "request_seconds",
		Help:    "Time to the end of the response, by kind. Slow clients and streams count in full.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .1, .5, 2.5, 10}}, []string{"kind"})
	m := &metrics{map[string]map[string]prometheus.Counter{}, map[string]prometheus.Observer{}}
	for _, kind := range []string{"file", "search", "since", "mcp", "hub"} { // a rate doesn't see the first event of a new counter
		m.requests[kind], m.seconds[kind] = map[string]prometheus.Counter{}, seconds.WithLabelValues(kind)
		for _, result := range []string{"ok", "not_modified", "client_error", "refused", "server_error"} {
			m.requests[kind][result] = requests.WithLabelValues(kind, result)
		}
	}
	return m
}

func (m *metrics) count(kind string, status int, took time.Duration) {
	m.requests[kind][resultOf(status)].Inc()
	m.seconds[kind].Observe(took.Seconds())
}
