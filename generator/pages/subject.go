package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
)

// kind is a kind of subject.
type kind struct{ base, title, facet string }

var kinds = []*kind{
	{reviewcast.PathAspects, "Aspects", "aspect"},
	{reviewcast.PathTechnicians, "Technicians", "technician"},
	{reviewcast.PathServices, "Services", "service"},
	{reviewcast.PathAreas, "Service areas", "service_area"},
}

// anchor is the id of the kind's section on the front page.
func (k *kind) anchor() string { return "_" + strings.Trim(k.base, "/") }

// subject is something that reviews are about, with a page of its own: an aspect, a
// technician, a service or an area.
type subject struct {
	tally
	kind     *kind
	id, Name string
	Aspect   *reviewcast.Aspect // of an aspect; else nil
	entity   *reviewcast.Entity // of the others, when a review names it
	quotes   []evidence         // newest first
}

// Path is where the subject's page is.
func (n *subject) Path() string { return n.kind.base + n.id + "/" }

// evidence is a review that is counted for a subject.
type evidence struct {
	review
	said     string // the sentence; "": the beginning of the text
	polarity reviewcast.Polarity
}

// The most of a text that stands in for a sentence.
const (
	maxBeginning     = 160
	maxTwinBeginning = 80
)

// items writes the quote for the page and its twin, by hand: templates would take much longer.
func (e *evidence) items() (page, twin string) {
	said := strings.Join(strings.Fields(e.said), " ")
	short := said
	if said == "" && e.Text != nil {
		said = excerpt(*e.Text, maxBeginning)
		short = excerpt(said, maxTwinBeginning)
	}
	path, escape := e.Path(), template.HTMLEscapeString
	page = `<li><a href="` + path + `"><time datetime="` + string(e.Date) + `">` + shortDay(e.Date) + `</time>, <bdi>` + escape(e.Author) +
		`</bdi></a> <span class="of5">` + strconv.Itoa(e.Rating) + `/5</span>`
	twin = "- [" + string(e.Date) + "](" + path + ") " + strconv.Itoa(e.Rating) + "/5"
	if said != "" {
		language := ""
		if e.Language != "en" {
			language = ` lang="` + escape(e.Language) + `"`
		}
		page += ` <q` + language + `>` + escape(said) + `</q>`
		twin += " “" + inline(short) + "”"
	}
	if e.OwnerReply != nil {
		page += ` <span class="quiet">with a reply</span>`
	}
	return page + "</li>\n", twin + "\n"
}

// size is about how many bytes the quote takes.
func (e *evidence) size() int {
	const frame = 150
	n := frame + len(e.Author) + len(e.said)
	if e.said == "" && e.Text != nil {
		n += min(len(*e.Text), maxBeginning)
	}
	return n
}

// collect makes all subjects, in the order of the insights and the business.
func (s *Site) collect() {
	s.names = map[string]string{}
	at := make([]map[string]*subject, len(kinds))
	for i := range at {
		at[i] = map[string]*subject{}
	}
	add := func(kind int, id, name string, counted []reviewcast.Entity) *subject {
		n := &subject{kind: kinds[kind], id: id, Name: name}
		if i := slices.IndexFunc(counted, func(e reviewcast.Entity) bool { return e.ID == id }); i >= 0 {
			n.entity = &counted[i]
		}
		at[kind][id], s.names[n.Path()] = n, name
		s.subjects = append(s.subjects, n)
		return n
	}
	for i := range s.Insights.Aspects {
		a := &s.Insights.Aspects[i]
		add(0, a.ID, a.Label, nil).Aspect = a
	}
	b, e := &s.Dataset.Business, &s.Insights.Entities
	for _, t := range b.Technicians {
		add(1, t.ID, t.Name, e.Technicians)
	}
	for _, n := range b.Services {
		add(2, n.ID, n.Name, e.Services)
	}
	for _, n := range b.ServiceAreas {
		add(3, n.ID, n.Name, e.ServiceAreas)
	}
	count := func(n *subject, e evidence) {
		n.quotes = append(n.quotes, e)
		n.add(e.Review)
	}
	for i, r := range s.reviews {
		found := s.Insights.PerReview[r.ID]
		for id, polarity := range found.Aspects {
			if n := at[0][id]; n != nil {
				count(n, evidence{r, s.sentence(i, id), polarity})
			}
		}
		for kind, ids := range r.mentions() {
			for _, id := range ids {
				if n := at[1+kind][id]; n != nil {
					count(n, evidence{r, "", found.Sentiment})
				}
			}
		}
	}
}

// sentence is what the review at i says about an aspect, as far as it is known.
func (s *Site) sentence(i int, aspect string) string {
	for _, q := range s.Quotes[i] {
		if q.Aspect == aspect {
			return q.Text
		}
	}
	return ""
}

// subjectPages are the subject's own page and, when its quotes don't fit on it, those of its years.
func (s *Site) subjectPages(n *subject) []page {
	parts := n.split()
	pages := []page{{n.Path(), n.modified, func() (*view, error) { return s.subjectView(n, parts), nil }}}
	for i := range parts {
		q := &parts[i]
		pages = append(pages, page{q.Path, q.modified, func() (*view, error) {
			return &view{Title: q.Title, Crumbs: []link{{n.Name, n.Path()}}, Name: "quotes", Data: quotesView{q, byPolarity(q.quotes, len(q.quotes))}}, nil
		}})
	}
	return pages
}

// subjectView is what the templates subject show.
type subjectView struct {
	Name, Lead string
	Counts     reviewcast.SentimentCounts
	Facts      []fact
	Chart      *chart
	Related    []relation
	Years      []quotePage // when the quotes are on pages of their own
	Groups     []group
}

type fact struct{ Name, Value string }

func (s *Site) subjectView(n *subject, parts []quotePage) *view {
	v := &subjectView{Name: n.Name, Counts: countsOf(n.quotes), Related: s.related(n), Years: parts}
	most := len(n.quotes)
	if parts != nil {
		most = firstQuotes
	}
	v.Groups = byPolarity(n.quotes, most)
	switch {
	case n.Aspect != nil:
		aspectFigures(v, n)
	case n.Count == 0:
		v.Lead = "No review names " + n.Name + "."
	default:
		v.Lead = fmt.Sprintf("%s of 5 stars on average, from %s.", n.Mean(), plural(n.Count, "review"))
		v.Facts = []fact{{"Mean stars of all reviews", mean(s.Dataset.AggregateRating.RatingValue)}}
		if n.entity != nil {
			v.Facts = append(v.Facts, fact{"Named in the job record", plural(n.entity.FromJob, "review")}, fact{"Named in the text", plural(n.entity.FromText, "review")})
		}
		points := quarters(len(n.quotes), n.review, meanPoint)
		v.Chart = newChart(starScale("Mean stars by quarter", points), points)
	}
	return &view{Title: n.Name, Description: v.Lead, Crumbs: []link{{n.kind.title, "/#" + n.kind.anchor()}}, Name: "subject", Data: v}
}

func aspectFigures(v *subjectView, n *subject) {
	a := n.Aspect
	if a.MentionCount == 0 {
		v.Lead = "No review mentions " + n.Name + "."
		return
	}
	v.Lead = fmt.Sprintf("%d of %s that mention %s are positive: %.0f %%. Of all its customers, %s may be content; "+
		"a program reads the texts, some of them wrongly, and the range allows for that.",
		a.PositiveCount, plural(a.MentionCount, "review"), n.Name, a.PositivePct, interval(a.Confidence))
	v.Facts = []fact{
		{"Mean stars of the reviews that mention it", mean(a.AverageRating)},
		{"Mean stars of those that don't", mean(a.AverageRatingWithout)},
		{"Reviews with text that don't mention it", fmt.Sprintf("%.0f %%", a.NotMentionedPct)},
		{"Trend, on a scale from −1 to 1", trendWords(a.Trend, "points")},
	}
	if a.PossibleCount > 0 {
		v.Facts = append(v.Facts, fact{"Weak signs only, counted nowhere else", plural(a.PossibleCount, "review")})
	}
	if len(a.TopPhrases) > 0 {
		v.Facts = append(v.Facts, fact{"In customers' words", strings.Join(a.TopPhrases, ", ")})
	}
	v.Chart = newChart(shareScale, quarters(len(n.quotes), n.review, func(quarter string, t tally, from, to int) point {
		return sharePoint(quarter, countsOf(n.quotes[from:to]).PositiveCount, t.Count)
	}))
}

// quarters makes a point for each quarter, oldest first, of n reviews, newest first.
func quarters(n int, at func(i int) *reviewcast.Review, of func(quarter string, t tally, from, to int) point) []point {
	var points []point
	for to := n; to > 0; {
		from, quarter := to, quarterOf(at(to-1).Date)
		var t tally
		for ; from > 0 && quarterOf(at(from-1).Date) == quarter; from-- {
			t.add(at(from - 1))
		}
		points = append(points, of(quarter, t, from, to))
		to = from
	}
	return points
}

// review is the review of a quote.
func (n *subject) review(i int) *reviewcast.Review { return n.quotes[i].Review }

// relation is a table of what the same reviews are about besides.
type relation struct {
	Title string
	Rows  []*related
}

type related struct {
	Path, Name      string
	Count, Positive int
}

// maxRelated is how many lines a table of a relation has.
const maxRelated = 12

// related counts what the subject's reviews are about besides.
func (s *Site) related(n *subject) []relation {
	counts := map[string]*related{} // by path
	count := func(path string, polarity reviewcast.Polarity) {
		name, known := s.names[path]
		if !known {
			return
		}
		if counts[path] == nil {
			counts[path] = &related{Path: path, Name: name}
		}
		counts[path].Count++
		if polarity == reviewcast.Positive {
			counts[path].Positive++
		}
	}
	for _, e := range n.quotes {
		if n.Aspect != nil {
			for _, l := range e.About() {
				count(l.Path, e.polarity)
			}
			continue
		}
		for id, polarity := range s.Insights.PerReview[e.ID].Aspects {
			count(reviewcast.PathAspects+id+"/", polarity)
		}
	}
	var tables []relation
	for _, k := range kinds[:3] {
		r := relation{Title: k.title + " in these reviews"}
		for path, row := range counts {
			if strings.HasPrefix(path, k.base) {
				r.Rows = append(r.Rows, row)
			}
		}
		slices.SortFunc(r.Rows, func(a, b *related) int {
			return cmp.Or(b.Positive-a.Positive, b.Count-a.Count, strings.Compare(a.Path, b.Path))
		})
		if r.Rows = r.Rows[:min(len(r.Rows), maxRelated)]; len(r.Rows) > 0 {
			tables = append(tables, r)
		}
	}
	return tables
}
