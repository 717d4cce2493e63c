package hub

import (
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
	// maxReady is how many claimed deliveries wait that could begin at once if there
	// were slots: enough to keep the slots busy while the next are claimed.
	maxReady = 1000
	// claimBatch is how many are claimed in one go.
	claimBatch = 256
	// queuePerHost times PerHost claimed deliveries of one host are enough: no more
	// are claimed for it.
	queuePerHost = 4
	// maxHosts is how many idle hosts are remembered for their silence.
	maxHosts = 10_000

	// outlier times what the others of its host take makes a delivery silent early,
	// silentLeast at the earliest, once pacedEnough of them are known.
	outlier     = 20
	silentLeast = 100 * time.Millisecond
	pacedEnough = 16
)

// delivery is a claimed delivery on its way.
type delivery struct {
	store.Delivery
	content Content
	path    string
	host    *host
	slow    bool // in the slow lane
	void    bool // the subscription was changed since the claim: don't begin
	ended   bool
}

// host is what is known of a host:port.
type host struct {
	endpoint   string
	queue      []*delivery
	fast, slow int // in flight
	listed     bool
	breaker    breaker
	pace       time.Duration // of deliveries that were answered, a moving average
	paced      int           // how many of those there were
}

// patience is how long a delivery may be silent before it goes to the slow lane:
// silentSlow, but where a host's others are known to be answered quickly, a
// multiple of what they take. A host that is slow as a whole keeps to its slots.
func (l *lanes) patience(h *host) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.paced < pacedEnough {
		return silentSlow
	}
	return min(silentSlow, max(silentLeast, outlier*h.pace))
}

// lanes hold what is claimed, and decide what may be in flight. Workers are
// goroutines that come and go: one begins when there is a delivery and a slot, and
// ends when there are none.
type lanes struct {
	perHost int
	more    func()                           // asks for more deliveries to be claimed
	work    func(*delivery)                  // runs one delivery; set before the first add
	back    func([]*delivery, time.Duration) // gives deliveries back, to be tried after a wait

	mu         sync.Mutex
	hosts      map[string]*host
	startable  []*host             // hosts whose queue may move, each once, in turn
	waiting    map[int64]*delivery // queued, by subscription
	fast, slow int
	closed     bool
	workers    sync.WaitGroup
}

func newLanes(perHost int, more func()) *lanes {
	return &lanes{perHost: perHost, more: more, hosts: map[string]*host{}, waiting: map[int64]*delivery{}}
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

func (h *host) idle() bool { return len(h.queue) == 0 && h.fast == 0 && h.slow == 0 && !h.listed }

// forgetIdle drops hosts that nothing is under way to, with what they are
// remembered for.
func (l *lanes) forgetIdle() {
	for endpoint, h := range l.hosts {
		if h.idle() {
			delete(l.hosts, endpoint)
		}
	}
}

// list puts a host in line if something of it may begin.
func (l *lanes) list(h *host) {
	if !h.listed && len(h.queue) > 0 && h.fast < l.perHost {
		h.listed = true
		l.startable = append(l.startable, h)
	}
}

// add queues claimed deliveries and begins what it can.
func (l *lanes) add(claimed []*delivery) {
	l.mu.Lock()
	for _, d := range claimed {
		h := l.host(d.Endpoint)
		d.host = h
		h.queue = append(h.queue, d)
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
	d, postponed, wait, void := l.pop(time.Now())
	low := len(l.waiting) == maxReady/2 ||
		d == nil && l.fast < maxFast || // nothing of what is claimed may begin
		d != nil && len(d.host.queue) == l.perHost*queuePerHost/2 // a host that was full may be claimed for again
	l.mu.Unlock()
	if len(postponed) > 0 {
		l.back(postponed, wait)
	}
	if len(void) > 0 {
		l.back(void, 0)
	}
	if low {
		l.more()
	}
	return d
}

func (l *lanes) pop(now time.Time) (d *delivery, postponed []*delivery, wait time.Duration, void []*delivery) {
	for l.fast < maxFast && len(l.startable) > 0 && !l.closed {
		h := l.startable[0]
		l.startable = l.startable[1:]
		h.listed = false
		if len(h.queue) == 0 || h.fast >= l.perHost {
			continue
		}
		if w, ok := h.breaker.allow(now); !ok {
			postponed, wait = append(postponed, h.queue...), w
			for _, q := range h.queue {
				delete(l.waiting, q.ID)
			}
			h.queue = nil
			continue
		}
		d = h.queue[0]
		h.queue[0] = nil
		h.queue = h.queue[1:]
		delete(l.waiting, d.ID)
		if d.void {
			h.breaker.abandoned()
			void = append(void, d)
			l.list(h)
			continue
		}
		h.fast++
		l.fast++
		l.list(h)
		return d, postponed, wait, void
	}
	return nil, postponed, wait, void
}

// slowDown moves a delivery in flight to the slow lane, if that has room.
func (l *lanes) slowDown(d *delivery) bool {
	l.mu.Lock()
	ok := !d.ended && l.slow < maxSlow && d.host.slow < l.perHost*slowPerHost
	if ok {
		d.slow = true
		l.fast--
		l.slow++
		d.host.fast--
		d.host.slow++
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
	if d.slow {
		l.slow--
		d.host.slow--
	} else {
		l.fast--
		d.host.fast--
	}
	if h := d.host; how == answered {
		if h.paced++; h.paced == 1 {
			h.pace = took
		}
		h.pace += (took - h.pace) / pacedEnough
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

// admit asks an endpoint's breaker on behalf of an exchange that isn't a delivery,
// and report tells it how that ended.
func (l *lanes) admit(endpoint string) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.host(endpoint).breaker.allow(time.Now())
}

func (l *lanes) report(endpoint string, how exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(l.host(endpoint), how)
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

// room is how many more deliveries may be claimed, and from which endpoints none.
// What waits for a host that is busy doesn't take up room: others shall not wait
// for it.
func (l *lanes) room() (n int, except []string) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	ready := 0
	for endpoint, h := range l.hosts {
		if h.fast < l.perHost {
			ready += min(len(h.queue), l.perHost-h.fast)
		}
		if len(h.queue) >= l.perHost*queuePerHost || h.breaker.shut(now) {
			except = append(except, endpoint)
		}
	}
	return maxReady - ready, except
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
