package pages

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"html/template"
	"slices"
	"strings"

	"reviewcast"
)

// monthPage holds a month's reviews, each at its anchor, and those that were
// withdrawn from it.
func (s *site) monthPage(i int) page {
	m := &s.months[i]
	var newer, older string
	if i > 0 {
		newer = s.months[i-1].name
	}
	if i+1 < len(s.months) {
		older = s.months[i+1].name
	}
	k := s.key().string(m.name, newer, older).withdrawals(m.withdrawn)
	for j := range m.reviews {
		k.sums(m.reviews[j].sum)
	}
	return page{path: reviewcast.PathMonths + m.name + "/", modified: m.modified, key: k.value(), view: func() (*view, error) {
		return s.monthView(m, newer, older)
	}}
}

// monthHead is what month.html shows, above the reviews.
type monthHead struct {
	tally
	Name         string
	Newer, Older string // names of the months beside; "" at the ends
	Spread       []spread
}

func (s *site) monthView(m *month, newer, older string) (*view, error) {
	head, err := s.execute("month.html", monthHead{m.tally, m.name, newer, older, m.bars()})
	if err != nil {
		return nil, err
	}
	size := len(head) + 1024
	for i := range m.reviews {
		size += len(m.reviews[i].line) + 512
	}
	w, md := &writer{b: make([]byte, 0, size)}, &writer{b: make([]byte, 0, size/2)}
	w.html(string(head))
	md.html(m.summary(), "\n\n")
	for i := range m.reviews {
		s.article(w, &m.reviews[i], "h2", true)
		s.articleMarkdown(md, &m.reviews[i])
	}
	writeWithdrawn(w, md, m.withdrawn)
	return &view{
		Title:       "Reviews of " + monthName(m.name),
		Description: m.summary(),
		Crumbs:      []link{{"Reviews", reviewcast.PathMonths}, {m.name[:4], reviewcast.PathMonths + m.name[:4] + "/"}},
		JSONLD:      s.reviewsLD(m.reviews),
		Main:        template.HTML(w.b), Markdown: md.b,
	}, nil
}

// summary is a sentence that sums the reviews up.
func (t *tally) summary() string {
	if t.count == 0 {
		return "No reviews."
	}
	return fmt.Sprintf("%s, %s of 5 stars on average, %s with a reply.", plural(t.count, "verified review"), t.Mean(), grouped(t.replies))
}

// writeWithdrawn lists withdrawals, each at the anchor that its review had.
func writeWithdrawn(w, md *writer, list []reviewcast.Withdrawal) {
	if len(list) == 0 {
		return
	}
	w.html("<section aria-labelledby=\"_withdrawn\">\n<h2 id=\"_withdrawn\">Withdrawn</h2>\n<ul class=\"withdrawn\">\n")
	md.html("## Withdrawn\n\n")
	for _, g := range list {
		day := string(g.Date)
		w.html(`<li id="`, g.ID, `">The review <code>`, g.ID, `</code> was withdrawn on <time datetime="`, day, `">`, longDay(g.Date), `</time> `, reasonWords(g.Reason), ".</li>\n")
		md.html("- The review ", g.ID, " was withdrawn on ", day, " ", reasonWords(g.Reason), ".\n")
	}
	w.html("</ul>\n</section>\n")
	md.html("\n")
}

// indexView is what months.html shows.
type indexView struct {
	tally
	Years     []yearRow
	Withdrawn []withdrawn
	Hidden    string
	Names     string // of what the search finds facets of, by id, as JSON
}

type yearRow struct {
	tally
	Name   string
	Months []monthRow
}

type monthRow struct {
	tally
	Name      string
	Withdrawn int
}

// withdrawn is a withdrawal with the address of what is left of it.
type withdrawn struct {
	reviewcast.Withdrawal
	Path     string
	Anchored bool // on the page of the months itself
}

// indexPage lists the months, and all withdrawals.
func (s *site) indexPage() page {
	return page{path: reviewcast.PathMonths, modified: s.modified, view: func() (*view, error) {
		v := indexView{Hidden: hidden(s.Dataset.Unpublished), Withdrawn: s.withdrawn(), Names: s.searchNames()}
		md := &writer{}
		for _, y := range s.years() {
			v.sum(&y.tally)
			row := yearRow{tally: y.tally, Name: y.name}
			md.html("\n## ", y.name, "\n\n")
			for i := range y.months {
				m := &y.months[i]
				row.Months = append(row.Months, monthRow{m.tally, m.name, len(m.withdrawn)})
				md.html("- [", monthName(m.name), "](", reviewcast.PathMonths, m.name, "/): ", m.summary(), "\n")
			}
			v.Years = append(v.Years, row)
		}
		if len(v.Withdrawn) > 0 {
			md.html("\n## Withdrawn\n\n")
		}
		for _, g := range v.Withdrawn {
			md.html("- [", g.ID, "](", g.Path, "), ", string(g.Date), ", ", reasonWords(g.Reason), "\n")
		}
		main, err := s.execute("months.html", v)
		return &view{Title: "All reviews", Description: v.summary(), Main: main, Markdown: append([]byte(v.summary()+"\n"), md.b...)}, err
	}}
}

// searchNames are the names that the search box shows instead of ids.
func (s *site) searchNames() string {
	facets := map[string]string{reviewcast.PathAspects: "aspect", reviewcast.PathTechnicians: "technician",
		reviewcast.PathServices: "service", reviewcast.PathAreas: "service_area"}
	names := map[string]map[string]string{}
	for i := range s.subjects {
		n := &s.subjects[i]
		facet := facets[n.base]
		if names[facet] == nil {
			names[facet] = map[string]string{}
		}
		names[facet][n.id] = n.name
	}
	b, err := json.Marshal(names)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}

// withdrawn are all withdrawals, the newest first.
func (s *site) withdrawn() []withdrawn {
	var all []withdrawn
	for _, g := range s.Withdrawals {
		w := withdrawn{g, reviewcast.PathMonths + "#" + g.ID, true}
		if g.Month != nil {
			w.Path, w.Anchored = reviewcast.PathMonths+*g.Month+"/#"+g.ID, false
		}
		all = append(all, w)
	}
	slices.SortStableFunc(all, func(a, b withdrawn) int { return strings.Compare(string(b.Date), string(a.Date)) })
	return all
}

// maxCritical is how many of a year's critical reviews its page shows. They are
// about 80 KB.
const maxCritical = 75

// yearView is what year.html shows.
type yearView struct {
	yearRow
	Spread   []spread
	Critical template.HTML
	Shown    int // of the critical reviews
}

// yearPage holds a year's figures and its critical reviews with the replies, the
// fewest stars first.
func (s *site) yearPage(y year) page {
	var critical []*review
	for stars := 1; stars <= 2; stars++ {
		for i := range y.months {
			for j := range y.months[i].reviews {
				if r := &y.months[i].reviews[j]; r.Rating == stars && len(critical) < maxCritical {
					critical = append(critical, r)
				}
			}
		}
	}
	k := s.key().string(y.name)
	var modified reviewcast.Date
	for i := range y.months {
		m := &y.months[i]
		modified = max(modified, m.modified)
		maphash.WriteComparable(&k.Hash, m.tally)
		k.string(m.name).withdrawals(m.withdrawn)
	}
	for _, r := range critical {
		k.sums(r.sum)
	}
	return page{path: reviewcast.PathMonths + y.name + "/", modified: modified, key: k.value(), view: func() (*view, error) {
		return s.yearView(&y, critical)
	}}
}

func (s *site) yearView(y *year, critical []*review) (*view, error) {
	v := yearView{yearRow: yearRow{tally: y.tally, Name: y.name}, Spread: y.bars(), Shown: len(critical)}
	w, md := &writer{}, &writer{}
	md.html(y.summary(), "\n\n")
	for i := range y.months {
		m := &y.months[i]
		v.Months = append(v.Months, monthRow{m.tally, m.name, len(m.withdrawn)})
		md.html("- [", monthName(m.name), "](", reviewcast.PathMonths, m.name, "/): ", m.summary(), "\n")
	}
	md.html("\nCritical reviews, the fewest stars first:\n\n")
	for _, r := range critical {
		s.article(w, r, "h3", false)
		s.articleMarkdown(md, r)
	}
	v.Critical = template.HTML(w.b)
	main, err := s.execute("year.html", v)
	return &view{Title: "Reviews of " + y.name, Description: y.summary(), Crumbs: []link{{"Reviews", reviewcast.PathMonths}},
		Main: main, Markdown: md.b}, err
}
