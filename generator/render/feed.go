package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reviewcast"
)

// entry is one review as both feeds show it.
type entry struct {
	*reviewcast.Review
	id, url               string
	title, body, language string
	published, updated    time.Time
	categories            []category
	extension             ReviewExtension
}

// category is a term that a feed reader can filter by: the stars ("5-stars"), and each service and service
// area. Technicians are left out: a feed is no place to file people under.
type category struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

// newest returns the entries of both feeds.
func newest(c Channel, d *reviewcast.Dataset) []entry {
	var entries []entry
	for i := range d.Reviews[:min(len(d.Reviews), reviewcast.FeedSize)] {
		entries = append(entries, newEntry(c.BaseURL, &d.Business, &d.Reviews[i]))
	}
	return entries
}

func newEntry(baseURL string, b *reviewcast.Business, r *reviewcast.Review) entry {
	rated := fmt.Sprintf("%d of %d stars", r.Rating, reviewcast.MaxRating)
	e := entry{
		Review: r, language: r.Language, published: r.Date.Noon(), updated: r.Date.Noon(),
		// The id outlives every change of the site's pages; the url is where the review is read today.
		id: baseURL + reviewcast.PathMonths + "#" + r.ID, url: baseURL + reviewcast.ReviewPath(r.ID, r.Date),
		title: rated + " from " + r.Author, body: rated,
		extension: ReviewExtension{
			About:  baseURL + reviewcast.PathOpenAPI + "#/components/schemas/ReviewExtension",
			Rating: r.Rating, BestRating: reviewcast.MaxRating, Source: r.Source, VerificationMethod: r.Verification.Method,
		},
	}
	if r.Title == nil && r.Text == nil {
		e.language = "en" // all of the entry's words are ours
	}
	if r.Title != nil {
		e.title = *r.Title
	}
	if r.Text != nil {
		e.body = *r.Text
	}
	if reply := r.OwnerReply; reply != nil {
		e.extension.OwnerReply = &FeedReply{reply.Text, reply.Date}
		e.updated = max(r.Date, reply.Date).Noon()
	}
	stars := fmt.Sprintf("%d stars", r.Rating)
	if r.Rating == 1 {
		stars = "1 star"
	}
	e.categories = []category{{strings.ReplaceAll(stars, " ", "-"), stars}}
	for _, id := range r.Mentions.Services {
		e.categories = append(e.categories, category{id, nameOf(id, b.Services)})
	}
	for _, id := range r.Mentions.ServiceAreas {
		e.categories = append(e.categories, category{id, nameOf(id, b.ServiceAreas)})
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
