package render

import (
	"bytes"
	"encoding/xml"
	"time"

	"github.com/gorilla/feeds"

	"reviewcast"
)

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
	updated := time.Unix(0, 0).UTC() // of an empty feed; else of the newest entry
	for _, e := range newest(c, d) {
		if e.updated.After(updated) {
			updated = e.updated
		}
		item := &feeds.AtomEntry{Title: e.title, Id: e.id, Updated: e.updated.Format(time.RFC3339), Published: e.published.Format(time.RFC3339),
			Links:   []feeds.AtomLink{{Rel: "alternate", Href: e.url, Type: "text/html"}},
			Content: &feeds.AtomContent{Type: "text", Content: e.body},
			Author:  &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: e.Author}}}
		if e.SourceURL != nil {
			item.Links = append(item.Links, feeds.AtomLink{Rel: "via", Href: *e.SourceURL})
		}
		f.Entries = append(f.Entries, atomEntry{e.language, item, e.categories, e.extension})
	}
	f.Updated = updated.Format(time.RFC3339)
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ") // between elements only: a text keeps its own white space
	err := enc.Encode(&f)
	b.WriteByte('\n')
	return rendered(reviewcast.PathAtom, b.Bytes(), err)
}
