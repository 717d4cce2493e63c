package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"reviewcast/edge/hub"
	"reviewcast/edge/hub/store"
	"reviewcast/generator/diagnostic"
)

// hubCmd are the operators' commands on the state. A running edge notices a change within a second.
type hubCmd struct {
	List   hubListCmd   `cmd:"" help:"List subscriptions."`
	Show   hubShowCmd   `cmd:"" help:"Show what is known of a subscription or a callback, what happened to it, and what would help."`
	Retry  hubRetryCmd  `cmd:"" help:"Deliver at once to subscribers that wait for a retry, and reset their failures."`
	Remove hubRemoveCmd `cmd:"" help:"Remove subscriptions without notifying the subscribers."`
}

type hubState struct {
	stateFlag
	Public  string `help:"The published folder, whose base URL names the state." default:"public" placeholder:"DIR"`
	BaseURL string `name:"base-url" help:"The base URL that names the state." placeholder:"URL"`
}

// stateTimeout bounds an operator's command: a database may not answer.
const stateTimeout = time.Minute

// with opens the state for f.
func (h *hubState) with(ctx context.Context, f func(context.Context, *store.Store) error) error {
	state := h.State
	if state == "" {
		origin, err := (&edgeCmd{Public: h.Public, BaseURL: h.BaseURL}).baseURL()
		if err != nil {
			return err
		}
		if state, err = h.path(origin, h.Public); err != nil {
			return err
		}
	}
	if !store.IsPostgres(state) && !exists(state) {
		return fmt.Errorf("no subscriptions are kept on this computer in %s; run this where `reviewcast edge` runs, or name the state that the edge uses with --state", state)
	}
	ctx, cancel := context.WithTimeout(ctx, stateTimeout)
	defer cancel()
	slow := time.AfterFunc(openAtOnce, func() { fmt.Fprintf(os.Stderr, "waiting for the state %s\n", stateSource(state)) })
	s, err := store.Open(ctx, state, store.Options{})
	slow.Stop()
	if err != nil {
		return err
	}
	return errors.Join(f(ctx, s), s.Close())
}

type hubListCmd struct {
	hubState
	Topic   string `help:"Only those of this topic, a whole URL." placeholder:"URL"`
	Failing bool   `help:"Only those whose last delivery failed."`
	JSON    bool   `name:"json" help:"Print one JSON object per line, for programs."`
}

// Run lists subscriptions by id.
func (c *hubListCmd) Run(ctx context.Context, std streams) error {
	return c.with(ctx, func(ctx context.Context, s *store.Store) error {
		list, err := s.List(ctx, store.Filter{Topic: c.Topic, Failing: c.Failing, At: time.Now()})
		if err != nil {
			return err
		}
		if c.JSON {
			e := json.NewEncoder(std.out)
			e.SetEscapeHTML(false)
			for _, r := range list {
				err = errors.Join(err, e.Encode(r))
			}
			return err
		}
		pending, err := s.Pending(ctx, maxPending)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tSTATE\tFAILURES\tLEASE ENDS\tTOPIC\tCALLBACK")
		for _, r := range list {
			fmt.Fprintf(w, "%d\t%s\t%d\t%s\t%s\t%s\n", r.ID, subscriptionState(r, time.Now()), r.Failures, r.ExpiresAt.Format(time.RFC3339), r.Topic, r.Callback)
		}
		for _, h := range pending {
			if !c.Failing && (c.Topic == "" || h.Topic == c.Topic) {
				fmt.Fprintf(w, "-\tpending: %s\t%d\t\t%s\t%s\n", h.Mode, h.Attempts, h.Topic, h.Callback)
			}
		}
		if len(pending) == maxPending {
			fmt.Fprintf(w, "… only the oldest %d pending verifications are shown\n", maxPending)
		}
		return w.Flush()
	})
}

// maxPending is how many pending verifications list shows.
const maxPending = 1000

func subscriptionState(r store.Subscription, now time.Time) string {
	switch {
	case !now.Before(r.ExpiresAt):
		return "expired"
	case r.InFlight:
		return "delivering"
	case r.Failures > 0:
		return "failing"
	case r.Behind:
		return "waiting"
	}
	return "up to date"
}

type hubShowCmd struct {
	hubState
	Which string `arg:"" help:"Its id, or its callback." placeholder:"ID|CALLBACK"`
}

// Run shows a subscription by its id, or everything that is known of a callback.
func (c *hubShowCmd) Run(ctx context.Context, std streams) error {
	return c.with(ctx, func(ctx context.Context, s *store.Store) error {
		records, err := c.records(ctx, s)
		if err == nil && len(records) == 0 {
			err = fmt.Errorf("no subscription %s; departures are kept for 30 days, and a callback is known with its query only", c.Which)
		}
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		for i, r := range records {
			if i > 0 {
				fmt.Fprintln(w)
			}
			showRecord(w, r)
		}
		return w.Flush()
	})
}

func (c *hubShowCmd) records(ctx context.Context, s *store.Store) ([]store.Record, error) {
	id, err := strconv.ParseInt(c.Which, 10, 64)
	if err != nil {
		return s.History(ctx, time.Now(), "", c.Which)
	}
	list, err := s.List(ctx, store.Filter{IDs: []int64{id}, At: time.Now()})
	records := make([]store.Record, len(list))
	for i := range list {
		records[i].Subscription = &list[i]
	}
	return records, err
}

// showRecord prints what happened, what would help, and the details.
func showRecord(w io.Writer, r store.Record) {
	status := hub.Explain(r, time.Now())
	rows := [][2]string{{"what happened", status.Explanation}, {"what would help", status.Remedy}}
	switch {
	case r.Subscription != nil:
		s := r.Subscription
		rows = append(rows, [][2]string{
			{"id", strconv.FormatInt(s.ID, 10)}, {"state", subscriptionState(*s, time.Now())}, {"topic", s.Topic}, {"callback", s.Callback},
			{"signed", strconv.FormatBool(s.Secret)}, {"subscribed", moment(s.CreatedAt)}, {"renewed", moment(s.RenewedAt)},
			{"lease", s.Lease.String()}, {"lease ends", moment(s.ExpiresAt)}, {"last delivery", moment(s.DeliveredAt)},
			{"has the newest", strconv.FormatBool(!s.Behind)}, {"answers slowly", strconv.FormatBool(s.Slow)},
			{"failures in a row", strconv.Itoa(s.Failures)}, {"last error", strings.ReplaceAll(s.LastError, "\n", " ")},
			{"next attempt", moment(s.NextAttempt)},
		}...)
	case r.Verification != nil:
		v := r.Verification
		rows = append(rows, [][2]string{
			{"state", "pending: " + v.Mode}, {"topic", v.Topic}, {"callback", v.Callback}, {"signed", strconv.FormatBool(v.Secret != nil)},
			{"requested", moment(v.RequestedAt)}, {"attempts", strconv.Itoa(v.Attempts)}, {"last error", v.LastError},
			{"next attempt", moment(v.NextAttempt)},
		}...)
	case r.Departure != nil:
		d := r.Departure
		rows = append(rows, [][2]string{
			{"state", "departed: " + d.Cause}, {"topic", d.Topic}, {"callback", d.Callback}, {"departed", moment(d.At)}, {"last error", d.Error},
		}...)
	}
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
	}
}

func moment(t time.Time) string {
	return diagnostic.Pick(t.IsZero(), "-", t.Format(time.RFC3339))
}

type hubRetryCmd struct {
	hubState
	IDs     []int64 `arg:"" optional:"" name:"id" help:"Ids, as list shows them."`
	Failing bool    `help:"All whose last delivery failed."`
}

// Run makes deliveries due.
func (c *hubRetryCmd) Run(ctx context.Context, std streams) error {
	if c.Failing == (len(c.IDs) > 0) {
		return usageError{errors.New("name ids, or --failing for all whose last delivery failed")}
	}
	return c.with(ctx, func(ctx context.Context, s *store.Store) error {
		done, err := s.Retry(ctx, c.IDs) // none with --failing
		return std.report(done, c.IDs, "due at once", err)
	})
}

type hubRemoveCmd struct {
	hubState
	IDs  []int64 `arg:"" optional:"" name:"id" help:"Ids, as list shows them."`
	Host string  `help:"All subscriptions of this host." placeholder:"HOST"`
}

// Run removes subscriptions.
func (c *hubRemoveCmd) Run(ctx context.Context, std streams) error {
	if (c.Host == "") == (len(c.IDs) == 0) {
		return usageError{errors.New("name ids, or --host for all subscriptions of a host")}
	}
	return c.with(ctx, func(ctx context.Context, s *store.Store) error {
		_, host := store.Endpoint(&url.URL{Host: c.Host}) // none without --host
		done, err := s.Remove(ctx, time.Now(), c.IDs, host)
		if err = std.report(done, c.IDs, "removed", err); err == nil && len(done) == 0 {
			err = fmt.Errorf("no subscription of host %s; write it as in its callbacks, without the scheme", c.Host)
		}
		return err
	})
}

// report prints how many subscriptions were changed, and fails if named ones don't exist.
func (std streams) report(done, named []int64, what string, err error) error {
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s %s\n", diagnostic.Plural(len(done), "subscription"), what)
	missing := slices.Compact(slices.Sorted(slices.Values(named)))
	missing = slices.DeleteFunc(missing, func(id int64) bool { return slices.Contains(done, id) })
	if len(missing) > 0 {
		return fmt.Errorf("no subscription %s", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(missing)), ", "), "[]"))
	}
	return nil
}
