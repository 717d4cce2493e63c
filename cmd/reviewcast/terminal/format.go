package terminal

import (
	"fmt"
	"time"
)

// Plural writes a number and its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Duration writes how long something took.
func Duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// Stars writes a mean rating; nil is that of no reviews.
func Stars(mean *float64) string {
	if mean == nil {
		return "none"
	}
	return fmt.Sprintf("%.2f", *mean)
}
