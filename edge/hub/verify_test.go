package hub

import (
	"testing"
	"time"
)

// A callback that doesn't answer is asked three times, with different challenges, for 10 s
// each. The 202 doesn't wait for it.
func TestVerificationWithoutAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		s.answers(hang)
		before := time.Now()
		r.ask("subscribe", atom, callback)
		if took := time.Since(before); took != 0 {
			t.Errorf("the 202 took %s", took)
		}
		challenges := map[string]bool{}
		for range verifyTries {
			challenges[s.verification().query.Get("hub.challenge")] = true
		}
		if len(challenges) != verifyTries {
			t.Errorf("%d different challenges, want %d", len(challenges), verifyTries)
		}
		r.until("given up", func() bool {
			pending, err := r.state.Pending(t.Context(), 1)
			return err == nil && len(pending) == 0
		})
		within(t, "giving up", time.Since(before), 3*verifyTimeout+verifyWaits[0]+verifyWaits[1])
		if len(r.list()) != 0 {
			t.Errorf("subscribed: %+v", r.list())
		}
		s.quiet()
	})
}

// A callback that answers the second time is subscribed.
func TestVerificationSecondTry(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		callback, address := at(0)
		r.ask("subscribe", atom, callback) // nobody listens yet
		time.Sleep(2 * time.Second)
		s := newSubscriber(t, net.listen(address))
		s.verification()
		r.settled()
		if len(r.list()) != 1 {
			t.Error("not subscribed")
		}
	})
}
