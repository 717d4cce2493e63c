package hub

import (
	"slices"
	"sync"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// maxFast is how many deliveries are in flight in all, those in the slow lane
	// aside. It bounds connections and memory.
	maxFast = 256
	// maxSlow bounds the slow lane: a thousand silent subscribers wait out their 30
	// seconds there, which is one per cent of a hundred thousand. Those beyond count
	// as if they were fast.
	maxSlow = 1024
	// slowPerHost times PerHost is one host's share of the slow lane, so that the
	// silent ones of one host leave room for those of others.
	slowPerHost = 4
	// maxKnownSlow of the slow lane are for subscribers that are known to be slow: they
	// begin there, and leave room for those that turn out to be.
	maxKnownSlow = maxSlow * 3 / 4
	// maxNew of the others are for subscribers of whom nothing is known: a crowd of
	// them that all turn out to be slow leaves the rest to those known to be quick, who
	// don't wait for it.
	maxNew = maxFast * 3 / 4
	// maxReady is how many claimed deliveries wait that could begin at once if there
	// were slots: enough to keep the slots busy while the next are claimed, and few
	// enough not to wait for longer than fresh.
	maxReady = 512
	// claimBatch is how many are claimed in one go.
	claimBatch = 256
	// queuePerHost times PerHost claimed deliveries of one host are enough: no more
	// are claimed for it.
	queuePerHost = 4
	// maxHosts is how many idle hosts are remembered for their silence.
	maxHosts = 10_000

	// outlier times what the others of its host take makes a delivery silent early,
	// silentLeast at the earliest, once takenEnough of them are known.
	outlier     = 10
	silentLeast = 100 * time.Millisecond
	takenEnough = 16
)

// delivery is a claimed delivery on its way.
type delivery struct {
	store.Delivery
	content Content
	path    string
	host    *host
	seen    time.Time // when its subscription was looked at
	slow    bool      // in the slow lane
	void    bool      // the subscription was changed since the claim: don't begin
	ended   bool
}

// host is what is known of a host:port.
type host struct {
	endpoint   string
	queues     [paces][]*delivery
	listed     [paces]bool // in startable
	fast, slow int         // in flight
	fastNew    int         // of fast
	breaker    breaker
	took       time.Duration // by deliveries that were answered, a moving average
	taken      int           // how many of those there were
}

// paces are the subscribers' paces as indices. Each has queues, a line and room of
// its own, so that no crowd of one pace is in the way of the others.
const paces = store.Slow + 1

// patience is how long a delivery may be silent before it goes to the slow lane:
// silentSlow, but where a host's others are known to be answered quickly, a
// multiple of what they take. A host that is slow as a whole keeps to its slots.
func (l *lanes) patience(h *host) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.taken < takenEnough {
		return silentSlow
	}
	return min(silentSlow, max(silentLeast, outlier*h.took))
}

// lanes hold what is claimed, and decide what may be in flight. Workers are
// goroutines that come and go: one begins when there is a delivery and a slot, and
// ends when there are none.
type lanes struct {
	perHost int
	part    int                              // divides what there is of everything, in tests of crowds
	more    func()                           // asks for more deliveries to be claimed
	work    func(*delivery)                  // runs one delivery; set before the first add
	back    func([]*delivery, time.Duration) // gives deliveries back, to be tried after a wait

	mu         sync.Mutex
	hosts      map[string]*host
	startable  [paces][]*host      // hosts whose queue may move, each once, in turn
	turns      int                 // taken so far
	waiting    map[int64]*delivery // queued, by subscription
	queued     [paces]int          // of waiting
	fast, slow int
	fastNew    int // of fast
	closed     bool
	workers    sync.WaitGroup
}

func newLanes(perHost, part int, more func()) *lanes {
	return &lanes{perHost: perHost, part: part, more: more, hosts: map[string]*host{}, waiting: map[int64]*delivery{}}
}

// host finds or makes a host. The caller holds mu.
func (l *lanes) host(endpoint string) *host {
	h, ok := l.hosts[endpoint]
	if !ok {
		if len(l.hosts) >= maxHosts {
			l.forgetIdle()
		}
		h = &host{endpoint: endpoint}
		l.hosts[endpoint] = h
	}
	return h
}

func (h *host) idle() bool {
	for pace, queue := range h.queues {
		if len(queue) > 0 || h.listed[pace] {
			return false
		}
	}
	return h.fast == 0 && h.slow == 0
}

// forgetIdle drops hosts that nothing is under way to, with what they are
// remembered for.
func (l *lanes) forgetIdle() {
	for endpoint, h := range l.hosts {
		if h.idle() {
			delete(l.hosts, endpoint)
		}
	}
}

// free is how many more deliveries to subscribers of a pace may begin at a host, as
// far as it is the host's matter. Those known to be quick have an eighth of its slots
// of both kinds to themselves.
func (l *lanes) free(h *host, pace store.Pace) int {
	switch pace {
	case store.Slow:
		return most(l.perHost*slowPerHost, pace) - h.slow
	case store.New:
		return min(l.perHost-h.fast, most(l.perHost, pace)-h.fastNew)
	default:
		return l.perHost - h.fast
	}
}

// most is what those of a pace may have of some slots: all, or what the quick leave.
func most(slots int, pace store.Pace) int {
	if pace == store.Quick {
		return slots
	}
	return slots - slots/8
}

// open tells whether the lanes have a slot for one more of a pace.
func (l *lanes) open(pace store.Pace) bool {
	switch pace {
	case store.Slow:
		return l.slow < maxKnownSlow/l.part
	case store.New:
		return l.fast < maxFast/l.part && l.fastNew < maxNew/l.part
	default:
		return l.fast < maxFast/l.part
	}
}

// list puts a host in line if something of it may begin.
func (l *lanes) list(h *host) {
	for pace := store.New; pace < paces; pace++ {
		if !h.listed[pace] && len(h.queues[pace]) > 0 && l.free(h, pace) > 0 {
			h.listed[pace] = true
			l.startable[pace] = append(l.startable[pace], h)
		}
	}
}

// add queues claimed deliveries and begins what it can.
func (l *lanes) add(claimed []*delivery) {
	l.mu.Lock()
	for _, d := range claimed {
		h := l.host(d.Endpoint)
		d.host = h
		h.queues[d.Pace] = append(h.queues[d.Pace], d)
		l.queued[d.Pace]++
		l.waiting[d.ID] = d
		l.list(h)
	}
	l.mu.Unlock()
	l.begin()
}

// begin starts workers for what may begin.
func (l *lanes) begin() {
	for d := l.next(); d != nil; d = l.next() {
		l.workers.Go(func() {
			for own := d; own != nil; own = l.next() {
				l.work(own)
			}
		})
	}
}

// next takes the next delivery that may begin, host after host; nil for none.
func (l *lanes) next() *delivery {
	l.mu.Lock()
	p := l.pop(time.Now())
	low := p.d == nil || // nothing of what is claimed may begin
		l.queued[p.d.Pace] == l.ready(p.d.Pace)/2 ||
		len(p.d.host.queues[p.d.Pace]) == l.perHost*queuePerHost/2 // a host that was full may be claimed for again
	l.mu.Unlock()
	if len(p.postponed) > 0 {
		l.back(p.postponed, p.wait)
	}
	if len(p.void) > 0 {
		l.back(p.void, 0)
	}
	if low {
		l.more()
	}
	return p.d
}

// pick is what pop has found.
type pick struct {
	d         *delivery     // it begins; nil for none
	postponed []*delivery   // their breaker is open
	wait      time.Duration // until that may be closed
	void      []*delivery
}

func (l *lanes) pop(now time.Time) (p pick) {
	for !l.closed && p.d == nil {
		h, pace := l.turn()
		if h == nil {
			break
		}
		if wait, ok := h.breaker.allow(now); !ok {
			p.postponed, p.wait = append(p.postponed, l.drop(h)...), wait
			continue
		}
		d := h.queues[pace][0]
		h.queues[pace][0] = nil
		h.queues[pace] = h.queues[pace][1:]
		delete(l.waiting, d.ID)
		l.queued[pace]--
		if d.void {
			h.breaker.abandoned()
			p.void = append(p.void, d)
		} else {
			d.slow = pace == store.Slow
			l.count(d, 1)
			p.d = d
		}
		l.list(h)
	}
	return p
}

// count adds a delivery to those in flight in its lane, or takes it away.
func (l *lanes) count(d *delivery, n int) {
	if d.slow {
		l.slow += n
		d.host.slow += n
		return
	}
	l.fast += n
	d.host.fast += n
	if d.Pace == store.New {
		l.fastNew += n
		d.host.fastNew += n
	}
}

// quiet tells whether nothing is in flight but what is slow: no outcome is to be
// waited for.
func (l *lanes) quiet() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fast == 0
}

// turn takes the host whose turn it is out of the line, and gives it with the pace
// of the queue that may move; nil for none. The quick and the new have turns about.
func (l *lanes) turn() (*host, store.Pace) {
	l.turns++
	order := [...]store.Pace{store.Quick, store.New, store.Slow}
	if l.turns%2 == 0 {
		order[0], order[1] = order[1], order[0]
	}
	for _, pace := range order {
		for l.open(pace) && len(l.startable[pace]) > 0 {
			h := l.startable[pace][0]
			l.startable[pace] = l.startable[pace][1:]
			h.listed[pace] = false
			if len(h.queues[pace]) > 0 && l.free(h, pace) > 0 {
				return h, pace
			}
		}
	}
	return nil, store.AnyPace
}

// drop empties a host's queues, and gives what was in them.
func (l *lanes) drop(h *host) (dropped []*delivery) {
	dropped = slices.Concat(h.queues[:]...)
	for _, d := range dropped {
		delete(l.waiting, d.ID)
		l.queued[d.Pace]--
	}
	clear(h.queues[:])
	return dropped
}

// slowDown moves a delivery in flight to the slow lane, if that has room.
func (l *lanes) slowDown(d *delivery) bool {
	l.mu.Lock()
	if d.slow {
		l.mu.Unlock()
		return true
	}
	ok := !d.ended && l.slow < most(maxSlow/l.part, d.Pace) && d.host.slow < most(l.perHost*slowPerHost, d.Pace)
	if ok {
		l.count(d, -1)
		d.slow = true
		l.count(d, 1)
		l.list(d.host)
	}
	l.mu.Unlock()
	if ok {
		l.begin()
	}
	return ok
}

// exchange is how an exchange ended, as far as a breaker cares.
type exchange int

const (
	answered exchange = iota
	unanswered
	abandoned
)

// done ends a delivery in flight, which took so long; it tells whether that opened
// its host's breaker.
func (l *lanes) done(d *delivery, how exchange, took time.Duration) (opened bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.ended = true
	l.count(d, -1)
	if h := d.host; how == answered {
		if h.taken++; h.taken == 1 {
			h.took = took
		}
		h.took += (took - h.took) / takenEnough
	}
	opened = l.note(d.host, how)
	l.list(d.host)
	return opened
}

// note tells a host's breaker how an exchange ended, and forgets a host that there
// is nothing to remember of. The caller holds mu.
func (l *lanes) note(h *host, how exchange) (opened bool) {
	switch how {
	case answered:
		h.breaker.answered()
		if h.idle() {
			delete(l.hosts, h.endpoint)
		}
	case unanswered:
		return h.breaker.unanswered(time.Now())
	case abandoned:
		h.breaker.abandoned()
	}
	return false
}

// answered tells an endpoint's breaker of an answer to something else than a
// delivery.
func (l *lanes) answered(endpoint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h, ok := l.hosts[endpoint]; ok {
		l.note(h, answered)
	}
}

// void keeps a queued delivery from beginning: its subscription was renewed or
// removed.
func (l *lanes) void(subscription int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.waiting[subscription]; d != nil {
		d.void = true
	}
}

// ahead gives up to n queued deliveries whose turn comes next after one, of its host
// and then of the others, that were looked at before a time.
func (l *lanes) ahead(first *delivery, n int, before time.Time) (list []*delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.startable[first.Pace]
	for _, h := range append([]*host{first.host}, line[:min(n, len(line))]...) {
		if h == first.host && len(list) > 0 {
			continue // it is in line, too
		}
		queue := h.queues[first.Pace]
		for _, d := range queue[:min(l.perHost, len(queue))] {
			if len(list) == n {
				return list
			}
			if d.seen.Before(before) && !d.void {
				list = append(list, d)
			}
		}
	}
	return list
}

// confirm tells queued deliveries what a look at them has found.
func (l *lanes) confirm(looked []*delivery, found map[int64]store.Delivery, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range looked {
		// Those that have begun meanwhile are their workers'.
		if l.waiting[d.ID] == d && !d.confirm(found, now) {
			d.void = true
		}
	}
}

// room is how many more deliveries to subscribers of a pace may be claimed, and from
// which endpoints none. What waits for a host that is busy doesn't take up room:
// others shall not wait for it.
func (l *lanes) room(pace store.Pace) (n int, except []string) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	n = l.ready(pace)
	for endpoint, h := range l.hosts {
		n -= min(len(h.queues[pace]), max(0, l.free(h, pace)))
		if len(h.queues[pace]) >= l.perHost*queuePerHost || h.breaker.shut(now) {
			except = append(except, endpoint)
		}
	}
	return n, except
}

// ready is how many claimed deliveries of a pace may wait that could begin at once.
func (l *lanes) ready(pace store.Pace) int {
	if pace == store.Slow { // they take their time
		return maxReady / 4 / l.part
	}
	return maxReady / l.part
}

// inFlight counts for metrics.
func (l *lanes) inFlight() (fast, slow, waiting, open int) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.hosts {
		if h.breaker.shut(now) {
			open++
		}
	}
	return l.fast, l.slow, len(l.waiting), open
}

// close lets nothing begin any more.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
