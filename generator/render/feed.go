package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/feeds"

	"reviewcast"
)

// A feed is what Atom and JSONFeed have in common: the newest reviews, each with
// the words that both formats give it.
type feed struct {
	Channel
	dataset *reviewcast.Dataset
	entries []entry
}

// entry is one review as an item of a feed.
type entry struct {
	*reviewcast.Review
	item           *feeds.Item
	body, language string
	categories     []category
}

// category is a term that a feed reader can filter by: the stars ("5-stars"), and each service and service
// area. Technicians are left out: a feed is no place to file people under.
type category struct {
	term, label string
}

func newFeed(c Channel, d *reviewcast.Dataset) feed {
	f := feed{Channel: c.Complete(d.Business), dataset: d}
	newest := d.Reviews[:min(len(d.Reviews), reviewcast.FeedSize)]
	for i := range newest {
		f.entries = append(f.entries, f.entry(&newest[i]))
	}
	return f
}

func (f *feed) entry(r *reviewcast.Review) entry {
	stars := fmt.Sprintf("%d of %d stars", r.Rating, reviewcast.MaxRating)
	e := entry{Review: r, body: stars, language: r.Language, item: &feeds.Item{
		// The id outlives every change of the site's pages; the link is where the review is read today.
		Id:      f.BaseURL + reviewcast.PathMonths + "#" + r.ID,
		Title:   stars + " from " + r.Author,
		Link:    &feeds.Link{Href: f.BaseURL + reviewcast.ReviewPath(r.ID, r.Date), Type: "text/html"},
		Author:  &feeds.Author{Name: r.Author},
		Created: r.Date.Noon(),
		Updated: r.Date.Noon(),
	}}
	if r.Title != nil {
		e.item.Title = *r.Title
	}
	if r.Text != nil {
		e.body = *r.Text
	}
	if r.OwnerReply != nil && r.OwnerReply.Date > r.Date {
		e.item.Updated = r.OwnerReply.Date.Noon()
	}
	if r.Title == nil && r.Text == nil {
		e.language = "en" // all of the entry's words are ours
	}
	label := plural(r.Rating, "star")
	e.categories = []category{{strings.ReplaceAll(label, " ", "-"), label}}
	for _, id := range r.Mentions.Services {
		e.categories = append(e.categories, category{id, nameOf(id, f.dataset.Business.Services)})
	}
	for _, id := range r.Mentions.ServiceAreas {
		e.categories = append(e.categories, category{id, nameOf(id, f.dataset.Business.ServiceAreas)})
	}
	return e
}

// nameOf finds the name that belongs to an id; without one the id has to do.
func nameOf(id string, list []reviewcast.Named) string {
	i := slices.IndexFunc(list, func(n reviewcast.Named) bool { return n.ID == id })
	if i < 0 {
		return id
	}
	return list[i].Name
}

// generic is the feed in gorilla/feeds' terms. The formats shadow what the library can't say.
func (f *feed) generic() *feeds.Feed {
	g := &feeds.Feed{
		Title:       f.FeedTitle,
		Link:        &feeds.Link{Href: f.BaseURL + "/"},
		Description: f.Description,
		Author:      &feeds.Author{Name: f.Author.Name, Email: f.Author.Email},
		Updated:     time.Unix(0, 0).UTC(), // of an empty feed; else of the newest entry
		Copyright:   f.dataset.License,
	}
	for _, e := range f.entries {
		if g.Add(e.item); e.item.Updated.After(g.Updated) {
			g.Updated = e.item.Updated
		}
	}
	return g
}

// ReviewExtension is what a feed says of a review beyond its format: the member _review in the JSON Feed, the
// element review of ReviewNamespace in Atom, with the members as attributes.
type ReviewExtension struct {
	About              string `json:"about" xml:"-" jsonschema:"where this extension is described"`
	Rating             int    `json:"rating" xml:"rating,attr" jsonschema:"stars, 1 to 5"`
	BestRating         int    `json:"best_rating" xml:"best_rating,attr" jsonschema:"always 5"`
	Source             string `json:"source" xml:"source,attr" jsonschema:"where the review was given, such as direct or google"`
	VerificationMethod string `json:"verification_method" xml:"verification_method,attr" jsonschema:"how the business knows that the author was a customer"`

	OwnerReply *FeedReply `json:"owner_reply" xml:"owner_reply" jsonschema:"the business's public answer; null without one. In Atom it is a child element with the date as an attribute"`
}

// FeedReply is the business's public answer in a feed.
type FeedReply struct {
	Text string          `json:"text" xml:",chardata"`
	Date reviewcast.Date `json:"date" xml:"date,attr"`
}

// ReviewNamespace is the XML namespace of the Atom feed's extension, the same for every business.
const ReviewNamespace = "urn:reviewcast:review"

func (f *feed) extension(e entry) ReviewExtension {
	x := ReviewExtension{
		About:              f.BaseURL + reviewcast.PathOpenAPI + "#/components/schemas/ReviewExtension",
		Rating:             e.Rating,
		BestRating:         reviewcast.MaxRating,
		Source:             e.Source,
		VerificationMethod: e.Verification.Method,
	}
	if r := e.OwnerReply; r != nil {
		x.OwnerReply = &FeedReply{r.Text, r.Date}
	}
	return x
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
