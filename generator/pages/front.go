package pages

import (
	"cmp"
	"math"
	"slices"

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
	Rounded   int // the mean as whole stars
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
	Hidden    string
	Methods   []fact
}

type entityTable struct {
	ID, Title string
	Rows      []*subject
}

func (s *Site) frontPage() page {
	return page{"/", s.modified, func() (*view, error) {
		return &view{Title: s.Channel.Title, Description: s.Channel.Description, Graph: s.frontLD(), Name: "front", Data: s.front()}, nil
	}}
}

func (s *Site) front() *front {
	in := s.Insights
	f := &front{
		Site: s, Language: s.Channel.Language, Links: published, All: s.all,
		Hidden: hidden(s.Dataset.Unpublished), Trend: trendWords(in.Temporal.Trend, "stars"), Methods: s.methods(),
		Topics: in.Topics[:min(len(in.Topics), frontTopics)], Newest: s.reviews[:min(len(s.reviews), frontReviews)],
		Withdrawn: s.withdrawn()[:min(len(s.Withdrawals), frontWithdrawals)], Replies: s.newestReplies(),
	}
	if s.all.Count > 0 {
		f.Rounded = int(math.Round(s.all.mean()))
	}
	f.Chart = newChart(starScale, quarters(len(s.reviews), func(i int) *reviewcast.Review { return s.reviews[i].Review }, meanPoint))
	if q := in.PullQuote; q != nil {
		if i, ok := s.at[q.ReviewID]; ok {
			f.Quote = &s.reviews[i]
		}
	}
	f.Problems = slices.DeleteFunc(slices.Clone(in.Entities.Problems), func(p reviewcast.Entity) bool { return p.ReviewCount == 0 })
	for _, n := range s.subjects {
		switch {
		case n.Aspect != nil && n.Aspect.MentionCount == 0:
			f.Silent = append(f.Silent, n.Name)
		case n.Aspect != nil:
			f.Aspects = append(f.Aspects, n)
		case n.Count > 0:
			if i := len(f.Entities); i == 0 || f.Entities[i-1].Title != n.kind.title {
				f.Entities = append(f.Entities, entityTable{ID: n.kind.anchor(), Title: n.kind.title})
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

// newestReplies lead to the reviews that were answered last.
func (s *Site) newestReplies() []link {
	answered := slices.DeleteFunc(slices.Clone(s.reviews), func(r review) bool { return r.OwnerReply == nil })
	slices.SortStableFunc(answered, func(a, b review) int { return cmp.Compare(b.OwnerReply.Date, a.OwnerReply.Date) })
	var list []link
	for _, r := range answered[:min(len(answered), frontReplies)] {
		list = append(list, link{shortDay(r.OwnerReply.Date) + " to " + r.Author + ": " + excerpt(r.OwnerReply.Text, minQuote), r.Path()})
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
			list = append(list, fact{methodWords(m), plural(counts[m], "review")})
		}
	}
	return list
}
