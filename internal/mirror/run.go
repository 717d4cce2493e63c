package mirror

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"reviewcast"
)

// Limits on what publish pings, which anybody may send, can make Run do.
const (
	// minLook is the least time between two looks.
	minLook = time.Second
	// maxAwaited is how many versions are waited for at once, and maxWait for how long.
	maxAwaited = 16
	maxWait    = 10 * time.Minute
)

// pings are the publish pings that Run has not seen yet.
type pings struct {
	once   sync.Once
	pinged chan struct{}
	mu     sync.Mutex
	named  []string // manifests
}

func (p *pings) init() { p.once.Do(func() { p.pinged = make(chan struct{}, 1) }) }

// Ping makes [Copy.Run] look now, without waiting. Each of the manifests, named by hash, is looked for with
// growing pauses until the copy has had it or ten minutes are over.
func (p *pings) Ping(manifests []string) {
	p.init()
	p.mu.Lock()
	p.named = append(p.named, manifests[:min(len(manifests), maxAwaited-len(p.named))]...)
	p.mu.Unlock()
	select {
	case p.pinged <- struct{}{}:
	default: // Run is about to look
	}
}

// Run keeps the copy up to date until ctx is done: it calls look, which calls Update, regularly, sooner after an
// error, and when pinged. It looks a little more often than every says, so that copies started together spread out.
func (c *Copy) Run(ctx context.Context, every time.Duration, look func(context.Context) error) {
	c.init()
	awaited := map[string]time.Time{} // until when, by hash of the manifest
	pause := minLook                  // after an error, or while a version is awaited
	for {
		started := time.Now()
		err := look(ctx)
		if c.current != nil {
			delete(awaited, reviewcast.SHA256(c.current.Files[reviewcast.PathManifest]))
		}
		for manifest, until := range awaited {
			if started.After(until) {
				delete(awaited, manifest)
			}
		}
		wait := every - rand.N(every/10)
		if err != nil || len(awaited) > 0 {
			wait = min(wait, pause)
			pause = min(2*pause, every)
		} else {
			pause = minLook
		}
		timer := time.NewTimer(wait)
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
				waiting = false
			case <-c.pinged:
				c.await(awaited)
				pause = minLook
				timer.Reset(time.Until(started.Add(min(minLook, every))))
			}
		}
	}
}

// await adds the versions that pings have named.
func (p *pings) await(awaited map[string]time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.named {
		if _, known := awaited[m]; !known && len(awaited) < maxAwaited {
			awaited[m] = time.Now().Add(maxWait)
		}
	}
	p.named = nil
}
