// Package render turns published words into published bytes: the dataset, the insights, the two feeds, the API's
// description, and the compressed variants beside them. It reads nothing but its arguments, so that the same
// content gives the same bytes on every machine and every day.
//
// JSON is compact and ends in a newline. Empty lists and objects are [] and {}, never null. Characters stand as
// themselves and are escaped only where JSON demands it; text that isn't UTF-8 is an error.
//
// # The layout of reviews.json
//
// It is a promise to the edge: first a line with the business, and one with the numbers, ending in `"reviews":[`;
// then every review, newest first, on a line of its own, with a comma at the end of every line but the last; then
// `]}` on the last line.
//
//	{"version":1, … ,"business":{ … },
//	"aggregate_rating":{ … }, … ,"reviews":[
//	{"id":"r-2", … },
//	{"id":"r-1", … }
//	]}
//
// A review is thus a slice of the file, and the newest n reviews are one slice too, commas included: what the edge
// answers is cut out, not rendered again. A dataset without reviews ends in `"reviews":[]}`. insights.json is laid
// out in the same way: one aspect, entity, topic, month and entry of per_review a line, so that a new review is a
// few new lines to a change document.
package render

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"reviewcast"
)

// Channel is where and under what name the business publishes.
type Channel struct {
	// BaseURL is the origin of every path, as reviewcast.ParseBaseURL gives it: without a trailing slash.
	BaseURL     string
	Title       string // of the page; "" is "Reviews of {business}"
	FeedTitle   string // of both feeds; "" is the title
	Description string // one sentence for people; may be ""
	Language    string // BCP 47 tag of title and description; "" is the business's
	Author      Author // of the feeds; a zero name is the business's
}

// Author signs the feeds. URL and Email may be empty.
type Author struct {
	Name, URL, Email string
}

// Complete fills in what the editors left out.
func (c Channel) Complete(b reviewcast.Business) Channel {
	c.Title = cmp.Or(c.Title, "Reviews of "+b.Name)
	c.FeedTitle = cmp.Or(c.FeedTitle, c.Title)
	c.Language = cmp.Or(c.Language, b.Language, "en")
	c.Author.Name = cmp.Or(c.Author.Name, b.Name)
	return c
}

// Artifact is one file to publish.
type Artifact struct {
	Path      string // begins with a slash
	MediaType string
	Body      []byte
	SHA256    [sha256.Size]byte // of Body
	// Encodings are the compressed variants by coding; they stand at Path + Coding.Ext().
	Encodings map[Coding][]byte
}

// NewArtifact makes a file that isn't compressed.
func NewArtifact(path, mediaType string, body []byte) Artifact {
	return Artifact{Path: path, MediaType: mediaType, Body: body, SHA256: sha256.Sum256(body)}
}

// Content is what is rendered.
type Content struct {
	Channel  Channel
	Dataset  *reviewcast.Dataset // its reviews in published order
	Insights *reviewcast.Insights
	// Withdrawn are the entries of /withdrawn.json, sorted by id.
	Withdrawn []reviewcast.Withdrawal
	// ReviewLines are [ReviewLine] of each review, InsightLines [InsightLine] of each entry of PerReview,
	// sorted by id. Callers that build again keep them.
	ReviewLines, InsightLines [][]byte
}

// Files renders the data files: all but the pages, the manifest and the changes.
func Files(c Content) ([]Artifact, error) {
	files := []struct { // the largest first
		path, mediaType string
		render          func() ([]byte, error)
	}{
		{reviewcast.PathReviews, reviewcast.MediaJSON, func() ([]byte, error) { return Dataset(c.Dataset, c.ReviewLines) }},
		{reviewcast.PathInsights, reviewcast.MediaJSON, func() ([]byte, error) { return Insights(c.Insights, c.InsightLines) }},
		{reviewcast.PathOpenAPI, reviewcast.MediaJSON, func() ([]byte, error) { return OpenAPI(c.Channel, c.Dataset) }},
		{reviewcast.PathJSONFeed, reviewcast.MediaJSON, func() ([]byte, error) { return JSONFeed(c.Channel, c.Dataset) }},
		{reviewcast.PathAtom, reviewcast.MediaAtom, func() ([]byte, error) { return Atom(c.Channel, c.Dataset) }},
		{reviewcast.PathWithdrawn, reviewcast.MediaJSON, func() ([]byte, error) { return Withdrawals(c.Withdrawn) }},
		{reviewcast.SchemaPath(reviewcast.PathInsights), reviewcast.MediaSchema, func() ([]byte, error) { return JSONSchema(c.Channel.BaseURL, reviewcast.PathInsights, "Insights") }},
		{reviewcast.SchemaPath(reviewcast.PathReviews), reviewcast.MediaSchema, func() ([]byte, error) { return JSONSchema(c.Channel.BaseURL, reviewcast.PathReviews, "Dataset") }},
	}
	return Parallel(len(files), runtime.GOMAXPROCS(0), func(i int) (Artifact, error) {
		body, err := files[i].render()
		if err != nil {
			err = fmt.Errorf("render %s: %w", files[i].path, err)
		}
		return NewArtifact(files[i].path, files[i].mediaType, body), err
	})
}

// Parallel calls do for every index below n, limit at a time. The error is the lowest index's.
func Parallel[T any](n, limit int, do func(i int) (T, error)) ([]T, error) {
	made, errs := make([]T, n), make([]error, n)
	var g errgroup.Group
	g.SetLimit(limit)
	for i := range n {
		g.Go(func() error {
			made[i], errs[i] = do(i)
			return nil
		})
	}
	_ = g.Wait() // errs has the errors
	return made, cmp.Or(errs...)
}
