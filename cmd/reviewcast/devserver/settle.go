package devserver

import "time"

// A save is not one step. Editors and tools empty a file and write it again, write
// another file and rename it, or delete and create it, and a build in between sees
// half of a save. This file has every rule about that.
const (
	// debounce is how long nothing must have changed before a build starts. It is
	// longer than the steps of one save are apart, and short enough that nobody
	// notices it.
	debounce = 4 * time.Millisecond
	// doubtWait applies to a build that failed or has fewer reviews than the one
	// before. It is longer than the pause of a busy machine between emptying a file
	// and writing it, 40 ms of which have been seen.
	doubtWait = 250 * time.Millisecond
	// lossWait applies to a build that has lost most of the reviews: a large file
	// that is being copied, or a folder that version control replaces.
	lossWait = time.Second
)

// settleTime returns how long nothing must have changed before a build replaces the
// one that is shown. err is the error of the build, shown and built are the numbers
// of reviews.
func settleTime(err error, shown, built int) time.Duration {
	switch {
	case err == nil && 2*built < shown:
		return lossWait
	case err != nil || built < shown:
		return doubtWait
	}
	return 0
}
