package pages

import (
	"html/template"
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
	quotesPerPage = 230 // of about 330 bytes: a page stays below 100 KB
	firstQuotes   = 12  // of a polarity, on the own page of a subject that has others
)

// split divides the quotes into pages by year, and large years into parts, filled from the oldest quote on: a
// new one changes only its year's own page. None when all fit on one.
func (n *subject) split() []quotePage {
	if len(n.quotes) <= quotesPerPage {
		return nil
	}
	var pages []quotePage
	for from := 0; from < len(n.quotes); {
		year := string(n.quotes[from].Date[:4])
		to := from
		for to < len(n.quotes) && string(n.quotes[to].Date[:4]) == year {
			to++
		}
		for first, part := true, (to-from-1)/quotesPerPage; from < to; first, part = false, part-1 {
			// Of the year's own page, the newest, the others take their full number.
			count := to - from - part*quotesPerPage
			p := quotePage{Path: n.Path() + year + "/", Title: n.Name + " in " + year, quotes: n.quotes[from : from+count]}
			if !first {
				p.Path += strconv.Itoa(part+1) + "/"
				p.Title += ", part " + strconv.Itoa(part+1)
			}
			for i := range p.quotes {
				p.add(p.quotes[i].Review)
			}
			from += count
			pages = append(pages, p)
		}
	}
	for i := 1; i < len(pages); i++ {
		pages[i].Newer, pages[i-1].Older = pages[i-1].Path, pages[i].Path
	}
	return pages
}
