package pages

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
)

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
	page = `<li><a href="` + path + `"><time datetime="` + string(e.Date) + `">` + shortDay(e.Date) + `</time>, <bdi>` + prose(e.Author) +
		`</bdi></a> <span class="of5">` + strconv.Itoa(e.Rating) + `/5</span>`
	twin = "- [" + string(e.Date) + "](" + path + ") " + strconv.Itoa(e.Rating) + "/5"
	for _, q := range []string{said, more} {
		if q != "" {
			page += ` <q` + lang(e.Language) + `>` + prose(q) + `</q>`
		}
	}
	if said != "" {
		twin += " “" + inline(excerpt(said, maxTwinQuote)) + "”"
	}
	if e.OwnerReply != nil {
		page += ` <span class="quiet">with a reply</span>`
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
func (n *subject) byPolarity(quotes []evidence, most int) []group {
	var groups []group
	for _, p := range []reviewcast.Polarity{reviewcast.Negative, reviewcast.Mixed, reviewcast.Neutral, reviewcast.Positive} {
		g := group{Polarity: p, Title: strings.ToUpper(string(p[:1])) + string(p[1:])}
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
func (n *subject) split() []quotePage {
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
			p := quotePage{Path: n.Path() + year + "/", Title: n.Name + " in " + year, quotes: n.quotes[begin:end]}
			if begin > from {
				p.Path += strconv.Itoa(part+1) + "/"
				p.Title += ", part " + strconv.Itoa(part+1)
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
