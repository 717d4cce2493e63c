package hub

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast/edge/hub/store"
)

// Many subscribers that are known to be slow fill their part of the slow slots. They wait
// for the rest, and take no slots, capacity or turns from the others.
func TestSlowCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const crowd, quick = 3000, 500
		s := newScheduler(testPerHost)
		var mu sync.Mutex
		served := 0
		serve := func(d *delivery) {
			began := time.Now()
			if d.ID < crowd {
				time.Sleep(29 * time.Second)
			} else {
				time.Sleep(10 * time.Millisecond)
				mu.Lock()
				served++
				mu.Unlock()
			}
			s.done(d, answered, time.Since(began))
		}
		var workers sync.WaitGroup
		next := func() *delivery { return s.next(time.Now()).begin }
		add := func(list []*delivery) {
			s.add(list)
			for d := next(); d != nil; d = next() {
				workers.Go(func() {
					for own := d; own != nil; own = next() {
						serve(own)
					}
				})
			}
		}
		var slow, others []*delivery
		for i := range crowd {
			slow = append(slow, &delivery{Delivery: store.Delivery{ID: int64(i), Endpoint: fmt.Sprint("slow", i%20), Pace: store.Slow}})
		}
		for i := range quick {
			others = append(others, &delivery{Delivery: store.Delivery{ID: int64(crowd + i), Endpoint: "quick", Pace: store.Quick}})
		}
		add(slow)
		synctest.Wait()
		maxKnownSlow := maxSlowDeliveries * 3 / 4
		if l := s.load(); l.normal != 0 || l.slow != maxKnownSlow || l.queued != crowd-maxKnownSlow {
			t.Errorf("load %+v", l)
		}
		if n, except := s.capacity(store.Quick); n != maxReady || len(except) != 0 {
			t.Errorf("capacity %d, except %v", n, except)
		}
		add(others)
		time.Sleep(time.Duration(quick/testPerHost) * 20 * time.Millisecond)
		mu.Lock()
		if served != quick {
			t.Errorf("%d of %d others are served beside the slow ones", served, quick)
		}
		mu.Unlock()
		workers.Wait()
		if l := s.load(); l != (load{}) {
			t.Errorf("load %+v is left", l)
		}
	})
}
