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
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"golang.org/x/sync/errgroup"

	"reviewcast"
)

// Channel is where and under what name the business publishes.
type Channel struct {
	// BaseURL is the origin of every path, as reviewcast.ParseBaseURL gives it: without a trailing slash.
	BaseURL     string
	Title       string                       // of the page; "" is "Reviews of {business}"
	FeedTitle   string                       // of both feeds; "" is the title
	Description string                       // one sentence for people; may be ""
	Language    string                       // BCP 47 tag of title and description; "" is the business's
	Author      Author                       // of the feeds; a zero name is the business's
	Links       []struct{ Text, URL string } // at the foot of the pages, such as an imprint
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
}

// NewArtifact makes a file.
func NewArtifact(path, mediaType string, body []byte) Artifact {
	return Artifact{Path: path, MediaType: mediaType, Body: body, SHA256: sha256.Sum256(body)}
}

// Content is what is rendered.
type Content struct {
	Channel     Channel
	Dataset     *reviewcast.Dataset // its reviews in published order
	Insights    *reviewcast.Insights
	Withdrawals []reviewcast.Withdrawal // the entries of /withdrawn.json, sorted by id
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
		{reviewcast.PathWithdrawn, reviewcast.MediaJSON, func() ([]byte, error) {
			return layOut(&reviewcast.Withdrawals{Version: 1}, elements("withdrawn", c.Withdrawals))
		}},
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

// Dataset renders /reviews.json in the promised layout. lines are [ReviewLine] of each review, in published order.
func Dataset(d *reviewcast.Dataset, lines [][]byte) ([]byte, error) {
	head := *d
	head.Reviews = nil
	return layOut(&head, section{`"reviews":[`, `]`, lines, nil})
}

// Insights renders /insights.json in the layout that the package comment promises. lines are [InsightLine] of each
// entry of PerReview, sorted by id.
func Insights(in *reviewcast.Insights, lines [][]byte) ([]byte, error) {
	head := *in
	head.Aspects, head.Entities, head.Topics, head.Temporal.Monthly, head.PerReview = nil, reviewcast.Entities{}, nil, nil, nil
	return layOut(&head, elements("aspects", in.Aspects), elements("technicians", in.Entities.Technicians),
		elements("services", in.Entities.Services), elements("problems", in.Entities.Problems), elements("service_areas", in.Entities.ServiceAreas),
		elements("topics", in.Topics), elements("monthly", in.Temporal.Monthly), section{`"per_review":{`, `}`, lines, nil})
}

// options are the package's rules for JSON: sorted maps, and omitempty as in encoding/json, by which the
// contract's types are read elsewhere.
var options = json.JoinOptions(json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))

// marshal renders a whole file of JSON.
func marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v, options)
	return append(b, '\n'), err
}

// ReviewLine renders one review as on its line of reviews.json, without comma and newline.
func ReviewLine(r *reviewcast.Review) ([]byte, error) { return json.Marshal(r, options) }

// InsightLine renders one entry of per_review as it stands on its line of
// insights.json: `"r-1":{…}`, without the comma and the newline.
func InsightLine(id string, in reviewcast.ReviewInsight) ([]byte, error) {
	line, err := json.Marshal(map[string]reviewcast.ReviewInsight{id: in}, options)
	return bytes.TrimPrefix(bytes.TrimSuffix(line, []byte("}")), []byte("{")), err
}

// section is a list or an object of a file with one element a line.
type section struct {
	open, shut string   // `"reviews":[` and `]`
	lines      [][]byte // as ReviewLine and InsightLine give them
	err        error    // of rendering them
}

// elements makes the section of a list.
func elements[T any](name string, list []T) section {
	s := section{open: `"` + name + `":[`, shut: "]"}
	for i := range list {
		line, err := json.Marshal(&list[i], options)
		if err != nil {
			s.err = cmp.Or(s.err, fmt.Errorf("element %d of %s: %w", i, name, err))
		}
		s.lines = append(s.lines, line)
	}
	return s
}

// layOut renders head, and puts the sections into its empty members, in their order in head.
func layOut(head any, sections ...section) ([]byte, error) {
	framed, err := marshal(head)
	// What is before the rating seldom changes: change documents copy its line.
	framed = bytes.Replace(framed, []byte(`,"aggregate_rating":`), []byte(",\n"+`"aggregate_rating":`), 1)
	comma, parts := []byte(",\n"), [][]byte(nil)
	for _, s := range sections {
		err = cmp.Or(err, s.err)
		// No string can hold the member's name in this form: its quotation marks would be escaped.
		before, after, _ := bytes.Cut(framed, []byte(s.open+s.shut))
		if len(s.lines) > 0 {
			parts = append(parts, before, []byte(s.open+"\n"))
			for _, line := range s.lines {
				parts = append(parts, line, comma)
			}
			parts[len(parts)-1] = []byte("\n" + s.shut) // no comma after the last line
			framed = after
		}
	}
	return slices.Concat(append(parts, framed)...), err
}
