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

// Keeper keeps a copy up to date: it looks regularly, sooner after an error, and when pinged.
type Keeper struct {
	Copy     *Copy
	Follower *Follower
	// Every is the time between two looks, less up to a tenth: copies started together spread out.
	Every time.Duration
	// Update is what a look calls; nil is Copy.Update with Follower.
	Update func(context.Context) (Report, error)
	// Looked is called after each look with what it changed. Required.
	Looked func(Report, error)

	once   sync.Once
	pinged chan struct{}
	mu     sync.Mutex
	named  []string // manifests that pings have named and Run has not seen
}

func (k *Keeper) init() { k.once.Do(func() { k.pinged = make(chan struct{}, 1) }) }

// Ping makes Run look now, without waiting. Each of the manifests, named by hash, is looked for with growing
// pauses until the copy has had it or ten minutes are over.
func (k *Keeper) Ping(manifests []string) {
	k.init()
	k.mu.Lock()
	k.named = append(k.named, manifests[:min(len(manifests), maxAwaited-len(k.named))]...)
	k.mu.Unlock()
	select {
	case k.pinged <- struct{}{}:
	default: // Run is about to look
	}
}

// Run looks until ctx is done.
func (k *Keeper) Run(ctx context.Context) {
	k.init()
	k.Follower.first = minLook
	update := k.Update
	if update == nil {
		update = func(ctx context.Context) (Report, error) { return k.Copy.Update(ctx, k.Follower) }
	}
	awaited := map[string]time.Time{} // until when, by hash of the manifest
	pause := minLook                  // after an error, or while a version is awaited
	for {
		started := time.Now()
		report, err := update(ctx)
		if ctx.Err() != nil {
			return
		}
		k.Looked(report, err)
		if set := k.Copy.current; set != nil {
			delete(awaited, reviewcast.SHA256(set.Files[reviewcast.PathManifest]))
		}
		for manifest, until := range awaited {
			if started.After(until) {
				delete(awaited, manifest)
			}
		}
		wait := k.Every - rand.N(k.Every/10)
		if err != nil || len(awaited) > 0 {
			wait = min(wait, pause)
			pause = min(2*pause, k.Every)
		} else {
			pause = minLook
		}
		if !k.sleep(ctx, started, wait, awaited, &pause) {
			return
		}
	}
}

// sleep waits for the next look, and takes pings meanwhile. It reports false when ctx is done.
func (k *Keeper) sleep(ctx context.Context, started time.Time, wait time.Duration, awaited map[string]time.Time, pause *time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-k.pinged:
			k.mu.Lock()
			for _, m := range k.named {
				if _, known := awaited[m]; !known && len(awaited) < maxAwaited {
					awaited[m] = time.Now().Add(maxWait)
				}
			}
			k.named = nil
			k.mu.Unlock()
			*pause = minLook
			timer.Reset(time.Until(started.Add(min(minLook, k.Every))))
		}
	}
}
