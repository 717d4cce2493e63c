package render

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// described are the schemas of the API's description: the types of the contract,
// whose members speak for themselves in their jsonschema tags, and the few that no
// type of ours stands for.
var described = []struct {
	name        string
	value       any // a zero value of the Go type, or a *jsonschema.Schema
	description string
}{
	{"Dataset", reviewcast.Dataset{}, "One business, its aggregate rating, and every verified review, newest first."},
	{"Business", reviewcast.Business{}, "Who the reviews are about."},
	{"Address", reviewcast.Address{}, "A postal address in schema.org's terms."},
	{"Geo", reviewcast.Geo{}, "A place in degrees, WGS 84."},
	{"Named", reviewcast.Named{}, "A service or a service area."},
	{"Technician", reviewcast.Technician{}, "One of the people who do the work."},
	{"AggregateRating", reviewcast.AggregateRating{}, "The stars of all published reviews, summed up."},
	{"Distribution", reviewcast.Distribution{}, "Number of reviews by stars."},
	{"Unpublished", reviewcast.Unpublished{}, "Reviews that are left out, by reason. No reason has to do with what a review says."},
	{"Review", reviewcast.Review{}, "One verified review. Texts are the customer's own words: plain text, in which HTML is just characters."},
	{"OwnerReply", reviewcast.OwnerReply{}, "The business's public answer to a review."},
	{"Verification", reviewcast.Verification{}, "How the business knows that the author was a customer."},
	{"Mentions", reviewcast.Mentions{}, "Ids of the technicians, services and service areas that the job record or, unambiguously, the text names; each list is sorted."},
	{"Insights", reviewcast.Insights{}, "What the reviews say, counted. Every number is a function of the published reviews and the editors' vocabulary."},
	{"Method", reviewcast.Method{}, "How the sentiment was computed."},
	{"Measured", reviewcast.Measured{}, "How well the method reads real reviews that people have labelled."},
	{"DateRange", reviewcast.DateRange{}, "Dates of the oldest and the newest review; null when there is none."},
	{"OverallSentiment", reviewcast.OverallSentiment{}, "All reviews together. Mixed reviews are the rest to 100 per cent."},
	{"Aspect", reviewcast.Aspect{}, "One thing that customers judge, such as punctuality."},
	{"AspectMonth", reviewcast.AspectMonth{}, "What one month's reviews say of an aspect."},
	{"Confidence", reviewcast.Confidence{}, "95 per cent interval of the positive share: Wilson's, widened by the share of votes that the method reads wrongly."},
	{"Evidence", reviewcast.Evidence{}, "The sentence behind a number. start and end count Unicode code points of the review's text; quote is exactly that slice."},
	{"Entities", reviewcast.Entities{}, "The people, services, problems and places that reviews name."},
	{"Entity", reviewcast.Entity{}, "What is said of one person, service, problem or place."},
	{"Topic", reviewcast.Topic{}, "A phrase that comes up again and again."},
	{"Temporal", reviewcast.Temporal{}, "How the numbers move."},
	{"Month", reviewcast.Month{}, "One calendar month; the means are null when it has no review."},
	{"Trend", reviewcast.Trend{}, "The newest window against the one before it, counted back from the newest review; improving or declining only beyond 1.96 standard errors."},
	{"ReviewInsight", reviewcast.ReviewInsight{}, "What was found in one review."},
	{"FAQ", reviewcast.FAQ{}, "A question that customers ask, answered by the editors, with the reviews that the answer rests on."},
	{"PullQuote", reviewcast.PullQuote{}, "A customer's sentence, word for word."},
	{"SearchResult", reviewcast.SearchResult{}, "The reviews that match a search."},
	{"Query", reviewcast.Query{}, "The filters as applied, defaults included; a filter that isn't there wasn't given."},
	{"Facets", reviewcast.Facets{}, "How many of all matches of a search have each value. Values without a match are left out."},
	{"Facet", reviewcast.Facet{}, "The matches with one value."},
	{"RatingFacet", reviewcast.RatingFacet{}, "The matches with one number of stars."},
	{"ReplyFacet", reviewcast.ReplyFacet{}, "The matches with or without an owner reply."},
	{"AspectFacet", reviewcast.AspectFacet{}, "The matches that mention one aspect, by polarity."},
	{"SinceResult", reviewcast.SinceResult{}, "The reviews dated on or after a day."},
	{"Manifest", reviewcast.Manifest{}, "What is published: mirrors start here."},
	{"File", reviewcast.File{}, "One published file."},
	{"Change", reviewcast.Change{}, "What one version of the published set did to the version before it."},
	{"ReviewChanges", reviewcast.ReviewChanges{}, "Ids of reviews, sorted. A review that returns was added; a review whose id changed was withdrawn with its old id and added with its new one."},
	{"WithdrawnReview", reviewcast.WithdrawnReview{}, "A review that is no longer published."},
	{"FileChange", reviewcast.FileChange{}, "How one dataset changed. With ops or patch the new bytes are made of the old ones; with neither the file is fetched whole."},
	{"Patch", reviewcast.Patch{}, "The operations that make a file of lines out of an older one."},
	{"Op", opSchema, "One operation: lines of the old file, or a new line."},
	{"Withdrawals", reviewcast.Withdrawals{}, "Every review that was withdrawn, sorted by id."},
	{"Withdrawal", reviewcast.Withdrawal{}, "One review that was withdrawn. It has no text."},
	{"Error", reviewcast.ErrorBody{}, "What went wrong, in the members of RFC 9457."},
	{"Issue", reviewcast.Issue{}, "One thing wrong with one parameter, in the words of zod 4."},
	{"ReviewExtension", ReviewExtension{}, "What the feeds say of a review that feeds have no word for. In the JSON Feed it is the member `_review` of an item. In Atom it is the element `review` of the namespace `" + ReviewNamespace + "`, with all members but `about` as attributes."},
	{"JSONFeed", jsonFeedSchema, "JSON Feed 1.1 (jsonfeed.org/version/1.1)."},
	{"JSONFeedItem", jsonFeedItemSchema, "One review as an item of the JSON Feed."},
	{"JSONFeedAuthor", jsonFeedAuthorSchema, "Who wrote a review, or who publishes the feed."},
	{"JSONRPCRequest", jsonRPCRequestSchema, "A JSON-RPC 2.0 request, or a notification when it has no id."},
	{"JSONRPCResponse", jsonRPCResponseSchema, "A JSON-RPC 2.0 response."},
}

// componentSchemas makes the schemas of all described types. Within one, the
// others are referred to by name.
func componentSchemas() (map[string]*jsonschema.Schema, error) {
	named := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[reviewcast.Date]():      {Type: "string", Format: "date"},
		reflect.TypeFor[reviewcast.Polarity]():  {Type: "string", Enum: values(reviewcast.Positive, reviewcast.Neutral, reviewcast.Negative, reviewcast.Mixed)},
		reflect.TypeFor[reviewcast.IssueCode](): {Type: "string", Enum: values(reviewcast.IssueCodes...)},
		reflect.TypeFor[time.Time]():            {Type: "string", Format: "date-time"},
		reflect.TypeFor[reviewcast.Op]():        ref("Op"),
	}
	for _, d := range described {
		if _, ok := d.value.(*jsonschema.Schema); !ok {
			named[reflect.TypeOf(d.value)] = ref(d.name)
		}
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, d := range described {
		s, ok := d.value.(*jsonschema.Schema)
		if ok {
			s = s.CloneSchemas()
		} else {
			t := reflect.TypeOf(d.value)
			itself := named[t]
			delete(named, t)
			var err error
			if s, err = jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: named}); err != nil {
				return nil, fmt.Errorf("describe %s: %w", d.name, err)
			}
			named[t] = itself
			tighten(s)
			for name, property := range s.Properties {
				if facet, ok := facets[d.name+"."+name]; ok {
					facet(property)
				} else if facet, ok := facets[name]; ok {
					facet(property)
				}
			}
		}
		s.Description = d.description
		describe(d.name, s)
		schemas[d.name] = s
	}
	return schemas, nil
}

// tighten and loosen what reflection says to what is published: a list is never
// null, whole numbers are never negative, objects may gain members, and a
// reference that may be null says so in a way that a reference can.
func tighten(s *jsonschema.Schema) {
	switch {
	case slices.Contains(s.Types, "array"):
		s.Types, s.Type = nil, "array"
	case s.Ref != "" && len(s.Types) > 0:
		s.AnyOf = []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}
		s.Ref, s.Types = "", nil
	case len(s.Types) > 0:
		slices.Reverse(s.Types) // what it is, before null
	case s.Type == "integer":
		s.Minimum = new(float64)
	case s.Type == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil:
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		tighten(p)
	}
	for _, p := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if p != nil {
			tighten(p)
		}
	}
}

// A facet narrows the schema of a member beyond what its Go type says.
type facet func(*jsonschema.Schema)

func between(low, high float64) facet {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &low, &high }
}

func always(v any) facet { return func(s *jsonschema.Schema) { s.Const = &v } }

func oneOf(words ...string) facet {
	return func(s *jsonschema.Schema) { s.Enum = values(words...) }
}

func format(name string) facet { return func(s *jsonschema.Schema) { s.Format = name } }

func pattern(p string) facet { return func(s *jsonschema.Schema) { s.Pattern = p } }

func each(f facet) facet { return func(s *jsonschema.Schema) { f(s.Items) } }

func atMost(codePoints int) facet {
	return func(s *jsonschema.Schema) { s.MaxLength = &codePoints }
}

// facets are by member, or by type and member where a member's name means
// something else elsewhere.
var facets = func() map[string]facet {
	stars := between(reviewcast.MinRating, reviewcast.MaxRating)
	share, percent, polarity := between(0, 1), between(0, 100), between(-1, 1)
	id := pattern(fmt.Sprintf("^[A-Za-z0-9][A-Za-z0-9._-]{0,%d}$", reviewcast.MaxIDLength-1))
	sha256 := pattern("^[0-9a-f]{64}$")
	uri := format("uri")
	return map[string]facet{
		"rating":                 stars,
		"min_rating":             stars,
		"rating_value":           stars,
		"average_rating":         stars,
		"average_rating_without": stars,
		"best_rating":            always(reviewcast.MaxRating),
		"worst_rating":           always(reviewcast.MinRating),
		"score":                  polarity,
		"sentiment_score":        polarity,
		"not_mentioned_pct":      percent,
		"positive_pct":           percent,
		"neutral_pct":            percent,
		"negative_pct":           percent,
		"share":                  share,
		"recent_share":           share,
		"earlier_share":          share,
		"low":                    share,
		"high":                   share,
		"level":                  oneOf("none", "low", "medium", "high"),
		"direction":              oneOf("improving", "steady", "declining", "insufficient_data"),
		"change":                 between(reviewcast.MinRating-reviewcast.MaxRating, reviewcast.MaxRating-reviewcast.MinRating),
		"month":                  pattern("^[0-9]{4}-(0[1-9]|1[0-2])$"),
		"latitude":               between(-90, 90),
		"longitude":              between(-180, 180),
		"url":                    uri,
		"source_url":             uri,
		"author_avatar_url":      uri,
		"logo":                   uri,
		"same_as":                each(uri),
		"base_url":               uri,
		"about":                  uri,
		"email":                  format("email"),
		"lexicon_sha256":         sha256,
		"sha256":                 sha256,
		"change_sha256":          sha256,
		"set_sha256":             sha256,
		"ids_sha256":             sha256,
		"patch_sha256":           sha256,
		"previous_sha256":        sha256,
		"from":                   sha256,
		"to":                     sha256,
		"reason":                 oneOf(reviewcast.ReasonWithdrawn, reviewcast.ReasonLegal),
		"patch":                  pattern("^/changes/[0-9]+/insights\\.json$"),
		"Change.version":         always(1),
		"Withdrawals.version":    always(1),
		"Withdrawal.id":          id,
		"WithdrawnReview.id":     id,
		"ReviewChanges.added":    each(id),
		"ReviewChanges.changed":  each(id),
		"review_id":              id,
		"limit":                  between(1, reviewcast.MaxLimit),
		"Dataset.version":        always(1),
		"Insights.version":       always(1),
		"Manifest.version":       always(1),
		"Review.id":              id,
		"Review.verified":        always(true),
		"Review.text":            atMost(reviewcast.MaxTextLength),
		"Named.id":               id,
		"Technician.id":          id,
		"Evidence.source":        oneOf("editor", "trade", "cues", "lexicon", "stars"),
		"ReviewInsight.source":   oneOf("text_and_stars", "stars"),
		"Verification.method":    oneOf(reviewcast.VerificationMethods...),
		"File.path":              pattern("^/"),
		"Query.query":            atMost(reviewcast.MaxQueryLength),
		"Error.status":           between(400, 599),
	}
}()

// Schemas that no type of ours stands for.
var (
	jsonFeedSchema = object([]string{"version", "title", "home_page_url", "feed_url", "authors", "hubs", "items"}, map[string]*jsonschema.Schema{
		"version":       {Type: "string", Const: jsonschema.Ptr[any]("https://jsonfeed.org/version/1.1")},
		"title":         {Type: "string"},
		"language":      {Type: "string", Description: "BCP 47 tag"},
		"home_page_url": {Type: "string", Format: "uri"},
		"feed_url":      {Type: "string", Format: "uri"},
		"description":   {Type: "string"},
		"authors":       {Type: "array", Items: ref("JSONFeedAuthor")},
		"hubs": {Type: "array", Description: "where to subscribe to changes", Items: object([]string{"type", "url"}, map[string]*jsonschema.Schema{
			"type": {Type: "string", Const: jsonschema.Ptr[any]("WebSub")},
			"url":  {Type: "string", Format: "uri"},
		})},
		"items": {Type: "array", MaxItems: jsonschema.Ptr(reviewcast.FeedSize), Items: ref("JSONFeedItem"), Description: "the newest reviews, newest first"},
	})
	jsonFeedItemSchema = object([]string{"id", "url", "title", "content_text", "date_published", "date_modified", "authors", "tags", "_review"}, map[string]*jsonschema.Schema{
		"id":             {Type: "string", Format: "uri", Description: "stable for ever"},
		"url":            {Type: "string", Format: "uri", Description: "where the review is read"},
		"external_url":   {Type: "string", Format: "uri", Description: "the review where it was given"},
		"title":          {Type: "string", Description: "the review's title, or a sentence of ours when it has none"},
		"content_text":   {Type: "string", Description: "the customer's words as plain text; for a review of stars only a sentence of ours, such as \"5 of 5 stars\""},
		"date_published": {Type: "string", Format: "date-time", Description: "the review's date at noon UTC"},
		"date_modified":  {Type: "string", Format: "date-time", Description: "the later of the review's and the reply's date, at noon UTC"},
		"authors":        {Type: "array", Items: ref("JSONFeedAuthor")},
		"tags":           {Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: "the stars (\"5 stars\"), then the services and service areas that the review mentions, by name"},
		"language":       {Type: "string", Description: "BCP 47 tag"},
		"_review":        ref("ReviewExtension"),
	})
	jsonFeedAuthorSchema = object([]string{"name"}, map[string]*jsonschema.Schema{
		"name":   {Type: "string"},
		"url":    {Type: "string", Format: "uri"},
		"avatar": {Type: "string", Format: "uri"},
	})
	jsonRPCRequestSchema = object([]string{"jsonrpc", "method"}, map[string]*jsonschema.Schema{
		"jsonrpc": {Type: "string", Const: jsonschema.Ptr[any]("2.0")},
		"id":      {OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}, Description: "chosen by the client; absent in a notification"},
		"method":  {Type: "string", Description: "such as initialize, tools/list or tools/call"},
		"params":  {Type: "object"},
	})
	jsonRPCResponseSchema = object([]string{"jsonrpc"}, map[string]*jsonschema.Schema{
		"jsonrpc": {Type: "string", Const: jsonschema.Ptr[any]("2.0")},
		"id":      {OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}, {Type: "null"}}, Description: "that of the request"},
		"result":  {Type: "object", Description: "there unless there is an error"},
		"error": object([]string{"code", "message"}, map[string]*jsonschema.Schema{
			"code":    {Type: "integer"},
			"message": {Type: "string"},
			"data":    {Type: "object", Description: "more about the error; may be absent"},
		}),
	})
)

// descriptionSchema is as much of OpenAPI as a client needs to know what it got.
var descriptionSchema = object([]string{"openapi", "info", "paths"}, map[string]*jsonschema.Schema{
	"openapi": {Type: "string"},
	"info":    {Type: "object"},
	"paths":   {Type: "object"},
})

func object(required []string, properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: required, Properties: properties}
}

func ref(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

func values[T any](list ...T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}
