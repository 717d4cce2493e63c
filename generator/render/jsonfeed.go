package render

import (
	"github.com/gorilla/feeds"

	"reviewcast"
)

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
	f := newFeed(c, d)
	base := (&feeds.JSON{Feed: f.generic()}).JSONFeed()
	base.FeedUrl = f.BaseURL + reviewcast.PathJSONFeed
	base.Language = f.Language
	base.Author = nil // version 1.0's, beside the authors of version 1.1
	base.Authors = []*feeds.JSONAuthor{{Name: f.Author.Name, Url: f.Author.URL}}
	base.Hubs = []*feeds.JSONHub{{Type: "WebSub", Url: f.BaseURL + reviewcast.PathHub}}

	out := jsonFeed{JSONFeed: base}
	for i, item := range base.Items {
		e := f.entries[i]
		author := &feeds.JSONAuthor{Name: e.Author}
		if e.AuthorAvatarURL != nil {
			author.Avatar = *e.AuthorAvatarURL
		}
		if e.SourceURL != nil {
			item.ExternalUrl = *e.SourceURL
		}
		item.ContentText = e.body
		item.Author, item.Authors = nil, []*feeds.JSONAuthor{author}
		for _, c := range e.categories {
			item.Tags = append(item.Tags, c.label)
		}
		out.Items = append(out.Items, jsonItem{JSONItem: item, Language: e.language, Review: f.extension(e)})
	}
	body, err := marshal(&out)
	return rendered(reviewcast.PathJSONFeed, body, err)
}
