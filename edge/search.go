package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// bytesPerUnit is how many bytes, of since before compression, are sent in a millisecond of computing time.
const bytesPerUnit = 5 << 20

// gzipTag ends the entity tag of a response that is compressed here: the hash of the plain bytes
// and the encoder. Another encoder or level needs another ending.
const gzipTag = "-gzip1"

func (e *edge) search(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot) error {
	q, issues := reviewcast.ParseSearch(r.URL.RawQuery)
	if len(issues) > 0 {
		return badParameters(issues)
	}
	if err := e.admit(r, s.Cost(q)); err != nil {
		return err
	}
	body := append(s.Search(q).AppendMembers([]byte{'{'}), "}\n"...)
	sum := sha256.Sum256(body)
	return e.answer(w, r, s, sum, 0, func() *parts { return newParts(body) }, func() *parts { return newParts(snapshot.Gzip(body)) })
}

func (e *edge) since(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot) error {
	day, issues := reviewcast.ParseSince(strings.TrimPrefix(r.URL.Path, reviewcast.PathSince), r.URL.RawQuery)
	if len(issues) > 0 {
		return badParameters(issues)
	}
	found := s.Since(day)
	plain := newParts(found.Body()...)
	return e.answer(w, r, s, found.Sum(), int(plain.size/bytesPerUnit), func() *parts { return plain }, func() *parts { return newParts(found.Gzip()...) })
}

// answer serves a body that was made for this request. sum is a hash of the plain bytes, and cost what sending them costs.
func (e *edge) answer(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot, sum [sha256.Size]byte, cost int, plain, gzipped func() *parts) error {
	coding, ok := negotiate(r.Header["Accept-Encoding"], "gzip")
	if !ok {
		return errNotAcceptable
	}
	rep := representation{time: s.LastModified(), modified: httpTime(s.LastModified()), media: mediaJSON,
		cache: e.cacheControl(r.URL.Path), policy: policyData, sequence: sequenceOf(s.Files), cost: cost, body: plain}
	tag := hex.EncodeToString(sum[:16])
	if coding == "gzip" {
		tag += gzipTag
		rep.encoding = []string{coding}
		rep.body = sync.OnceValue(gzipped)
	}
	rep.etag = []string{`"` + tag + `"`}
	e.serve(w, r, &rep)
	return nil
}

func badParameters(issues []reviewcast.Issue) *failure {
	return problem(http.StatusBadRequest, "Invalid parameters: see issues, and "+reviewcast.PathOpenAPI+" for what is allowed.", issues...)
}

// httpTime is a time as a header value; nil for the zero time.
func httpTime(t time.Time) []string {
	if t.IsZero() {
		return nil
	}
	return []string{t.UTC().Format(http.TimeFormat)}
}
