package pages

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
)

type kind struct{ base, title, facet string }

var kinds = []*kind{
	{reviewcast.PathAspects, "Aspects", "aspect"},
	{reviewcast.PathTechnicians, "Technicians", "technician"},
	{reviewcast.PathServices, "Services", "service"},
	{reviewcast.PathAreas, "Service areas", "service_area"},
}

// anchor is the id of the kind's section on the front page.
func (k *kind) anchor() string { return "_" + strings.Trim(k.base, "/") }

// subject is something that reviews are about, with a page of its own: an aspect, a technician, a service or an area.
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

// collect makes all subjects, in the order of the insights and the business.
func (s *Site) collect() {
	s.named = map[string]*subject{}
	add := func(kind int, id, name string, counted []reviewcast.Entity) *subject {
		n := &subject{kind: kinds[kind], id: id, Name: name, tally: tally{locale: s.locale}}
		if i := slices.IndexFunc(counted, func(e reviewcast.Entity) bool { return e.ID == id }); i >= 0 {
			n.entity = &counted[i]
		}
		s.named[n.Path()], s.subjects = n, append(s.subjects, n)
		return n
	}
	for i := range s.Insights.Aspects {
		a := &s.Insights.Aspects[i]
		add(0, a.ID, s.text(a.Label), nil).Aspect = a
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
			if n := s.named[reviewcast.PathAspects+id+"/"]; n != nil {
				count(n, evidence{r, s.sentence(i, n), polarity})
			}
		}
		for _, n := range r.about() {
			count(n, evidence{r, s.sentence(i, n), found.Sentiment})
		}
	}
}

// sentence is the longest that the text of the review at i, or else its title, says about a subject; "" when none is known.
func (s *Site) sentence(i int, n *subject) (said Quote) {
	for _, q := range s.Quotes[i] {
		if q.Base == n.kind.base && q.ID == n.id && (q.Title != said.Title || len(q.Text) > len(said.Text)) {
			said = q
		}
	}
	return said
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
	v.Groups = s.byPolarity(n, n.quotes, most)
	switch {
	case n.Aspect != nil:
		s.aspectFigures(v, n)
	case n.Count == 0:
		v.Lead = s.text("No review names %s.", n.Name)
	default:
		v.Lead = s.text("%s of 5 stars on average, from %s.", n.Mean(), s.plural(n.Count, "review"))
		v.Facts = []fact{{s.text("Mean stars of all reviews"), s.mean(s.Dataset.AggregateRating.RatingValue)}}
		if n.entity != nil {
			v.Facts = append(v.Facts, fact{s.text("Named in the job record"), s.plural(n.entity.FromJob, "review")}, fact{s.text("Named in the text"), s.plural(n.entity.FromText, "review")})
		}
		v.Chart = s.newChart(s.starScale(), quarters(len(n.quotes), n.review, meanInterval))
	}
	return &view{Title: n.Name, Description: v.Lead, Crumbs: []link{{s.text(n.kind.title), "/#" + n.kind.anchor()}}, Name: "subject", Data: v}
}

func (s *Site) aspectFigures(v *subjectView, n *subject) {
	a := n.Aspect
	if a.MentionCount == 0 {
		v.Lead = s.text("No review mentions %s.", n.Name)
		return
	}
	v.Lead = s.text("Of the reviews that mention %s, %s of %s are positive about it: %s. For all customers it may be %s: "+
		"the range allows for chance, and for texts that the program misreads.",
		n.Name, s.grouped(a.PositiveCount), s.grouped(a.MentionCount), s.percent(a.PositivePct), s.interval(a.Confidence))
	if a.MentionCount < few {
		v.Lead = s.text("Mentioned in only %s, too few for a share.", s.plural(a.MentionCount, "review"))
	}
	v.Facts = []fact{
		{s.text("Mean stars of the reviews that mention it"), s.mean(a.AverageRating)},
		{s.text("Mean stars of those that don't"), s.mean(a.AverageRatingWithout)},
		{s.text("Reviews with text that don't mention it"), s.percent(a.NotMentionedPct)},
		{s.text("Trend, on a scale from −1 to 1"), s.trend(a.Trend, "%s points")},
	}
	if a.PossibleCount > 0 {
		v.Facts = append(v.Facts, fact{s.text("May mention it too, not counted"), s.plural(a.PossibleCount, "review")})
	}
	if len(a.TopPhrases) > 0 {
		v.Facts = append(v.Facts, fact{s.text("In customers' words"), strings.Join(a.TopPhrases, ", ")})
	}
	v.Chart = s.newChart(s.shareScale(), quarters(len(n.quotes), n.review, func(t tally, from, to int) (share, low, high float64) {
		part, whole := float64(countsOf(n.quotes[from:to]).PositiveCount), float64(t.Count)
		low, high = reviewcast.Wilson(part, whole)
		return part / whole, low, high
	}))
}

func (n *subject) review(i int) *reviewcast.Review { return n.quotes[i].Review }

// relation is a table of what the same reviews are about besides.
type relation struct {
	Title string
	Rows  []*related
}

type related struct {
	*subject
	Count, Positive int
}

func (s *Site) related(n *subject) []relation {
	counts := map[*subject]*related{}
	count := func(of *subject, polarity reviewcast.Polarity) {
		if counts[of] == nil {
			counts[of] = &related{subject: of}
		}
		counts[of].Count++
		if polarity == reviewcast.Positive {
			counts[of].Positive++
		}
	}
	for _, e := range n.quotes {
		if n.Aspect != nil {
			for _, of := range e.about() {
				count(of, e.polarity)
			}
			continue
		}
		for id, polarity := range s.Insights.PerReview[e.ID].Aspects {
			count(s.named[reviewcast.PathAspects+id+"/"], polarity)
		}
	}
	delete(counts, nil)   // aspects without a page
	const maxRelated = 12 // lines of a table
	var tables []relation
	for _, k := range kinds {
		r := relation{Title: s.text("%s in these reviews", s.text(k.title))}
		for of, row := range counts {
			if of.kind == k {
				r.Rows = append(r.Rows, row)
			}
		}
		slices.SortFunc(r.Rows, func(a, b *related) int {
			return cmp.Or(b.Positive-a.Positive, b.Count-a.Count, strings.Compare(a.id, b.id))
		})
		if r.Rows = r.Rows[:min(len(r.Rows), maxRelated)]; len(r.Rows) > 0 {
			tables = append(tables, r)
		}
	}
	return tables
}

// evidence is a review that is counted for a subject.
type evidence struct {
	review
	said     Quote
	polarity reviewcast.Polarity
}

const (
	minQuote     = 160 // of a text from the sentence on that only names something, or from the beginning
	maxTwinQuote = 80  // of either in the twin, which is to be half of the page
)

// items writes the quote for the page and its twin. Of what judges an aspect, the sentence is enough.
func (e *evidence) items(aspect bool) (page, twin string) {
	said, more := e.said.Text, ""
	if e.said.Title {
		more = excerpt(deref(e.Text), minQuote)
	} else if _, rest, ok := strings.Cut(deref(e.Text), said); ok && (!aspect || said == "") {
		said = excerpt(said+rest, max(len(said), minQuote))
	}
	path := e.Path()
	page = `<li><a href="` + path + `"><time datetime="` + string(e.Date) + `">` + e.s.shortDay(e.Date) + `</time>, <bdi>` + prose(e.Name()) +
		`</bdi></a> <span class="of5">` + strconv.Itoa(e.Rating) + `/5</span>`
	twin = "- [" + string(e.Date) + "](" + path + ") " + strconv.Itoa(e.Rating) + "/5"
	for _, q := range []string{said, more} {
		if q != "" {
			page += ` <q` + e.s.lang(e.Language) + `>` + prose(q) + `</q>`
		}
	}
	if said != "" {
		twin += " “" + inline(excerpt(said, maxTwinQuote)) + "”"
	}
	if e.OwnerReply != nil {
		page += ` <span class="quiet">` + string(e.s.html("with a reply")) + `</span>`
	}
	return page + "</li>\n", twin + "\n"
}

// group is the quotes of one polarity, newest first.
type group struct {
	Polarity reviewcast.Polarity
	Title    string
	Count    int // of all; the newest Shown are listed
	Shown    int
	Items    template.HTML
	Twin     string
}

// byPolarity groups quotes as they are listed: criticism first, no empty group, and of each at most the given number.
func (s *Site) byPolarity(n *subject, quotes []evidence, most int) []group {
	var groups []group
	for _, p := range []reviewcast.Polarity{reviewcast.Negative, reviewcast.Mixed, reviewcast.Neutral, reviewcast.Positive} {
		g := group{Polarity: p, Title: s.name(string(p))}
		var items, twin strings.Builder
		for i := range quotes {
			if quotes[i].polarity == p {
				if g.Count++; g.Count <= most {
					page, line := quotes[i].items(n.Aspect != nil)
					items.WriteString(page)
					twin.WriteString(line)
				}
			}
		}
		g.Shown = min(g.Count, most)
		if g.Count > 0 {
			g.Items, g.Twin = template.HTML(items.String()), twin.String()
			groups = append(groups, g)
		}
	}
	return groups
}

// quotePage is one page of a subject's quotes, and its line in the table of them.
type quotePage struct {
	tally
	Path, Title  string
	Newer, Older string // paths of the pages beside; "" at the ends
	Groups       []group
	quotes       []evidence
}

// Counts counts the quotes.
func (q quotePage) Counts() reviewcast.SentimentCounts { return countsOf(q.quotes) }

func countsOf(quotes []evidence) (c reviewcast.SentimentCounts) {
	for _, q := range quotes {
		c.Add(q.polarity)
	}
	return c
}

const (
	maxQuotes   = 90_000 // bytes of the quotes of a page, which has less than 100 KB with its frame
	firstQuotes = 12     // of a polarity, on the own page of a subject that has others
)

// weight is about how many bytes the quote takes on a page, rather more.
func (e *evidence) weight() int {
	words := max(len(e.said.Text), minQuote)
	if e.said.Title {
		words = len(e.said.Text) + minQuote
	}
	return 250 + len(e.Author) + 11*words/10
}

// split divides the quotes into pages by year, and large years into parts, filled from the oldest quote on: a
// new one changes only its year's own page. None when all fit on one.
func (n *subject) split(l *locale) []quotePage {
	all := 0
	for i := range n.quotes {
		all += n.quotes[i].weight()
	}
	if all <= maxQuotes {
		return nil
	}
	var pages []quotePage
	for from, to := 0, 0; from < len(n.quotes); from = to {
		year := string(n.quotes[from].Date[:4])
		for to < len(n.quotes) && string(n.quotes[to].Date[:4]) == year {
			to++
		}
		ends, size := []int{to}, 0 // of the parts, the oldest first
		for i := to - 1; i >= from; i-- {
			if size += n.quotes[i].weight(); size > maxQuotes {
				ends, size = append(ends, i+1), n.quotes[i].weight()
			}
		}
		begin := from
		for part, end := range slices.Backward(ends) {
			p := quotePage{Path: n.Path() + year + "/", Title: l.text("%s, %s", n.Name, year), quotes: n.quotes[begin:end], tally: tally{locale: l}}
			if begin > from {
				p.Path += strconv.Itoa(part+1) + "/"
				p.Title += l.text(", part %s", strconv.Itoa(part+1))
			}
			for i := range p.quotes {
				p.add(p.quotes[i].Review)
			}
			begin = end
			pages = append(pages, p)
		}
	}
	for i := 1; i < len(pages); i++ {
		pages[i].Newer, pages[i-1].Older = pages[i-1].Path, pages[i].Path
	}
	return pages
}
