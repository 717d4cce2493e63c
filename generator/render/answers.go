package render

import (
	"maps"
	"net/http"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// What several operations share: the headers of conditional requests, the headers
// of answers, and the errors.

var text = &jsonschema.Schema{Type: "string"}

var sharedParameters = map[string]parameter{
	"IfNoneMatch": {
		Name: "If-None-Match", In: "header", Schema: text, Example: `"3f1d9c0e5b7a42c8"`,
		Description: "ETags of the copies that you hold, or `*`. If one is current, the answer is 304.",
	},
	"IfModifiedSince": {
		Name: "If-Modified-Since", In: "header", Schema: text, Example: "Sat, 14 Mar 2026 12:00:00 GMT",
		Description: "`Last-Modified` of the copy that you hold. Without a newer one the answer is 304. It counts only where there is no `If-None-Match`.",
	},
}

var sharedHeaders = map[string]header{
	"ETag":                        {Description: "Hash of the body's bytes in this content coding (strong).", Schema: text, Example: `"3f1d9c0e5b7a42c8"`},
	"Last-Modified":               {Description: "When these bytes last changed; a rebuild of the same content doesn't count.", Schema: text, Example: "Sat, 14 Mar 2026 12:00:00 GMT"},
	"Cache-Control":               {Description: "How long a copy may be used unasked; no-store with an error.", Schema: text, Example: "public, max-age=60, stale-while-revalidate=600"},
	"Vary":                        {Description: "Always names Accept-Encoding.", Schema: text, Example: "Accept-Encoding"},
	"Link":                        {Description: "The topic's hub and its own address (W3C WebSub, section 4).", Schema: text, Example: `</api/websub/hub>; rel="hub", </feed.xml>; rel="self"`},
	"Content-Range":               {Description: "Which part this is.", Schema: text, Example: "bytes 0-1023/479232"},
	"Allow":                       {Description: "The methods that the path has.", Schema: text, Example: "GET, HEAD, OPTIONS"},
	"Retry-After":                 {Description: "Seconds to wait before the next try.", Schema: &jsonschema.Schema{Type: "integer", Minimum: new(float64)}, Example: 1},
	"Access-Control-Allow-Origin": {Description: "Pages of every origin may read the answer.", Schema: text, Example: "*"},
}

// sharedNames are the names of the shared answers, by status.
var sharedNames = map[string]string{
	"304": "NotModified",
	"400": "BadRequest",
	"404": "NotFound",
	"405": "MethodNotAllowed",
	"406": "NotAcceptable",
	"412": "PreconditionFailed",
	"414": "URITooLong",
	"416": "RangeNotSatisfiable",
	"429": "TooManyRequests",
	"431": "HeadersTooLarge",
	"503": "ServiceUnavailable",
}

// sharedResponses are the errors, each with an example of its body.
func sharedResponses() map[string]response {
	// Two real mistakes, as the parser reports them.
	_, issues := reviewcast.ParseSearch("rating=9&since=2026-02-30")
	out := map[string]response{
		"NotModified": {
			Description: "Your copy is current; there is no body.",
			Headers:     headers("ETag", "Cache-Control", "Vary", "Access-Control-Allow-Origin"),
		},
	}
	for status, e := range map[int]struct {
		description, detail string
		issues              []reviewcast.Issue
		header              string
	}{
		http.StatusBadRequest:                   {"Bad parameters, all of them at once in `issues`.", "Invalid parameters: see issues, and " + reviewcast.PathOpenAPI + " for what is allowed.", issues, ""},
		http.StatusNotFound:                     {"The set has no such document: the version is unknown, or too old.", "There is nothing at this path.", nil, ""},
		http.StatusMethodNotAllowed:             {"The answer to every other method: the path has GET, HEAD and OPTIONS.", `This path has no method "POST"; it has GET, HEAD, OPTIONS.`, nil, "Allow"},
		http.StatusNotAcceptable:                {"`Accept-Encoding` rules out every coding, identity included.", "Allow gzip or identity in Accept-Encoding.", nil, ""},
		http.StatusPreconditionFailed:           {"`If-Match` or `If-Unmodified-Since` names another state than the current one.", "The resource has changed; fetch it without a condition.", nil, ""},
		http.StatusRequestURITooLong:            {"The address is longer than 4 KiB.", "Shorten the address to 4,096 bytes.", nil, ""},
		http.StatusRequestedRangeNotSatisfiable: {"`Range` asks for bytes that the file doesn't have.", "The content has no such range of bytes.", nil, "Content-Range"},
		http.StatusTooManyRequests:              {"More requests than one address may send.", "Wait for the seconds in Retry-After.", nil, "Retry-After"},
		http.StatusRequestHeaderFieldsTooLarge:  {"The headers are longer than 16 KiB.", "Send fewer or shorter headers.", nil, ""},
		http.StatusServiceUnavailable:           {"Nothing is published yet, or the service is about to stop.", "Try again in a moment.", nil, "Retry-After"},
	} {
		r := response{
			Description: e.description,
			Headers:     headers("Cache-Control", "Vary", "Access-Control-Allow-Origin"),
			Content: map[string]mediaType{reviewcast.MediaJSON: {
				Schema: ref("Error"), Example: reviewcast.NewError(status, e.detail, e.issues...),
			}},
		}
		if e.header != "" {
			maps.Copy(r.Headers, headers(e.header))
		}
		out[sharedNames[strconv.Itoa(status)]] = r
	}
	return out
}
