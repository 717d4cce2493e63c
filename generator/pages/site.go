package pages

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"html/template"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/render"
)

// site is the content in the order in which pages need it.
type site struct {
	Content
	in        *reviewcast.Insights
	memo      *Memo
	templates *template.Template
	seed      maphash.Seed
	frame     uint64 // sum of what every page shows
	assets    assets

	reviews  []review       // newest first
	at       map[string]int // ordinal in reviews by id
	months   []month        // newest first
	undated  []reviewcast.Withdrawal
	subjects []subject
	names    map[string]string // of technicians, services and areas, by path
	modified reviewcast.Date   // the newest date of all; "" when there is none
}

// review is a review with a sum of everything that is published of it and found in it.
type review struct {
	*reviewcast.Review
	sum  uint64
	line []byte // of reviews.json
}

// path is where the review is read.
func (r *review) path() string { return reviewcast.ReviewPath(r.ID, r.Date) }

// month is one month's reviews, or withdrawals, or both.
type month struct {
	tally
	name      string // "2026-03"
	reviews   []review
	withdrawn []reviewcast.Withdrawal // sorted by id
	modified  reviewcast.Date         // the newest date of a review, reply or withdrawal
}

// tally counts reviews.
type tally struct {
	count, stars, squares, replies int
	spread                         [reviewcast.MaxRating + 1]int // by stars
}

func (t *tally) add(r *reviewcast.Review) {
	t.count++
	t.stars += r.Rating
	t.squares += r.Rating * r.Rating
	t.spread[r.Rating]++
	if r.OwnerReply != nil {
		t.replies++
	}
}

func (t *tally) sum(o *tally) {
	t.count += o.count
	t.stars += o.stars
	t.squares += o.squares
	t.replies += o.replies
	for i := range t.spread {
		t.spread[i] += o.spread[i]
	}
}

// Mean is the mean of the stars, for people.
func (t tally) Mean() string {
	if t.count == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", t.mean())
}

func (t tally) mean() float64 { return float64(t.stars) / float64(t.count) }

// Count, Replies and Low are for templates; low reviews have one or two stars.
func (t tally) Count() int   { return t.count }
func (t tally) Replies() int { return t.replies }
func (t tally) Low() int     { return t.spread[1] + t.spread[2] }

func newSite(c Content, memo *Memo) (*site, error) {
	c.Channel = c.Channel.Complete(c.Dataset.Business)
	s := &site{Content: c, in: c.Insights, memo: memo, at: make(map[string]int, len(c.Dataset.Reviews))}
	if s.in == nil {
		s.in = &reviewcast.Insights{}
	}
	s.seed = maphash.MakeSeed()
	if memo != nil {
		if memo.made == nil {
			memo.seed = s.seed
		}
		s.seed = memo.seed
	}
	if len(s.OpenAPI) == 0 {
		var err error
		if s.OpenAPI, err = render.OpenAPI(c.Channel, c.Dataset); err != nil {
			return nil, err
		}
	}
	var err error
	if s.templates, err = c.Theme.templates(memo, s.seed); err != nil {
		return nil, err
	}
	s.assets = newAssets(c.Theme)
	if err := s.read(); err != nil {
		return nil, err
	}
	s.group()
	s.subjects = s.allSubjects()
	return s, s.sumFrame()
}

// read takes in the reviews.
func (s *site) read() error {
	s.reviews = make([]review, len(s.Dataset.Reviews))
	for i := range s.Dataset.Reviews {
		r := review{Review: &s.Dataset.Reviews[i]}
		if s.ReviewLines != nil {
			r.line = s.ReviewLines[i]
		} else {
			var err error
			if r.line, err = render.ReviewLine(r.Review); err != nil {
				return fmt.Errorf("render review %s: %w", r.ID, err)
			}
		}
		r.sum = maphash.Bytes(s.seed, r.line)
		s.reviews[i] = r
		s.at[r.ID] = i
	}
	return nil
}

// group makes the months. Reviews are newest first, so that each month's are one
// slice.
func (s *site) group() {
	for from := 0; from < len(s.reviews); {
		m := month{name: s.reviews[from].Date.Month()}
		to := from
		for ; to < len(s.reviews) && s.reviews[to].Date.Month() == m.name; to++ {
			r := s.reviews[to].Review
			m.add(r)
			m.modified = max(m.modified, changedOn(r))
		}
		m.reviews = s.reviews[from:to]
		s.months = append(s.months, m)
		from = to
	}
	for _, w := range s.Withdrawals {
		s.modified = max(s.modified, w.Date)
		if w.Month == nil {
			s.undated = append(s.undated, w)
			continue
		}
		i, found := slices.BinarySearchFunc(s.months, *w.Month, func(m month, name string) int { return strings.Compare(name, m.name) })
		if !found {
			s.months = slices.Insert(s.months, i, month{name: *w.Month})
		}
		s.months[i].withdrawn = append(s.months[i].withdrawn, w)
		s.months[i].modified = max(s.months[i].modified, w.Date)
	}
	for i := range s.months {
		s.modified = max(s.modified, s.months[i].modified)
	}
}

// changedOn is the newest date of a review.
func changedOn(r *reviewcast.Review) reviewcast.Date {
	if r.OwnerReply != nil {
		return max(r.Date, r.OwnerReply.Date)
	}
	return r.Date
}

// sumFrame sums up what every page shows: the business, the channel, the theme. The
// templates and the files of ours are the same for the life of a program.
func (s *site) sumFrame() error {
	b, err := json.Marshal([]any{s.Channel, s.Dataset.Business, s.Dataset.License, s.assets, s.names})
	if err != nil {
		return fmt.Errorf("sum up the frame of pages: %w", err)
	}
	s.frame = maphash.Bytes(s.seed, b) ^ s.Theme.sum(s.seed)
	return nil
}

// review finds a published review by its id.
func (s *site) review(id string) (*review, bool) {
	i, ok := s.at[id]
	if !ok {
		return nil, false
	}
	return &s.reviews[i], true
}

// year is the months of one year, newest first.
type year struct {
	tally
	name   string
	months []month
}

func (s *site) years() []year {
	var years []year
	for i := range s.months {
		m := &s.months[i]
		if n := len(years); n == 0 || years[n-1].name != m.name[:4] {
			years = append(years, year{name: m.name[:4], months: s.months[i:i]})
		}
		y := &years[len(years)-1]
		y.months = y.months[:len(y.months)+1]
		y.sum(&m.tally)
	}
	return years
}
