package render

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/feeds"

	"reviewcast"
)

// category is a term that a feed reader can filter by: the stars ("5-stars"), and each service and service
// area. Technicians are left out: a feed is no place to file people under.
type category struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

// newest returns the newest reviews as both feeds have them.
func newest(c Channel, d *reviewcast.Dataset) (entries []atomEntry, items []jsonItem) {
	for i := range d.Reviews[:min(len(d.Reviews), reviewcast.FeedSize)] {
		r := &d.Reviews[i]
		rated := fmt.Sprintf("%d of %d stars", r.Rating, reviewcast.MaxRating)
		language, updated := r.Language, r.Date.Noon()
		if r.Title == nil && r.Text == nil {
			language = "en" // all of the entry's words are ours
		}
		extension := ReviewExtension{
			About:  c.BaseURL + reviewcast.PathOpenAPI + "#/components/schemas/ReviewExtension",
			Rating: r.Rating, BestRating: reviewcast.MaxRating, Source: r.Source, VerificationMethod: r.Verification.Method,
		}
		if reply := r.OwnerReply; reply != nil {
			extension.OwnerReply = &FeedReply{reply.Text, reply.Date}
			updated = max(r.Date, reply.Date).Noon()
		}
		// The id outlives every change of the site's pages; the url is where the review is read today.
		item := feeds.JSONItem{
			Id: c.BaseURL + reviewcast.PathMonths + "#" + r.ID, Url: c.BaseURL + reviewcast.ReviewPath(r.ID, r.Date),
			Title: *cmp.Or(r.Title, new(rated+" from "+r.Author)), ContentText: *cmp.Or(r.Text, &rated),
			PublishedDate: new(r.Date.Noon()), ModifiedDate: &updated, ExternalUrl: *cmp.Or(r.SourceURL, new(string)),
			Authors: []*feeds.JSONAuthor{{Name: r.Author, Avatar: *cmp.Or(r.AuthorAvatarURL, new(string))}},
		}
		entry := feeds.AtomEntry{
			Id: item.Id, Title: item.Title, Content: &feeds.AtomContent{Type: "text", Content: item.ContentText},
			Published: item.PublishedDate.Format(time.RFC3339), Updated: updated.Format(time.RFC3339),
			Links:  []feeds.AtomLink{{Rel: "alternate", Href: item.Url, Type: "text/html"}},
			Author: &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: r.Author}},
		}
		if r.SourceURL != nil {
			entry.Links = append(entry.Links, feeds.AtomLink{Rel: "via", Href: *r.SourceURL})
		}
		categories := categoriesOf(r, &d.Business)
		for _, c := range categories {
			item.Tags = append(item.Tags, c.Label)
		}
		entries = append(entries, atomEntry{language, &entry, categories, extension})
		items = append(items, jsonItem{&item, language, extension})
	}
	return entries, items
}

func categoriesOf(r *reviewcast.Review, b *reviewcast.Business) []category {
	stars := fmt.Sprintf("%d stars", r.Rating)
	if r.Rating == 1 {
		stars = "1 star"
	}
	list := []category{{strings.ReplaceAll(stars, " ", "-"), stars}}
	for _, id := range r.Mentions.Services {
		list = append(list, category{id, nameOf(id, b.Services)})
	}
	for _, id := range r.Mentions.ServiceAreas {
		list = append(list, category{id, nameOf(id, b.ServiceAreas)})
	}
	return list
}

// nameOf finds the name that belongs to an id; without one the id has to do.
func nameOf(id string, list []reviewcast.Named) string {
	if i := slices.IndexFunc(list, func(n reviewcast.Named) bool { return n.ID == id }); i >= 0 {
		return list[i].Name
	}
	return id
}

// ReviewExtension is what a feed says of a review beyond its format: the member _review in the JSON Feed, the
// element review of urn:reviewcast:review, the same for every business, in Atom, with the members as attributes.
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

// atomFeed shadows what gorilla/feeds gets wrong: it has room for one link, and none for a language.
type atomFeed struct {
	Lang string `xml:"xml:lang,attr,omitempty"`
	*feeds.AtomFeed
	Links     []feeds.AtomLink `xml:"link"`
	Generator string           `xml:"generator"`
	Entries   []atomEntry      `xml:"entry"`
}

// atomEntry shadows gorilla/feeds' category, which lacks its term, and adds the language and the extension.
type atomEntry struct {
	Lang string `xml:"xml:lang,attr,omitempty"`
	*feeds.AtomEntry
	Category []category      `xml:"category"`
	Review   ReviewExtension `xml:"urn:reviewcast:review review"`
}

// Atom renders /feed.xml: Atom 1.0 (RFC 4287) with the links that WebSub asks for, the newest reviews first.
// The text is never HTML; a review of stars only has a sentence in its place. The element review is described by
// ReviewExtension. Characters that XML can't carry are refused where the content is read.
func Atom(c Channel, d *reviewcast.Dataset) ([]byte, error) {
	c = c.Complete(d.Business)
	f := atomFeed{
		Lang: c.Language, Generator: "reviewcast",
		AtomFeed: &feeds.AtomFeed{
			Xmlns: "http://www.w3.org/2005/Atom", Title: c.FeedTitle, Id: c.BaseURL + reviewcast.PathAtom, Subtitle: c.Description, Rights: d.License,
			Author: &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: c.Author.Name, Uri: c.Author.URL, Email: c.Author.Email}},
		},
		Links: []feeds.AtomLink{
			{Rel: "self", Href: c.BaseURL + reviewcast.PathAtom, Type: reviewcast.MediaAtom},
			{Rel: "alternate", Href: c.BaseURL + "/", Type: "text/html"},
			{Rel: "hub", Href: c.BaseURL + reviewcast.PathHub},
		},
	}
	f.Entries, _ = newest(c, d)
	f.Updated = time.Unix(0, 0).UTC().Format(time.RFC3339) // of an empty feed; else of the newest entry
	for _, e := range f.Entries {
		f.Updated = max(f.Updated, e.Updated)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ") // between elements only: a text keeps its own white space
	err := enc.Encode(&f)
	b.WriteByte('\n')
	return b.Bytes(), err
}

// jsonFeed shadows what gorilla/feeds gets wrong: it drops an empty items.
type jsonFeed struct {
	*feeds.JSONFeed
	Items []jsonItem `json:"items"`
}

// jsonItem adds what gorilla/feeds doesn't know.
type jsonItem struct {
	*feeds.JSONItem
	Language string          `json:"language,omitempty"`
	Review   ReviewExtension `json:"_review"`
}

// JSONFeed renders /api/feed.json: JSON Feed 1.1 (jsonfeed.org/version/1.1), the newest reviews first. The text
// is never HTML; a review of stars only has a sentence in its place.
func JSONFeed(c Channel, d *reviewcast.Dataset) ([]byte, error) {
	c = c.Complete(d.Business)
	f := jsonFeed{JSONFeed: &feeds.JSONFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: c.FeedTitle, Description: c.Description, Language: c.Language,
		HomePageUrl: c.BaseURL + "/", FeedUrl: c.BaseURL + reviewcast.PathJSONFeed,
		Authors: []*feeds.JSONAuthor{{Name: c.Author.Name, Url: c.Author.URL}},
		Hubs:    []*feeds.JSONHub{{Type: "WebSub", Url: c.BaseURL + reviewcast.PathHub}},
	}}
	_, f.Items = newest(c, d)
	return marshal(&f)
}
