package importer

import (
	"cmp"
	"fmt"
	"maps"
	"time"
)

// Platform is what is known of a platform's CSV export.
type Platform struct {
	// Maps are the column maps of the shapes that the platform and the usual tools
	// write; the first whose columns the header has is taken.
	Maps []map[string]string
	// Layouts are the date layouts of the same shapes.
	Layouts []string
}

// Platforms are the exports that `import` knows by name. Both sites let a
// business download its own reviews as CSV; columns that aren't listed (a
// reference number, tags, the reviewer's e-mail) are never read.
var Platforms = map[string]Platform{
	"trustpilot": {
		Maps: []map[string]string{
			{ // Business Portal, "Export reviews"
				"id": "Review Id", "author": "Review Username", "title": "Review Title", "text": "Review Content", "rating": "Review Stars",
				"date": "Review Created (UTC)", "source_url": "Review URL", "language": "Review Language",
				"owner_reply.text": "Company Reply", "owner_reply.date": "Company Reply Date (UTC)",
			},
			{ // the API's names, as its exports have them
				"id": "id", "author": "consumer.displayName", "title": "title", "text": "text", "rating": "stars", "date": "createdAt",
				"language": "language", "owner_reply.text": "companyReply.text", "owner_reply.date": "companyReply.createdAt",
			},
		},
		Layouts: []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05Z07:00"},
	},
	"yelp": {
		Maps: []map[string]string{
			{ // the columns of Yelp's own data
				"id": "review_id", "author": "user_name", "text": "text", "rating": "stars", "date": "date", "source_url": "url",
			},
			{ // Yelp for Business
				"author": "Reviewer", "text": "Review", "rating": "Rating", "date": "Date", "source_url": "Review URL",
			},
		},
		Layouts: []string{"2006-01-02 15:04:05", "1/2/2006"},
	},
}

// shape completes the configuration by the header of a platform's export.
func (c *Config) shape(header []string) error {
	columns, layout, ok := Platforms[c.Platform].choose(header)
	if !ok && (c.Map["rating"] == "" || c.Map["date"] == "") {
		return &UsageError{[]string{fmt.Sprintf("the export has none of the shapes of %s that are known; its columns are %s: say with --map which holds what, at least rating=COLUMN,date=COLUMN", c.Platform, quoteAll(header))}}
	}
	merged := map[string]string{}
	maps.Copy(merged, columns)
	maps.Copy(merged, c.Map)
	c.Map = merged
	c.DateLayout = cmp.Or(c.DateLayout, layout, time.DateOnly)
	return nil
}

// choose finds the shape of a header: the map, without the columns that the
// export leaves out, and the date layout. ok is false when rating or date is in
// none.
func (p Platform) choose(header []string) (columns map[string]string, layout string, ok bool) {
	has := map[string]bool{}
	for _, name := range header {
		has[name] = true
	}
	for i, m := range p.Maps {
		if !has[m["rating"]] || !has[m["date"]] {
			continue
		}
		columns = map[string]string{}
		for field, column := range m {
			if has[column] {
				columns[field] = column
			}
		}
		if columns["owner_reply.text"] == "" || columns["owner_reply.date"] == "" {
			delete(columns, "owner_reply.text")
			delete(columns, "owner_reply.date")
		}
		return columns, p.Layouts[i], true
	}
	return nil, "", false
}
