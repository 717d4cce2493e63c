package mirror

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"reviewcast"
)

// Limits on what publish pings, which anybody may send, can make a Keeper do.
const (
	// minLook is the least time between two looks.
	minLook = time.Second
	// maxAwaited is how many versions are waited for at once, and maxWait for how long.
	maxAwaited = 16
	maxWait    = 10 * time.Minute
)

// Keeper keeps a copy up to date until its context ends: it looks at the source
// regularly, sooner after an error, and when Ping reports a newer version.
type Keeper struct {
	Copy     *Copy
	Follower *Follower
	// Every is the time between two looks. Each is up to a tenth sooner, so that copies
	// that were started together don't ask together for ever.
	Every time.Duration
	// Looked is called after each look with what it changed. Required.
	Looked func(Report, error)

	once  sync.Once
	pings chan []string
}

func (k *Keeper) init() { k.once.Do(func() { k.pings = make(chan []string, 1) }) }

// Ping makes Run look now. manifests are hashes of manifests that the source doesn't
// have everywhere yet: each is looked for again and again, with growing pauses, until
// the copy has had it or ten minutes are over. Ping doesn't wait.
func (k *Keeper) Ping(manifests []string) {
	k.init()
	select {
	case k.pings <- manifests:
	default: // another ping is about to be read
	}
}

// Run looks until ctx is done.
func (k *Keeper) Run(ctx context.Context) {
	k.init()
	k.Follower.first = minLook
	awaited := map[string]time.Time{} // until when, by hash of the manifest
	pause := minLook                  // after an error, or while a version is awaited
	for {
		started := time.Now()
		report, err := k.Copy.Update(ctx, k.Follower)
		if ctx.Err() != nil {
			return
		}
		k.Looked(report, err)
		delete(awaited, k.Copy.current.hash())
		for manifest, until := range awaited {
			if started.After(until) {
				delete(awaited, manifest)
			}
		}
		wait := k.Every - rand.N(k.Every/10)
		if err != nil || len(awaited) > 0 {
			wait = min(wait, pause)
			pause *= 2
		} else {
			pause = minLook
		}
		if !k.sleep(ctx, started, wait, awaited, &pause) {
			return
		}
	}
}

// sleep waits for the next look, and takes pings meanwhile. It reports false when ctx is
// done.
func (k *Keeper) sleep(ctx context.Context, started time.Time, wait time.Duration, awaited map[string]time.Time, pause *time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case manifests := <-k.pings:
			for _, m := range manifests {
				if _, known := awaited[m]; !known && len(awaited) < maxAwaited {
					awaited[m] = time.Now().Add(maxWait)
				}
			}
			*pause = minLook
			timer.Reset(time.Until(started.Add(min(minLook, k.Every))))
		}
	}
}

// hash is the sha256 of the set's manifest; empty without a set.
func (s *Set) hash() string {
	if s == nil {
		return ""
	}
	return reviewcast.SHA256(s.Files[reviewcast.PathManifest])
}
