package hub

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

const (
	// look is how often the store is asked for work that nobody has announced:
	// retries, lapsed claims, other hubs' news.
	look = time.Second
	// behindFor is how long files may be older than what another hub has told of before
	// somebody should look why.
	behindFor = 15 * time.Second
	// beat is how often the hub says that it is alive.
	beat = store.OwnerLapse / 4
	// sweepEvery is how often subscriptions whose lease has ended are removed. They
	// aren't delivered to before that, either.
	sweepEvery = 30 * time.Second
	// sweepBatch keeps a sweep from holding up deliveries.
	sweepBatch = 2000
	// reloadEvery keeps pings, which anybody may send, from reading the disk all the
	// time.
	reloadEvery = time.Second
	// gather is how long acknowledgements wait for others to share a transaction.
	gather = 20 * time.Millisecond
	// maxGather is how many share one.
	maxGather = 512
	// ackAgain is when acknowledgements that couldn't be written are tried again.
	ackAgain = time.Second
	// wordTries are how often, and wordAgain after what time, an outcome is tried that the
	// state doesn't take, before it is tried without its words.
	wordTries = 5
	wordAgain = 100 * time.Millisecond
	// leaveWithin is the time after Grace for writing the last outcomes down and giving
	// claims up.
	leaveWithin = 2 * time.Second
	// complainEvery is how often the same trouble with the state is logged.
	complainEvery = 10 * time.Second
	// Grace is how long Run lets deliveries end.
	Grace = 8 * time.Second
)

// Run does the hub's work until ctx is done. Then it begins nothing more, lets
// deliveries in flight end for at most Grace, writes down what was acknowledged,
// and gives its claims up.
func (h *Hub) Run(ctx context.Context) error {
	if err := h.Store.Beat(ctx, time.Now(), h.owner); ctx.Err() != nil {
		return nil
	} else if err != nil {
		return fmt.Errorf("start hub: %w", err)
	}
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(errStopped)
	// Outcomes are written down for a moment longer than deliveries may take.
	last, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWriting()
	h.lanes.work = func(d *delivery) { h.run(work, d) }
	h.lanes.back = h.giveBack

	var acknowledging, confirming, loops sync.WaitGroup
	acknowledging.Go(func() { h.acknowledgeAll(last) })
	confirming.Go(func() { h.confirmAll(last) })
	for _, loop := range []func(context.Context){h.deliverAll, h.keep, h.reloads, h.listen,
		func(ctx context.Context) { h.shakeAll(ctx, work) }} {
		loops.Go(func() { loop(ctx) })
	}
	<-ctx.Done()
	h.lanes.close()
	grace := time.AfterFunc(Grace, func() { stop(errStopped) })
	defer grace.Stop()
	leaving := time.AfterFunc(Grace+leaveWithin, stopWriting)
	defer leaving.Stop()
	loops.Wait()
	h.lanes.workers.Wait()
	close(h.confirms)
	confirming.Wait()
	h.shaking.Wait()
	close(h.acks)
	acknowledging.Wait()
	h.client.CloseIdleConnections()

	if err := h.Store.Leave(last, h.owner); err != nil {
		h.Logger.Warn("claims not given up; they lapse", "error", err)
	}
	return nil
}

// deliverAll keeps the lanes filled.
func (h *Hub) deliverAll(ctx context.Context) {
	tick := time.NewTicker(h.look)
	defer tick.Stop()
	topics := true // they may have moved since the last look
	rest := false  // the state is in trouble: until the next tick
	for {
		if topics && !rest {
			topics = false
			clear(h.dry)
			h.due = nil
			h.compare(ctx)
		}
		if !rest {
			rest = h.fill(ctx) != nil
		}
		select {
		case <-ctx.Done():
			return
		case <-h.published:
			topics = true
		case <-tick.C:
			topics, rest = true, false
		case <-h.deliveries:
		}
	}
}

// compare holds what is published against the topics' rows: news is published to
// the store, and where another hub is ahead, newer files are looked for.
func (h *Hub) compare(ctx context.Context) {
	edition := h.Published()
	if edition == nil {
		return
	}
	rows, err := h.Store.Topics(ctx)
	if err != nil {
		h.storeError(ctx, "topics not read", err)
		return
	}
	for _, path := range reviewcast.Topics {
		content, ok := edition.Topics[path]
		row, known := rows[h.topic(path)]
		switch {
		case !ok || known && row.SHA256 == content.SHA256 && row.Sequence >= edition.Sequence:
			delete(h.behind, path)
		case !known || edition.Sequence > row.Sequence:
			delete(h.behind, path)
			h.publish(ctx, path, content, edition.Sequence)
		case edition.Sequence < row.Sequence:
			signal(h.reload)
			if h.follows(path) {
				break
			}
			fallthrough
		default:
			if h.told[path] != edition.Sequence {
				h.told[path] = edition.Sequence
				h.Logger.Warn("published files are older than what subscribers have been told of; nothing is sent from them",
					"topic", h.topic(path), "sequence", edition.Sequence, "told", row.Sequence)
			}
		}
	}
}

// follows tells whether files that are older than another hub's may still be about to
// be taken up here, too: with several edges one of them is always the first.
func (h *Hub) follows(path string) bool {
	since, behind := h.behind[path]
	if !behind {
		since = time.Now()
		h.behind[path] = since
	}
	return time.Since(since) < behindFor
}

func (h *Hub) publish(ctx context.Context, path string, content Content, sequence int64) {
	p := store.Publication{Topic: h.topic(path), SHA256: content.SHA256, Sequence: sequence}
	moved, err := h.Store.Publish(ctx, time.Now(), p)
	switch {
	case err != nil:
		h.storeError(ctx, "change not noted", err)
	case moved:
		h.metrics.changes.WithLabelValues(p.Topic).Inc()
		h.Logger.Info("topic has changed", "topic", p.Topic, "sequence", sequence, "bytes", len(content.Body))
	}
}

// fill claims deliveries as long as there are some and room for them.
func (h *Hub) fill(ctx context.Context) error {
	edition := h.Published()
	if edition == nil {
		return nil
	}
	if h.due == nil {
		due, err := h.Store.Due(ctx, time.Now())
		if err != nil {
			h.storeError(ctx, "no look at what is due", err)
			return err
		}
		h.due = []vein{}
		for _, pace := range []store.Pace{store.Quick, store.New, store.Slow} {
			for _, path := range reviewcast.Topics {
				if slices.Contains(due, store.Vein{Topic: h.topic(path), Pace: pace}) {
					h.due = append(h.due, vein{path, pace})
				}
			}
		}
	}
	for left := slices.Clone(h.due); len(left) > 0 && ctx.Err() == nil; {
		v := left[0]
		left = left[1:]
		content, ok := edition.Topics[v.path]
		if !ok {
			continue
		}
		known, dry := h.dry[v]
		if dry && len(known) == 0 {
			continue
		}
		room, except := h.lanes.room(v.pace)
		if room <= 0 || dry && covers(except, known) {
			continue // the lanes ask for more when there is room again
		}
		claim := store.Claim{Owner: h.owner, Topic: h.topic(v.path), SHA256: content.SHA256, Pace: v.pace, Except: except, Limit: min(room, claimBatch)}
		claimed, err := h.Store.ClaimDeliveries(ctx, time.Now(), claim)
		if err != nil {
			h.storeError(ctx, "deliveries not claimed", err)
			return err
		}
		if len(claimed) < claim.Limit {
			// To find nothing costs a look at all that is due to the endpoints excepted: once
			// a second is enough.
			h.dry[v] = except
		}
		if len(claimed) == 0 {
			continue
		}
		deliveries := make([]*delivery, len(claimed))
		for i, c := range claimed {
			deliveries[i] = &delivery{Delivery: c, content: content, path: v.path, seen: c.ClaimedAt}
		}
		h.lanes.add(deliveries)
		if len(claimed) == claim.Limit {
			left = append(left, v) // there may be more; the others have their turn first
		}
	}
	return nil
}

// vein is where work is looked for: a topic's subscribers of one pace.
type vein struct {
	path string
	pace store.Pace
}

// covers tells whether all of some endpoints are among others.
func covers(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// giveBack gives up claims on deliveries that weren't begun.
func (h *Hub) giveBack(deliveries []*delivery, wait time.Duration) {
	for _, d := range deliveries {
		o := store.Outcome{Delivery: d.Delivery, Verdict: store.Released}
		outcome := "released"
		if wait > 0 { // a breaker's
			o.Next, outcome = time.Now().Add(wait+jitter(wait/4)), "postponed" // not all at once
		}
		h.metrics.deliveries.WithLabelValues(outcome).Inc()
		h.acks <- o
	}
}

// acknowledgeAll writes outcomes down, as many in one transaction as come within
// a moment, until there are no more. What can't be written is tried again: it has
// happened.
func (h *Hub) acknowledgeAll(ctx context.Context) {
	for first := range h.acks {
		batch := h.gather(first)
		for left := batch; ; {
			err := h.Store.Acknowledge(ctx, time.Now(), h.owner, left)
			if err == nil {
				break
			}
			h.storeError(ctx, "deliveries not acknowledged", err)
			select {
			case <-time.After(ackAgain):
				if left = h.acknowledgeParts(ctx, left); len(left) > 0 {
					continue
				}
			case <-ctx.Done():
				h.Logger.Error("stopped before deliveries were acknowledged; they will be repeated", "deliveries", len(left))
			}
			break
		}
		for _, o := range batch {
			if o.Verdict == store.Denied {
				signal(h.handshakes)
			}
			if o.Verdict == store.Released && o.Next.IsZero() {
				signal(h.deliveries)
			}
		}
	}
}

// acknowledgeParts writes what can be written of a batch that couldn't be as a
// whole, and gives what is left: an outcome that the database doesn't take shall not
// keep the others from being written. When it is the database, the rest waits.
func (h *Hub) acknowledgeParts(ctx context.Context, batch []store.Outcome) (left []store.Outcome) {
	if len(batch) == 1 {
		if h.acknowledgeOne(ctx, batch[0]) {
			return nil
		}
		return batch
	}
	for half := range slices.Chunk(batch, (len(batch)+1)/2) {
		if len(left) > 0 {
			left = append(left, half...) // the first half met trouble that isn't one outcome's
		} else if h.Store.Acknowledge(ctx, time.Now(), h.owner, half) != nil {
			left = h.acknowledgeParts(ctx, half)
		}
	}
	return left
}

// acknowledgeOne writes an outcome that has failed to be written; it tells whether it
// could. One that is refused again and again, while the database takes something else
// right after, is written without its words: a database that has hiccups drops none.
func (h *Hub) acknowledgeOne(ctx context.Context, o store.Outcome) bool {
	for range wordTries {
		if h.Store.Acknowledge(ctx, time.Now(), h.owner, []store.Outcome{o}) == nil {
			return true
		}
		if o.Error == "" && o.Reason == "" || h.Store.Beat(ctx, time.Now(), h.owner) != nil {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wordAgain):
		}
	}
	o.Error, o.Reason = "", ""
	if h.Store.Acknowledge(ctx, time.Now(), h.owner, []store.Outcome{o}) != nil {
		return false
	}
	h.Logger.Error("delivery acknowledged without its error, which the state doesn't take", "subscription", o.Delivery.ID)
	return true
}

func (h *Hub) gather(first store.Outcome) []store.Outcome {
	batch := []store.Outcome{first}
	timer := time.NewTimer(gather)
	defer timer.Stop()
	for len(batch) < maxGather && !(len(h.acks) == 0 && h.lanes.quiet()) {
		select {
		case o, ok := <-h.acks:
			if !ok {
				return batch
			}
			batch = append(batch, o)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

// keep says that the hub is alive and removes what has expired.
func (h *Hub) keep(ctx context.Context) {
	beats, sweeps := time.NewTicker(beat), time.NewTicker(sweepEvery)
	defer beats.Stop()
	defer sweeps.Stop()
	h.sweep(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-beats.C:
			if err := h.Store.Beat(ctx, time.Now(), h.owner); err != nil {
				h.storeError(ctx, "sign of life not given", err)
			}
		case <-sweeps.C:
			h.sweep(ctx)
		}
	}
}

func (h *Hub) sweep(ctx context.Context) {
	for swept := sweepBatch; swept == sweepBatch && ctx.Err() == nil; {
		var err error
		if swept, err = h.Store.Sweep(ctx, time.Now(), sweepBatch); err != nil {
			h.storeError(ctx, "expired subscriptions not removed", err)
			return
		}
		if swept > 0 {
			h.metrics.expired.Add(float64(swept))
			h.Logger.Info("leases have ended", "subscriptions", swept)
		}
	}
	if counts, err := h.Store.Counts(ctx, time.Now()); err == nil {
		h.full.Store(counts.Total >= maxSubscriptions)
	}
}

// reloads looks for newer files when asked to, at most once every reloadEvery.
func (h *Hub) reloads(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.reload:
		}
		if h.Reload != nil {
			h.Reload()
		}
		h.Changed()
		select {
		case <-ctx.Done():
			return
		case <-time.After(reloadEvery):
		}
	}
}

// listen hears of other processes' work.
func (h *Hub) listen(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.Store.Wake():
			h.Changed()
			signal(h.handshakes)
		}
	}
}

func (h *Hub) storeError(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		h.complain(what+"; trying again", err)
	}
}

// complain logs trouble with the state, the same once in a while: it may be met
// thousands of times a second.
func (h *Hub) complain(what string, err error) {
	h.complaints.Lock()
	defer h.complaints.Unlock()
	if now := time.Now(); now.Sub(h.complained[what]) >= complainEvery {
		h.complained[what] = now
		h.Logger.Error(what, "error", err)
	}
}
