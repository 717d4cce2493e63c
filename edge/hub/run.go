package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"reviewcast/edge/hub/store"
)

const (
	sweepEvery    = 30 * time.Second // how often expired subscriptions are deleted
	sweepBatch    = 2000             // keeps a sweep from delaying deliveries
	reloadEvery   = time.Second      // keeps pings, which anybody may send, from reading the disk constantly
	passOnTimeout = time.Second      // the time for passing a ping on
	leaveWithin   = 2 * time.Second  // the time after Grace for writing the last outcomes and giving up claims
	logEvery      = 10 * time.Second // how often an error of one kind is logged: it may happen thousands of times a second
	maxPings      = 16               // the number of pings, and of their manifests, that are remembered until the next reload
	// Grace is how long Run lets deliveries in flight end.
	Grace = 8 * time.Second
)

// Run delivers until ctx is done. Then it starts no new work, waits at most Grace for
// deliveries in flight, writes their outcomes, and gives up its claims.
func (h *Hub) Run(ctx context.Context) error {
	if err := h.Store.Heartbeat(ctx, time.Now(), h.owner); ctx.Err() != nil {
		return nil
	} else if err != nil {
		return fmt.Errorf("start hub: %w", err)
	}
	endpoints, err := h.Store.Answered(ctx, maxRecent)
	if err != nil {
		return fmt.Errorf("start hub: %w", err)
	}
	h.network.remember(endpoints)
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	writes, stopWrites := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWrites()

	var acknowledging, loops sync.WaitGroup
	acknowledging.Go(func() { h.acknowledgeLoop(writes) })
	loops.Go(func() { h.deliverLoop(ctx, work) })
	loops.Go(func() { h.verifyLoop(ctx, work) })
	loops.Go(func() { every(ctx, h.PollInterval, h.heartbeat) })
	loops.Go(func() {
		h.sweep(ctx)
		every(ctx, sweepEvery, h.sweep)
	})
	if h.Reload != nil {
		loops.Go(func() { h.reloadLoop(ctx) })
	}
	loops.Go(func() { h.networkLoop(ctx) })
	<-ctx.Done()

	h.scheduler.drain()
	time.AfterFunc(Grace, stopWork)
	time.AfterFunc(Grace+leaveWithin, stopWrites)
	loops.Wait()
	h.exchanges.Wait()
	close(h.outcomes) // only deliverLoop and workers send on it
	acknowledging.Wait()
	h.deliverClient.CloseIdleConnections()

	if err := h.Store.Leave(writes, h.owner); err != nil {
		h.Logger.Warn("claims not given up; they lapse", "error", err)
	}
	return nil
}

// every calls f at intervals until ctx is done.
func every(ctx context.Context, interval time.Duration, f func(context.Context)) {
	tick := time.Tick(interval)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			f(ctx)
		}
	}
}

// heartbeat records that the hub is alive, and whether the state can be written. One that
// takes as long as the time between two counts as failed.
func (h *Hub) heartbeat(ctx context.Context) {
	late := time.AfterFunc(h.PollInterval, func() { h.setHealth(errStateSlow) })
	err := h.Store.Heartbeat(ctx, time.Now(), h.owner)
	late.Stop()
	if ctx.Err() != nil {
		return
	}
	h.setHealth(err)
	if err != nil {
		h.storeError(ctx, "heartbeat failed", err)
	} else if pending, err := h.Store.CountPending(ctx); err == nil {
		h.busy.Store(pending[store.ModeSubscribe]+pending[store.ModeUnsubscribe] >= maxPending)
	}
}

// ErrState is what every error of [Hub.Health] wraps, beside its cause: the state file is
// removed, replaced, read-only or on a full disk, or the database doesn't answer.
var ErrState = errors.New("the hub's state can't be written")

var errStateSlow = errors.New("it doesn't answer")

func (h *Hub) setHealth(err error) {
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrState, err)
	}
	h.health.Store(&err)
}

// Health returns an error while the state can't be written, which is [ErrState] and its
// cause. Requests are rejected then. It detects a change within two [Config].PollInterval.
func (h *Hub) Health() error {
	return *cmp.Or(h.health.Load(), new(error)) // none before the first heartbeat
}

// answered calls the state, until [Hub.Health] notices an error: nothing interrupts SQLite when its disk hangs.
func (h *Hub) answered(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- call(ctx) }()
	poll := time.Tick(h.PollInterval / 4)
	for {
		select {
		case err := <-ended:
			return err
		case <-poll:
			if err := h.Health(); err != nil {
				return err
			}
		}
	}
}

func (h *Hub) sweep(ctx context.Context) {
	for swept := sweepBatch; swept == sweepBatch && ctx.Err() == nil; {
		var err error
		if swept, err = h.Store.Sweep(ctx, time.Now(), sweepBatch); err != nil {
			h.storeError(ctx, "expired subscriptions not deleted", err)
			return
		}
		if swept > 0 {
			h.metrics.expired.Add(float64(swept))
			h.Logger.Info("leases ended", "subscriptions", swept)
		}
	}
	if counts, err := h.Store.Counts(ctx, time.Now()); err == nil {
		h.full.Store(counts.Total >= maxSubscriptions)
	}
}

// reloadLoop reloads files when asked to, here or by hubs that share the state, at most once every reloadEvery.
func (h *Hub) reloadLoop(ctx context.Context) {
	for {
		var manifests []string
		select {
		case <-ctx.Done():
			return
		case manifests = <-h.Store.Pings():
		case <-h.wakeReload:
		}
		for len(h.Store.Pings()) > 0 { // nobody else receives from it
			manifests = append(manifests, <-h.Store.Pings()...)
		}
		own := h.takePings()
		h.Reload(append(manifests, own...))
		if own != nil {
			h.passOn(ctx, own)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(reloadEvery):
		}
	}
}

// passOn passes pings on to the hubs that share the state.
func (h *Hub) passOn(ctx context.Context, manifests []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), passOnTimeout)
	defer cancel()
	if err := h.Store.Ping(ctx, manifests); err != nil {
		h.Logger.Warn("publish ping not passed on to other edges", "error", err)
	}
}

// takePings returns the hashes of manifests that pings have announced since the last reload: nil without a ping.
func (h *Hub) takePings() (manifests []string) {
	for len(h.pings) > 0 { // nobody else receives from it
		manifests = append(append([]string{}, manifests...), <-h.pings...) // not nil
	}
	return manifests[:min(len(manifests), maxPings)]
}

// storeError logs an error of the store after which a loop tries again.
func (h *Hub) storeError(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		h.logError(what+"; trying again", err)
	}
}

// logError logs an error, at most once every logEvery for each message.
func (h *Hub) logError(what string, err error) {
	sometimes, _ := h.errors.LoadOrStore(what, &rate.Sometimes{Interval: logEvery})
	sometimes.(*rate.Sometimes).Do(func() { h.Logger.Error(what, "error", err) })
}
