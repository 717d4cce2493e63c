package hub

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

// countEvery is how often scrapes count the state again.
const countEvery = 5 * time.Second

// metrics are the hub's counters.
type metrics struct {
	requests      *prometheus.CounterVec // by result
	verifications *prometheus.CounterVec // by mode and result
	deliveries    *prometheus.CounterVec // by outcome
	latency       prometheus.Histogram
	changes       *prometheus.CounterVec // by topic
	expired       prometheus.Counter
}

// newMetrics returns the counters with all their labels: a rate doesn't see the first
// event of a counter that starts with it.
func newMetrics(origin string) *metrics {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "reviewcast", Subsystem: "hub", Name: name, Help: help}
	}
	m := &metrics{
		requests:      prometheus.NewCounterVec(counter("requests_total", "Requests to the hub by result: accepted or refused."), []string{"result"}),
		verifications: prometheus.NewCounterVec(counter("handshakes_total", "Verifications and denials by mode and result."), []string{"mode", "result"}),
		deliveries:    prometheus.NewCounterVec(counter("deliveries_total", "Deliveries by outcome: delivered, failed, gone, denied, released, postponed."), []string{"outcome"}),
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "reviewcast", Subsystem: "hub", Name: "delivery_seconds",
			Help: "Duration of successful deliveries.", Buckets: []float64{.005, .02, .05, .1, .25, .5, 1, 2, 5, 10, 30}}),
		changes: prometheus.NewCounterVec(counter("changes_total", "Changes of a topic."), []string{"topic"}),
		expired: prometheus.NewCounter(counter("expired_total", "Subscriptions whose lease has ended.")),
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
		m.deliveries.WithLabelValues(outcome)
	}
	m.deliveries.WithLabelValues("postponed")
	for _, path := range reviewcast.Topics {
		m.changes.WithLabelValues(origin + path)
	}
	return m
}

var modes = []string{store.ModeSubscribe, store.ModeUnsubscribe, store.ModeDenied}

func (m *metrics) register(to prometheus.Registerer, h *Hub) error {
	var errs []error
	for _, c := range []prometheus.Collector{m.requests, m.verifications, m.deliveries, m.latency, m.changes, m.expired, &state{hub: h}} {
		errs = append(errs, to.Register(c))
	}
	return errors.Join(errs...)
}

var outcomes = map[store.Verdict]string{store.Delivered: "delivered", store.Failed: "failed", store.Released: "released",
	store.Gone: "gone", store.Denied: "denied"}

// observe counts and logs the outcome of a delivery.
func (h *Hub) observe(d *delivery, o store.Outcome, took time.Duration) {
	h.metrics.deliveries.WithLabelValues(outcomes[o.Verdict]).Inc()
	if o.Verdict == store.Delivered {
		h.metrics.latency.Observe(took.Seconds())
	}
	log := h.Logger.With("delivery", d.id(), "topic", d.Topic, "endpoint", d.Endpoint, "took", took.Round(time.Millisecond))
	switch o.Verdict {
	case store.Delivered:
		log.Debug("delivered")
	case store.Failed:
		log.Warn("delivery failed", "error", o.Error, "next", o.Next.UTC().Format(time.RFC3339))
	case store.Gone:
		log.Info("subscriber answered 410; subscription removed", "error", o.Error)
	case store.Denied:
		log.Warn("delivery failed for the last time; subscription removed", "error", o.Error)
	case store.Released:
		log.Debug("delivery released")
	}
}

// state collects metrics from the store and the scheduler when it is scraped.
type state struct {
	hub *Hub

	mu      sync.Mutex
	counted time.Time
	counts  store.Counts
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("reviewcast_hub_"+name, help, labels, nil)
}

var (
	descSubscriptions = describe("subscriptions", "Subscriptions by topic and state: active or failing.", "topic", "state")
	descPending       = describe("handshakes_pending", "Verifications and denials that are pending.", "mode")
	descBacklog       = describe("backlog", "Subscriptions that were not delivered the newest content yet.", "topic")
	descOldest        = describe("oldest_undelivered_seconds", "For how long the newest content has been due to the longest waiting subscription that doesn't wait for a retry.", "topic")
	descUp            = describe("state_up", "1 if the state can be read and written; otherwise metrics from the state are missing.")
	descInFlight      = describe("deliveries_in_flight", "Deliveries in flight by lane: fast (normal slots) or slow (slow slots).", "lane")
	descWaiting       = describe("deliveries_claimed", "Claimed deliveries that wait for a slot.")
	descOpen          = describe("breakers_open", "Endpoints that don't answer; their deliveries are postponed.")
)

func (s *state) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descSubscriptions, descPending, descBacklog, descOldest, descUp, descInFlight, descWaiting, descOpen} {
		to <- d
	}
}

func (s *state) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	now := time.Now()
	l := s.hub.scheduler.load()
	gauge(descInFlight, float64(l.normal), "fast")
	gauge(descInFlight, float64(l.slow), "slow")
	gauge(descWaiting, float64(l.queued))
	gauge(descOpen, float64(l.openBreakers))
	counts, err := s.count(now)
	if err = errors.Join(err, s.hub.Health()); err != nil { // the other metrics matter all the more
		gauge(descUp, 0)
		return
	}
	gauge(descUp, 1)
	for topic, c := range counts.Topics {
		gauge(descSubscriptions, float64(c.Active), topic, "active")
		gauge(descSubscriptions, float64(c.Failing), topic, "failing")
		gauge(descBacklog, float64(c.Behind), topic)
		age := 0.0
		if !c.Due.IsZero() {
			age = max(0, now.Sub(c.Due).Seconds())
		}
		gauge(descOldest, age, topic)
	}
	for _, mode := range modes {
		gauge(descPending, float64(counts.Pending[mode]), mode)
	}
}

// count returns recent counts: counting reads every subscription.
func (s *state) count(now time.Time) (store.Counts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.counted) < countEvery {
		return s.counts, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), countEvery)
	defer cancel()
	counts, err := s.hub.Store.Counts(ctx, now)
	if err == nil {
		s.counted, s.counts = now, counts
	}
	return counts, err
}
