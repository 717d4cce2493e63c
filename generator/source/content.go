package source

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/sentiment"
)

// Content is what a folder says, checked. It must not be changed.
type Content struct {
	Site Site
	// Config is what texts are searched for: business.yaml, with the other names of services and areas, and insights.yaml.
	sentiment.Config
	// Reviews are all reviews, published or not, in published order ([reviewcast.Compare]).
	Reviews    []*Review
	Withdrawn  []Withdrawal
	Claims     []Claim // of the summary and, from faq.yaml, of the answers
	PullQuote  *reviewcast.PullQuote
	FAQ        []reviewcast.FAQ
	Summary    *string
	Today      reviewcast.Date     // the last day that a date may name
	BusinessAt diagnostic.Position // where the id of the business is
	BaseURLAt  diagnostic.Position // where site.yaml has the address, without a line if it has none

	files places
	noted []citation // ids in notes of withdrawn.yaml
	// known are the ids that job records may name, by refLists. nil if business.yaml could not be read: then no id is
	// reported.
	known [len(refLists)]*names
}

// Named returns the id of a technician, service or area of business.yaml by its id, name or alias; field is
// "technicians", "services" or "service_areas".
func (c *Content) Named(field, name string) (id string, ok bool) {
	known := c.list(field)
	id = known.id(name)
	if i := slices.IndexFunc(known.all, func(s string) bool { return strings.EqualFold(s, name) }); id == "" && i >= 0 && known.ids[known.all[i]] {
		id = known.all[i]
	}
	return id, id != ""
}

// Meant returns the id that a word was probably meant to be the name of; "" for none.
func (c *Content) Meant(field, word string) string { return c.list(field).meant(word) }

// Names returns the ids, names and aliases that Named knows.
func (c *Content) Names(field string) []string { return c.list(field).all }

// list returns the entries of a list; none if business.yaml could not be read.
func (c *Content) list(field string) *names {
	return cmp.Or(c.known[slices.IndexFunc(refLists[:], func(l refList) bool { return l.name == field })], &names{})
}

// Noted returns where withdrawn.yaml or a file of reviews has an entry as a note, since its lines begin with #; the
// zero value if none has.
func (c *Content) Noted(id string) diagnostic.Position {
	for _, n := range slices.Concat(c.noted, c.files.noted()) {
		if n.id == id {
			return n.at
		}
	}
	return diagnostic.Position{}
}

// Position returns where a review of this Content begins.
func (c *Content) Position(r *Review) diagnostic.Position { return c.files.of(r, r.rec.start) }

// waiting is what to do about a review without a verification, by the extension of its file; maxWaiting is how many are named.
var waiting, maxWaiting = diagnostic.Lines(wordsFile, "without a verification"), 3

// Waiting says which reviews only lack a verification, the newest with their places below a folder, and what to do; "" if
// none does.
func (c *Content) Waiting(dir string) string {
	var named []string
	remedy := ""
	for _, r := range c.Reviews {
		if r.Hidden == Unverified {
			at := c.Position(r)
			named = append(named, fmt.Sprintf("%s (%s:%d)", r.ID, filepath.Join(dir, at.File), at.Line))
			kind := diagnostic.Pick(strings.HasPrefix(filepath.Base(at.File), "import-"), "import", filepath.Ext(at.File))
			remedy = cmp.Or(remedy, strings.NewReplacer("INDENT", strings.Repeat(" ", max(0, at.Col-1)), "METHODS", MethodsExplained).Replace(waiting[kind]))
		}
	}
	if more := len(named) - maxWaiting; more > 0 {
		named = append(named[:maxWaiting], fmt.Sprintf("%d more", more))
	}
	return diagnostic.When(len(named) > 0, fmt.Sprintf("not published, since without a verification: %s\n  %s\n", strings.Join(named, ", "), remedy))
}

// Site is site.yaml: where and under what name the business publishes.
type Site struct {
	BaseURL     string // as reviewcast.ParseBaseURL gives it; "" when left to --base-url
	Title       string // "" is "Reviews of" and the name, in the language of the pages
	FeedTitle   string // "" is Title
	Description string
	Language    string // BCP 47; the default language of reviews
	License     string // SPDX identifier or URL; "" is "all-rights-reserved"
	Author      Author
	Links       []struct{ Text, URL string } // at the foot of each page, in the order of the file
	AuthorNames string                       // as which the authors of reviews are published: "initials" (the default: "Maria K.") or "full"
}

// Author signs the feeds. A Name of "" is that of the business.
type Author struct{ Name, URL, Email string }

// Review is one review as the editor keeps it. The embedded Review is published if it is verified; its Mentions are
// filled in by the insights.
type Review struct {
	reviewcast.Review
	// Published reports whether it has a verification and is not withdrawn. If it is false, Hidden is the reason.
	Published bool
	Hidden    Hidden
	// Job is what the job record says: ids, sorted, known to business.yaml.
	Job reviewcast.Mentions
	// Reference is the private proof of the verification. It must never be published.
	Reference string

	rec *record // that it was made of
}

// Published returns those of some reviews that are published.
func Published(reviews []*Review) []*Review {
	return slices.DeleteFunc(slices.Clone(reviews), func(r *Review) bool { return !r.Published })
}

// Hidden is the reason why a review is not published.
type Hidden string

// The reasons, as the dataset's `unpublished` counts them.
const (
	Unverified Hidden = "unverified"
	Withdrawn  Hidden = "withdrawn"
	Legal      Hidden = "legal"
)

// Withdrawal is one entry of withdrawn.yaml.
type Withdrawal struct {
	ID     string
	Reason Hidden // Withdrawn or Legal
	Month  string // of the review, YYYY-MM; "" when the entry doesn't say
	Date   reviewcast.Date
	At     diagnostic.Position // of the id
}

// Claim is a number that the editors rely on, as it was when they wrote: a measure ("positive_pct", "mention_count" or
// "average_rating") of an aspect, or of all reviews ("review_count", "average_rating") if Aspect is "".
type Claim struct {
	Aspect, Measure string
	Value           float64
	At              diagnostic.Position
}
