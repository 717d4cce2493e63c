// Package verify recomputes what a published set claims: its hashes, the chain of its change documents, and every
// count that follows from its reviews.
//
// With a size and a hash of /changes/versions.txt that somebody noted before, it proves more: that since then no
// review vanished, and none was edited, without a published change. It can prove neither that reviews are genuine
// nor what was never published.
//
// A forger who controls the site can make every hash and count right again, but not the noted prefix: it holds the
// hash of the noted version's document, which holds those of the ids of its reviews and of its files. [Verify]
// walks from the newest version back by the lists of the documents, and must arrive at exactly that hash.
package verify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
	"reviewcast/internal/mirror"
)

// Result is what a verification found. Each entry is a sentence.
type Result struct {
	Contradictions sentences // claims that are not so
	Unknown        sentences // claims that can't be checked, with the reason
	Proven         sentences // claims that were recomputed

	Unread   error // why the set could not be read
	Note     Note  // of versions.txt now; empty for a set without changes
	Sequence int64 // 0 when the set could not be read
	BaseURL  string
	Leftover bool // a change document that the set has removed is still there
	Files    int  // without the manifest
	Reviews  int
	Rating   *float64
}

type sentences []string

func (s *sentences) add(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

// section runs a check, and adds what it proves when it finds no contradiction.
func (r *Result) section(proves string, check func()) {
	before := len(r.Contradictions)
	if check(); len(r.Contradictions) == before {
		r.Proven.add("%s", proves)
	}
}

// Note identifies a state of /changes/versions.txt by its size and sha256. The zero value is none.
type Note struct {
	Size   int64
	SHA256 string
}

// String is "SIZE:HASH".
func (n Note) String() string { return fmt.Sprintf("%d:%s", n.Size, n.SHA256) }

// ParseNote reads what String writes.
func ParseNote(s string) (Note, error) {
	size, hash, _ := strings.Cut(s, ":")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || n < 0 || !reviewcast.IsSHA256(hash) {
		return Note{}, fmt.Errorf("%q is not the whole of what verify printed the last time, which is a number, a colon and 64 characters; copy all of it, or leave it out", s)
	}
	return Note{n, hash}, nil
}

// Verify reads a set and recomputes what it claims, since a noted state if there is one.
func Verify(ctx context.Context, source mirror.Source, scope mirror.Scope, since Note) *Result {
	r := &Result{}
	set, err := mirror.Read(ctx, source, scope)
	switch {
	case errors.Is(err, mirror.ErrDamaged) || errors.Is(err, mirror.ErrHistory):
		r.Contradictions.add("%v", err)
		return r
	case err != nil:
		r.Unknown.add("%v", err)
		r.Unread = err
		return r
	}
	r.Sequence, r.BaseURL, r.Files = set.Manifest.Sequence, set.Manifest.BaseURL, len(set.Files)-1
	r.Proven.add("all %d files have the hashes that the manifest and the change documents name", r.Files)
	v := &verifier{Result: r, set: set}
	if !v.decode() {
		return r
	}
	r.Reviews, r.Rating = len(v.dataset.Reviews), v.dataset.AggregateRating.RatingValue
	r.section("review_count, the rating, its distribution and the order of the reviews follow from the reviews", v.checkDataset)
	r.section("the counts and quotes of the insights follow from the reviews and from what is listed for each", v.checkInsights)
	if len(set.Versions) == 0 {
		r.Unknown.add("the set was published by a program that kept no changes: nothing can be said about earlier versions")
		return r
	}
	versions := set.Files[reviewcast.PathVersions]
	r.Leftover = mirror.Leftover(ctx, source, set)
	r.Note = Note{int64(len(versions)), reviewcast.SHA256(versions)}
	v.checkHistory(since)
	return r
}

// verifier holds the decoded set.
type verifier struct {
	*Result
	set       *mirror.Set
	dataset   reviewcast.Dataset
	insights  reviewcast.Insights
	reviews   map[string]*reviewcast.Review    // by id
	withdrawn map[string]reviewcast.Withdrawal // by id in lower case
}

func (v *verifier) decode() bool {
	var list reviewcast.Withdrawals
	for path, to := range map[string]any{reviewcast.PathReviews: &v.dataset, reviewcast.PathInsights: &v.insights, reviewcast.PathWithdrawn: &list} {
		body, ok := v.set.Files[path]
		if !ok && path == reviewcast.PathWithdrawn {
			continue // a program that knew no changes
		}
		if err := json.Unmarshal(body, to); err != nil {
			v.Contradictions.add("%s is not what the description of the site says: %v", path, err)
			return false
		}
	}
	v.reviews, v.withdrawn = map[string]*reviewcast.Review{}, map[string]reviewcast.Withdrawal{}
	for i := range v.dataset.Reviews {
		v.reviews[v.dataset.Reviews[i].ID] = &v.dataset.Reviews[i]
	}
	for _, w := range list.Withdrawn {
		v.withdrawn[strings.ToLower(w.ID)] = w
	}
	return true
}

// same compares a published value with the one that follows from the reviews, in their published form.
func (v *verifier) same(what string, got, want any) {
	g, err1 := reviewcast.EncodeJSON(got)
	w, err2 := reviewcast.EncodeJSON(want)
	if err1 != nil || err2 != nil || !bytes.Equal(g, w) {
		v.Contradictions.add("%s is %s, and the reviews give %s", what, bytes.TrimSpace(g), bytes.TrimSpace(w))
	}
}

// percent compares a percentage of one decimal.
func (v *verifier) percent(what string, got float64, n, of int) {
	if want := 100 * float64(n) / float64(max(of, 1)); math.Abs(got-want) > 0.051 {
		v.Contradictions.add("%s is %v, and the reviews give %.1f", what, got, want)
	}
}

// checkDataset recomputes what /reviews.json says about its reviews.
func (v *verifier) checkDataset() {
	ds := &v.dataset
	v.same("review_count", ds.ReviewCount, len(ds.Reviews))
	v.same("aggregate_rating", ds.AggregateRating, reviewcast.Aggregate(ds.Reviews))
	seen := make(map[string]bool, len(ds.Reviews))
	for i := range ds.Reviews {
		r := &ds.Reviews[i]
		id := strings.ToLower(r.ID)
		switch {
		case !reviewcast.ValidID(r.ID) || seen[id]:
			v.Contradictions.add("the id %q is not valid, or there twice", r.ID)
		case r.Rating < reviewcast.MinRating || r.Rating > reviewcast.MaxRating || !r.Date.Valid():
			v.Contradictions.add("review %s has %d stars and the date %q", r.ID, r.Rating, r.Date)
		case !r.Verified:
			v.Contradictions.add("review %s is not verified", r.ID)
		case i > 0 && reviewcast.Compare(&ds.Reviews[i-1], r) >= 0:
			v.Contradictions.add("review %s is not in the published order", r.ID)
		case v.withdrawn[id].ID != "":
			v.Contradictions.add("review %s is published, and listed in %s", r.ID, reviewcast.PathWithdrawn)
		}
		seen[id] = true
	}
}

// checkInsights recomputes the counts of /insights.json, and compares each quote with its text. What a text
// means is not recomputed.
func (v *verifier) checkInsights() {
	in := &v.insights
	v.same("review_count of the insights", in.ReviewCount, len(v.dataset.Reviews))
	v.same("the number of entries in per_review", len(in.PerReview), len(v.reviews))
	v.checkIDs("per_review", slices.Sorted(maps.Keys(in.PerReview))...)
	v.checkDates()
	var counts reviewcast.SentimentCounts
	for _, found := range in.PerReview {
		counts.Add(found.Sentiment)
	}
	v.percent("positive_pct of the insights", in.OverallSentiment.PositivePct, counts.PositiveCount, len(in.PerReview))
	v.percent("neutral_pct of the insights", in.OverallSentiment.NeutralPct, counts.NeutralCount, len(in.PerReview))
	v.percent("negative_pct of the insights", in.OverallSentiment.NegativePct, counts.NegativeCount, len(in.PerReview))
	for i := range in.Aspects {
		v.checkAspect(&in.Aspects[i])
	}
	v.checkEntities("technician", in.Entities.Technicians, func(m *reviewcast.Mentions) []string { return m.Technicians })
	v.checkEntities("service", in.Entities.Services, func(m *reviewcast.Mentions) []string { return m.Services })
	v.checkEntities("service area", in.Entities.ServiceAreas, func(m *reviewcast.Mentions) []string { return m.ServiceAreas })
	for _, p := range in.Entities.Problems {
		v.checkIDs("problem "+p.ID, p.ExampleReviewIDs...)
	}
	for _, t := range in.Topics {
		v.checkIDs("topic "+t.ID, t.ExampleReviewIDs...)
	}
	for _, f := range in.FAQ {
		v.checkIDs("the answer to "+strconv.Quote(f.Question), f.EvidenceReviewIDs...)
	}
	if q := in.PullQuote; q != nil && v.checkIDs("pull_quote", q.ReviewID) {
		if text := v.reviews[q.ReviewID].Text; text == nil || q.Text == "" || !strings.Contains(*text, q.Text) {
			v.Contradictions.add("the pull quote is not in the text of review %s", q.ReviewID)
		}
	}
}

// checkIDs reports whether reviews are published.
func (v *verifier) checkIDs(where string, ids ...string) bool {
	for _, id := range ids {
		if v.reviews[id] == nil {
			v.Contradictions.add("%s of the insights names review %s, which is not published", where, id)
			return false
		}
	}
	return true
}

// checkDates recomputes the range of dates and the months.
func (v *verifier) checkDates() {
	reviews, in := v.dataset.Reviews, &v.insights
	var dates reviewcast.DateRange
	if n := len(reviews); n > 0 {
		dates = reviewcast.DateRange{Earliest: &reviews[n-1].Date, Latest: &reviews[0].Date}
	}
	v.same("date_range of the insights", in.DateRange, dates)
	months := map[string][]reviewcast.Review{}
	for i := range reviews {
		if date := reviews[i].Date; date.Valid() {
			months[date.Month()] = append(months[date.Month()], reviews[i])
		}
	}
	for _, got := range in.Temporal.Monthly {
		want := got
		want.ReviewCount, want.AverageRating = len(months[got.Month]), reviewcast.Aggregate(months[got.Month]).RatingValue
		v.same("a month of the insights", got, want)
		delete(months, got.Month)
	}
	for _, month := range slices.Sorted(maps.Keys(months)) {
		v.Contradictions.add("the insights leave out the month %s", month)
	}
}

// checkAspect recomputes the counts of an aspect from per_review, and compares its quotes with the texts.
func (v *verifier) checkAspect(a *reviewcast.Aspect) {
	where := "aspect " + a.ID
	var counts reviewcast.SentimentCounts
	var mentions []reviewcast.Review
	for id, found := range v.insights.PerReview {
		if polarity, ok := found.Aspects[a.ID]; ok && v.reviews[id] != nil {
			counts.Add(polarity)
			mentions = append(mentions, *v.reviews[id])
		}
	}
	v.same("the counts of "+where, a.SentimentCounts, counts)
	v.same("mention_count of "+where, a.MentionCount, len(mentions))
	v.same("average_rating of "+where, a.AverageRating, reviewcast.Aggregate(mentions).RatingValue)
	v.percent("positive_pct of "+where, a.PositivePct, counts.PositiveCount, len(mentions))
	v.checkIDs(where, a.ExampleReviewIDs...)
	for _, e := range a.Evidence {
		if !v.checkIDs(where, e.ReviewID) {
			continue
		}
		text := []rune(*cmp.Or(v.reviews[e.ReviewID].Text, new(string)))
		if e.Start < 0 || e.Start > e.End || e.End > len(text) || string(text[e.Start:e.End]) != e.Quote {
			v.Contradictions.add("a quote of %s is not at %d to %d of the text of review %s", where, e.Start, e.End, e.ReviewID)
		}
		if _, ok := v.insights.PerReview[e.ReviewID].Aspects[a.ID]; !ok {
			v.Contradictions.add("%s quotes review %s, in which per_review does not find it", where, e.ReviewID)
		}
	}
}

// checkEntities recomputes how many reviews name each entity from their mentions.
func (v *verifier) checkEntities(kind string, entities []reviewcast.Entity, of func(*reviewcast.Mentions) []string) {
	by := map[string][]reviewcast.Review{}
	for i := range v.dataset.Reviews {
		for _, id := range of(&v.dataset.Reviews[i].Mentions) {
			by[id] = append(by[id], v.dataset.Reviews[i])
		}
	}
	for _, e := range entities {
		where := fmt.Sprintf("%s %s", kind, e.ID)
		v.same("review_count of "+where, e.ReviewCount, len(by[e.ID]))
		v.same("average_rating of "+where, e.AverageRating, reviewcast.Aggregate(by[e.ID]).RatingValue)
		v.checkIDs(where, e.ExampleReviewIDs...)
	}
}
