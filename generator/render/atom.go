package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
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

// atomEntry shadows gorilla/feeds' category, which lacks its term, and adds the
// language and the extension.
type atomEntry struct {
	Lang string `xml:"xml:lang,attr,omitempty"`
	*feeds.AtomEntry
	Category []atomCategory  `xml:"category"`
	Review   ReviewExtension `xml:"urn:reviewcast:review review"`
}

type atomCategory struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

// Atom renders /feed.xml: Atom 1.0 (RFC 4287) with the links that WebSub asks for, the newest reviews first.
// The text is never HTML; a review of stars only has a sentence in its place. The element review is described by
// ReviewExtension. A character that XML can't carry is an error: another would not be the customer's.
func Atom(c Channel, d *reviewcast.Dataset) ([]byte, error) {
	f := newFeed(c, d)
	base := (&feeds.Atom{Feed: f.generic()}).AtomFeed()
	base.Id = f.BaseURL + reviewcast.PathAtom
	base.Link = nil
	base.Author.Uri = f.Author.URL

	out := atomFeed{
		Lang:      f.Language,
		AtomFeed:  base,
		Generator: "reviewcast",
		Links: []feeds.AtomLink{
			{Rel: "self", Href: f.BaseURL + reviewcast.PathAtom, Type: reviewcast.MediaAtom},
			{Rel: "alternate", Href: f.BaseURL + "/", Type: "text/html"},
			{Rel: "hub", Href: f.BaseURL + reviewcast.PathHub},
		},
	}
	for i, item := range base.Entries {
		e := f.entries[i]
		x := f.extension(e)
		words := []string{e.item.Title, e.body, e.Author}
		if x.OwnerReply != nil {
			words = append(words, x.OwnerReply.Text)
		}
		for _, text := range words {
			if at, bad := reviewcast.BadRune(text); at >= 0 {
				return nil, fmt.Errorf("render %s: review %s holds %U, which XML can't carry", reviewcast.PathAtom, e.ID, bad)
			}
		}
		item.Content = &feeds.AtomContent{Type: "text", Content: e.body}
		item.Published = e.item.Created.Format(time.RFC3339)
		if e.SourceURL != nil {
			item.Links = append(item.Links, feeds.AtomLink{Rel: "via", Href: *e.SourceURL})
		}
		entry := atomEntry{Lang: e.language, AtomEntry: item, Review: x}
		for _, c := range e.categories {
			entry.Category = append(entry.Category, atomCategory{Term: c.term, Label: c.label})
		}
		out.Entries = append(out.Entries, entry)
	}

	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ") // between elements only: a text keeps its own white space
	err := enc.Encode(&out)
	b.WriteByte('\n')
	return rendered(reviewcast.PathAtom, b.Bytes(), err)
}
