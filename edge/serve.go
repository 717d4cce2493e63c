package edge

import (
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// representation is a body in one content coding with what its header says. The
// header's values are made once and shared.
type representation struct {
	etag     []string
	modified []string // as HTTP writes it; nil when the time isn't known
	time     time.Time
	media    []string
	encoding []string // nil for identity
	cache    []string
	policy   []string
	link     []string // nil but for topics
	body     func() *parts
}

// setHeader sets the representation's fields of an answer that has a body.
func (rep *representation) setHeader(h http.Header) {
	h["Content-Type"] = rep.media
	if rep.encoding != nil {
		h["Content-Encoding"] = rep.encoding
	}
	if rep.modified != nil {
		h["Last-Modified"] = rep.modified
	}
	rep.setStanding(h)
}

// setStanding sets those that a 304 repeats.
func (rep *representation) setStanding(h http.Header) {
	h["Etag"] = rep.etag
	h["Cache-Control"] = rep.cache
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = rep.policy
	if rep.link != nil {
		h["Link"] = rep.link
	}
}

// serve answers GET and HEAD with a representation.
func (e *edge) serve(w http.ResponseWriter, r *http.Request, rep *representation) {
	if !serveFast(w, r, rep) {
		e.serveContent(w, r, rep)
	}
}

// serveFast answers the two kinds of request that most are: without conditions,
// and with the very entity tag that an earlier answer gave. It answers exactly as
// serveContent, by a test that asks both, but writes a body at once and not in
// pieces of 32 KiB. False when the request is of another kind.
func serveFast(w http.ResponseWriter, r *http.Request, rep *representation) bool {
	asked := r.Header
	match := asked["If-None-Match"]
	if asked["Range"] != nil || asked["If-Match"] != nil || asked["If-Unmodified-Since"] != nil ||
		len(match) == 0 && asked["If-Modified-Since"] != nil || len(match) > 1 {
		return false
	}
	h := w.Header()
	if len(match) == 1 {
		if match[0] != rep.etag[0] {
			return false
		}
		rep.setStanding(h)
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	body := rep.body()
	rep.setHeader(h)
	h["Accept-Ranges"] = acceptBytes
	h["Content-Length"] = []string{strconv.FormatInt(body.size, 10)}
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

// serveContent leaves the conditions and ranges to net/http, which knows RFC 9110
// but for what normalise mends.
func (e *edge) serveContent(w http.ResponseWriter, r *http.Request, rep *representation) {
	rep.setHeader(w.Header())
	content := &content{rep: rep}
	http.ServeContent(&checked{ResponseWriter: w, e: e, r: r, content: content}, normalise(r), "", rep.time, content)
}

// normalise mends what ServeContent reads otherwise than RFC 9110: it sees only
// the first line of a list that came in several (section 5.3), takes a date that
// came twice (13.1.3), answers ranges to HEAD (14.2), and refuses range units that
// it should ignore (14.2) or that are written in capitals (14.1), and serves suffixes
// of no bytes (14.1.2).
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
	mended := *r
	mended.Header = h
	return &mended
}

// satisfiable leaves out of a range set the suffixes of no bytes, which net/http
// answers with an empty 206 and a Content-Range that ends before it begins. They
// are unsatisfiable (section 14.1.2), and so is a set of nothing else.
func satisfiable(set string) string {
	var kept []string
	for spec := range strings.SplitSeq(set, ",") {
		if zeros, suffix := strings.CutPrefix(strings.TrimSpace(spec), "-"); !suffix || zeros == "" || strings.Trim(zeros, "0") != "" {
			kept = append(kept, spec)
		}
	}
	if len(kept) == 0 {
		return strconv.FormatInt(math.MaxInt64, 10) + "-" // behind the end of every file
	}
	return strings.Join(kept, ",")
}

// checked is the writer that ServeContent gets: its errors become ours, and an
// encoded body has its length in the header, too.
type checked struct {
	http.ResponseWriter
	e       *edge
	r       *http.Request
	content *content
	failed  bool
}

func (c *checked) WriteHeader(status int) {
	h := c.Header()
	switch status {
	case http.StatusPreconditionFailed:
		c.failed = true
		c.e.fail(c.ResponseWriter, c.r, errPrecondition)
		return
	case http.StatusRequestedRangeNotSatisfiable:
		c.failed = true
		c.e.fail(c.ResponseWriter, c.r, errRange)
		return
	case http.StatusOK:
		size := c.content.open().size
		h["Content-Length"] = []string{strconv.FormatInt(size, 10)}
		extendDeadline(c.ResponseWriter, size)
	case http.StatusPartialContent:
		extendDeadline(c.ResponseWriter, c.content.open().size)
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *checked) Write(p []byte) (int, error) {
	if c.failed {
		return len(p), nil // net/http's words for what fail has said
	}
	return c.ResponseWriter.Write(p)
}

// Bodies that a client is too slow for would hold their connections for ever.
const (
	// writeTimeout is the time for every answer, however small.
	writeTimeout = 60 * time.Second
	// minRate is the slowest pace, in bytes a second, at which a client may take what
	// comes on top of freeSize.
	minRate  = 16 << 10
	freeSize = 512 << 10
)

// extendDeadline gives a large body the time that it takes at minRate.
func extendDeadline(w http.ResponseWriter, size int64) {
	if size > freeSize {
		deadline := time.Now().Add(writeTimeout + time.Duration(size/minRate)*time.Second)
		_ = http.NewResponseController(w).SetWriteDeadline(deadline) // a writer without deadlines needs none
	}
}

// parts is a body in pieces, one behind the other.
type parts struct {
	parts [][]byte
	size  int64
}

func newParts(p ...[]byte) *parts {
	b := &parts{parts: p}
	for _, part := range p {
		b.size += int64(len(part))
	}
	return b
}

// content reads a representation's body. It opens it only when ServeContent wants
// to know its length, which is after the conditions: a 304 compresses nothing.
type content struct {
	rep    *representation
	body   *parts
	offset int64
}

func (c *content) open() *parts {
	if c.body == nil {
		c.body = c.rep.body()
	}
	return c.body
}

func (c *content) Read(p []byte) (n int, err error) {
	skip := c.offset
	for _, part := range c.open().parts {
		if skip >= int64(len(part)) {
			skip -= int64(len(part))
			continue
		}
		n += copy(p[n:], part[skip:])
		if skip = 0; n == len(p) {
			break
		}
	}
	c.offset += int64(n)
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (c *content) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.offset
	case io.SeekEnd:
		offset += c.open().size
	}
	if offset < 0 {
		return 0, errRange
	}
	c.offset = offset
	return offset, nil
}
