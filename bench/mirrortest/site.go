// Package mirrortest publishes made-up histories for tests: versions of a site with
// reviews that are added, edited, withdrawn, erased and return. It follows the
// published contract by itself, without the generator, so that a mistake in one of
// the two shows.
package mirrortest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"reviewcast"
)

// BaseURL is the origin that the sites are rendered for.
const BaseURL = "https://reviews.example.com"

// Files are the bodies of a published set by path. A Files value is not changed
// after it was published.
type Files map[string][]byte

// Manifest returns the manifest of the set.
func (f Files) Manifest() *reviewcast.Manifest {
	m := &reviewcast.Manifest{}
	must(json.Unmarshal(f[reviewcast.PathManifest], m))
	return m
}

// Site is what an editor has: reviews and withdrawals.
type Site struct {
	Rand      *rand.Rand
	Now       time.Time
	Reviews   map[string]*reviewcast.Review
	Withdrawn map[string]reviewcast.Withdrawal
	Business  reviewcast.Business
	Note      string // stands on a page only
	// Files is the last published set, nil before the first.
	Files Files

	edits int
	gone  map[string]*reviewcast.Review // withdrawn, and free to return
}

// New returns a site with so many reviews, not yet published.
func New(seed uint64, reviews int) *Site {
	s := &Site{
		Rand: rand.New(rand.NewPCG(seed, 57)), Now: time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC),
		Reviews: map[string]*reviewcast.Review{}, Withdrawn: map[string]reviewcast.Withdrawal{}, gone: map[string]*reviewcast.Review{},
		Business: reviewcast.Business{
			ID: "acme", Name: "Acme", Category: "Plumber", URL: BaseURL, Hours: []string{}, TimeZone: "UTC", Language: "en", SameAs: []string{},
			Services:    []reviewcast.Named{{ID: "drains", Name: "Drains"}},
			Technicians: []reviewcast.Technician{{ID: "marcus", Name: "Marcus", Aliases: []string{}}}, ServiceAreas: []reviewcast.Named{},
		},
	}
	for range reviews {
		s.Add()
	}
	return s
}

// Clone returns a copy of the site, which can be edited and published on its own.
func (s *Site) Clone() *Site {
	c := *s
	c.Rand = rand.New(rand.NewPCG(uint64(s.edits), 58))
	c.Reviews, c.Withdrawn, c.gone = maps.Clone(s.Reviews), maps.Clone(s.Withdrawn), maps.Clone(s.gone)
	return &c
}

// Add adds a review.
func (s *Site) Add() string {
	s.edits++
	r := &reviewcast.Review{
		ID: fmt.Sprintf("r-%d", s.edits), Author: "Ada L.", Language: "en", Source: "direct", Verified: true,
		Verification: reviewcast.Verification{Method: "job", VerifiedOn: "2026-05-01"},
		Mentions:     reviewcast.Mentions{Technicians: []string{}, Services: []string{}, ServiceAreas: []string{}},
	}
	s.write(r)
	s.Reviews[r.ID] = r
	return r.ID
}

// write gives a review new words, stars and a date.
func (s *Site) write(r *reviewcast.Review) {
	s.edits++
	r.Rating = 1 + s.Rand.IntN(5)
	r.Date = reviewcast.Date(fmt.Sprintf("20%02d-%02d-%02d", 24+s.Rand.IntN(3), 1+s.Rand.IntN(12), 1+s.Rand.IntN(28)))
	r.Text = nil
	if s.Rand.IntN(8) == 0 {
		return
	}
	text := fmt.Sprintf("Visit %d (%s). ", s.edits, Secret(r.ID))
	for range 1 + s.Rand.IntN(8) {
		text += sentences[s.Rand.IntN(len(sentences))] + " "
	}
	r.Text = &text
	r.Mentions.Technicians = []string{}
	if strings.Contains(text, "Marcus") {
		r.Mentions.Technicians = []string{"marcus"}
	}
}

// Secret is a word that only the text of one review has.
func Secret(id string) string { return "secret-of-" + id + "!" }

var sentences = []string{
	"He came on time.", "They were late again.", "A fair price.", "Far too expensive.", "Marcus was here.", "Très bien, merci !",
	"The drain works; \"finally\", my neighbour says.", "<b>Nothing</b> to add & nothing to take away.", "The kitchen is dry for the first time in years.",
}

// IDs are the ids of the reviews, sorted.
func (s *Site) IDs() []string { return slices.Sorted(maps.Keys(s.Reviews)) }

// Pick returns one of the reviews, nil when there is none.
func (s *Site) Pick() *reviewcast.Review {
	if ids := s.IDs(); len(ids) > 0 {
		return s.Reviews[ids[s.Rand.IntN(len(ids))]]
	}
	return nil
}

// Edit changes a review. Reviews are replaced and not changed in place: the last
// published version keeps its own.
func (s *Site) Edit(id string, change func(r *reviewcast.Review)) {
	r := *s.Reviews[id]
	change(&r)
	s.Reviews[id] = &r
}

// Withdraw takes a review out for a reason.
func (s *Site) Withdraw(id, reason string) {
	r := s.Reviews[id]
	month := r.Date.Month()
	s.Withdrawn[id] = reviewcast.Withdrawal{ID: id, Reason: reason, Date: reviewcast.Date(s.Now.Format(time.DateOnly)), Month: &month}
	delete(s.Reviews, id)
	if reason == reviewcast.ReasonWithdrawn {
		s.gone[id] = r
	}
}

// Step does one thing that editors do, at random, and returns its name.
func (s *Site) Step() string {
	s.edits++
	r := s.Pick()
	switch n := s.Rand.IntN(20); {
	case n < 6 || r == nil:
		s.Add()
		return "add"
	case n < 9:
		s.Edit(r.ID, func(r *reviewcast.Review) {
			text := fmt.Sprintf("Edit %d. %s %s", s.edits, Secret(r.ID), sentences[s.Rand.IntN(len(sentences))])
			r.Text = &text
		})
		return "edit"
	case n < 10:
		s.Edit(r.ID, s.write)
		return "rewrite and re-date"
	case n < 12:
		s.Withdraw(r.ID, reviewcast.ReasonWithdrawn)
		return "withdraw"
	case n < 13:
		s.Withdraw(r.ID, reviewcast.ReasonLegal)
		return "erase"
	case n < 14:
		return s.comeBack()
	case n < 15:
		s.Business.Name = fmt.Sprintf("Acme %d", s.edits)
		return "business"
	case n < 17:
		s.Note = fmt.Sprintf("Note %d.", s.edits)
		return "only pages"
	case n < 18:
		s.Edit(r.ID, func(r *reviewcast.Review) {
			r.OwnerReply = &reviewcast.OwnerReply{Text: fmt.Sprintf("Thank you %d.", s.edits), Date: r.Date}
		})
		return "reply"
	case n < 19 && s.Rand.IntN(4) == 0:
		for _, id := range s.IDs() {
			s.Withdraw(id, reviewcast.ReasonWithdrawn)
		}
		return "withdraw all"
	}
	return "nothing"
}

// comeBack publishes a withdrawn review again.
func (s *Site) comeBack() string {
	ids := slices.Sorted(maps.Keys(s.gone))
	if len(ids) == 0 {
		return "nothing"
	}
	id := ids[s.Rand.IntN(len(ids))]
	s.Reviews[id] = s.gone[id]
	delete(s.gone, id)
	delete(s.Withdrawn, id)
	return "return"
}

// Dataset is what the site publishes of its reviews.
func (s *Site) Dataset() *reviewcast.Dataset {
	ds := &reviewcast.Dataset{Version: 1, License: "CC-BY-4.0", Business: s.Business, ReviewCount: len(s.Reviews), Reviews: []reviewcast.Review{}}
	for _, r := range s.Reviews {
		ds.Reviews = append(ds.Reviews, *r)
	}
	slices.SortFunc(ds.Reviews, func(a, b reviewcast.Review) int { return reviewcast.Compare(&a, &b) })
	ds.AggregateRating = reviewcast.Aggregate(ds.Reviews)
	for _, w := range s.Withdrawn {
		if w.Reason == reviewcast.ReasonLegal {
			ds.Unpublished.Legal++
		} else {
			ds.Unpublished.Withdrawn++
		}
	}
	return ds
}

// encode is compact JSON without a newline.
func encode(v any) []byte {
	body, err := reviewcast.EncodeJSON(v)
	must(err)
	return bytes.TrimSuffix(body, []byte("\n"))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
