package hub

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// maxRetryAfter bounds the Retry-After of a subscriber: one with a wrong clock would otherwise wait for ever.
const maxRetryAfter = 24 * time.Hour

// jitter changes d by up to 20 %, so that subscribers that failed together aren't retried together.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// retryAt returns when a delivery is retried after consecutive failures: after our wait,
// or after the subscriber's Retry-After if that is longer.
func (h *Hub) retryAt(now time.Time, failures int, wanted time.Duration) time.Time {
	wait := jitter(h.Retry[min(failures, len(h.Retry))-1])
	return now.Add(max(wait, min(wanted, maxRetryAfter)))
}

// retryAfter parses the header of an answer, in seconds or as a date (RFC 9110, section
// 10.2.3). It returns 0 if the header is missing or invalid.
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
