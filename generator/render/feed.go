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
	id, url            string
	title, body        string
	language           string
	published, updated time.Time
	categories         []category
}

// category is a term that a feed reader can filter by: an id for machines, a
// label for people. There is one for the stars ("5-stars"), one for each service
// and one for each service area that the review mentions. Technicians are left
// out: a feed is no place to file people under.
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
	e := entry{
		Review: r,
		// The id outlives every change of the site's pages; the url is where the
		// review is read today.
		id:        f.BaseURL + reviewcast.PathMonths + "#" + r.ID,
		url:       f.BaseURL + reviewcast.ReviewPath(r.ID, r.Date),
		title:     stars + " from " + r.Author,
		body:      stars,
		language:  r.Language,
		published: r.Date.Noon(),
		updated:   r.Date.Noon(),
	}
	if r.Title != nil {
		e.title = *r.Title
	}
	if r.Text != nil {
		e.body = *r.Text
	}
	if r.OwnerReply != nil && r.OwnerReply.Date > r.Date {
		e.updated = r.OwnerReply.Date.Noon()
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

// updated is when the newest entry changed; an empty feed has not changed since
// the epoch, and says so rather than asking the clock.
func (f *feed) updated() time.Time {
	newest := time.Unix(0, 0).UTC()
	for _, e := range f.entries {
		if e.updated.After(newest) {
			newest = e.updated
		}
	}
	return newest
}

// generic is the feed in gorilla/feeds' own terms. Each format starts from what
// the library makes of it and shadows what the library can't say.
func (f *feed) generic() *feeds.Feed {
	g := &feeds.Feed{
		Title:       f.FeedTitle,
		Link:        &feeds.Link{Href: f.BaseURL + "/"},
		Description: f.Description,
		Author:      &feeds.Author{Name: f.Author.Name, Email: f.Author.Email},
		Updated:     f.updated(),
		Copyright:   f.dataset.License,
	}
	for _, e := range f.entries {
		g.Add(&feeds.Item{
			Id:      e.id,
			Title:   e.title,
			Link:    &feeds.Link{Href: e.url, Type: "text/html"},
			Author:  &feeds.Author{Name: e.Review.Author},
			Created: e.published,
			Updated: e.updated,
		})
	}
	return g
}

// ReviewExtension is what a feed says of a review that feeds have no word for. In
// the JSON Feed it is the member _review of an item; in Atom it is the element
// review of the namespace ReviewNamespace, with the members as attributes.
type ReviewExtension struct {
	About              string `json:"about" xml:"-" jsonschema:"where this extension is described"`
	Rating             int    `json:"rating" xml:"rating,attr" jsonschema:"stars, 1 to 5"`
	BestRating         int    `json:"best_rating" xml:"best_rating,attr" jsonschema:"always 5"`
	Source             string `json:"source" xml:"source,attr" jsonschema:"where the review was given, such as direct or google"`
	VerificationMethod string `json:"verification_method" xml:"verification_method,attr" jsonschema:"how the business knows that the author was a customer"`
}

// ReviewNamespace is the XML namespace of the Atom feed's extension. It is a name
// and no address, the same for every business, so that a reader can look for it.
const ReviewNamespace = "urn:reviewcast:review"

func (f *feed) extension(e entry) ReviewExtension {
	return ReviewExtension{
		About:              f.BaseURL + reviewcast.PathOpenAPI + "#/components/schemas/ReviewExtension",
		Rating:             e.Rating,
		BestRating:         reviewcast.MaxRating,
		Source:             e.Source,
		VerificationMethod: e.Verification.Method,
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
