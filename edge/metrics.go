package edge

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast"
)

// kinds of requests, and what their statuses count as. They are labels, so there are
// few of each.
var (
	kinds    = [...]string{"file", "search", "since", "mcp", "hub"}
	statuses = [...]string{"ok", "not_modified", "client_error", "refused", "server_error"}
)

// kindOf returns the index in kinds of a request's path.
func kindOf(path string) int {
	switch {
	case path == reviewcast.PathSearch:
		return 1
	case strings.HasPrefix(path, reviewcast.PathSince):
		return 2
	case isMCP(path):
		return 3
	case path == reviewcast.PathHub:
		return 4
	}
	return 0
}

// statusOf returns the index in statuses of a response's status.
func statusOf(code int) int {
	switch {
	case code == http.StatusNotModified:
		return 1
	case code == http.StatusTooManyRequests:
		return 3
	case code >= 500:
		return 4
	case code >= 400:
		return 2
	}
	return 0
}

// metrics count requests. The nil metrics count nothing.
type metrics struct {
	requests [len(kinds)][len(statuses)]prometheus.Counter
	seconds  [len(kinds)]prometheus.Observer
}

// newMetrics registers the metrics of the public listener.
func newMetrics(to prometheus.Registerer) (*metrics, error) {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "reviewcast", Subsystem: "http", Name: "requests_total",
		Help: "Requests by kind and result; refused is 429."}, []string{"kind", "result"})
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "reviewcast", Subsystem: "http", Name: "request_seconds",
		Help:    "Time to the end of the response, by kind. Slow clients and streams count in full.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .1, .5, 2.5, 10}}, []string{"kind"})
	m := &metrics{}
	for i, kind := range kinds {
		m.seconds[i] = seconds.WithLabelValues(kind)
		for j, status := range statuses {
			m.requests[i][j] = requests.WithLabelValues(kind, status)
		}
	}
	return m, errors.Join(to.Register(requests), to.Register(seconds))
}

func (m *metrics) count(path string, status int, took time.Duration) {
	if m == nil {
		return
	}
	kind := kindOf(path)
	m.requests[kind][statusOf(status)].Inc()
	m.seconds[kind].Observe(took.Seconds())
}
