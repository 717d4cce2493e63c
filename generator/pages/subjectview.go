package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"reviewcast"
)

// subjectView is what subject.html shows.
type subjectView struct {
	Name, Lead string
	Sentiment  sentiment
	Facts      []fact
	Chart      *chart
	Related    []relation
	Years      []quoteYear // when the quotes are on pages of their own
	Quotes     template.HTML
}

type fact struct{ Name, Value string }

// relation is a table of what the same reviews are about besides.
type relation struct {
	Title string
	Rows  []related
}

type related struct {
	Path, Name      string
	Count, Positive int
}

// quoteYear is a line of the table of quote pages.
type quoteYear struct {
	Path, Title string
	Counts      map[string]int // by polarity
	Count       int
}

// firstQuotes is how many quotes of a polarity a subject's own page shows when it
// has others for the rest.
const firstQuotes = 12

func (s *site) subjectView(n *subject, parts []quotePage) (*view, error) {
	v := &subjectView{Name: n.name, Sentiment: newSentiment(n.counts()), Related: s.related(n)}
	if n.aspect != nil {
		s.aspectFigures(v, n)
	} else {
		s.entityFigures(v, n)
	}
	w, md := &writer{}, &writer{}
	md.inline(v.Lead)
	md.html("\n\n")
	for _, f := range v.Facts {
		md.html("- ", f.Name, ": ")
		md.inline(f.Value)
		md.html("\n")
	}
	for _, q := range parts {
		y := quoteYear{Path: q.path, Title: strings.TrimPrefix(q.title, n.name+" in "), Counts: map[string]int{}, Count: len(q.quotes)}
		for i := range q.quotes {
			y.Counts[string(q.quotes[i].polarity)]++
		}
		v.Years = append(v.Years, y)
		md.html("- [All quotes of ", y.Title, "](", q.path, "): ", grouped(y.Count), "\n")
	}
	quotes := byPolarity(n.quotes)
	if parts != nil {
		quotes = firstOfEach(quotes)
	}
	quoteList(w, md, quotes)
	v.Quotes = template.HTML(w.b)
	main, err := s.execute("subject.html", v)
	return &view{Title: n.name, Description: v.Lead, Crumbs: s.crumbs(n), Main: main, Markdown: md.b}, err
}

// crumbs lead to the list on the front page that the subject is in.
func (s *site) crumbs(n *subject) []link {
	title := map[string]string{reviewcast.PathAspects: "Aspects", reviewcast.PathTechnicians: "Technicians",
		reviewcast.PathServices: "Services", reviewcast.PathAreas: "Service areas"}[n.base]
	return []link{{title, "/#_" + strings.Trim(n.base, "/")}}
}

// firstOfEach are the first quotes of each polarity.
func firstOfEach(sorted []evidence) []evidence {
	var first []evidence
	count := map[reviewcast.Polarity]int{}
	for _, e := range sorted {
		if count[e.polarity]++; count[e.polarity] <= firstQuotes {
			first = append(first, e)
		}
	}
	return first
}

// counts counts the quotes by polarity.
func (s *subject) counts() (c reviewcast.SentimentCounts) {
	for i := range s.quotes {
		switch s.quotes[i].polarity {
		case reviewcast.Positive:
			c.PositiveCount++
		case reviewcast.Negative:
			c.NegativeCount++
		case reviewcast.Mixed:
			c.MixedCount++
		case reviewcast.Neutral:
			c.NeutralCount++
		}
	}
	return c
}

func (s *site) aspectFigures(v *subjectView, n *subject) {
	a := n.aspect
	if a.MentionCount == 0 {
		v.Lead = "No review mentions " + n.name + "."
		return
	}
	v.Lead = fmt.Sprintf("%.0f %% positive. Of customers who mention %s, %s are content, judging from %s.",
		a.PositivePct, n.name, interval(a.Confidence.Low, a.Confidence.High), plural(a.MentionCount, "review"))
	v.Facts = []fact{
		{"Mean stars of the reviews that mention it", mean(a.AverageRating)},
		{"Mean stars of those that don't", mean(a.AverageRatingWithout)},
		{"Reviews with text that don't mention it", fmt.Sprintf("%.0f %%", a.NotMentionedPct)},
		{"Trend", trendWords(a.Trend, "on a scale from −1 to 1")},
	}
	if len(a.TopPhrases) > 0 {
		v.Facts = append(v.Facts, fact{"In customers' words", strings.Join(a.TopPhrases, ", ")})
	}
	v.Chart = newChart(shareScale("Positive share by quarter"), n.points(func(quarter string, t tally, positive int) point {
		return sharePoint(quarter, positive, t.count)
	}))
}

func (s *site) entityFigures(v *subjectView, n *subject) {
	if len(n.quotes) == 0 {
		v.Lead = "No review names " + n.name + "."
		return
	}
	var t tally
	for i := range n.quotes {
		t.add(n.quotes[i].review.Review)
	}
	v.Lead = fmt.Sprintf("%s of 5 stars on average, from %s.", t.Mean(), plural(t.count, "review"))
	v.Facts = []fact{{"Mean stars of all reviews", mean(s.Dataset.AggregateRating.RatingValue)}}
	if n.entity != nil {
		v.Facts = append(v.Facts, fact{"Named in the job record", plural(n.entity.FromJob, "review")}, fact{"Named in the text", plural(n.entity.FromText, "review")})
	}
	points := n.points(func(quarter string, t tally, _ int) point { return meanPoint(quarter, t) })
	v.Chart = newChart(starScale("Mean stars by quarter", points), points)
}

// points makes a point for each quarter that has quotes, oldest first.
func (s *subject) points(of func(quarter string, t tally, positive int) point) []point {
	var points []point
	for to := len(s.quotes); to > 0; {
		quarter := quarterOf(s.quotes[to-1].review.Date)
		var t tally
		positive := 0
		for ; to > 0 && quarterOf(s.quotes[to-1].review.Date) == quarter; to-- {
			t.add(s.quotes[to-1].review.Review)
			if s.quotes[to-1].polarity == reviewcast.Positive {
				positive++
			}
		}
		points = append(points, of(quarter, t, positive))
	}
	return points
}

// maxRelated is how many lines a table of a relation has.
const maxRelated = 12

// related counts what the subject's reviews are about besides: for an aspect who was
// judged so, for the others which aspects were judged.
func (s *site) related(n *subject) []relation {
	counts := map[string]*related{} // by path
	count := func(path, name string, polarity reviewcast.Polarity) {
		r := counts[path]
		if r == nil {
			r = &related{Path: path, Name: name}
			counts[path] = r
		}
		r.Count++
		if polarity == reviewcast.Positive {
			r.Positive++
		}
	}
	for i := range n.quotes {
		e := &n.quotes[i]
		if n.aspect != nil {
			s.eachMention(e.review, func(path, name string) { count(path, name, e.polarity) })
			continue
		}
		for id, polarity := range s.in.PerReview[e.review.ID].Aspects {
			path := reviewcast.PathAspects + id + "/"
			if name, known := s.names[path]; known {
				count(path, name, polarity)
			}
		}
	}
	var tables []relation
	for _, t := range []struct{ base, title string }{
		{reviewcast.PathAspects, "Aspects in these reviews"},
		{reviewcast.PathTechnicians, "Technicians in these reviews"},
		{reviewcast.PathServices, "Services in these reviews"},
	} {
		r := relation{Title: t.title}
		for path, row := range counts {
			if strings.HasPrefix(path, t.base) {
				r.Rows = append(r.Rows, *row)
			}
		}
		slices.SortFunc(r.Rows, func(a, b related) int {
			return cmp.Or(b.Positive-a.Positive, b.Count-a.Count, strings.Compare(a.Path, b.Path))
		})
		if r.Rows = r.Rows[:min(len(r.Rows), maxRelated)]; len(r.Rows) > 0 {
			tables = append(tables, r)
		}
	}
	return tables
}
