package verify

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"reviewcast"
)

// checkDataset recomputes what /reviews.json says about its reviews.
func (v *verifier) checkDataset() {
	ds := &v.dataset
	want := aggregate(ds.Reviews)
	if ds.ReviewCount != len(ds.Reviews) {
		v.contradict("review_count is %d, and there are %d reviews", ds.ReviewCount, len(ds.Reviews))
	}
	if got := ds.AggregateRating; !sameRating(got, want) {
		v.contradict("aggregate_rating is %s, and the reviews give %s", ratingText(got), ratingText(want))
	}
	seen := make(map[string]bool, len(ds.Reviews))
	for i := range ds.Reviews {
		r := &ds.Reviews[i]
		id := strings.ToLower(r.ID)
		switch {
		case !reviewcast.ValidID(r.ID) || seen[id]:
			v.contradict("the id %q is not valid, or there twice", r.ID)
		case r.Rating < reviewcast.MinRating || r.Rating > reviewcast.MaxRating || !r.Date.Valid():
			v.contradict("review %s has %d stars and the date %q", r.ID, r.Rating, r.Date)
		case !r.Verified:
			v.contradict("review %s is not verified", r.ID)
		case i > 0 && reviewcast.Compare(&ds.Reviews[i-1], r) >= 0:
			v.contradict("review %s is not in the published order", r.ID)
		case v.withdrawn[id].ID != "":
			v.contradict("review %s is published, and listed in %s", r.ID, reviewcast.PathWithdrawn)
		}
		seen[id] = true
	}
}

// aggregate recomputes the rating of reviews.
func aggregate(reviews []reviewcast.Review) reviewcast.AggregateRating {
	a := reviewcast.AggregateRating{RatingCount: len(reviews)}
	for i := range reviews {
		if reviews[i].Text != nil {
			a.TextCount++
		}
		d := &a.Distribution
		if s := reviews[i].Rating; s >= reviewcast.MinRating && s <= reviewcast.MaxRating {
			*[]*int{&d.One, &d.Two, &d.Three, &d.Four, &d.Five}[s-1]++
		}
	}
	a.RatingValue = ratingOf(a.Distribution)
	return a
}

// sameRating compares what is counted, whatever the bounds of the scale.
func sameRating(a, b reviewcast.AggregateRating) bool {
	return a.RatingCount == b.RatingCount && a.TextCount == b.TextCount && a.Distribution == b.Distribution && equal(a.RatingValue, b.RatingValue)
}

func ratingText(a reviewcast.AggregateRating) string {
	return fmt.Sprintf("%s of %d, %d with text, from five to one %v", number(a.RatingValue), a.RatingCount, a.TextCount, a.Distribution)
}

// ratingOf is the mean of a distribution of stars.
func ratingOf(d reviewcast.Distribution) *float64 {
	return mean(d.One+2*d.Two+3*d.Three+4*d.Four+5*d.Five, d.One+d.Two+d.Three+d.Four+d.Five)
}

// mean is sum/n with two decimals; nil when n is 0.
func mean(sum, n int) *float64 {
	if n == 0 {
		return nil
	}
	m := math.Round(float64(sum)/float64(n)*100) / 100
	return &m
}

// equal compares numbers that were rounded to two or three decimals.
func equal(a, b *float64) bool {
	return a == nil && b == nil || a != nil && b != nil && math.Abs(*a-*b) < 1e-9
}

// near compares percentages that were rounded to one decimal.
func near(a, b float64) bool { return math.Abs(a-b) < 0.051 }

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

func number(f *float64) string {
	if f == nil {
		return "no"
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func contains(text, quote string) bool { return quote != "" && strings.Contains(text, quote) }
