package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reviewcast/edge/hub/store"
)

// Due is the time since when a delivery was possible: it is zero while all subscriptions
// without the content wait for a retry.
func TestDue(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		b.subscribe("https://a.example/", "", noon)
		due := func(at time.Time) time.Time {
			b.Helper()
			c, err := b.Counts(b.Context(), at)
			b.must(err)
			return c.Topics[topic].Due
		}
		if got := due(noon); !got.IsZero() {
			b.Errorf("due since %s with nothing to deliver", got)
		}
		b.publish(2, "b")
		if got := due(noon); !got.Equal(noon) {
			b.Errorf("due since %s, want the change", got)
		}
		next := noon.Add(10 * time.Minute)
		b.ack("me", noon, store.Outcome{Delivery: b.one("me", "b", noon), Verdict: store.Failed, Next: next, Error: "no"})
		if got := due(next.Add(-1 * time.Millisecond)); !got.IsZero() {
			b.Errorf("due since %s while it waits", got)
		}
		if got := due(next.Add(time.Minute)); !got.Equal(next) {
			b.Errorf("due since %s, want the end of the wait", got)
		}
	})
}

func TestOperators(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		first := b.subscribe("https://a.example/", "s", noon)
		second := b.subscribe("https://b.example/", "", noon)
		b.publish(2, "b")
		for _, d := range b.claim("me", "b", noon) {
			if d.ID == first {
				b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Failed, Next: noon.Add(time.Hour), Error: "no"})
			}
		}
		for name, f := range map[string]store.Filter{
			"failing": {Failing: true}, "ids": {IDs: []int64{first, 99}},
		} {
			list, err := b.List(b.Context(), f)
			if err != nil || len(list) != 1 || list[0].ID != first {
				b.Errorf("%s: %+v, %v", name, list, err)
			}
		}
		if list, err := b.List(b.Context(), store.Filter{Topic: other}); err != nil || len(list) != 0 {
			b.Errorf("of another topic: %+v, %v", list, err)
		}
		counts, err := b.Counts(b.Context(), noon)
		b.must(err)
		want := store.Counts{Total: 2, Pending: map[string]int{}, Topics: map[string]store.TopicCounts{
			topic: {Active: 1, Failing: 1, Behind: 2, Due: noon}}}
		if diff := cmp.Diff(want, counts); diff != "" {
			b.Error(diff)
		}
		for at, inFlight := range map[time.Time]int{noon: 1, noon.Add(store.OwnerLapse): 0, {}: 1} {
			list, err := b.List(b.Context(), store.Filter{At: at})
			b.must(err)
			if n := len(slices.DeleteFunc(list, func(s store.Subscription) bool { return !s.InFlight })); n != inFlight {
				b.Errorf("%d in flight at %s, want %d", n, at, inFlight)
			}
		}
		for _, list := range [][]int64{nil, {99, first}} {
			if done, err := b.Retry(b.Context(), list); !slices.Equal(done, []int64{first}) || err != nil {
				b.Errorf("retry %d: %d, %v", list, done, err)
			}
		}
		if d := b.one("me", "b", noon); d.ID != first || d.Failures != 0 {
			b.Errorf("retried: %+v", d)
		}
		done, err := b.Remove(b.Context(), noon, []int64{first, second, 99}, "")
		if slices.Sort(done); !slices.Equal(done, []int64{first, second}) || err != nil {
			b.Errorf("remove: %d, %v", done, err)
		}
		b.request(ask(store.ModeSubscribe, "https://c.example/", ""), noon)
		pending, err := b.Pending(b.Context(), 10)
		if err != nil || len(pending) != 1 || pending[0].Callback != "https://c.example/" {
			b.Errorf("pending: %+v, %v", pending, err)
		}
	})
}
