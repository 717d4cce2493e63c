package hub

import "reviewcast/edge/hub/store"

// slots limits exchanges in flight: deliveries, or verifications. An exchange takes a
// normal slot or, for a subscriber that is known to be slow, a slow slot. One that turns
// out to be silent moves from its normal slot to a slow one. Callers synchronise.
//
// What exchanges of each pace may take, of all slots and of those of one endpoint:
//
//	quick  all normal slots, and move to all slow slots
//	new    3/4 of all normal slots, 7/8 of the endpoint's; move to 7/8 of the slow slots
//	slow   3/4 of all slow slots, 7/8 of the endpoint's
//
// So neither new nor slow subscribers can take all slots from those known to be quick.
type slots struct {
	normal, slow               int // capacity
	normalPerHost, slowPerHost int // capacity for one endpoint
	used                       usage
}

// usage counts the slots in use, of an endpoint or of all.
type usage struct {
	normal, slow int
	normalNew    int // of normal, by new subscribers
}

// slot is the slot of one exchange.
type slot struct {
	endpoint *usage
	pace     store.Pace
	slow     bool
	ended    bool
}

func (u *usage) idle() bool { return u.normal == 0 && u.slow == 0 }

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

// free returns how many more exchanges of a pace may begin in all.
func (s *slots) free(pace store.Pace) int {
	switch pace {
	case store.Slow:
		return s.slow*3/4 - s.used.slow
	case store.New:
		return min(s.normal-s.used.normal, s.normal*3/4-s.used.normalNew)
	default:
		return s.normal - s.used.normal
	}
}

// freeAt returns how many more exchanges of a pace the limits of one endpoint allow.
func (s *slots) freeAt(endpoint *usage, pace store.Pace) int {
	switch pace {
	case store.Slow:
		return share(s.slowPerHost, pace) - endpoint.slow
	case store.New:
		return min(s.normalPerHost-endpoint.normal, share(s.normalPerHost, pace)-endpoint.normalNew)
	default:
		return s.normalPerHost - endpoint.normal
	}
}

// share returns the slots that subscribers of a pace may use: an eighth is reserved for
// those known to be quick.
func share(slots int, pace store.Pace) int {
	if pace == store.Quick {
		return slots
	}
	return slots - slots/8
}

// take takes a slot. The caller has checked that there is one.
func (s *slots) take(endpoint *usage, pace store.Pace) *slot {
	x := &slot{endpoint: endpoint, pace: pace, slow: pace == store.Slow}
	s.count(x, 1)
	return x
}

// moveToSlow moves a silent exchange to a slow slot, and reports whether it did: it has
// ended, has a slow slot already, or there is none.
func (s *slots) moveToSlow(x *slot) bool {
	if x.slow || x.ended || s.used.slow >= share(s.slow, x.pace) || x.endpoint.slow >= share(s.slowPerHost, x.pace) {
		return false
	}
	s.count(x, -1)
	x.slow = true
	s.count(x, 1)
	return true
}

// release frees the slot of an exchange that has ended.
func (s *slots) release(x *slot) {
	x.ended = true
	s.count(x, -1)
}

func (s *slots) count(x *slot, n int) {
	s.used.add(x, n)
	x.endpoint.add(x, n)
}
