package pages

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strings"

	"reviewcast"
)

// Numbers of what the front page shows.
const (
	frontReviews     = 8
	frontReplies     = 3
	frontWithdrawals = 5
	frontTopics      = 12
)

// front is what front.html shows.
type front struct {
	Business  reviewcast.Business
	Language  string // of the editors' words
	Links     paths
	Place     string // where the business is, on one line
	Rating    reviewcast.AggregateRating
	Rounded   int // the mean as whole stars
	Spread    []spread
	Trend     string
	Chart     *chart
	Quote     *pullQuote
	Summary   [][]words
	Aspects   []aspectRow
	Silent    []string // labels of the aspects that nobody mentions
	Entities  []entityTable
	Topics    []topicRow
	Problems  []entityRow
	FAQ       []question
	Newest    template.HTML
	Replies   []link
	Withdrawn []withdrawn
	Hidden    string
	Methods   []fact
	Method    reviewcast.Method
}

type pullQuote struct {
	*review
	Text, Path string
}

type aspectRow struct {
	Label, Path, Interval string
	Percent               float64
	Count                 int
	Sentiment             sentiment
}

type entityTable struct {
	ID, Title string
	Rows      []entityRow
}

type entityRow struct {
	Name, Path string
	Count      int
	Mean       string
	Examples   []link
}

type topicRow struct {
	Label, Mean string
	Count       int
	Examples    []link
}

type question struct {
	Question, Answer string
	Evidence         []link
}

func (s *site) frontPage() page {
	return page{path: "/", modified: s.modified, view: func() (*view, error) {
		f := s.front()
		main, err := s.execute("front.html", f)
		return &view{Title: s.Channel.Title, Description: s.Channel.Description, JSONLD: s.frontLD(), Main: main, Markdown: s.frontMarkdown(f)}, err
	}}
}

func (s *site) front() *front {
	d, in := s.Dataset, s.in
	f := &front{
		Business: d.Business, Language: s.Channel.Language, Links: published, Place: place(d.Business.Address), Rating: d.AggregateRating,
		Hidden: hidden(d.Unpublished), Method: in.Method, Trend: trendWords(in.Temporal.Trend, "stars"),
	}
	f.Withdrawn = s.withdrawn()
	f.Withdrawn = f.Withdrawn[:min(len(f.Withdrawn), frontWithdrawals)]
	var all tally
	for i := range s.months {
		all.sum(&s.months[i].tally)
	}
	f.Spread = all.bars()
	if all.count > 0 {
		f.Rounded = int(math.Round(all.mean()))
	}
	points := s.quarters()
	f.Chart = newChart(starScale("Mean stars by quarter", points), points)
	if in.Summary != nil {
		f.Summary = paragraphs(*in.Summary)
	}
	if q := in.PullQuote; q != nil {
		if r, ok := s.review(q.ReviewID); ok {
			f.Quote = &pullQuote{r, q.Text, r.path()}
		}
	}
	s.frontInsights(f)
	w := &writer{}
	for i := range min(len(s.reviews), frontReviews) {
		s.article(w, &s.reviews[i], "h3", false)
	}
	f.Newest = template.HTML(w.b)
	f.Replies = s.newestReplies()
	f.Methods = s.methods()
	return f
}

// quarters are the means of the stars by quarter, oldest first.
func (s *site) quarters() []point {
	var points []point
	for i := len(s.months); i > 0; {
		quarter := quarterOf(reviewcast.Date(s.months[i-1].name + "-01"))
		var t tally
		for ; i > 0 && quarterOf(reviewcast.Date(s.months[i-1].name+"-01")) == quarter; i-- {
			t.sum(&s.months[i-1].tally)
		}
		if t.count > 0 {
			points = append(points, meanPoint(quarter, t))
		}
	}
	return points
}

// frontInsights fills in what is counted.
func (s *site) frontInsights(f *front) {
	in := s.in
	for i := range in.Aspects {
		a := &in.Aspects[i]
		if a.MentionCount == 0 {
			f.Silent = append(f.Silent, a.Label)
			continue
		}
		f.Aspects = append(f.Aspects, aspectRow{a.Label, reviewcast.PathAspects + a.ID + "/", interval(a.Confidence.Low, a.Confidence.High),
			a.PositivePct, a.MentionCount, newSentiment(a.SentimentCounts)})
	}
	slices.SortStableFunc(f.Aspects, func(a, b aspectRow) int { return b.Count - a.Count })
	for _, t := range []struct{ title, base string }{
		{"Technicians", reviewcast.PathTechnicians}, {"Services", reviewcast.PathServices}, {"Service areas", reviewcast.PathAreas},
	} {
		table := entityTable{ID: "_" + strings.Trim(t.base, "/"), Title: t.title}
		for i := range s.subjects {
			n := &s.subjects[i]
			if n.base != t.base || len(n.quotes) == 0 {
				continue
			}
			var sum tally
			for j := range n.quotes {
				sum.add(n.quotes[j].review.Review)
			}
			table.Rows = append(table.Rows, entityRow{Name: n.name, Path: n.path(), Count: sum.count, Mean: sum.Mean()})
		}
		slices.SortStableFunc(table.Rows, func(a, b entityRow) int { return b.Count - a.Count })
		if table.Rows != nil {
			f.Entities = append(f.Entities, table)
		}
	}
	for _, t := range in.Topics[:min(len(in.Topics), frontTopics)] {
		f.Topics = append(f.Topics, topicRow{t.Label, mean(t.AverageRating), t.MentionCount, s.links(t.ExampleReviewIDs)})
	}
	for _, p := range in.Entities.Problems {
		if p.ReviewCount > 0 {
			f.Problems = append(f.Problems, entityRow{Name: p.Name, Count: p.ReviewCount, Mean: mean(p.AverageRating), Examples: s.links(p.ExampleReviewIDs)})
		}
	}
	for _, q := range in.FAQ {
		f.FAQ = append(f.FAQ, question{q.Question, q.Answer, s.links(q.EvidenceReviewIDs)})
	}
}

// links lead to reviews by their ids.
func (s *site) links(ids []string) []link {
	var list []link
	for _, id := range ids {
		if r, ok := s.review(id); ok {
			list = append(list, link{r.Author + ", " + shortDay(r.Date), r.path()})
		}
	}
	return list
}

// newestReplies lead to the reviews that were answered last.
func (s *site) newestReplies() []link {
	var newest []*review
	for i := range s.reviews {
		r := &s.reviews[i]
		if r.OwnerReply == nil {
			continue
		}
		at, _ := slices.BinarySearchFunc(newest, r, func(a, b *review) int {
			if a.OwnerReply.Date >= b.OwnerReply.Date {
				return -1
			}
			return 1
		})
		if at < frontReplies {
			newest = slices.Insert(newest, at, r)
			newest = newest[:min(len(newest), frontReplies)]
		}
	}
	var list []link
	for _, r := range newest {
		list = append(list, link{shortDay(r.OwnerReply.Date) + " to " + r.Author + ": " + excerpt(r.OwnerReply.Text, maxBeginning), r.path()})
	}
	return list
}

// methods counts the reviews by how they were verified.
func (s *site) methods() []fact {
	counts := map[string]int{}
	for i := range s.reviews {
		counts[s.reviews[i].Verification.Method]++
	}
	var list []fact
	for _, m := range reviewcast.VerificationMethods {
		if counts[m] > 0 {
			list = append(list, fact{methodWords(m), plural(counts[m], "review")})
		}
	}
	return list
}

// frontMarkdown is the front page's twin.
func (s *site) frontMarkdown(f *front) []byte {
	w := &writer{}
	w.inline(f.Business.Description)
	w.html("\n\n")
	if f.Rating.RatingValue == nil {
		w.html("No reviews yet.\n")
		return w.b
	}
	w.html("Rating: ", mean(f.Rating.RatingValue), " of 5 from ", plural(f.Rating.RatingCount, "verified review"), ". Trend: ", f.Trend, ".\n\n")
	for _, p := range f.Spread {
		w.html("- ", plural(p.Stars, "star"), ": ", grouped(p.Count), "\n")
	}
	for _, p := range f.Summary {
		w.html("\n")
		for _, part := range p {
			w.inline(part.Text)
			w.html(" ")
		}
		w.html("\n")
	}
	w.html("\n## Aspects\n\n")
	for _, a := range f.Aspects {
		w.html("- [")
		w.inline(a.Label)
		w.html("](", a.Path, "): ", percent(a.Sentiment.PositiveCount, a.Sentiment.Whole), " positive, ", a.Interval, ", from ", plural(a.Count, "review"), "\n")
	}
	for _, t := range f.Entities {
		w.html("\n## ", t.Title, "\n\n")
		for _, r := range t.Rows {
			w.html("- [")
			w.inline(r.Name)
			w.html("](", r.Path, "): ", r.Mean, " of 5 from ", plural(r.Count, "review"), "\n")
		}
	}
	for _, q := range f.FAQ {
		w.html("\n## ")
		w.inline(q.Question)
		w.html("\n\n")
		w.markdown(q.Answer, "")
		w.html("\n")
	}
	w.html("\n## Newest reviews\n\n")
	for i := range min(len(s.reviews), frontReviews) {
		w.html("- ", string(s.reviews[i].Date), " [")
		w.inline(s.reviews[i].title())
		w.html("](", s.reviews[i].path(), ")\n")
	}
	w.html("\nAll reviews: [by month](", reviewcast.PathMonths, "). Left out: ", cmp.Or(f.Hidden, "nothing"), ". Data: [how to use it](", reviewcast.PathDocs, ").\n")
	return w.b
}
