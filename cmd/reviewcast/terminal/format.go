package terminal

import (
	"fmt"
	"io"
	"time"
)

// Plural writes a number and its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Files lists the published files that a build changed.
func Files(w io.Writer, changed, removed []string) {
	for _, path := range changed {
		fmt.Fprintf(w, "changed %s\n", path)
	}
	for _, path := range removed {
		fmt.Fprintf(w, "removed %s\n", path)
	}
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
