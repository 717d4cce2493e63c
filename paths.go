package reviewcast

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Paths below the base URL.
const (
	PathIndex      = "/index.html" // served as "/" too
	PathMissing    = "/404.html"   // what browsers get where nothing is published
	PathReviews    = "/reviews.json"
	PathInsights   = "/insights.json"
	PathJSONFeed   = "/api/feed.json"
	PathAtom       = "/feed.xml"
	PathOpenAPI    = "/.well-known/openapi.json"
	PathManifest   = "/manifest.json"
	PathSearch     = "/api/reviews/search"
	PathSince      = "/api/reviews/since/" // + YYYY-MM-DD
	PathHub        = "/api/websub/hub"
	PathMCP        = "/mcp"
	PathServerCard = "/mcp/server-card"
)

// Folders of pages. A page is an index.html in a folder, and its address ends in a
// slash; index.md beside it says the same in Markdown.
const (
	PathMonths      = "/reviews/"     // the months; + YYYY-MM/ one month, + YYYY/ one year
	PathAspects     = "/aspects/"     // + id/
	PathTechnicians = "/technicians/" // + id/
	PathServices    = "/services/"    // + id/
	PathAreas       = "/areas/"       // + id/
	PathDocs        = "/docs/"
)

// Exports of the dataset for analysts.
const (
	PathCSV    = "/reviews.csv"
	PathJSONL  = "/reviews.jsonl"
	MediaCSV   = "text/csv; charset=utf-8; header=present"
	MediaJSONL = "application/jsonl"
)

// SchemaPath returns the path of the JSON Schema of a dataset's file.
func SchemaPath(path string) string { return "/schemas" + path }

// DescribedByLink is the value of the Link header that leads from a dataset's file to its JSON Schema.
func DescribedByLink(baseURL, path string) string {
	return fmt.Sprintf("<%s>; rel=\"describedby\"; type=%q", baseURL+SchemaPath(path), MediaSchema)
}

// PagePolicy is the Content-Security-Policy of every page.
const PagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'self'"

// ReviewPath is a review's anchor on the page of its month. The date must be valid.
func ReviewPath(id string, date Date) string { return PathMonths + date.Month() + "/#" + id }

// Media types, for Content-Type and the manifest.
const (
	MediaJSON     = "application/json"
	MediaAtom     = "application/atom+xml"
	MediaHTML     = "text/html; charset=utf-8"
	MediaMarkdown = "text/markdown; charset=utf-8" // of a page's twin
	MediaSchema   = "application/schema+json"      // of a JSON Schema
)

// FeedSize is how many of the newest reviews the two feeds hold.
const FeedSize = 50

// Topics are the paths that the WebSub hub takes subscriptions for. The last one is
// there only in a set that publishes changes.
var Topics = []string{PathAtom, PathJSONFeed, PathReviews, PathLatestChange}

// TopicLinks is the value of the Link header of a topic: its hub and itself (W3C WebSub, section 4).
func TopicLinks(baseURL, path string) string {
	return fmt.Sprintf("<%s>; rel=\"hub\", <%s>; rel=\"self\"", baseURL+PathHub, baseURL+path)
}

// ParseBaseURL checks the origin that all paths are below, and returns it in one form: lower case, without a
// trailing slash or a port that the scheme implies. Hosts are ASCII, for headers.
func ParseBaseURL(s string) (string, error) {
	if plain := addressForm.ReplaceAllString(commaForm.ReplaceAllString(strings.ReplaceAll(s, `\`, "/"), "$1.$2"), "$1://$2"); plain != s && addressForm.MatchString(plain) {
		return "", fmt.Errorf("base URL %q is not quite an address; write %s", s, plain)
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", errors.New("base URL is not a URL; write one such as https://reviews.example.com")
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	switch {
	case scheme == "ftp" || scheme == "sftp" || scheme == "file":
		return "", fmt.Errorf("base URL %q is not where people read the pages; write the address that they open, such as https://reviews.example.com", s)
	case scheme != "https" && scheme != "http":
		return "", fmt.Errorf("base URL %q must begin with https:// (http:// is for development)", s)
	case host == "":
		return "", fmt.Errorf("base URL %q names no host; write one such as https://reviews.example.com", s)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(s, "#"):
		return "", fmt.Errorf("base URL %q must be an origin only: scheme, host and port, without user, query or fragment", s)
	case strings.Trim(u.Path, "/") != "":
		return "", fmt.Errorf("base URL %q has the path %q, and the pages work only at the root of a host; ask your web host for one of their own, and write it, such as https://reviews.%s",
			s, u.Path, strings.TrimPrefix(strings.TrimPrefix(host, "www."), "reviews."))
	case !validHost(host):
		return "", fmt.Errorf("base URL %q is not the address of a site; write only letters from a to z, digits, '-' and single '.' behind //, and a name in another script in its xn-- form", s)
	}
	if n, err := strconv.ParseUint(port, 10, 16); strings.HasSuffix(u.Host, ":") || port != "" && (err != nil || n == 0 || port[0] == '0') {
		return "", fmt.Errorf("base URL %q has no valid port; write one from 1 to 65535, or leave it out", s)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]" // an IPv6 address
	}
	if port != "" && port != map[string]string{"https": "443", "http": "80"}[scheme] {
		host += ":" + port
	}
	return scheme + "://" + host, nil
}

// addressForm matches an address as people type and paste it: in brackets or quotes, with wrong signs after https.
var addressForm = regexp.MustCompile(`(?i)^[\s<("'“]*(https?)[:;/.]*[:;/][:;/]*([^\s/:;<>()"'“”][^\s<>()"'“”]*)[\s>)"'”.,]*$`)

// commaForm matches an address with a comma in place of a point.
var commaForm = regexp.MustCompile(`(?i)^(https?:/+[a-z0-9.-]*[a-z0-9]),([a-z0-9][a-z0-9.-]*)$`)

// dnsName matches a DNS name in lower case (RFC 1123, section 2.1), but for its length.
var dnsName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

// validHost reports whether a lower-case host is an IP address or a DNS name.
func validHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return !strings.Contains(host, "%") // a zone means something on one machine only
	}
	return len(host) <= 253 && dnsName.MatchString(host)
}
