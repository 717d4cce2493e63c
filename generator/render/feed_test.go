package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"reviewcast"
	"reviewcast/bench/corpus"
)

// parsedAtom is the Atom feed as any XML parser reads it.
type parsedAtom struct {
	XMLName   xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	Lang      string   `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Updated   string   `xml:"updated"`
	Generator string   `xml:"generator"`
	Author    struct {
		Name string `xml:"name"`
		URI  string `xml:"uri"`
	} `xml:"author"`
	Links   []parsedLink `xml:"link"`
	Entries []struct {
		Lang      string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
		ID        string `xml:"id"`
		Title     string `xml:"title"`
		Updated   string `xml:"updated"`
		Published string `xml:"published"`
		Content   struct {
			Type string `xml:"type,attr"`
			Text string `xml:",chardata"`
		} `xml:"content"`
		Author     string       `xml:"author>name"`
		Links      []parsedLink `xml:"link"`
		Categories []struct {
			Term  string `xml:"term,attr"`
			Label string `xml:"label,attr"`
		} `xml:"category"`
		Review ReviewExtension `xml:"urn:reviewcast:review review"`
	} `xml:"entry"`
}

type parsedLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

func parseAtom(t testing.TB, d *reviewcast.Dataset) parsedAtom {
	t.Helper()
	body, err := Atom(sampleChannel, d)
	if err != nil {
		t.Fatal(err)
	}
	var feed parsedAtom
	if err := xml.Unmarshal(body, &feed); err != nil {
		t.Fatal(err)
	}
	return feed
}

func parseJSONFeed(t testing.TB, d *reviewcast.Dataset) map[string]any {
	t.Helper()
	body, err := JSONFeed(sampleChannel, d)
	if err != nil {
		t.Fatal(err)
	}
	var feed map[string]any
	if err := json.Unmarshal(body, &feed); err != nil {
		t.Fatal(err)
	}
	return feed
}

func TestAtom(t *testing.T) {
	feed := parseAtom(t, sampleDataset())
	if feed.ID == "" || feed.Lang != "en" || feed.Generator == "" || feed.Author.Name != "Pipes & Co" || feed.Author.URI == "" {
		t.Errorf("feed: %+v", feed)
	}
	// The newest change is the reply to the third review.
	if feed.Updated != "2026-03-20T12:00:00Z" {
		t.Errorf("updated %s", feed.Updated)
	}
	rels := map[string]string{}
	for _, l := range feed.Links {
		rels[l.Rel] = l.Href
	}
	for rel, want := range map[string]string{
		"self":      "https://reviews.example.com/feed.xml",
		"alternate": "https://reviews.example.com/",
		"hub":       "https://reviews.example.com/api/websub/hub",
	} {
		if rels[rel] != want {
			t.Errorf("link %s is %q, want %q", rel, rels[rel], want)
		}
	}

	e := feed.Entries[2]
	if e.ID != "https://reviews.example.com/reviews/#r-2" || e.Links[0].Href != "https://reviews.example.com/reviews/2026-01/#r-2" {
		t.Errorf("id %s, link %s", e.ID, e.Links[0].Href)
	}
	if e.Published != "2026-01-31T12:00:00Z" || e.Updated != "2026-03-20T12:00:00Z" || e.Lang != "de" {
		t.Errorf("published %s, updated %s, language %s", e.Published, e.Updated, e.Lang)
	}
	if e.Title != "1 of 5 stars from Zoë" || e.Categories[0].Term != "1-star" || e.Categories[1].Term != "water-heater" || e.Categories[1].Label != "Water heaters" {
		t.Errorf("title %q, categories %v", e.Title, e.Categories)
	}
	if want := (ReviewExtension{Rating: 1, BestRating: 5, Source: "direct", VerificationMethod: "job",
		OwnerReply: &FeedReply{"We are sorry & have called you.", "2026-03-20"}}); !reflect.DeepEqual(e.Review, want) {
		t.Errorf("review %+v, want %+v", e.Review, want)
	}
	// Stars only: the words are ours, and in English.
	if e := feed.Entries[1]; e.Content.Text != "4 of 5 stars" || e.Lang != "en" {
		t.Errorf("a review of stars says %q in %s", e.Content.Text, e.Lang)
	}
}

// TestFeedsHoldTheNewest: fifty, in order, and the same in both formats.
func TestFeedsHoldTheNewest(t *testing.T) {
	for _, n := range []int{0, 1, 49, 50, 51, 200} {
		d := corpus.Dataset(n)
		atom, js := parseAtom(t, &d), parseJSONFeed(t, &d)
		items, ok := js["items"].([]any)
		if !ok || len(items) != min(n, 50) || len(atom.Entries) != len(items) {
			t.Fatalf("%d reviews: %d entries, %d items", n, len(atom.Entries), len(items))
		}
		for i, e := range atom.Entries {
			item := items[i].(map[string]any)
			if want := sampleChannel.BaseURL + "/reviews/#" + d.Reviews[i].ID; e.ID != want || item["id"] != want {
				t.Fatalf("entry %d of %d is %s and %s, want %s", i, n, e.ID, item["id"], want)
			}
			if e.Title != item["title"] || e.Content.Text != item["content_text"] || e.Updated != item["date_modified"] || e.Published != item["date_published"] {
				t.Fatalf("the formats disagree:\n%+v\n%+v", e, item)
			}
		}
	}
	d := corpus.Dataset(0)
	if got := parseAtom(t, &d).Updated; got != "1970-01-01T00:00:00Z" {
		t.Errorf("an empty feed was updated %s", got)
	}
}

// TestJSONFeedRules checks the rules of JSON Feed 1.1 that no schema checks.
func TestJSONFeedRules(t *testing.T) {
	d := corpus.Dataset(60)
	for name, dataset := range map[string]*reviewcast.Dataset{"corpus": &d, "sample": sampleDataset(), "empty": emptyDataset()} {
		t.Run(name, func(t *testing.T) {
			feed := parseJSONFeed(t, dataset)
			if feed["version"] != "https://jsonfeed.org/version/1.1" || blank(feed["title"]) || blank(feed["language"]) {
				t.Errorf("version %v, title %v, language %v", feed["version"], feed["title"], feed["language"])
			}
			if feed["feed_url"] != "https://reviews.example.com/api/feed.json" || feed["home_page_url"] != "https://reviews.example.com/" {
				t.Errorf("feed_url %v, home_page_url %v", feed["feed_url"], feed["home_page_url"])
			}
			if got := fmt.Sprint(feed["hubs"]); got != "[map[type:WebSub url:https://reviews.example.com/api/websub/hub]]" {
				t.Errorf("hubs %s", got)
			}
			for _, gone := range []string{"author", "banner_", "user_comment", "next_url"} {
				if _, ok := feed[gone]; ok {
					t.Errorf("there is a member %s", gone)
				}
			}
			seen := map[any]bool{}
			for _, item := range feed["items"].([]any) {
				item := item.(map[string]any)
				if blank(item["id"]) || seen[item["id"]] {
					t.Errorf("id %v is blank or there twice", item["id"])
				}
				seen[item["id"]] = true
				if blank(item["content_text"]) || item["content_html"] != nil || item["author"] != nil {
					t.Errorf("item %v: %v", item["id"], item)
				}
				for _, member := range []string{"date_published", "date_modified"} {
					if at, err := time.Parse(time.RFC3339, fmt.Sprint(item[member])); err != nil || at.Hour() != 12 {
						t.Errorf("%s %v: %v", member, item[member], err)
					}
				}
				review := item["_review"].(map[string]any)
				if len(review) != 6 || !strings.HasPrefix(fmt.Sprint(review["about"]), "https://reviews.example.com/.well-known/openapi.json#") {
					t.Errorf("_review %v", review)
				}
			}
		})
	}
}

func blank(v any) bool {
	s, ok := v.(string)
	return !ok || strings.TrimSpace(s) == ""
}

// TestFeedReader reads both feeds with a feed reader's library.
func TestFeedReader(t *testing.T) {
	for name, render := range map[string]func(Channel, *reviewcast.Dataset) ([]byte, error){"atom": Atom, "json": JSONFeed} {
		for _, d := range []*reviewcast.Dataset{sampleDataset(), emptyDataset()} {
			body, err := render(sampleChannel, d)
			if err != nil {
				t.Fatal(err)
			}
			feed, err := gofeed.NewParser().Parse(bytes.NewReader(body))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if feed.FeedType != name || feed.Language != "en" || feed.Title != sampleChannel.FeedTitle || len(feed.Items) != len(d.Reviews) {
				t.Errorf("%s: type %s, language %s, title %q, %d items", name, feed.FeedType, feed.Language, feed.Title, len(feed.Items))
			}
			for i, item := range feed.Items {
				if !strings.HasSuffix(item.GUID, "#"+d.Reviews[i].ID) || item.PublishedParsed == nil || len(item.Authors) != 1 || item.Authors[0].Name != d.Reviews[i].Author {
					t.Errorf("%s: item %+v", name, item)
				}
			}
		}
	}
}

// FuzzFeedText: whatever a customer may write comes out of both feeds as it went
// in, never trimmed and never escaped twice.
func FuzzFeedText(f *testing.F) {
	for _, seed := range []string{"", "plain", " leading\n\ttrailing \n", "<b>&amp;</b>", "]]>", "<![CDATA[x]]>", "\u200b\u202eabc\u202c\ufeff", "😀\u2028", "&#x41;", "<!-- -->", "\ufffd"} {
		f.Add(seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, title, text, author string) {
		for _, s := range []string{title, text, author} {
			if at, _ := reviewcast.BadRune(s); at >= 0 {
				return // refused long before
			}
		}
		d := sampleDataset()
		d.Reviews = d.Reviews[:1]
		d.Reviews[0].Title, d.Reviews[0].Text, d.Reviews[0].Author = &title, &text, author
		e := parseAtom(t, d).Entries[0]
		if e.Title != title || e.Content.Text != text || e.Content.Type != "text" || e.Author != author {
			t.Errorf("Atom: %q, %q, %q became %q, %q, %q", title, text, author, e.Title, e.Content.Text, e.Author)
		}
		item := parseJSONFeed(t, d)["items"].([]any)[0].(map[string]any)
		if got, _ := item["title"].(string); got != title {
			t.Errorf("JSON Feed: title %q became %q", title, got)
		}
		if got, _ := item["content_text"].(string); got != text {
			t.Errorf("JSON Feed: text %q became %q", text, got)
		}
	})
}

func ExampleJSONFeed() {
	body, err := JSONFeed(Channel{BaseURL: "https://reviews.example.com", FeedTitle: "New & Small"}, emptyDataset())
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.ReplaceAll(string(body), ",\"", ",\n\""))
	// Output:
	// {"version":"https://jsonfeed.org/version/1.1",
	// "title":"New & Small",
	// "language":"en",
	// "home_page_url":"https://reviews.example.com/",
	// "feed_url":"https://reviews.example.com/api/feed.json",
	// "authors":[{"name":"New & Small"}],
	// "hubs":[{"type":"WebSub",
	// "url":"https://reviews.example.com/api/websub/hub"}],
	// "items":[]}
}
