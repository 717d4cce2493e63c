package pages

import (
	"cmp"
	"encoding/json"
	"slices"
	"sort"

	"reviewcast"
)

// monthPage holds a month's reviews, each at its anchor, and those that were withdrawn from it.
func (s *Site) monthPage(m *month) page {
	return page{reviewcast.PathMonths + m.Name + "/", m.modified, func() (*view, error) {
		return &view{
			Title: "Reviews of " + monthName(m.Name), Description: m.Summary(),
			Crumbs: []link{{"Reviews", reviewcast.PathMonths}, {m.Name[:4], reviewcast.PathMonths + m.Name[:4] + "/"}},
			Name:   "month", Data: &monthView{month: m},
		}, nil
	}}
}

// monthView is what the templates month show.
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

// indexView is what the templates months show.
type indexView struct {
	tally
	Years     []*year
	Withdrawn []reviewcast.Withdrawal
	Hidden    string
	Names     string // of what the search finds facets of, by id, as JSON
}

// indexPage lists the months, and all withdrawals.
func (s *Site) indexPage() page {
	return page{reviewcast.PathMonths, s.modified, func() (*view, error) {
		v := indexView{s.all, s.years, s.withdrawn(), hidden(s.Dataset.Unpublished), s.searchNames()}
		return &view{Title: "All reviews", Description: v.Summary(), Name: "months", Data: v}, nil
	}}
}

// searchNames are the names that the search box shows instead of ids, by facet.
func (s *Site) searchNames() string {
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

// withdrawn are all withdrawals, the newest first.
func (s *Site) withdrawn() []reviewcast.Withdrawal {
	all := slices.Clone(s.Withdrawals)
	slices.SortStableFunc(all, func(a, b reviewcast.Withdrawal) int { return cmp.Compare(b.Date, a.Date) })
	return all
}

// maxCritical is how many of a year's critical reviews its page shows. They are about 80 KB.
const maxCritical = 75

// Critical are a year's critical reviews, the fewest stars first.
func (y *year) Critical() []review {
	var critical []review
	for i := range y.Months {
		for _, r := range y.Months[i].Reviews {
			if r.Rating <= 2 {
				critical = append(critical, r)
			}
		}
	}
	slices.SortStableFunc(critical, func(a, b review) int { return a.Rating - b.Rating })
	return critical[:min(len(critical), maxCritical)]
}

// yearPage holds a year's figures and its critical reviews with the replies.
func (s *Site) yearPage(y *year) page {
	return page{reviewcast.PathMonths + y.Name + "/", y.modified, func() (*view, error) {
		return &view{Title: "Reviews of " + y.Name, Description: y.Summary(), Crumbs: []link{{"Reviews", reviewcast.PathMonths}}, Name: "year", Data: y}, nil
	}}
}
