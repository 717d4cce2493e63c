package pages

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"reviewcast"
)

// Site is the content in the order in which pages need it, and what the templates months show. It may be used by several goroutines at the same time.
type Site struct {
	Content
	*locale
	tally  // modified is the newest date of all; "" when there is none
	assets assets
	jobs   []job

	reviews  []review // newest first
	byID     map[string]*review
	months   []*month // newest first
	Years    []*year  // newest first
	subjects []*subject
	named    map[string]*subject // by path
}

// New groups the reviews. It fails when a template of the theme can't be parsed.
func New(c Content) (*Site, error) {
	l, err := c.Theme.locale(cmp.Or(c.Channel.Language, c.Dataset.Business.Language))
	if err != nil {
		return nil, err
	}
	c.Channel.Title = cmp.Or(c.Channel.Title, l.text("(title)", c.Dataset.Business.Name))
	c.Channel = c.Channel.Complete(c.Dataset.Business)
	s := &Site{Content: c, locale: l, tally: tally{locale: l}, byID: make(map[string]*review, len(c.Dataset.Reviews))}
	s.assets = assets{Style: versioned(pathStyle, c.Theme.style()), Script: versioned(pathScript, s.script()), Icon: pathIcon, Card: pathCard}
	if c.Theme.Logo != nil {
		s.assets.Logo = versioned("/"+c.Theme.LogoName, c.Theme.Logo)
	}
	s.reviews = make([]review, len(c.Dataset.Reviews))
	for i := range s.reviews {
		s.reviews[i] = review{&c.Dataset.Reviews[i], s}
		s.byID[s.reviews[i].ID] = &s.reviews[i]
	}
	s.group()
	s.collect()
	pages := s.pages()
	s.jobs = slices.Concat(pages, s.files(pages))
	return s, nil
}

// month is one month's reviews, or withdrawals, or both.
type month struct {
	tally
	Name         string // "2026-03"
	Newer, Older string // names of the months beside; "" at the ends
	Reviews      []review
	Withdrawn    []reviewcast.Withdrawal // sorted by id
}

type year struct {
	tally
	Name   string
	Months []*month // newest first
}

type tally struct {
	locale                         *locale // of what is written for people
	Count, Replies, stars, squares int
	spread                         [reviewcast.MaxRating + 1]int // by stars
	modified                       reviewcast.Date               // the newest date of a review or reply
}

func (t *tally) add(r *reviewcast.Review) {
	t.Count++
	t.stars += r.Rating
	t.squares += r.Rating * r.Rating
	t.spread[r.Rating]++
	t.modified = max(t.modified, r.Date)
	if r.OwnerReply != nil {
		t.Replies++
		t.modified = max(t.modified, r.OwnerReply.Date)
	}
}

// Mean is the mean of the stars, for people.
func (t tally) Mean() string { return t.locale.mean(reviewcast.Mean(t.stars, t.Count)) }

// Low counts the reviews with one or two stars.
func (t tally) Low() int { return t.spread[1] + t.spread[2] }

// Summary is a sentence that sums the reviews up.
func (t tally) Summary() string {
	if t.Count == 0 {
		return t.locale.text("No reviews.")
	}
	reviews := t.locale.plural(t.Count, "verified review")
	if t.Replies == 0 {
		return t.locale.text("%s, %s of 5 stars on average.", reviews, t.Mean())
	}
	return t.locale.text("%s, %s of 5 stars on average, %s with a reply.", reviews, t.Mean(), t.locale.grouped(t.Replies))
}

// group makes the months and years, newest first, as the reviews are.
func (s *Site) group() {
	months := map[string]*month{}
	named := func(name string) *month {
		if months[name] == nil {
			months[name] = &month{Name: name, tally: tally{locale: s.locale}}
		}
		return months[name]
	}
	for _, r := range s.reviews {
		m := named(r.Date.Month())
		m.Reviews = append(m.Reviews, r)
		m.add(r.Review)
		s.add(r.Review)
	}
	for _, w := range s.Withdrawals {
		s.modified = max(s.modified, w.Date)
		if w.Month != nil {
			m := named(*w.Month)
			m.Withdrawn = append(m.Withdrawn, w)
			m.modified = max(m.modified, w.Date)
		}
	}
	s.months = slices.SortedFunc(maps.Values(months), func(a, b *month) int { return strings.Compare(b.Name, a.Name) })
	for i, m := range s.months {
		if i > 0 {
			m.Newer, s.months[i-1].Older = s.months[i-1].Name, m.Name
		}
		name := m.Name[:4]
		if n := len(s.Years); n == 0 || s.Years[n-1].Name != name {
			s.Years = append(s.Years, &year{Name: name, tally: tally{locale: s.locale}})
		}
		y := s.Years[len(s.Years)-1]
		y.Months = append(y.Months, m)
		for _, r := range m.Reviews {
			y.add(r.Review)
		}
		y.modified = max(y.modified, m.modified) // it may be a withdrawal's
	}
}

// Reviews leads to reviews by their ids.
func (s *Site) Reviews(ids []string) []link {
	var list []link
	for _, id := range ids {
		if r := s.byID[id]; r != nil {
			list = append(list, link{r.Name() + ", " + s.shortDay(r.Date), r.Path()})
		}
	}
	return list
}
