package edge

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// page is a file in all its content codings.
type page struct {
	offers []string                   // codings except identity, best first
	in     map[string]*representation // by coding, identity too
}

// file serves a published file. A path that ends in a slash is that of its
// index.html, or of the index.md beside it for a client that prefers Markdown.
func (e *edge) file(w http.ResponseWriter, r *http.Request) error {
	current := e.pages.Load()
	if current == nil {
		return errNoSnapshot
	}
	pages, path := *current, r.URL.Path
	if path == "" || strings.HasSuffix(path, "/") {
		path = strings.TrimSuffix(path, "/") + "/index.html"
	}
	p, ok := pages[path]
	if !ok && pages[path+"/index.html"] == nil {
		if missing, ok := pages[reviewcast.PathMissing]; ok && prefers("text/html", reviewcast.MediaJSON, r) {
			return &failure{ErrorBody: errNotFound.ErrorBody, page: missing.in[identity]}
		}
		return errNotFound
	}
	if folder, isPage := strings.CutSuffix(path, "index.html"); isPage && path != r.URL.Path {
		if twin, ok := pages[folder+"index.md"]; ok {
			w.Header()["Vary"] = varyPage
			if prefers("text/markdown", "text/html", r) {
				p = twin
			}
		}
	}
	if err := readable(r); err != nil {
		return err
	}
	if !ok { // the folder of a page
		w.Header()["Cache-Control"] = e.cacheControl(r.URL.Path)
		http.Redirect(w, r, r.URL.Path+"/", http.StatusPermanentRedirect)
		return nil
	}
	coding, ok := negotiate(r.Header["Accept-Encoding"], p.offers...)
	if !ok {
		return errNotAcceptable
	}
	e.serve(w, r, p.in[coding])
	return nil
}

// prefers reports whether Accept gives one media type a higher weight than another.
func prefers(one, other string, r *http.Request) bool {
	accept := r.Header["Accept"]
	return weight(accept, one) > max(0, weight(accept, other))
}

func (e *edge) pagesOf(files *snapshot.Files) *map[string]*page {
	pages, sequence := map[string]*page{}, sequenceOf(files)
	for f := range files.All() {
		pages[f.Path] = e.page(f, sequence)
	}
	return &pages
}

// page makes the representations of a file. The first request for gzip compresses one without variants.
func (e *edge) page(f *snapshot.File, sequence []string) *page {
	plain := representation{
		etag: []string{`"` + f.SHA256 + `"`}, time: f.LastModified, modified: httpTime(f.LastModified),
		media: []string{f.MediaType}, cache: e.cacheControl(f.Path), policy: policyData, link: e.links[f.Path], sequence: sequence,
		body: bytesBody(f.Body),
	}
	if strings.HasPrefix(f.MediaType, "text/html") {
		plain.policy = policyDocument
	}
	p := &page{in: map[string]*representation{identity: &plain}}
	add := func(coding, tag string, body func() *parts) {
		encoded := plain
		encoded.etag, encoded.encoding, encoded.body = []string{`"` + tag + `"`}, []string{coding}, body
		p.offers, p.in[coding] = append(p.offers, coding), &encoded
	}
	for _, v := range f.Variants {
		add(v.Coding, v.SHA256, bytesBody(v.Body))
	}
	const minGzip = 1 << 10 // less fits into one packet
	if len(f.Variants) == 0 && f.Size >= minGzip && !e.Dev && !strings.HasPrefix(f.MediaType, "image/") {
		add("gzip", f.SHA256+gzipTag, sync.OnceValue(func() *parts { return newParts(snapshot.Gzip(f.Body)) }))
	}
	return p
}

func sequenceOf(s *snapshot.Files) []string { return []string{strconv.FormatInt(s.Sequence(), 10)} }

func bytesBody(b []byte) func() *parts {
	body := newParts(b)
	return func() *parts { return body }
}

func (e *edge) cacheControl(path string) []string {
	switch {
	case e.Dev:
		return cacheNever
	case path == reviewcast.PathManifest || path == reviewcast.PathLatestChange || path == reviewcast.PathVersions:
		return cacheRevalidate
	}
	return cacheShortly
}

const identity = "identity" // the coding of a body that is not encoded

const unset = -1 // the weight of a coding that Accept-Encoding doesn't name

// negotiate chooses the content coding for a request with these Accept-Encoding lines from offers, best first, and
// identity (RFC 9110, section 12.5.3). The highest weight wins, then the order of offers. identity comes last unless
// its weight is higher; only a weight of zero, its own or that of the star, excludes it. ok is false when no coding is
// acceptable.
func negotiate(accept []string, offers ...string) (coding string, ok bool) {
	best, highest := "", 0.0
	for _, offer := range offers {
		if w := weight(accept, offer); w > highest {
			best, highest = offer, w
		}
	}
	w := weight(accept, identity)
	if w > highest || best == "" && w == unset {
		return identity, true
	}
	return best, best != ""
}

var qvalue = regexp.MustCompile(`^[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*$`)

// weight returns the weight of a name in Accept or Accept-Encoding: its own, or that of the star, or unset.
// Members with invalid syntax are ignored; of two with one name the later counts.
func weight(accept []string, name string) float64 {
	own, star := float64(unset), float64(unset)
	for member := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		member, parameter, weighted := strings.Cut(member, ";")
		member = strings.Trim(member, " \t")
		found := strings.EqualFold(member, name) || name == "gzip" && strings.EqualFold(member, "x-gzip")
		if !found && member != "*" {
			continue
		}
		weight := 1.0
		if weighted {
			q := qvalue.FindStringSubmatch(parameter)
			if q == nil {
				continue
			}
			weight, _ = strconv.ParseFloat(q[1], 64) // the expression allows numbers only
		}
		if found {
			own = weight
		} else {
			star = weight
		}
	}
	if own != unset {
		return own
	}
	return star
}
