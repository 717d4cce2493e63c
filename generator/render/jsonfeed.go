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
	c = c.Complete(d.Business)
	f := jsonFeed{JSONFeed: &feeds.JSONFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: c.FeedTitle, Description: c.Description, Language: c.Language,
		HomePageUrl: c.BaseURL + "/", FeedUrl: c.BaseURL + reviewcast.PathJSONFeed,
		Authors: []*feeds.JSONAuthor{{Name: c.Author.Name, Url: c.Author.URL}},
		Hubs:    []*feeds.JSONHub{{Type: "WebSub", Url: c.BaseURL + reviewcast.PathHub}},
	}}
	for _, e := range newest(c, d) {
		author := &feeds.JSONAuthor{Name: e.Author}
		if e.AuthorAvatarURL != nil {
			author.Avatar = *e.AuthorAvatarURL
		}
		item := &feeds.JSONItem{Id: e.id, Url: e.url, Title: e.title, ContentText: e.body, PublishedDate: &e.published, ModifiedDate: &e.updated,
			Authors: []*feeds.JSONAuthor{author}}
		if e.SourceURL != nil {
			item.ExternalUrl = *e.SourceURL
		}
		for _, c := range e.categories {
			item.Tags = append(item.Tags, c.Label)
		}
		f.Items = append(f.Items, jsonItem{item, e.language, e.extension})
	}
	body, err := marshal(&f)
	return rendered(reviewcast.PathJSONFeed, body, err)
}
