package mcpserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"reviewcast"
)

type changes struct {
	Notice         string                       `json:"notice"`
	Since          string                       `json:"since"`
	Sequence       int64                        `json:"sequence"` // current version; since for the next call
	Complete       bool                         `json:"complete"` // false: older changes are no longer published
	Versions       int                          `json:"versions"`
	AddedCount     int                          `json:"added_count"`
	ChangedCount   int                          `json:"changed_count"`
	WithdrawnCount int                          `json:"withdrawn_count"`
	Added          []string                     `json:"added"`
	Changed        []string                     `json:"changed"`
	Withdrawn      []reviewcast.WithdrawnReview `json:"withdrawn"`
	ReviewCount    int                          `json:"review_count"`
	RatingValue    *float64                     `json:"rating_value"`
	RatingBefore   *float64                     `json:"rating_value_before"`
	Dated          *int                         `json:"reviews_dated_since"` // null for a sequence
	Reviews        []line                       `json:"reviews"`             // the newest that were added or changed
	Hint           string                       `json:"hint,omitempty"`
}

func changesAnswer(v *view, args arguments) (any, error) {
	const maxIDs, maxReviews = 25, 10 // in each list
	since := args.values["since"]
	after, err := strconv.ParseInt(since, 10, 64)
	isSequence, day := err == nil && after >= 0, reviewcast.Date(since)
	if !isSequence && !day.Valid() {
		return nil, badArguments{fmt.Sprintf("since: received %s: expected a calendar date YYYY-MM-DD such as 2026-03-31, or the sequence of an earlier result", echo(since))}
	}
	older := func(c *reviewcast.Change) bool {
		if isSequence {
			return c.Sequence <= after
		}
		return c.LastModified.Format(time.DateOnly) < since
	}
	documents, before, complete := v.changesUntil(older)
	answer := newChanges(documents)
	answer.Since, answer.Sequence, answer.Complete = since, v.Sequence(), complete || isSequence && after >= v.Sequence()
	answer.ReviewCount, answer.RatingValue = v.Len(), v.dataset.AggregateRating.RatingValue
	if before != nil {
		answer.RatingBefore = before.AggregateRating.RatingValue
	}
	for _, id := range slices.Concat(answer.Added, answer.Changed) {
		if raw, ok := v.Review(id); ok {
			answer.Reviews = append(answer.Reviews, newLine(raw, nothing))
		}
	}
	slices.SortFunc(answer.Reviews, func(a, b line) int { return cmp.Compare(b.Date, a.Date) })
	answer.Reviews = answer.Reviews[:min(len(answer.Reviews), maxReviews)]
	switch first := len(documents) > 0 && documents[0].Previous == nil; {
	case first:
		answer.Hint = fmt.Sprintf("Everything was first published on %s: no version before it to compare with, so added counts only what came later. search_reviews finds reviews by date.",
			documents[0].LastModified.Format(time.DateOnly))
	case !answer.Complete:
		answer.Hint = "Older changes are no longer published: these are the ones since the oldest that is."
	}
	if !isSequence {
		answer.Dated, answer.Withdrawn = new(v.Since(day).Matched), v.withdrawn(day, answer.Withdrawn)
	}
	answer.AddedCount, answer.ChangedCount, answer.WithdrawnCount = len(answer.Added), len(answer.Changed), len(answer.Withdrawn)
	answer.Added = answer.Added[:min(len(answer.Added), maxIDs)]
	answer.Changed = answer.Changed[:min(len(answer.Changed), maxIDs)]
	answer.Withdrawn = answer.Withdrawn[:min(len(answer.Withdrawn), maxIDs)]
	return answer, nil
}

// changesUntil returns the change documents, oldest first, after the newest one that is
// older, and that one. complete is false when the documents end before it.
func (v *view) changesUntil(older func(*reviewcast.Change) bool) (documents []reviewcast.Change, before *reviewcast.Change, complete bool) {
	for sequence := v.Sequence(); ; {
		f, ok := v.File(reviewcast.ChangePath(sequence))
		if !ok {
			return documents, nil, false // older versions are not published
		}
		c := &reviewcast.Change{}
		_ = json.Unmarshal(f.Body, c) // checked when the snapshot was opened
		if older(c) {
			return documents, c, true
		}
		documents = slices.Insert(documents, 0, *c)
		if c.Previous == nil {
			return documents, nil, true // the first version
		}
		sequence = *c.Previous
	}
}

// newChanges sums up documents, oldest first. A review that was added and withdrawn is in no list.
func newChanges(documents []reviewcast.Change) changes {
	const added, changed = "added", "changed"
	state := map[string]string{} // by id: added, changed or the reason of its withdrawal
	for _, c := range documents {
		for _, w := range c.Reviews.Withdrawn {
			if state[w.ID] == added {
				delete(state, w.ID)
			} else {
				state[w.ID] = w.Reason
			}
		}
		for _, id := range c.Reviews.Changed {
			state[id] = cmp.Or(state[id], changed)
		}
		for _, id := range c.Reviews.Added {
			if _, came := state[id]; came { // it was withdrawn before
				state[id] = changed
			} else {
				state[id] = added
			}
		}
	}
	answer := changes{Notice: notice, Versions: len(documents), Added: []string{}, Changed: []string{}, Withdrawn: []reviewcast.WithdrawnReview{}}
	for _, id := range slices.Sorted(maps.Keys(state)) {
		switch state[id] {
		case added:
			answer.Added = append(answer.Added, id)
		case changed:
			answer.Changed = append(answer.Changed, id)
		default:
			answer.Withdrawn = append(answer.Withdrawn, reviewcast.WithdrawnReview{ID: id, Reason: state[id]})
		}
	}
	return answer
}

// withdrawn are the withdrawals since a day that the editors list, which may be older than the
// change documents, and those of the documents.
func (v *view) withdrawn(since reviewcast.Date, documented []reviewcast.WithdrawnReview) []reviewcast.WithdrawnReview {
	var listed reviewcast.Withdrawals
	if f, ok := v.File(reviewcast.PathWithdrawn); ok {
		_ = json.Unmarshal(f.Body, &listed) // a file of another program is not used
	}
	for _, w := range listed.Withdrawn {
		one := reviewcast.WithdrawnReview{ID: w.ID, Reason: w.Reason}
		if w.Date >= since && !slices.Contains(documented, one) {
			documented = append(documented, one)
		}
	}
	return documented
}
