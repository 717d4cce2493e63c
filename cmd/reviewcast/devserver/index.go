package devserver

import (
	"context"
	"runtime"
	"time"

	"reviewcast/edge/snapshot"
)

// indexJob is a build to be made searchable; done releases the requests that wait
// for it.
type indexJob struct {
	files *snapshot.Files
	done  func()
}

// insteadOf returns the job with the waiting requests of a skipped one.
func (j indexJob) insteadOf(skipped indexJob) indexJob {
	done := j.done
	j.done = func() { skipped.done(); done() }
	return j
}

// indexDelay is how long the index waits, so that the browser gets its page first
// and a newer build can make it unnecessary. A request that needs the index ends
// the delay.
const indexDelay = 150 * time.Millisecond

// index makes the newest build searchable, until ctx ends.
func (s *Server) index(ctx context.Context) {
	delay := time.NewTimer(0)
	for {
		select {
		case <-ctx.Done():
			return
		case job := <-s.toIndex:
			delay.Reset(indexDelay)
			select {
			case <-delay.C:
			case <-s.preview.wanted:
			case <-ctx.Done():
				job.done()
				return
			}
			select {
			case newer := <-s.toIndex:
				job = newer.insteadOf(job)
			default:
			}
			searchable, err := job.files.Index()
			if err != nil {
				s.log.Error("index the build", "err", err)
			} else {
				s.snapshots.SwapIndexed(searchable)
			}
			job.done()
			// Collected here, when nobody waits: the next build then finds free memory,
			// and getting as much from the system takes longer than the build itself.
			runtime.GC()
		}
	}
}
