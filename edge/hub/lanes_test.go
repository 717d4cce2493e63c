package hub

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast/edge/hub/store"
)

// A crowd that is known to be slow fills its part of the slow lane, waits for the
// rest, and takes no place, no room and no turn from the others.
func TestSlowCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const crowd, quick = 3000, 500
		l := newLanes(DefaultPerHost, 1, func() {})
		var mu sync.Mutex
		served := 0
		l.work = func(d *delivery) {
			began := time.Now()
			if d.ID < crowd {
				time.Sleep(29 * time.Second)
			} else {
				time.Sleep(10 * time.Millisecond)
				mu.Lock()
				served++
				mu.Unlock()
			}
			l.done(d, answered, time.Since(began))
		}
		l.back = func([]*delivery, time.Duration) {}
		var slow, others []*delivery
		for i := range crowd {
			slow = append(slow, &delivery{Delivery: store.Delivery{ID: int64(i), Endpoint: fmt.Sprint("slow", i%20), Pace: store.Slow}})
		}
		for i := range quick {
			others = append(others, &delivery{Delivery: store.Delivery{ID: int64(crowd + i), Endpoint: "quick", Pace: store.Quick}})
		}
		l.add(slow)
		synctest.Wait()
		if fast, slow, waiting, _ := l.inFlight(); fast != 0 || slow != maxKnownSlow || waiting != crowd-maxKnownSlow {
			t.Errorf("%d fast and %d slow in flight, %d wait", fast, slow, waiting)
		}
		if room, except := l.room(store.Quick); room != maxReady || len(except) != 0 {
			t.Errorf("room for %d, but none of %v", room, except)
		}
		l.add(others)
		time.Sleep(quick / DefaultPerHost * 20 * time.Millisecond)
		mu.Lock()
		if served != quick {
			t.Errorf("%d of %d others are served beside the crowd", served, quick)
		}
		mu.Unlock()
		l.workers.Wait()
		if fast, slow, waiting, _ := l.inFlight(); fast+slow+waiting != 0 {
			t.Errorf("%d fast, %d slow, %d waiting are left", fast, slow, waiting)
		}
	})
}
