package pages

import (
	"cmp"
	"encoding/json"
	"slices"
	"sort"

	"reviewcast"
)

// Numbers of what the front page shows.
const (
	frontReviews     = 8
	frontReplies     = 3
	frontWithdrawals = 5
	frontTopics      = 12
)

// front is what the templates front show.
type front struct {
	*Site
	Language  string // of the editors' words
	Links     map[string]string
	All       tally
	Trend     string
	Chart     *chart
	Quote     *review // of which the insights quote a sentence
	Aspects   []*subject
	Silent    []string // labels of the aspects that nobody mentions
	Entities  []entityTable
	Topics    []reviewcast.Topic
	Problems  []reviewcast.Entity
	Newest    []review
	Replies   []link
	Withdrawn []reviewcast.Withdrawal
	Methods   []fact
}

type entityTable struct {
	ID, Title string
	Rows      []*subject
}

func (s *Site) front() *front {
	in := s.Insights
	f := &front{
		Site: s, Language: s.Channel.Language, Links: published, All: s.tally, Trend: s.trend(in.Temporal.Trend, "%s stars"), Methods: s.methods(),
		Topics: in.Topics[:min(len(in.Topics), frontTopics)], Newest: s.reviews[:min(len(s.reviews), frontReviews)],
		Withdrawn: s.Withdrawn()[:min(len(s.Withdrawals), frontWithdrawals)], Replies: s.newestReplies(),
	}
	f.Chart = s.newChart(s.starScale(), quarters(len(s.reviews), func(i int) *reviewcast.Review { return s.reviews[i].Review }, meanInterval))
	f.Quote = s.byID[cmp.Or(in.PullQuote, &reviewcast.PullQuote{}).ReviewID]
	f.Problems = slices.DeleteFunc(slices.Clone(in.Entities.Problems), func(p reviewcast.Entity) bool { return p.ReviewCount == 0 })
	for _, n := range s.subjects {
		switch {
		case n.Aspect != nil && n.Aspect.MentionCount == 0:
			f.Silent = append(f.Silent, n.Name)
		case n.Aspect != nil:
			f.Aspects = append(f.Aspects, n)
		case n.Count > 0:
			if i := len(f.Entities); i == 0 || f.Entities[i-1].ID != n.kind.anchor() {
				f.Entities = append(f.Entities, entityTable{ID: n.kind.anchor(), Title: s.text(n.kind.title)})
			}
			table := &f.Entities[len(f.Entities)-1]
			table.Rows = append(table.Rows, n)
		}
	}
	slices.SortStableFunc(f.Aspects, func(a, b *subject) int { return b.Aspect.MentionCount - a.Aspect.MentionCount })
	for _, table := range f.Entities {
		slices.SortStableFunc(table.Rows, func(a, b *subject) int { return b.Count - a.Count })
	}
	return f
}

func (s *Site) newestReplies() []link {
	answered := slices.DeleteFunc(slices.Clone(s.reviews), func(r review) bool { return r.OwnerReply == nil })
	slices.SortStableFunc(answered, func(a, b review) int { return cmp.Compare(b.OwnerReply.Date, a.OwnerReply.Date) })
	var list []link
	for _, r := range answered[:min(len(answered), frontReplies)] {
		list = append(list, link{s.text("%s to %s: %s", s.shortDay(r.OwnerReply.Date), r.Name(), excerpt(r.OwnerReply.Text, minQuote)), r.Path()})
	}
	return list
}

// methods counts the reviews by how they were verified.
func (s *Site) methods() []fact {
	counts := map[string]int{}
	for _, r := range s.reviews {
		counts[r.Verification.Method]++
	}
	var list []fact
	for _, m := range reviewcast.VerificationMethods {
		if counts[m] > 0 {
			list = append(list, fact{s.name(m), s.plural(counts[m], "review")})
		}
	}
	return list
}

// monthView is what the templates month show: a month's reviews, each at its anchor, and those withdrawn from it.
type monthView struct {
	*month
	Most int // bytes of a text in the twin
}

// fit cuts the longest texts of the twin so that it has about n bytes, and reports whether anything is left of them.
func (v *monthView) fit(n int) bool {
	var lengths []int
	for _, r := range v.Reviews {
		n -= len(r.Heading()) + len(r.Author) + len(r.Source) + len(r.Path()) + 45 // and what stands between them
		lengths = append(lengths, len(deref(r.Text)))
		if r.OwnerReply != nil {
			n -= 35
			lengths = append(lengths, len(r.OwnerReply.Text))
		}
	}
	v.Most = sort.Search(4*reviewcast.MaxTextLength, func(most int) bool {
		sum := 0
		for _, l := range lengths {
			sum += min(l, most)
		}
		return sum >= n
	})
	return v.Most > 0
}

// Names are the names that the search box shows instead of ids, by facet, as JSON.
func (s *Site) Names() string {
	names := map[string]map[string]string{}
	for _, n := range s.subjects {
		if names[n.kind.facet] == nil {
			names[n.kind.facet] = map[string]string{}
		}
		names[n.kind.facet][n.id] = n.Name
	}
	b, _ := json.Marshal(names) // strings can always be marshalled
	return string(b)
}

// Withdrawn are all withdrawals, the newest first.
func (s *Site) Withdrawn() []reviewcast.Withdrawal {
	return slices.SortedStableFunc(slices.Values(s.Withdrawals), func(a, b reviewcast.Withdrawal) int { return cmp.Compare(b.Date, a.Date) })
}

// Critical are a year's critical reviews, the fewest stars first.
func (y *year) Critical() []review {
	const maxCritical = 75 // on the page of the year, about 80 KB
	var critical []review
	for _, m := range y.Months {
		critical = append(critical, m.Reviews...)
	}
	critical = slices.DeleteFunc(critical, func(r review) bool { return r.Rating > 2 })
	slices.SortStableFunc(critical, func(a, b review) int { return a.Rating - b.Rating })
	return critical[:min(len(critical), maxCritical)]
}
