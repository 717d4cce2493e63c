package pages

import (
	"cmp"
	"encoding/json"
	"hash/maphash"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
)

// A page of quotes stays below 100 KB.
const (
	maxQuotes     = 80_000 // bytes on a subject's own page; more are on pages by year
	quotesPerPage = 230    // of about 330 bytes
)

// subject is something that reviews are about, with a page of its own: an aspect, a
// technician, a service or an area.
type subject struct {
	base, id, name string
	aspect         *reviewcast.Aspect // of an aspect; else nil
	entity         *reviewcast.Entity // of the others, when a review names it
	quotes         []evidence         // newest first
}

// evidence is a review that is counted for a subject. Its words are looked up when
// they are shown.
type evidence struct {
	review   *review
	said     string // the sentence; "": the beginning of the text
	polarity reviewcast.Polarity
}

func (e *evidence) quote() quote {
	q := quote{review: e.review, polarity: e.polarity}
	switch {
	case e.said != "":
		q.text = strings.Join(strings.Fields(e.said), " ")
		q.short = q.text
	case e.review.Text != nil:
		q.text = excerpt(*e.review.Text, maxBeginning)
		q.short = excerpt(q.text, maxTwinBeginning)
	}
	return q
}

// size is about how many bytes the quote takes.
func (e *evidence) size() int {
	n := quoteFrame + len(e.review.Author)
	if e.said != "" {
		n += len(e.said)
	} else if e.review.Text != nil {
		n += min(len(*e.review.Text), maxBeginning)
	}
	return n
}

func (s *subject) path() string { return s.base + s.id + "/" }

// allSubjects are all subjects in the order of the insights and the business.
func (s *site) allSubjects() []subject {
	var all []subject
	s.names = map[string]string{}
	at := map[string]map[string]int{reviewcast.PathAspects: {}, reviewcast.PathTechnicians: {}, reviewcast.PathServices: {}, reviewcast.PathAreas: {}}
	add := func(n subject) {
		at[n.base][n.id] = len(all)
		s.names[n.path()] = n.name
		all = append(all, n)
	}
	for i := range s.in.Aspects {
		a := &s.in.Aspects[i]
		add(subject{base: reviewcast.PathAspects, id: a.ID, name: a.Label, aspect: a})
	}
	b, e := &s.Dataset.Business, &s.in.Entities
	for _, t := range b.Technicians {
		add(subject{base: reviewcast.PathTechnicians, id: t.ID, name: t.Name, entity: entityOf(e.Technicians, t.ID)})
	}
	for _, n := range b.Services {
		add(subject{base: reviewcast.PathServices, id: n.ID, name: n.Name, entity: entityOf(e.Services, n.ID)})
	}
	for _, n := range b.ServiceAreas {
		add(subject{base: reviewcast.PathAreas, id: n.ID, name: n.Name, entity: entityOf(e.ServiceAreas, n.ID)})
	}
	aspects := at[reviewcast.PathAspects]
	for i := range s.reviews {
		r := &s.reviews[i]
		found := s.in.PerReview[r.ID]
		for id, polarity := range found.Aspects {
			if n, known := aspects[id]; known {
				all[n].quotes = append(all[n].quotes, evidence{r, s.sentence(i, all[n].aspect), polarity})
			}
		}
		sentiment := cmp.Or(found.Sentiment, byStars(r.Rating))
		for _, list := range r.about() {
			for _, id := range list.ids {
				if n, known := at[list.base][id]; known {
					all[n].quotes = append(all[n].quotes, evidence{review: r, polarity: sentiment})
				}
			}
		}
		r.sum ^= sumOfInsight(s.seed, found)
	}
	return all
}

func entityOf(list []reviewcast.Entity, id string) *reviewcast.Entity {
	i := slices.IndexFunc(list, func(e reviewcast.Entity) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// byStars stands in for the sentiment of a review about which nothing was counted.
func byStars(rating int) reviewcast.Polarity {
	switch {
	case rating > 3:
		return reviewcast.Positive
	case rating < 3:
		return reviewcast.Negative
	}
	return reviewcast.Neutral
}

// sentence is what the review at i says about an aspect, as far as it is known.
func (s *site) sentence(i int, a *reviewcast.Aspect) string {
	if s.Quotes != nil {
		for _, q := range s.Quotes[i] {
			if q.Aspect == a.ID {
				return q.Text
			}
		}
	}
	for j := range a.Evidence {
		if a.Evidence[j].ReviewID == s.reviews[i].ID {
			return a.Evidence[j].Quote
		}
	}
	return ""
}

// polarities in the order in which quotes are listed: criticism first.
var polarities = []reviewcast.Polarity{reviewcast.Negative, reviewcast.Mixed, reviewcast.Neutral, reviewcast.Positive}

// quotePage is one page of a subject's quotes.
type quotePage struct {
	path, title string
	quotes      []evidence
	newer       string // path of the page before; "" for the first
	older       string
}

// subjectPages are the subject's own page and, when its quotes don't fit on it, those
// of its years.
func (s *site) subjectPages(n *subject) []page {
	parts := n.split()
	k := s.sumEvidence(s.key().string(n.name), n.quotes)
	figures, err := json.Marshal([]any{n.aspect, n.entity})
	k.string(string(figures))
	if n.aspect == nil {
		k.string(mean(s.Dataset.AggregateRating.RatingValue)) // to compare with
	}
	main := page{path: n.path(), modified: newestOf(n.quotes), key: k.value(), view: func() (*view, error) {
		if err != nil {
			return nil, err
		}
		return s.subjectView(n, parts)
	}}
	pages := []page{main}
	for _, q := range parts {
		k := s.sumEvidence(s.key().string(n.name, q.title, q.newer, q.older), q.quotes)
		pages = append(pages, page{path: q.path, modified: newestOf(q.quotes), key: k.value(), view: func() (*view, error) {
			return s.quoteView(n, q), nil
		}})
	}
	return pages
}

// sumEvidence adds all that is shown of quotes to a key.
func (s *site) sumEvidence(k *key, list []evidence) *key {
	for i := range list {
		e := &list[i]
		k.sums(e.review.sum)
		k.string(string(e.polarity), e.said)
	}
	return k
}

func newestOf(quotes []evidence) (newest reviewcast.Date) {
	for i := range quotes {
		newest = max(newest, changedOn(quotes[i].review.Review))
	}
	return newest
}

// split divides the quotes into pages by year, and large years into parts; none when
// all fit on the subject's own page. Parts are filled from the oldest quote on, so that
// a new one changes no other page than its year's own, which holds the newest.
func (s *subject) split() []quotePage {
	total := 0
	for i := range s.quotes {
		total += s.quotes[i].size()
	}
	if total <= maxQuotes {
		return nil
	}
	var pages []quotePage
	for from := 0; from < len(s.quotes); {
		year := string(s.quotes[from].review.Date[:4])
		to := from
		for to < len(s.quotes) && string(s.quotes[to].review.Date[:4]) == year {
			to++
		}
		for part := (to - from - 1) / quotesPerPage; from < to; part-- {
			// Of the year's own page, the newest, the others take their full number.
			count := to - from - part*quotesPerPage
			p := quotePage{path: s.path() + year + "/", title: s.name + " in " + year, quotes: byPolarity(s.quotes[from : from+count])}
			if from > 0 && string(s.quotes[from-1].review.Date[:4]) == year {
				p.path += strconv.Itoa(part+1) + "/"
				p.title += ", part " + strconv.Itoa(part+1)
			}
			from += count
			pages = append(pages, p)
		}
	}
	for i := range pages {
		if i > 0 {
			pages[i].newer = pages[i-1].path
			pages[i-1].older = pages[i].path
		}
	}
	return pages
}

// byPolarity orders quotes as they are listed; within a polarity they stay newest
// first.
func byPolarity(quotes []evidence) []evidence {
	sorted := make([]evidence, 0, len(quotes))
	for _, p := range polarities {
		for i := range quotes {
			if quotes[i].polarity == p {
				sorted = append(sorted, quotes[i])
			}
		}
	}
	return sorted
}

// quoteList writes quotes, in the order of byPolarity, under headings.
func quoteList(w, md *writer, quotes []evidence) {
	for from := 0; from < len(quotes); {
		polarity := quotes[from].polarity
		to := from
		for to < len(quotes) && quotes[to].polarity == polarity {
			to++
		}
		title := strings.ToUpper(string(polarity[:1])) + string(polarity[1:])
		w.html(`<section class="`, string(polarity), `" aria-labelledby="_`, string(polarity), `"><h2 id="_`, string(polarity), `">`, title,
			` <span class="quiet">`, plural(to-from, "review"), "</span></h2>\n<ul class=\"quotes\">\n")
		md.html("\n## ", title, " (", grouped(to-from), ")\n\n")
		for i := from; i < to; i++ {
			q := quotes[i].quote()
			w.item(&q)
			md.itemMarkdown(&q)
		}
		w.html("</ul>\n</section>\n")
		from = to
	}
}

// quoteView is a page of quotes.
func (s *site) quoteView(n *subject, q quotePage) *view {
	w, md := &writer{b: make([]byte, 0, maxQuotes+4096)}, &writer{}
	w.html("<h1>")
	w.text(q.title)
	w.html("</h1>\n")
	quoteList(w, md, q.quotes)
	w.html(`<nav class="beside" aria-label="Quotes">`)
	if q.newer != "" {
		w.html(`<a rel="prev" href="`, q.newer, `">Newer</a> `)
	}
	if q.older != "" {
		w.html(`<a rel="next" href="`, q.older, `">Older</a>`)
	}
	w.html("</nav>\n")
	return &view{Title: q.title, Crumbs: []link{{n.name, n.path()}}, Main: template.HTML(w.b), Markdown: md.b}
}

// sumOfInsight is the part of a review's sum that the insights add. The order of
// aspects in a map must not show.
func sumOfInsight(seed maphash.Seed, in reviewcast.ReviewInsight) uint64 {
	sum := maphash.String(seed, string(in.Sentiment))
	for id, polarity := range in.Aspects {
		sum += maphash.String(seed, id) * (maphash.String(seed, string(polarity)) | 1)
	}
	return sum
}
