package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"reviewcast"
)

var (
	//go:embed page/index.html.tmpl
	indexHTML string
	//go:embed page/index.css
	indexCSS string

	indexTemplate = template.Must(template.New("index").Funcs(template.FuncMap{
		"day":    longDay,
		"host":   hostOf,
		"mean":   func(v *float64) string { return fmt.Sprintf("%.2f", *v) },
		"plural": plural,
		"stars": func(n int) string {
			return strings.Repeat("★", n) + strings.Repeat("☆", reviewcast.MaxRating-n)
		},
	}).Parse(indexHTML))
)

// pageReviews is how many of the newest reviews the page shows.
const pageReviews = 20

// pageMonths is how many of the last months the page draws.
const pageMonths = 36

// Index renders the plain page at "/": one HTML file that needs no other, for
// people, with the links and the data that feed readers and search engines look
// for. It runs no script, and its own Content-Security-Policy says so: the style
// is let in by its hash, and the JSON-LD is data that no browser executes. The
// insights may be nil.
func Index(c Channel, d *reviewcast.Dataset, in *reviewcast.Insights) ([]byte, error) {
	if in == nil {
		in = &reviewcast.Insights{}
	}
	var b bytes.Buffer
	if err := indexTemplate.Execute(&b, newPage(c.complete(d.Business), d, in)); err != nil {
		return nil, fmt.Errorf("render %s: %w", reviewcast.PathIndex, err)
	}
	return b.Bytes(), nil
}

// page is what the template shows.
type page struct {
	Channel  Channel
	Business reviewcast.Business
	Path     struct{ Reviews, Insights, JSONFeed, Atom, OpenAPI, Hub string }

	Style  template.CSS
	Policy string
	Icon   template.URL
	JSONLD any

	Place               string // where the business is, on one line
	Rating              reviewcast.AggregateRating
	Rounded             int // the mean as whole stars
	Spread              []spread
	Quote               *quote
	Summary             [][]words // paragraphs
	Aspects             []aspect
	Entities            []entities
	HasEntities         bool
	Months              *months
	FAQ                 []reviewcast.FAQ
	Newest              []reviewcast.Review
	Hidden              string // what is left out, in words
	License, LicenseURL string
}

// bar is a horizontal bar: Width of 100 is filled.
type bar struct {
	Class string
	Width string
}

func newBar(class string, part, whole int) bar {
	return bar{class, units(100 * float64(part) / float64(max(whole, 1)))}
}

type spread struct {
	Stars, Count int
	Bar          bar
}

type aspect struct {
	Label, Percent string
	Count          int
	Bar            bar
}

type entities struct {
	ID, Title string
	List      []reviewcast.Entity
}

type quote struct {
	reviewcast.Review
	Text string
}

func newPage(c Channel, d *reviewcast.Dataset, in *reviewcast.Insights) *page {
	sum := sha256.Sum256([]byte(indexCSS))
	p := &page{
		Channel:  c,
		Business: d.Business,
		Style:    template.CSS(indexCSS),
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; img-src data:; base-uri 'none'; form-action 'none'",
		Icon:    `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill='%23d98a1f' d='m12 2 3 7 7 .6-5.300 4.700 1.600 7.200L12 17.600 5.700 21.500l1.600-7.200L2 9.600 9 9z'/%3E%3C/svg%3E`,
		JSONLD:  newLocalBusiness(c, d),
		Place:   place(d.Business.Address),
		Rating:  d.AggregateRating,
		FAQ:     in.FAQ,
		Newest:  d.Reviews[:min(len(d.Reviews), pageReviews)],
		Hidden:  hidden(d.Unpublished),
		License: d.License,
		Months:  newMonths(in.Temporal.Monthly),
	}
	p.Path.Reviews, p.Path.Insights, p.Path.JSONFeed = reviewcast.PathReviews, reviewcast.PathInsights, reviewcast.PathJSONFeed
	p.Path.Atom, p.Path.OpenAPI, p.Path.Hub = reviewcast.PathAtom, reviewcast.PathOpenAPI, reviewcast.PathHub
	_, p.LicenseURL = licence(d.License)
	if v := d.AggregateRating.RatingValue; v != nil {
		p.Rounded = min(max(int(math.Round(*v)), reviewcast.MinRating), reviewcast.MaxRating)
	}
	n := d.AggregateRating.Distribution
	for i, count := range []int{n.Five, n.Four, n.Three, n.Two, n.One} {
		p.Spread = append(p.Spread, spread{reviewcast.MaxRating - i, count, newBar("", count, d.AggregateRating.RatingCount)})
	}
	if in.Summary != nil {
		p.Summary = paragraphs(*in.Summary)
	}
	for _, a := range in.Aspects {
		if a.MentionCount > 0 {
			p.Aspects = append(p.Aspects, aspect{a.Label, fmt.Sprintf("%.0f %%", a.PositivePct), a.MentionCount,
				bar{"good", units(a.PositivePct)}})
		}
	}
	for _, e := range []entities{
		{"technicians", "Technicians", in.Entities.Technicians},
		{"services", "Services", in.Entities.Services},
		{"areas", "Service areas", in.Entities.ServiceAreas},
	} {
		e.List = slices.DeleteFunc(slices.Clone(e.List), func(e reviewcast.Entity) bool { return e.ReviewCount == 0 })
		p.Entities = append(p.Entities, e)
		p.HasEntities = p.HasEntities || len(e.List) > 0
	}
	if q := in.PullQuote; q != nil {
		if i := slices.IndexFunc(d.Reviews, func(r reviewcast.Review) bool { return r.ID == q.ReviewID }); i >= 0 {
			p.Quote = &quote{d.Reviews[i], q.Text}
		}
	}
	return p
}

// The size of the chart in its own units; the page stretches it.
const chartWidth, chartHeight = 360.0, 60.0

// units writes a length in a drawing.
func units(v float64) string { return fmt.Sprintf("%.4g", v) }

// months is the chart of reviews by month.
type months struct {
	Columns            []column
	Label, First, Last string
}

type column struct {
	X, Y, Width, Height string
	Title               string
}

func newMonths(monthly []reviewcast.Month) *months {
	monthly = monthly[max(0, len(monthly)-pageMonths):]
	if len(monthly) < 2 {
		return nil // one column says nothing
	}
	most := slices.MaxFunc(monthly, func(a, b reviewcast.Month) int { return a.ReviewCount - b.ReviewCount }).ReviewCount
	m := &months{First: monthly[0].Month, Last: monthly[len(monthly)-1].Month}
	m.Label = fmt.Sprintf("Reviews by month from %s to %s, at most %d in one month", m.First, m.Last, most)
	step := chartWidth / float64(len(monthly))
	wide := min(step*0.8, 24)
	for i, month := range monthly {
		tall := chartHeight * float64(month.ReviewCount) / float64(max(most, 1))
		title := month.Month + ": " + plural(month.ReviewCount, "review")
		if month.AverageRating != nil {
			title += fmt.Sprintf(", %.2f stars", *month.AverageRating)
		}
		m.Columns = append(m.Columns, column{
			X: units(step*float64(i) + (step-wide)/2), Y: units(chartHeight - tall), Width: units(wide), Height: units(tall), Title: title,
		})
	}
	return m
}

// longDay writes a date as people do: 14 March 2026.
func longDay(d reviewcast.Date) string {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return string(d)
	}
	return t.Format("2 January 2006")
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Host
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// place puts an address on one line.
func place(a reviewcast.Address) string {
	town := strings.TrimSpace(a.PostalCode + " " + a.AddressLocality)
	parts := []string{a.StreetAddress, town, a.AddressRegion, a.AddressCountry}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// words are some words of a paragraph, strong or not.
type words struct {
	Text   string
	Strong bool
}

// paragraphs reads as much of the summary's Markdown as a plain page needs: blank
// lines between paragraphs, and **strong** words. The rest stands as it is.
func paragraphs(s string) [][]words {
	var out [][]words
	for p := range strings.SplitSeq(s, "\n\n") {
		p = strings.Join(strings.Fields(p), " ")
		if p == "" {
			continue
		}
		parts := strings.Split(p, "**")
		if len(parts)%2 == 0 { // a mark without its counterpart is just two stars
			parts = []string{p}
		}
		var paragraph []words
		for i, part := range parts {
			if part != "" {
				paragraph = append(paragraph, words{part, i%2 == 1})
			}
		}
		out = append(out, paragraph)
	}
	return out
}

// hidden says in words how many reviews are left out, and why.
func hidden(u reviewcast.Unpublished) string {
	var parts []string
	for _, reason := range []struct {
		n    int
		noun string
	}{{u.Unverified, "without a verification"}, {u.Withdrawn, "withdrawn by the author or the platform"}, {u.Legal, "withdrawn for legal reasons"}} {
		if reason.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", reason.n, reason.noun))
		}
	}
	return strings.Join(parts, ", ")
}
