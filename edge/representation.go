package edge

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// representation is a body in one content coding with its header fields, which responses share.
type representation struct {
	etag     []string
	modified []string // as a header value; nil when unknown
	time     time.Time
	media    []string
	encoding []string // nil for identity
	cache    []string
	policy   []string
	link     []string      // nil except for topics and datasets
	sequence []string      // of the version that the answer is from
	cost     int           // of making and sending the body, instead of its size; see admit
	body     func() *parts // made once
}

// setHeader sets the header fields of a response with a body.
func (rep *representation) setHeader(h http.Header) {
	h["Content-Type"] = rep.media
	if rep.encoding != nil {
		h["Content-Encoding"] = rep.encoding
	}
	if rep.modified != nil {
		h["Last-Modified"] = rep.modified
	}
	rep.setValidators(h)
}

// setValidators sets the header fields that a 304 repeats.
func (rep *representation) setValidators(h http.Header) {
	h["Etag"] = rep.etag
	h["Cache-Control"] = rep.cache
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = rep.policy
	h["Reviewcast-Sequence"] = rep.sequence
	if rep.link != nil {
		h["Link"] = rep.link
	}
}

func (e *edge) serve(w http.ResponseWriter, r *http.Request, rep *representation) {
	if !e.serveFast(w, r, rep) {
		e.serveContent(w, r, rep)
	}
}

// serveFast answers the two most frequent kinds of request: those without conditions, and those with the entity tag of
// an earlier response. It reports false for others. Its responses equal those of serveContent, which a test checks, but
// it writes the body at once and not in pieces of 32 KiB.
func (e *edge) serveFast(w http.ResponseWriter, r *http.Request, rep *representation) bool {
	header := r.Header
	match := header["If-None-Match"]
	if header["Range"] != nil || header["If-Match"] != nil || header["If-Unmodified-Since"] != nil ||
		len(match) == 0 && header["If-Modified-Since"] != nil || len(match) > 1 {
		return false
	}
	h := w.Header()
	if len(match) == 1 {
		if match[0] != rep.etag[0] {
			return false
		}
		rep.setValidators(h)
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	if err := e.admitBody(r, rep, 0); err != nil {
		e.fail(w, r, err)
		return true
	}
	body := rep.body()
	rep.setHeader(h)
	h["Accept-Ranges"] = acceptBytes
	h["Content-Length"] = body.length
	extendDeadline(w, body.size)
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		for _, part := range body.parts {
			if _, err := w.Write(part); err != nil {
				break // the client is gone
			}
		}
	}
	return true
}

// admitBody charges for a body of which so many bytes are sent; 0 is all.
func (e *edge) admitBody(r *http.Request, rep *representation, sent int64) error {
	if rep.cost > 0 || r.Method == http.MethodHead {
		return e.admit(r, rep.cost)
	}
	return e.admit(r, int(cmp.Or(sent, rep.body().size)/bytesPerUnit))
}

// serveContent leaves conditions and ranges to net/http, which follows RFC 9110 except for what normalise corrects.
func (e *edge) serveContent(w http.ResponseWriter, r *http.Request, rep *representation) {
	rep.setHeader(w.Header())
	http.ServeContent(&errorWriter{ResponseWriter: w, e: e, r: r, rep: rep}, normalise(r), "", rep.time, &content{rep: rep})
}

// normalise rewrites the header fields that ServeContent doesn't handle as RFC 9110 says: lists in several lines
// (section 5.3), repeated dates (13.1.3), ranges with HEAD (14.2), unknown range units (14.2), range units in capitals
// (14.1), and suffix ranges of no bytes (14.1.2).
func normalise(r *http.Request) *http.Request {
	h := r.Header.Clone()
	for _, name := range []string{"If-Match", "If-None-Match"} {
		if len(h[name]) > 1 {
			h[name] = []string{strings.Join(h[name], ", ")}
		}
	}
	for _, name := range []string{"If-Modified-Since", "If-Unmodified-Since"} {
		if len(h[name]) > 1 {
			h.Del(name)
		}
	}
	if ranges := h["Range"]; ranges != nil {
		unit, set, ok := strings.Cut(ranges[0], "=")
		if ok && len(ranges) == 1 && r.Method == http.MethodGet && strings.EqualFold(unit, "bytes") {
			h["Range"] = []string{"bytes=" + satisfiable(set)}
		} else {
			h.Del("Range")
		}
	}
	normal := *r
	normal.Header = h
	return &normal
}

// satisfiable removes the suffixes of no bytes, which net/http answers with an empty 206. They are
// unsatisfiable (section 14.1.2), and so is a set of nothing else.
func satisfiable(set string) string {
	kept := slices.DeleteFunc(strings.Split(set, ","), func(spec string) bool {
		zeros, suffix := strings.CutPrefix(strings.TrimSpace(spec), "-")
		return suffix && zeros != "" && strings.Trim(zeros, "0") == ""
	})
	if len(kept) == 0 {
		return strconv.FormatInt(math.MaxInt64, 10) + "-" // beyond the end of every file
	}
	return strings.Join(kept, ",")
}

// errorWriter replaces the errors of ServeContent by those of fail, and sets Content-Length for all bodies.
type errorWriter struct {
	http.ResponseWriter
	e      *edge
	r      *http.Request
	rep    *representation
	failed bool
}

func (c *errorWriter) WriteHeader(status int) {
	var err error
	switch status {
	case http.StatusPreconditionFailed:
		err = errPrecondition
	case http.StatusRequestedRangeNotSatisfiable:
		err = errRange
	case http.StatusOK, http.StatusPartialContent:
		body := c.rep.body()
		if status == http.StatusOK {
			c.Header()["Content-Length"] = body.length
		}
		sent, _ := strconv.ParseInt(c.Header().Get("Content-Length"), 10, 64) // which ServeContent sets for ranges
		err = c.e.admitBody(c.r, c.rep, sent)
		extendDeadline(c.ResponseWriter, body.size)
	}
	if c.failed = err != nil; c.failed {
		if status == http.StatusPartialContent {
			c.Header().Del("Content-Range")
		}
		c.e.fail(c.ResponseWriter, c.r, err)
		return
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *errorWriter) Write(p []byte) (int, error) {
	if c.failed {
		return len(p), nil // the text of the error that fail has written
	}
	return c.ResponseWriter.Write(p)
}

// Write deadlines. Without them slow clients would hold connections for ever.
const (
	writeTimeout = 60 * time.Second // the time for every response
	minRate      = 16 << 10         // the least rate, in bytes per second, at which a client must read a large body
	freeSize     = 512 << 10
)

// extendDeadline extends the write deadline of a large body by its time at minRate.
func extendDeadline(w http.ResponseWriter, size int64) {
	if size > freeSize {
		deadline := time.Now().Add(writeTimeout + time.Duration(size/minRate)*time.Second)
		_ = http.NewResponseController(w).SetWriteDeadline(deadline) // a writer without deadlines needs none
	}
}

type parts struct {
	parts  [][]byte
	size   int64
	length []string // size as a header value
}

func newParts(p ...[]byte) *parts {
	b := &parts{parts: p}
	for _, part := range p {
		b.size += int64(len(part))
	}
	b.length = []string{strconv.FormatInt(b.size, 10)}
	return b
}

// content is an [io.ReadSeeker] over a representation's body, which it makes when ServeContent asks
// for the length, after the conditions.
type content struct {
	io.Reader // of the rest
	rep       *representation
}

// Seek seeks from the start or to the end, as ServeContent does.
func (c *content) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		offset += c.rep.body().size
	}
	var rest []io.Reader
	skip := offset
	for _, part := range c.rep.body().parts {
		n := min(skip, int64(len(part)))
		rest = append(rest, bytes.NewReader(part[n:]))
		skip -= n
	}
	c.Reader = io.MultiReader(rest...)
	return offset, nil
}
