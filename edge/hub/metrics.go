package hub

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

type metrics struct {
	requests      *prometheus.CounterVec // by result
	verifications *prometheus.CounterVec // by mode and result
	deliveries    *prometheus.CounterVec // by outcome
	latency       prometheus.Histogram
	changes       *prometheus.CounterVec // by topic
	expired       prometheus.Counter
}

// newMetrics registers the counters with all their labels: a rate doesn't see the first
// event of a counter that starts with it.
func newMetrics(origin string, to prometheus.Registerer) *metrics {
	auto := promauto.With(to)
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "reviewcast", Subsystem: "hub", Name: name, Help: help}
	}
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(counter(name, help), labels)
	}
	m := &metrics{
		requests:      vec("requests_total", "Requests to the hub by result: accepted or refused.", "result"),
		verifications: vec("handshakes_total", "Verifications and denials by mode and result.", "mode", "result"),
		deliveries:    vec("deliveries_total", "Deliveries by outcome: delivered, failed, gone, denied, released, postponed.", "outcome"),
		changes:       vec("changes_total", "Changes of a topic.", "topic"),
		expired:       auto.NewCounter(counter("expired_total", "Subscriptions whose lease has ended.")),
		latency: auto.NewHistogram(prometheus.HistogramOpts{Namespace: "reviewcast", Subsystem: "hub", Name: "delivery_seconds",
			Help: "Duration of successful deliveries.", Buckets: []float64{.005, .02, .05, .1, .25, .5, 1, 2, 5, 10, 30}}),
	}
	for _, result := range []string{"accepted", "refused"} {
		m.requests.WithLabelValues(result)
	}
	for _, mode := range modes {
		for _, result := range []string{"confirmed", "refused", "postponed", "replaced"} {
			m.verifications.WithLabelValues(mode, result)
		}
	}
	for _, outcome := range outcomes {
		m.deliveries.WithLabelValues(outcome.label)
	}
	m.deliveries.WithLabelValues("postponed")
	for _, path := range reviewcast.Topics {
		m.changes.WithLabelValues(origin + path)
	}
	return m
}

var modes = []string{store.ModeSubscribe, store.ModeUnsubscribe, store.ModeDenied}

// outcomes are the labels of deliveries, and how they are logged.
var outcomes = map[store.Verdict]struct {
	label   string
	level   slog.Level
	message string
}{
	store.Delivered: {"delivered", slog.LevelDebug, "delivered"},
	store.Failed:    {"failed", slog.LevelWarn, "delivery failed"},
	store.Gone:      {"gone", slog.LevelInfo, "subscriber answered 410; subscription removed"},
	store.Denied:    {"denied", slog.LevelWarn, "delivery failed for the last time; subscription removed"},
	store.Released:  {"released", slog.LevelDebug, "delivery released"},
}

// observe counts and logs the outcome of a delivery.
func (h *Hub) observe(d *delivery, o store.Outcome, took time.Duration) {
	as := outcomes[o.Verdict]
	h.metrics.deliveries.WithLabelValues(as.label).Inc()
	if o.Verdict == store.Delivered {
		h.metrics.latency.Observe(took.Seconds())
	}
	log := h.Logger.With("delivery", fmt.Sprintf("%d.%d.%d", d.ID, d.Version, d.Failures+1), "topic", d.Topic, "endpoint", d.Endpoint, "took", took.Round(time.Millisecond))
	if o.Error != "" {
		log = log.With("error", o.Error)
	}
	if o.Verdict == store.Failed {
		log = log.With("next", o.Next.UTC().Format(time.RFC3339))
	}
	log.Log(context.Background(), as.level, as.message)
}

// state collects metrics from the store and the scheduler when it is scraped.
type state struct{ hub *Hub }

// Describe implements [prometheus.Collector]. Without the state some metrics are missing.
func (s state) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (s state) Collect(to chan<- prometheus.Metric) {
	type labels = prometheus.Labels
	gauge := func(name string, v float64, help string, l labels) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("reviewcast_hub_"+name, help, nil, l), prometheus.GaugeValue, v)
	}
	now := time.Now()
	l := s.hub.scheduler.load()
	inFlight := "Deliveries in flight by lane: fast (normal slots) or slow (slow slots)."
	gauge("deliveries_in_flight", float64(l.normal), inFlight, labels{"lane": "fast"})
	gauge("deliveries_in_flight", float64(l.slow), inFlight, labels{"lane": "slow"})
	gauge("deliveries_claimed", float64(l.queued), "Claimed deliveries that wait for a slot.", nil)
	gauge("breakers_open", float64(l.openBreakers), "Endpoints that don't answer; their deliveries are postponed.", nil)
	up := "1 if the state can be read and written; otherwise metrics from the state are missing."
	var counts store.Counts
	err := s.hub.Health()
	if err == nil {
		const countTimeout = 5 * time.Second // counting reads every subscription
		ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
		defer cancel()
		counts, err = s.hub.Store.Counts(ctx, now)
	}
	if err != nil { // the other metrics are wanted nevertheless
		gauge("state_up", 0, up, nil)
		return
	}
	gauge("state_up", 1, up, nil)
	for topic, c := range counts.Topics {
		subscriptions := "Subscriptions by topic and state: active or failing."
		gauge("subscriptions", float64(c.Active), subscriptions, labels{"topic": topic, "state": "active"})
		gauge("subscriptions", float64(c.Failing), subscriptions, labels{"topic": topic, "state": "failing"})
		gauge("backlog", float64(c.Behind), "Subscriptions that were not delivered the newest content yet.", labels{"topic": topic})
		age := 0.0
		if !c.Due.IsZero() {
			age = max(0, now.Sub(c.Due).Seconds())
		}
		gauge("oldest_undelivered_seconds", age,
			"For how long the newest content has been due to the longest waiting subscription that doesn't wait for a retry.",
			labels{"topic": topic})
	}
	for _, mode := range modes {
		gauge("handshakes_pending", float64(counts.Pending[mode]), "Verifications and denials that are pending.", labels{"mode": mode})
	}
}
