// Package corpus generates reviews for benchmarks and for tests that need many. They
// are plausible, varied, and the same on every machine.
//
// The reviews are of one fictional plumbing and heating company. They have about 60
// words each, and one in fourteen has no text. Two thirds have five stars. Their
// dates span three years, whatever their number. "on time" occurs in about one text
// in seven, street names and part numbers in a few texts each, so that searches have
// common, rare and absent words. Some names and words have diacritics, and some
// texts have emoji or typographic quotes.
//
// [Reviews] is a function of the number of reviews only.
package corpus

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"reviewcast"
)

// Days is how many calendar days the reviews are spread over.
const Days = 1096

// Newest is the date of the newest review.
const Newest reviewcast.Date = "2026-06-30"

// Business is the company that the reviews are about.
func Business() (b reviewcast.Business) {
	if err := json.Unmarshal(businessFile, &b); err != nil {
		panic(err) // it is compiled in
	}
	return b
}

var business = Business()

// Reviews returns n reviews in published order: date descending, then id ascending.
func Reviews(n int) []reviewcast.Review {
	newest, err := time.Parse(time.DateOnly, string(Newest))
	if err != nil {
		panic(err) // Newest is a constant
	}
	days := make([]reviewcast.Date, Days)
	for i := range days {
		days[i] = reviewcast.Date(newest.AddDate(0, 0, -i).Format(time.DateOnly))
	}
	reviews := make([]reviewcast.Review, n)
	for i := range reviews {
		reviews[i] = review(i, days[i*Days/n])
	}
	slices.SortFunc(reviews, func(a, b reviewcast.Review) int {
		return cmp.Or(-strings.Compare(string(a.Date), string(b.Date)), strings.Compare(a.ID, b.ID))
	})
	return reviews
}

// Dataset returns the dataset of Reviews(n).
func Dataset(n int) reviewcast.Dataset {
	d := reviewcast.Dataset{Version: 1, License: "CC-BY-4.0", Business: Business(), Reviews: Reviews(n), ReviewCount: n}
	d.AggregateRating = reviewcast.Aggregate(d.Reviews)
	return d
}

// review returns the i-th review. Each has its own random source, so that a change to
// one review leaves the others as they are.
func review(i int, date reviewcast.Date) reviewcast.Review {
	p := picker{rand.New(rand.NewPCG(uint64(i), 0x5eed))}
	r := reviewcast.Review{
		ID:       fmt.Sprintf("ab-%07d", (i*7919+13)%10_000_019), // not in the order of dates, like ids of several sources
		Author:   p.of(firstNames) + " " + string(rune('A'+p.IntN(26))) + ".",
		Rating:   [...]int{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 3, 2, 1, 1}[p.IntN(20)],
		Date:     date,
		Language: "en",
		Source:   p.of([]string{"direct", "direct", "google", "yelp"}),
		Verified: true,
		Verification: reviewcast.Verification{
			Method: p.of(reviewcast.VerificationMethods), VerifiedOn: date,
		},
		Mentions: reviewcast.Mentions{Technicians: []string{}, Services: []string{}, ServiceAreas: []string{}},
	}
	b := &business
	technician, service, area := b.Technicians[p.skewed(len(b.Technicians))], b.Services[p.skewed(len(b.Services))], b.ServiceAreas[p.skewed(len(b.ServiceAreas))]
	r.Mentions.Services = []string{service.ID}
	if p.IntN(3) > 0 {
		r.Mentions.Technicians = []string{technician.ID}
	}
	if p.IntN(4) == 0 {
		r.Mentions.ServiceAreas = []string{area.ID}
	}
	if r.Source != "direct" {
		r.SourceURL = new("https://reviews.example/" + r.Source + "/" + r.ID)
	}
	if p.IntN(14) == 0 {
		return r
	}
	fill := strings.NewReplacer("{tech}", first(technician.Name), "{service}", strings.ToLower(service.Name), "{area}", area.Name,
		"{street}", p.word()+" "+p.of([]string{"Street", "Lane", "Avenue", "Court"}), "{part}", fmt.Sprintf("%s-%04d", strings.ToUpper(p.word()[:2]), p.IntN(10_000)),
		"{price}", fmt.Sprintf("$%d", 40+p.IntN(900)), "{n}", fmt.Sprint(2+p.IntN(28)), "{day}", p.of(weekdays))
	r.Text = new(fill.Replace(p.text(r.Rating)))
	if p.IntN(2) == 0 {
		r.Title = new(fill.Replace(p.of(titles[r.Rating-1])))
	}
	if p.IntN(6) == 0 || r.Rating < 3 && p.IntN(2) == 0 {
		r.OwnerReply = &reviewcast.OwnerReply{Text: fill.Replace(p.of(replies)), Date: date}
	}
	return r
}

// picker chooses random elements of lists.
type picker struct{ *rand.Rand }

func (p picker) of(list []string) string { return list[p.IntN(len(list))] }

// skewed returns a random index below n. Lower ones are more likely.
func (p picker) skewed(n int) int { return min(p.IntN(n), p.IntN(n)) }

// word returns a proper name that few other reviews have.
func (p picker) word() string {
	w := p.of(syllables) + p.of(syllables)
	if p.IntN(2) == 0 {
		w += p.of(syllables)
	}
	return strings.ToUpper(w[:1]) + w[1:]
}

// text returns one to fourteen sentences, six on average.
func (p picker) text(rating int) string {
	mood := praise
	switch {
	case rating == 3:
		mood = mixed
	case rating < 3:
		mood = blame
	}
	n := 1 + p.IntN(4) + p.IntN(4) + p.IntN(6)*p.IntN(2)*p.IntN(2) + p.IntN(3)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString([...]string{" ", " ", " ", " ", "\n\n"}[p.IntN(5)])
		}
		if p.IntN(3) == 0 {
			b.WriteString(p.of(facts))
		} else {
			b.WriteString(p.of(mood))
		}
	}
	return b.String()
}

func first(name string) string { f, _, _ := strings.Cut(name, " "); return f }
