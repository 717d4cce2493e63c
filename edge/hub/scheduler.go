package hub

import (
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

const (
	// A delivery is silent early when it takes outlier times as long as the others of its
	// host, but at least minSilence, once minSamples of them are known.
	outlier    = 10
	minSilence = 100 * time.Millisecond
	minSamples = 16
)

const paces = store.Slow + 1 // the number of paces, as indices

// scheduler decides which claimed deliveries begin. It starts nothing itself: [Hub.dispatch]
// asks it for the next delivery.
//
// States of a claimed delivery:
//
//	queued     per endpoint and pace; it begins when slots are free in all and at its
//	           endpoint (see slots), and its turn has come
//	postponed  the breaker of its endpoint is open: the queues of the endpoint are emptied
//	in flight  in a normal slot or a slow slot
//	silent     in flight without progress for longer than maxSilence: it moves to a slow
//	           slot as soon as one is free
//	ended      answered, unanswered or abandoned; the breaker of its endpoint learns it
//
// Endpoints take turns, and each pace has queues and turns of its own, so that many
// subscribers of one endpoint or pace don't delay the others.
type scheduler struct {
	slots *slots

	mu       sync.Mutex
	hosts    map[string]*host
	turns    [paces][]*host // hosts with a queued delivery, each once
	queued   [paces]int     // deliveries
	draining bool
}

type delivery struct {
	store.Delivery
	file *snapshot.File // the topic's content
	host *host
	slot *slot // nil while queued
}

// host is what is known of a host:port.
type host struct {
	endpoint string
	queues   [paces][]*delivery
	inFlight int // deliveries
	breaker  breaker
	took     time.Duration // by deliveries that were answered, a moving average
	answers  int           // the number of those
}

func newScheduler(perHost int) *scheduler {
	return &scheduler{hosts: map[string]*host{}, slots: newSlots(maxDeliveries, maxSlowDeliveries, perHost)}
}

func (s *scheduler) add(claimed []*delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range claimed {
		h := s.host(d.Endpoint)
		d.host = h
		if len(h.queues[d.Pace]) == 0 {
			s.turns[d.Pace] = append(s.turns[d.Pace], h)
		}
		h.queues[d.Pace] = append(h.queues[d.Pace], d)
		s.queued[d.Pace]++
	}
}

// host returns a host, a new one if it isn't known.
func (s *scheduler) host(endpoint string) *host {
	h, ok := s.hosts[endpoint]
	if !ok {
		if len(s.hosts) >= maxHosts {
			maps.DeleteFunc(s.hosts, func(_ string, h *host) bool { return s.idle(h) })
		}
		h = &host{endpoint: endpoint}
		s.hosts[endpoint] = h
	}
	return h
}

// idle reports whether a host has nothing queued and nothing in flight.
func (s *scheduler) idle(h *host) bool {
	return h.inFlight == 0 && !slices.ContainsFunc(h.queues[:], func(queue []*delivery) bool { return len(queue) > 0 })
}

// step is the result of next.
type step struct {
	begin     *delivery     // nil if none may begin
	postponed []*delivery   // their breaker is open
	wait      time.Duration // until it may be closed
	low       bool          // more deliveries should be claimed
}

// next takes the next delivery that may begin. It also returns those that can't begin any more.
func (s *scheduler) next(now time.Time) (r step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.draining {
		h, pace := s.turn()
		if h == nil {
			break
		}
		if wait := h.breaker.wait(now); wait > 0 {
			r.postponed, r.wait = append(r.postponed, s.drop(h)...), wait
			continue
		}
		queue := h.queues[pace]
		r.begin = queue[0]
		queue[0] = nil
		h.queues[pace] = queue[1:]
		s.queued[pace]--
		if len(queue) > 1 {
			s.turns[pace] = append(s.turns[pace], h)
		}
		r.begin.slot = s.slots.take(h.endpoint, pace)
		h.inFlight++
		h.breaker.probing = !h.breaker.openUntil.IsZero()
		// A host whose queue was full may be claimed for again.
		r.low = s.queued[pace] == ready(pace)/2 || len(queue)-1 == s.slots.perHost.normal*queuePerHost/2
		return r
	}
	r.low = true
	return r
}

// turn removes the next host from the turns and returns it with the pace of the queue
// that may begin, nil if there is none.
func (s *scheduler) turn() (*host, store.Pace) {
	for _, pace := range [...]store.Pace{store.Quick, store.New, store.Slow} {
		if s.slots.free(pace) <= 0 {
			continue
		}
		for i, h := range s.turns[pace] {
			if s.slots.freeAt(h.endpoint, pace) > 0 {
				s.turns[pace] = slices.Delete(s.turns[pace], i, i+1)
				return h, pace
			}
		}
	}
	return nil, 0
}

// drop empties a host's queues and returns what was in them.
func (s *scheduler) drop(h *host) (dropped []*delivery) {
	for pace, queue := range h.queues {
		s.queued[pace] -= len(queue)
		dropped = append(dropped, queue...)
		h.queues[pace] = nil
		s.turns[pace] = slices.DeleteFunc(s.turns[pace], func(other *host) bool { return other == h })
	}
	return dropped
}

// maxSilence returns how long a delivery to a host may be silent in a normal slot: maxSilence, but where the others of
// the host are answered quickly, a multiple of what they take. A host that is slow as a whole keeps its normal slots.
func (s *scheduler) maxSilence(h *host) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.answers < minSamples {
		return maxSilence
	}
	return min(maxSilence, max(minSilence, outlier*h.took))
}

// exchange is how an exchange ended, as far as a breaker is concerned.
type exchange int

const (
	answered exchange = iota
	unanswered
	abandoned // the hub ended it
)

// done ends a delivery in flight, which took so long. It reports whether that opened the breaker of its host.
func (s *scheduler) done(d *delivery, how exchange, took time.Duration) (opened bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots.release(d.slot)
	h := d.host
	h.inFlight--
	if how == answered {
		if h.answers++; h.answers == 1 {
			h.took = took
		}
		h.took += (took - h.took) / minSamples
	}
	return s.note(h, how)
}

// note records in a host's breaker how an exchange ended, and forgets an idle host whose breaker is closed.
func (s *scheduler) note(h *host, how exchange) (opened bool) {
	switch how {
	case answered:
		h.breaker = breaker{}
		if s.idle(h) {
			delete(s.hosts, h.endpoint)
		}
	case unanswered:
		return h.breaker.unanswered(time.Now())
	case abandoned:
		h.breaker.probing = false
	}
	return false
}

// answered records that an endpoint has answered something other than a delivery.
func (s *scheduler) answered(endpoint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.hosts[endpoint]; ok {
		s.note(h, answered)
	}
}

// capacity returns how many more deliveries to subscribers of a pace may be claimed, and the endpoints that none may be
// claimed for. Deliveries that wait for a busy host don't count: others must not wait for it.
func (s *scheduler) capacity(pace store.Pace) (n int, except []string) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	n = ready(pace)
	for endpoint, h := range s.hosts {
		n -= min(len(h.queues[pace]), max(0, s.slots.freeAt(endpoint, pace)))
		if len(h.queues[pace]) >= s.slots.perHost.normal*queuePerHost || h.breaker.wait(now) > 0 {
			except = append(except, endpoint)
		}
	}
	return n, except
}

// ready returns how many claimed deliveries of a pace may wait that could begin at once.
func ready(pace store.Pace) int {
	if pace == store.Slow { // they rarely end
		return maxReady / 4
	}
	return maxReady
}

// load is the scheduler's state for metrics.
type load struct{ normal, slow, queued, openBreakers int }

func (s *scheduler) load() (l load) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hosts {
		if h.breaker.wait(now) > 0 {
			l.openBreakers++
		}
	}
	used := s.slots.load()
	l.normal, l.slow, l.queued = used.normal, used.slow, s.queued[store.New]+s.queued[store.Quick]+s.queued[store.Slow]
	return l
}

// drain lets no further delivery begin.
func (s *scheduler) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// maxRetryAfter bounds the Retry-After of a subscriber: one with a wrong clock would otherwise wait for ever.
const maxRetryAfter = 24 * time.Hour

// jitter changes d by up to 20 %, so that subscribers that failed together aren't retried together.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// retryAt returns when a delivery is retried after consecutive failures: after our wait,
// or after the subscriber's Retry-After if that is longer.
func (h *Hub) retryAt(now time.Time, failures int, wanted time.Duration) time.Time {
	wait := jitter(h.Retry[min(failures, len(h.Retry))-1])
	return now.Add(max(wait, min(wanted, maxRetryAfter)))
}

// retryAfter parses the header of an answer, in seconds or as a date (RFC 9110, section
// 10.2.3). It returns 0 if the header is missing or invalid.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	seconds, err := strconv.ParseUint(value, 10, 31)
	if err == nil || errors.Is(err, strconv.ErrRange) { // then it is the largest
		return time.Duration(seconds) * time.Second
	}
	date, _ := http.ParseTime(value) // long ago if it isn't valid
	return max(0, date.Sub(now))
}
