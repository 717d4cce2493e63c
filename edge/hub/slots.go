package hub

import (
	"sync"

	"reviewcast/edge/hub/store"
)

// slots limits exchanges in flight: deliveries, or verifications. An exchange takes a normal slot or, for a subscriber
// that is known to be slow, a slow slot. One that turns out to be silent moves from its normal slot to a slow one.
//
// What exchanges of each pace may take, of all slots and of those of one endpoint:
//
//	quick  all normal slots; may move to any slow slot
//	new    3/4 of all normal slots, 7/8 of the endpoint's; may move to 7/8 of the slow slots
//	slow   3/4 of all slow slots, 7/8 of the endpoint's
//
// So neither new nor slow subscribers can take all slots from those known to be quick.
type slots struct {
	capacity
	perHost capacity // for one endpoint

	mu        sync.Mutex
	used      usage
	endpoints map[string]usage // those with a slot in use
}

func newSlots(normal, slow, perHost int) *slots {
	return &slots{capacity: capacity{normal, slow}, perHost: capacity{perHost, slowPerHost * perHost}, endpoints: map[string]usage{}}
}

// capacity is how many slots there are.
type capacity struct{ normal, slow int }

// usage counts the slots in use, of an endpoint or of all.
type usage struct {
	normal, slow int
	normalNew    int // of normal, by new subscribers
}

type slot struct {
	endpoint string
	pace     store.Pace
	slow     bool
	ended    bool
}

func (u *usage) add(s *slot, n int) {
	if s.slow {
		u.slow += n
		return
	}
	u.normal += n
	if s.pace == store.New {
		u.normalNew += n
	}
}

// free returns how many more exchanges of a pace may begin beside those in use. One of so many
// slots is reserved for others.
func (c capacity) free(used usage, pace store.Pace, reserved int) int {
	switch pace {
	case store.Slow:
		return c.slow - c.slow/reserved - used.slow
	case store.New:
		return min(c.normal-used.normal, c.normal-c.normal/reserved-used.normalNew)
	default:
		return c.normal - used.normal
	}
}

func (s *slots) load() usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// free returns how many more exchanges of a pace may begin in all.
func (s *slots) free(pace store.Pace) int { return s.capacity.free(s.load(), pace, 4) }

// freeAt returns how many more exchanges of a pace the limits of one endpoint allow.
func (s *slots) freeAt(endpoint string, pace store.Pace) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.perHost.free(s.endpoints[endpoint], pace, 8)
}

// full returns the endpoints without a free normal slot.
func (s *slots) full() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for endpoint, u := range s.endpoints {
		if u.normal >= s.perHost.normal {
			list = append(list, endpoint)
		}
	}
	return list
}

// take takes a slot. The caller has checked that there is one.
func (s *slots) take(endpoint string, pace store.Pace) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &slot{endpoint: endpoint, pace: pace, slow: pace == store.Slow}
	s.count(x, 1)
	return x
}

// moveToSlow moves a silent exchange from its normal slot to a slow one, and reports whether there was one.
func (s *slots) moveToSlow(x *slot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, own := s.slow, s.perHost.slow
	if x.pace != store.Quick {
		all, own = all-all/8, own-own/8
	}
	if x.ended || s.used.slow >= all || s.endpoints[x.endpoint].slow >= own {
		return false
	}
	s.count(x, -1)
	x.slow = true
	s.count(x, 1)
	return true
}

// release frees the slot of an exchange that has ended.
func (s *slots) release(x *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.ended = true
	s.count(x, -1)
}

func (s *slots) count(x *slot, n int) {
	s.used.add(x, n)
	own := s.endpoints[x.endpoint]
	own.add(x, n)
	if s.endpoints[x.endpoint] = own; own == (usage{}) {
		delete(s.endpoints, x.endpoint)
	}
}
