package hub

import (
	"slices"
	"sync"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// A delivery is silent early when it takes outlier times as long as the others of its
	// host, but at least minSilence, once minSamples of them are known.
	outlier    = 10
	minSilence = 100 * time.Millisecond
	minSamples = 16
)

// paces is the number of paces, as indices.
const paces = store.Slow + 1

// scheduler decides which claimed deliveries begin. It starts nothing itself: [Hub.dispatch]
// asks it for the next delivery.
//
// States of a claimed delivery:
//
//	queued     per endpoint and pace; it begins when slots are free in all and at its
//	           endpoint (see slots), and its turn has come
//	postponed  the breaker of its endpoint is open: the queues of the endpoint are emptied
//	void       its subscription was changed since the claim: it is released
//	in flight  in a normal slot or a slow slot
//	silent     in flight without progress for longer than patience: it moves to a slow
//	           slot as soon as one is free
//	ended      answered, unanswered or abandoned; the breaker of its endpoint learns it
//
// Endpoints take turns, and each pace has queues and turns of its own, so that many
// subscribers of one endpoint or pace don't delay the others.
type scheduler struct {
	limits Limits

	mu       sync.Mutex
	slots    slots
	hosts    map[string]*host
	turns    [paces][]*host      // hosts with a queued delivery that may begin, each once
	taken    int                 // turns so far
	queued   map[int64]*delivery // by subscription
	byPace   [paces]int          // of queued
	draining bool
}

// delivery is a claimed delivery.
type delivery struct {
	store.Delivery
	content     Content
	path        string
	host        *host
	slot        *slot     // nil while queued
	validatedAt time.Time // when its subscription was read
	void        bool      // its subscription was changed since the claim
}

// host is what is known of a host:port.
type host struct {
	usage
	endpoint string
	queues   [paces][]*delivery
	inTurn   [paces]bool // in scheduler.turns
	breaker  breaker
	took     time.Duration // by deliveries that were answered, a moving average
	answers  int           // the number of those
}

func newScheduler(l Limits) *scheduler {
	return &scheduler{
		limits: l, hosts: map[string]*host{}, queued: map[int64]*delivery{},
		slots: slots{normal: l.Deliveries, slow: l.SlowDeliveries, normalPerHost: l.PerHost, slowPerHost: slowPerHost * l.PerHost},
	}
}

// add queues claimed deliveries.
func (s *scheduler) add(claimed []*delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range claimed {
		h := s.host(d.Endpoint)
		d.host = h
		h.queues[d.Pace] = append(h.queues[d.Pace], d)
		s.byPace[d.Pace]++
		s.queued[d.ID] = d
		s.enqueueTurn(h)
	}
}

// host returns a host, a new one if it isn't known.
func (s *scheduler) host(endpoint string) *host {
	h, ok := s.hosts[endpoint]
	if !ok {
		if len(s.hosts) >= maxHosts {
			for endpoint, h := range s.hosts {
				if h.idle() {
					delete(s.hosts, endpoint)
				}
			}
		}
		h = &host{endpoint: endpoint}
		s.hosts[endpoint] = h
	}
	return h
}

// idle reports whether the host has nothing queued and nothing in flight.
func (h *host) idle() bool {
	for pace, queue := range h.queues {
		if len(queue) > 0 || h.inTurn[pace] {
			return false
		}
	}
	return h.usage.idle()
}

// enqueueTurn gives a host a turn if one of its deliveries may begin.
func (s *scheduler) enqueueTurn(h *host) {
	for pace := store.New; pace < paces; pace++ {
		if !h.inTurn[pace] && len(h.queues[pace]) > 0 && s.slots.freeAt(&h.usage, pace) > 0 {
			h.inTurn[pace] = true
			s.turns[pace] = append(s.turns[pace], h)
		}
	}
}

// step is the result of next.
type step struct {
	begin     *delivery     // nil if none may begin
	postponed []*delivery   // their breaker is open
	wait      time.Duration // until it may be closed
	void      []*delivery
	low       bool // more deliveries should be claimed
}

// next takes the next delivery that may begin. It also returns those that can't begin
// any more.
func (s *scheduler) next(now time.Time) (r step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.draining && r.begin == nil {
		h, pace := s.turn()
		if h == nil {
			break
		}
		if wait, ok := h.breaker.allow(now); !ok {
			r.postponed, r.wait = append(r.postponed, s.drop(h)...), wait
			continue
		}
		d := h.queues[pace][0]
		h.queues[pace][0] = nil
		h.queues[pace] = h.queues[pace][1:]
		delete(s.queued, d.ID)
		s.byPace[pace]--
		if d.void {
			h.breaker.abandoned()
			r.void = append(r.void, d)
		} else {
			d.slot = s.slots.take(&h.usage, pace)
			r.begin = d
		}
		s.enqueueTurn(h)
	}
	r.low = r.begin == nil ||
		s.byPace[r.begin.Pace] == s.ready(r.begin.Pace)/2 ||
		len(r.begin.host.queues[r.begin.Pace]) == s.limits.PerHost*queuePerHost/2 // a host that was full may be claimed for again
	return r
}

// turn removes the next host from the turns and returns it with the pace of the queue
// that may move, nil if there is none. Quick and new subscribers alternate.
func (s *scheduler) turn() (*host, store.Pace) {
	s.taken++
	order := [...]store.Pace{store.Quick, store.New, store.Slow}
	if s.taken%2 == 0 {
		order[0], order[1] = order[1], order[0]
	}
	for _, pace := range order {
		for s.slots.free(pace) > 0 && len(s.turns[pace]) > 0 {
			h := s.turns[pace][0]
			s.turns[pace] = s.turns[pace][1:]
			h.inTurn[pace] = false
			if len(h.queues[pace]) > 0 && s.slots.freeAt(&h.usage, pace) > 0 {
				return h, pace
			}
		}
	}
	return nil, 0
}

// drop empties a host's queues and returns what was in them.
func (s *scheduler) drop(h *host) (dropped []*delivery) {
	dropped = slices.Concat(h.queues[:]...)
	for _, d := range dropped {
		delete(s.queued, d.ID)
		s.byPace[d.Pace]--
	}
	clear(h.queues[:])
	return dropped
}

// patience returns how long a delivery to a host may be silent in a normal slot:
// MaxSilence, but where the others of the host are answered quickly, a multiple of what
// they take. A host that is slow as a whole keeps its normal slots.
func (s *scheduler) patience(h *host) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.answers < minSamples {
		return s.limits.MaxSilence
	}
	return min(s.limits.MaxSilence, max(minSilence, outlier*h.took))
}

// moveToSlow moves a silent delivery to a slow slot, and reports whether it is in one.
// Moved reports whether that has freed a normal slot.
func (s *scheduler) moveToSlow(d *delivery) (slow, moved bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if moved = s.slots.moveToSlow(d.slot); moved {
		s.enqueueTurn(d.host)
	}
	return d.slot.slow, moved
}

// exchange is how an exchange ended, as far as a breaker is concerned.
type exchange int

const (
	answered exchange = iota
	unanswered
	abandoned // the hub ended it
)

// done ends a delivery in flight, which took so long. It reports whether that opened the
// breaker of its host.
func (s *scheduler) done(d *delivery, how exchange, took time.Duration) (opened bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots.release(d.slot)
	h := d.host
	if how == answered {
		if h.answers++; h.answers == 1 {
			h.took = took
		}
		h.took += (took - h.took) / minSamples
	}
	opened = s.note(h, how)
	s.enqueueTurn(h)
	return opened
}

// note records in a host's breaker how an exchange ended, and forgets an idle host
// whose breaker is closed.
func (s *scheduler) note(h *host, how exchange) (opened bool) {
	switch how {
	case answered:
		h.breaker.answered()
		if h.idle() {
			delete(s.hosts, h.endpoint)
		}
	case unanswered:
		return h.breaker.unanswered(time.Now())
	case abandoned:
		h.breaker.abandoned()
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

// invalidate keeps a queued delivery from beginning: its subscription was renewed or
// removed.
func (s *scheduler) invalidate(subscription int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.queued[subscription]; d != nil {
		d.void = true
	}
}

// prefetch returns up to n queued deliveries that follow first, of its host and then of
// the others, and were validated before a time.
func (s *scheduler) prefetch(first *delivery, n int, before time.Time) (list []*delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	turns := s.turns[first.Pace]
	for _, h := range append([]*host{first.host}, turns[:min(n, len(turns))]...) {
		if h == first.host && len(list) > 0 {
			continue // it has a turn, too
		}
		queue := h.queues[first.Pace]
		for _, d := range queue[:min(s.limits.PerHost, len(queue))] {
			if len(list) == n {
				return list
			}
			if d.validatedAt.Before(before) && !d.void {
				list = append(list, d)
			}
		}
	}
	return list
}

// update applies what was read of prefetched deliveries.
func (s *scheduler) update(prefetched []*delivery, found map[int64]store.Delivery, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range prefetched {
		// Deliveries that have begun meanwhile belong to their workers.
		if s.queued[d.ID] == d && !d.revalidate(found, now) {
			d.void = true
		}
	}
}

// capacity returns how many more deliveries to subscribers of a pace may be claimed, and
// the endpoints that none may be claimed for. Deliveries that wait for a busy host don't
// count: others must not wait for it.
func (s *scheduler) capacity(pace store.Pace) (n int, except []string) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	n = s.ready(pace)
	for endpoint, h := range s.hosts {
		n -= min(len(h.queues[pace]), max(0, s.slots.freeAt(&h.usage, pace)))
		if len(h.queues[pace]) >= s.limits.PerHost*queuePerHost || h.breaker.shut(now) {
			except = append(except, endpoint)
		}
	}
	return n, except
}

// ready returns how many claimed deliveries of a pace may wait that could begin at once.
func (s *scheduler) ready(pace store.Pace) int {
	if pace == store.Slow { // they rarely end
		return s.limits.Ready / 4
	}
	return s.limits.Ready
}

// load is the scheduler's state for metrics.
type load struct{ normal, slow, queued, openBreakers int }

func (s *scheduler) load() (l load) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hosts {
		if h.breaker.shut(now) {
			l.openBreakers++
		}
	}
	l.normal, l.slow, l.queued = s.slots.used.normal, s.slots.used.slow, len(s.queued)
	return l
}

// drain lets no further delivery begin.
func (s *scheduler) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// endpoints returns the number of endpoints with queued deliveries or some in flight, or
// with an open breaker.
func (s *scheduler) endpoints() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hosts)
}

// busy reports whether deliveries are in flight in normal slots, whose outcomes are
// expected soon.
func (s *scheduler) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots.used.normal > 0
}
