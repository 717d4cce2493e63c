package hub

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"reviewcast/edge/hub/store"
)

// States of a [Status].
const (
	StateActive   = "active"   // subscribed, with the newest content or about to get it
	StateFailing  = "failing"  // subscribed, the last delivery failed
	StateWaiting  = "waiting"  // subscribed, the hub could not call
	StatePending  = "pending"  // requested, not verified yet
	StateRejected = "rejected" // requested, and the verification failed
	StateEnded    = "ended"    // no longer subscribed
)

// Status explains what has happened to a subscription.
type Status struct {
	State       string    `json:"state"`
	Explanation string    `json:"explanation"` // what happened, one sentence
	Remedy      string    `json:"remedy"`      // what would help, one sentence
	At          time.Time `json:"at,omitzero"` // when it happened
	Next        time.Time `json:"next_attempt,omitzero"`
}

// Explain returns the status of a subscription, a pending verification, or a departure. It
// holds nothing that its subscriber may not see.
func Explain(r store.Record, now time.Time) Status {
	switch {
	case r.Subscription != nil:
		return explainSubscription(r.Subscription, now)
	case r.Verification != nil:
		return explainVerification(r.Verification)
	case r.Departure != nil:
		return explainDeparture(r.Departure)
	}
	return Status{}
}

func explainSubscription(r *store.Subscription, now time.Time) Status {
	reason := publicPart(r.LastError)
	s := Status{At: r.DeliveredAt}
	if r.NextAttempt.After(now) {
		s.Next = r.NextAttempt
	}
	switch {
	case !now.Before(r.ExpiresAt):
		s.State, s.At = StateEnded, r.ExpiresAt
		s.Explanation, s.Remedy = "The lease ended on "+day(r.ExpiresAt)+".", remedyExpired
	case (r.Behind || !s.Next.IsZero()) && isOurs(reason):
		s.State, s.Explanation, s.Remedy = StateWaiting, "The delivery is postponed: "+reason+".", remedyOurs
	case r.Failures > 0:
		s.State = StateFailing
		s.Explanation = fmt.Sprintf("%s failed, the last with: %s.", plural(r.Failures, "consecutive delivery", "consecutive deliveries"), reason)
		s.Remedy = remedy(reason, "The hub tries again by itself.")
	case r.Behind:
		s.State, s.Explanation, s.Remedy = StateActive, "The newest content is about to be delivered.", remedyNone
	default:
		s.State, s.Explanation, s.Remedy = StateActive, "The subscription is active and was sent everything since its request.", remedyNone
	}
	return s
}

func explainVerification(v *store.Verification) Status {
	reason := publicPart(v.LastError)
	s := Status{State: StatePending, At: v.RequestedAt, Next: v.NextAttempt, Remedy: remedyNone}
	switch {
	case v.Mode == store.ModeDenied:
		s.State, s.Explanation, s.Remedy = StateEnded, "The subscription was removed, and a denial is about to be sent: "+v.Reason+".", remedy(v.Reason, remedyAgain)
	case v.Attempts == 0 && reason == "":
		s.Explanation = "The " + v.Mode + " request waits for its verification."
	case isOurs(reason):
		s.Explanation, s.Remedy = "The verification is postponed: "+reason+".", remedyOurs
	default:
		s.Explanation = fmt.Sprintf("%s of the callback had no valid answer, the last with: %s.", plural(v.Attempts, "verification", "verifications"), reason)
		s.Remedy = remedy(reason, "The hub tries three times.")
	}
	return s
}

func explainDeparture(d *store.Departure) Status {
	reason := publicPart(d.Error)
	s := Status{State: StateEnded, At: d.At}
	on := " on " + day(d.At)
	switch d.Cause {
	case store.CauseUnverified:
		s.State = StateRejected
		s.Explanation, s.Remedy = "The verification failed"+on+": "+reason+".", remedy(reason, remedyAgain)
	case store.CauseUnsubscribed:
		s.Explanation, s.Remedy = "The callback confirmed an unsubscribe request"+on+".", remedyAgain
	case store.CauseGone:
		s.Explanation, s.Remedy = "The callback answered 410 Gone"+on+", which ends a subscription.", "Answer notifications with a 2xx status, then subscribe again."
	case store.CauseFailed:
		s.Explanation = "The subscription was removed" + on + " after three consecutive failures, the last with: " + reason + "."
		s.Remedy = remedy(reason, remedyAgain)
	case store.CauseExpired:
		s.Explanation, s.Remedy = "The lease ended before"+on+".", remedyExpired
	case store.CauseRemoved:
		s.Explanation, s.Remedy = "An operator of the hub removed the subscription"+on+".", "Ask the operator, or subscribe again."
	}
	return s
}

const (
	remedyNone    = "Nothing needs to be done."
	remedyOurs    = "Nothing needs to be done: the hub tries again as soon as it can."
	remedyAgain   = "Subscribe again."
	remedyExpired = "Subscribe again, and renew each subscription before its lease ends."
)

// remedies are what helps against errors, by the beginning of their public text.
//
//go:embed remedies.txt
var remedies string

// remedy returns what helps against a reason, and then.
func remedy(reason, then string) string {
	for line := range strings.Lines(remedies) {
		begins, remedy, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if i := strings.Index(reason, begins); i == 0 || i > 0 && strings.HasSuffix(reason[:i], ": ") {
			return remedy + " " + then
		}
	}
	return then
}

// publicPart returns the part of a stored error that subscribers may see; see errorText.
func publicPart(text string) string {
	public, _, _ := strings.Cut(text, ": ")
	return public
}

// isOurs reports whether a reason is an error of the hub itself.
func isOurs(reason string) bool { return reason == errOutage.Error() || reason == errLocal.Error() }

func day(t time.Time) string { return t.UTC().Format("2 January 2006 at 15:04 UTC") }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
