package mcpserver

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Outcomes of a tool call.
const (
	outcomeOK      = "ok"
	outcomeRefused = "refused" // the result has isError: arguments or names are wrong
	outcomeFailed  = "failed"  // internal error
)

type metrics struct {
	calls   *prometheus.CounterVec // by tool and outcome
	refusal *prometheus.CounterVec // by HTTP status
}

// newMetrics makes metrics and registers them, unless to is nil.
func newMetrics(to prometheus.Registerer, t *sessions) *metrics {
	auto := promauto.With(to)
	opts := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "reviewcast", Subsystem: "mcp", Name: name, Help: help}
	}
	gauge := func(name, help string, value func(totals) int) {
		auto.NewGaugeFunc(prometheus.GaugeOpts(opts(name, help)), func() float64 { return float64(value(t.totals())) })
	}
	gauge("sessions", "Sessions with a stream or subscriptions; others keep nothing in memory.", func(n totals) int { return n.sessions })
	gauge("streams", "Open streams.", func(n totals) int { return n.streams })
	gauge("subscriptions", "Subscriptions of all sessions and streams.", func(n totals) int { return n.subscriptions })
	m := &metrics{
		calls:   auto.NewCounterVec(prometheus.CounterOpts(opts("calls_total", "Tool calls, by tool and outcome.")), []string{"tool", "outcome"}),
		refusal: auto.NewCounterVec(prometheus.CounterOpts(opts("refused_total", "Requests answered with an error, by HTTP status.")), []string{"status"}),
	}
	for _, t := range tools { // a rate doesn't see the first event of a new counter
		for _, outcome := range []string{outcomeOK, outcomeRefused, outcomeFailed} {
			m.calls.WithLabelValues(t.name, outcome)
		}
	}
	return m
}

// annotate adds a tool's name, unless the client made it up, to the access log, if the writer has one.
func annotate(w http.ResponseWriter, t *tool) {
	name := "unknown"
	if t != nil {
		name = t.name
	}
	if a, ok := w.(interface{ Annotate(name, value string) }); ok {
		a.Annotate("tool", name)
	}
}
