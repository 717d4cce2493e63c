package hub

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// maxRetryAfter is how long a subscriber may have us wait. It stops one whose
// clock is off from waiting for ever, and being told nothing.
const maxRetryAfter = 24 * time.Hour

// jitter gives or takes a fifth, so that subscribers that failed together don't
// come back together.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// retryAt is when a delivery is tried again that has failed so often in a row:
// after our wait, or after the subscriber's own if that is longer.
func (h *Hub) retryAt(now time.Time, failures int, wanted time.Duration) time.Time {
	wait := jitter(h.Retry[min(failures, len(h.Retry))-1])
	return now.Add(max(wait, min(wanted, maxRetryAfter)))
}

// retryAfter reads the header of an answer, in seconds or as a date (RFC 9110,
// section 10.2.3); 0 when it isn't there or means nothing.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	} else if errors.Is(err, strconv.ErrRange) {
		return maxRetryAfter
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
