package verify

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"reviewcast"
)

// checkInsights recomputes the counts of /insights.json that follow from the reviews
// and from per_review, and compares each quote with the text that it is from. What a
// text means is not recomputed.
func (v *verifier) checkInsights() {
	in := &v.insights
	if in.ReviewCount != len(v.dataset.Reviews) {
		v.contradict("the insights count %d reviews of %d", in.ReviewCount, len(v.dataset.Reviews))
	}
	for id := range in.PerReview {
		v.checkID("per_review", id)
	}
	if len(in.PerReview) != len(v.reviews) {
		v.contradict("per_review has %d entries for %d reviews", len(in.PerReview), len(v.reviews))
	}
	v.checkDates()
	v.checkOverall()
	for i := range in.Aspects {
		v.checkAspect(&in.Aspects[i])
	}
	for kind, of := range map[string]struct {
		list []reviewcast.Entity
		ids  func(*reviewcast.Mentions) []string
	}{
		"technician":   {in.Entities.Technicians, func(m *reviewcast.Mentions) []string { return m.Technicians }},
		"service":      {in.Entities.Services, func(m *reviewcast.Mentions) []string { return m.Services }},
		"service area": {in.Entities.ServiceAreas, func(m *reviewcast.Mentions) []string { return m.ServiceAreas }},
	} {
		for i := range of.list {
			v.checkEntity(kind, &of.list[i], of.ids)
		}
	}
	for i := range in.Entities.Problems {
		v.checkIDs("problem "+in.Entities.Problems[i].ID, in.Entities.Problems[i].ExampleReviewIDs)
	}
	for _, t := range in.Topics {
		v.checkIDs("topic "+t.ID, t.ExampleReviewIDs)
	}
	for _, f := range in.FAQ {
		v.checkIDs("the answer to "+strconv.Quote(f.Question), f.EvidenceReviewIDs)
	}
	if q := in.PullQuote; q != nil && v.checkID("pull_quote", q.ReviewID) {
		if text := v.reviews[q.ReviewID].Text; text == nil || !contains(*text, q.Text) {
			v.contradict("the pull quote is not in the text of review %s", q.ReviewID)
		}
	}
}

// checkID reports whether a review is published.
func (v *verifier) checkID(where, id string) bool {
	_, ok := v.reviews[id]
	if !ok {
		v.contradict("%s of the insights names review %s, which is not published", where, id)
	}
	return ok
}

func (v *verifier) checkIDs(where string, ids []string) {
	for _, id := range ids {
		v.checkID(where, id)
	}
}

// checkDates recomputes the range of dates and the months.
func (v *verifier) checkDates() {
	in := &v.insights
	months := map[string][2]int{} // reviews and stars
	var dates reviewcast.DateRange
	if n := len(v.dataset.Reviews); n > 0 {
		dates = reviewcast.DateRange{Earliest: &v.dataset.Reviews[n-1].Date, Latest: &v.dataset.Reviews[0].Date}
	}
	for i := range v.dataset.Reviews {
		r := &v.dataset.Reviews[i]
		m := months[r.Date.Month()]
		months[r.Date.Month()] = [2]int{m[0] + 1, m[1] + r.Rating}
	}
	if got, want := rangeText(in.DateRange), rangeText(dates); got != want {
		v.contradict("date_range of the insights is %s, and the reviews are of %s", got, want)
	}
	for _, m := range in.Temporal.Monthly {
		want := months[m.Month]
		if m.ReviewCount != want[0] || !equal(m.AverageRating, mean(want[1], want[0])) {
			v.contradict("the insights give %d reviews with %s stars in %s, and there are %d with %s",
				m.ReviewCount, number(m.AverageRating), m.Month, want[0], number(mean(want[1], want[0])))
		}
		delete(months, m.Month)
	}
	for _, month := range slices.Sorted(maps.Keys(months)) {
		v.contradict("the insights leave out the month %s", month)
	}
}

func rangeText(r reviewcast.DateRange) string {
	if r.Earliest == nil || r.Latest == nil {
		return "no dates"
	}
	return fmt.Sprintf("%s to %s", *r.Earliest, *r.Latest)
}

// checkOverall recomputes the shares of the sentiments.
func (v *verifier) checkOverall() {
	counts := map[reviewcast.Polarity]int{}
	for _, found := range v.insights.PerReview {
		counts[found.Sentiment]++
	}
	o := v.insights.OverallSentiment
	for polarity, got := range map[reviewcast.Polarity]float64{reviewcast.Positive: o.PositivePct, reviewcast.Neutral: o.NeutralPct, reviewcast.Negative: o.NegativePct} {
		if want := percent(counts[polarity], len(v.insights.PerReview)); !near(got, want) {
			v.contradict("%s_pct of the insights is %v, and per_review gives %.1f", polarity, got, want)
		}
	}
}

// checkAspect recomputes the counts of an aspect from per_review, and its quotes from
// the texts.
func (v *verifier) checkAspect(a *reviewcast.Aspect) {
	var want reviewcast.SentimentCounts
	stars, mentions := 0, 0
	for id, found := range v.insights.PerReview {
		polarity, ok := found.Aspects[a.ID]
		if !ok {
			continue
		}
		mentions++
		add(&want, polarity)
		if r := v.reviews[id]; r != nil {
			stars += r.Rating
		}
	}
	if a.MentionCount != mentions || a.SentimentCounts != want || !equal(a.AverageRating, mean(stars, mentions)) {
		v.contradict("aspect %s has %d mentions %v with %s stars, and per_review gives %d %v with %s",
			a.ID, a.MentionCount, a.SentimentCounts, number(a.AverageRating), mentions, want, number(mean(stars, mentions)))
	}
	if mentions > 0 && !near(a.PositivePct, percent(want.PositiveCount, mentions)) {
		v.contradict("positive_pct of aspect %s is %v, and per_review gives %.1f", a.ID, a.PositivePct, percent(want.PositiveCount, mentions))
	}
	v.checkIDs("aspect "+a.ID, a.ExampleReviewIDs)
	for _, e := range a.Evidence {
		if !v.checkID("aspect "+a.ID, e.ReviewID) {
			continue
		}
		if got, ok := slice(v.reviews[e.ReviewID].Text, e.Start, e.End); !ok || got != e.Quote {
			v.contradict("a quote of aspect %s is not at %d to %d of the text of review %s", a.ID, e.Start, e.End, e.ReviewID)
		}
		if _, ok := v.insights.PerReview[e.ReviewID].Aspects[a.ID]; !ok {
			v.contradict("aspect %s quotes review %s, in which per_review does not find it", a.ID, e.ReviewID)
		}
	}
}

// checkEntity recomputes how many reviews name an entity from their mentions.
func (v *verifier) checkEntity(kind string, e *reviewcast.Entity, of func(*reviewcast.Mentions) []string) {
	n, stars := 0, 0
	for i := range v.dataset.Reviews {
		if r := &v.dataset.Reviews[i]; slices.Contains(of(&r.Mentions), e.ID) {
			n++
			stars += r.Rating
		}
	}
	if e.ReviewCount != n || !equal(e.AverageRating, mean(stars, n)) {
		v.contradict("%s %s has %d reviews with %s stars, and %d with %s name it", kind, e.ID, e.ReviewCount, number(e.AverageRating), n, number(mean(stars, n)))
	}
	v.checkIDs(kind+" "+e.ID, e.ExampleReviewIDs)
}

func add(c *reviewcast.SentimentCounts, p reviewcast.Polarity) {
	switch p {
	case reviewcast.Positive:
		c.PositiveCount++
	case reviewcast.Neutral:
		c.NeutralCount++
	case reviewcast.Negative:
		c.NegativeCount++
	case reviewcast.Mixed:
		c.MixedCount++
	}
}

// slice is the part of a text from one code point to another.
func slice(text *string, start, end int) (string, bool) {
	if text == nil || start < 0 || end < start {
		return "", false
	}
	n, from, to := 0, -1, -1
	for at := range *text {
		if n == start {
			from = at
		}
		if n == end {
			to = at
		}
		n++
	}
	if n == start {
		from = len(*text)
	}
	if n == end {
		to = len(*text)
	}
	if from < 0 || to < 0 {
		return "", false
	}
	return (*text)[from:to], true
}
