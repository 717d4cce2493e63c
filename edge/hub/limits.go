package hub

import (
	"cmp"
	"fmt"
	"time"
)

// Limits bound what a hub has in flight at once. The zero value of a field selects its
// default, which is sized for one process on two cores.
type Limits struct {
	// Deliveries is the number of normal slots for deliveries. It bounds connections and memory. Zero: 256.
	Deliveries int
	// SlowDeliveries is the number of slow slots for deliveries that are silent. A thousand silent subscribers, one per
	// cent of a hundred thousand, wait there for their 30 seconds. Deliveries that find no slow slot stay in their
	// normal slot. Zero: 1,024.
	SlowDeliveries int
	// PerHost is the number of normal slots for deliveries to one host:port. It may have
	// slowPerHost times as many slow slots. Zero: DefaultPerHost.
	PerHost int
	// Ready is the number of claimed deliveries that wait although their host has a free slot. It is enough to keep the
	// slots busy while the next are claimed, and small enough that they rarely wait longer than ClaimAge. Zero: 512.
	Ready int
	// ClaimAge is the age from which on a claimed delivery is revalidated before it begins. No delivery begins later
	// than this after another hub or an operator has removed or renewed its subscription. At full speed claims are
	// younger when they begin, so that only deliveries that wait cost a query. Zero: 250 ms.
	ClaimAge time.Duration
	// MaxSilence is how long an exchange may be silent in a normal slot before it moves to a slow one. Zero: 2 s.
	MaxSilence time.Duration
}

// DefaultPerHost is the default of [Limits].PerHost.
const DefaultPerHost = 64

const (
	// slowPerHost is how many times more slow slots than normal ones a host may use, so
	// that silent subscribers of one host leave slow slots to those of others.
	slowPerHost = 4
	// queuePerHost times PerHost claimed deliveries may wait for one host. No more are claimed for it.
	queuePerHost = 8
	// maxHosts is the number of idle hosts whose breakers are remembered.
	maxHosts = 10_000
)

func (l *Limits) setDefaults() {
	l.Deliveries = cmp.Or(l.Deliveries, 256)
	l.SlowDeliveries = cmp.Or(l.SlowDeliveries, 1024)
	l.PerHost = cmp.Or(l.PerHost, DefaultPerHost)
	l.Ready = cmp.Or(l.Ready, 512)
	l.ClaimAge = cmp.Or(l.ClaimAge, 250*time.Millisecond)
	l.MaxSilence = cmp.Or(l.MaxSilence, maxSilence)
}

func (l *Limits) validate() error {
	if n := min(l.Deliveries, l.SlowDeliveries, l.PerHost, l.Ready); n < 1 {
		return fmt.Errorf("a limit of %d deliveries: it must be at least 1", n)
	}
	return nil
}
