package mirror

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"reviewcast"
)

// Limits on an origin.
const (
	defaultTimeout = 10 * time.Minute
	maxStall       = 30 * time.Second
	maxRedirects   = 5
	attempts       = 3           // how often a file or manifest is asked for with another query before the origin counts as stale
	weakAge        = time.Minute // how old a Last-Modified must be to tell two states apart (RFC 9110, section 8.8.2.2)
	maxTagAge      = time.Hour   // how long a manifest is asked for conditionally before it is read whole again
	rawSlack       = 1 << 20     // what an encoded body may have beyond its decoded limit
)

type origin struct {
	base     string
	cfg      Config
	stall    time.Duration // the longest time without a byte
	client   *http.Client
	received atomic.Int64

	last answer // the last manifest, for conditional requests
}

type answer struct {
	body   []byte
	header http.Header
	at     time.Time
}

func newOrigin(base string, cfg Config) *origin {
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = parallel
	t.DisableCompression = true // encodings are decoded here, so that bytes can be counted
	o := &origin{base: base, cfg: cfg, stall: maxStall}
	o.client = &http.Client{Transport: t, CheckRedirect: o.checkRedirect}
	return o
}

func (o *origin) String() string  { return o.base }
func (o *origin) Received() int64 { return o.received.Load() }

func (o *origin) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.cfg.Timeout, fmt.Errorf("%s took longer than %s", o.base, o.cfg.Timeout))
	return ctx, func() {
		cancel()
		o.client.CloseIdleConnections() // a server that stops waits for those that were opened and not used
	}
}

// checkRedirect follows redirects within the origin only: another origin's files are another publisher's.
func (o *origin) checkRedirect(req *http.Request, via []*http.Request) error {
	to, err := reviewcast.ParseBaseURL((&url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host}).String())
	if err != nil || to != o.base {
		return fmt.Errorf("it redirects to %s, another origin; name that address instead if it is the right one", cmp.Or(to, req.URL.Redacted()))
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	}
	return nil
}

// manifest requests the manifest with a query that no cache has seen, and with the validators of the last response.
func (o *origin) manifest(ctx context.Context) ([]byte, error) {
	conditions := conditional(o.last)
	address := o.base + reviewcast.PathManifest // errors are without the query, so that the same error has the same text
	var age time.Duration
	for range attempts {
		query := fmt.Sprintf("?v=%d-%x", time.Now().Unix(), rand.Uint32())
		a, status, err := o.get(ctx, address+query, maxManifest, conditions)
		if err != nil {
			return nil, fmt.Errorf("get %s: %w", address, err)
		}
		seconds, _ := strconv.ParseInt(a.header.Get("Age"), 10, 32) // without one it is fresh
		age = time.Duration(seconds) * time.Second
		if o.cfg.MaxAge > 0 && age > o.cfg.MaxAge {
			continue
		}
		switch {
		case status == http.StatusNotModified && conditions != nil:
			return o.last.body, nil
		case status == http.StatusNotFound:
			return nil, fmt.Errorf("get %s: %s: %w", address, statusText(status), ErrNeverPublished)
		case status != http.StatusOK:
			return nil, fmt.Errorf("get %s: %w", address, statusError(status))
		}
		if _, err := reviewcast.ParseManifest(a.body); err != nil {
			return nil, fmt.Errorf("%s %w; check the address, and whether all of public was uploaded: %w", address, differs(reviewcast.PathManifest, a.body, true), err)
		}
		a.at = time.Now()
		o.last = a
		return a.body, nil
	}
	return nil, fmt.Errorf("get %s: the answer stayed in a cache for %s: %w", address, age, ErrStale)
}

// file asks for a file by its hash, so that no cache answers with an older one.
func (o *origin) file(ctx context.Context, path, sha256 string, limit int64) ([]byte, error) {
	address := o.base + (&url.URL{Path: path}).EscapedPath() + "?v=" + sha256
	var cause error
	for n := range attempts {
		retry := address
		if n > 0 {
			retry += "-" + strconv.Itoa(n)
		}
		a, status, err := o.get(ctx, retry, limit, nil)
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("get %s: %w", retry, err)
		case errors.Is(err, errBody):
			cause = fmt.Errorf("get %s: %w", retry, err)
		case err != nil && !errors.Is(err, errLong):
			return nil, fmt.Errorf("get %s: %w", retry, err)
		case status == http.StatusNotFound:
			cause = kindError{fmt.Sprintf("get %s: %s: it was not uploaded, or a publication is in progress; try again in a minute, and if it is still missing, put all of public in place of the folder there, also .well-known, which programs hide", o.base+path, statusText(status)), ErrStale}
		case status != http.StatusOK:
			return nil, fmt.Errorf("get %s: %w", retry, statusError(status))
		case err == nil && reviewcast.SHA256(a.body) == sha256:
			return a.body, nil
		default:
			cause = fmt.Errorf("%s %w", retry, differs(path, a.body, true))
		}
	}
	if _, ok := errors.AsType[kindError](cause); ok {
		return nil, cause
	}
	return nil, fmt.Errorf("%w: %w", cause, ErrStale)
}

type kindError struct {
	text string
	kind error
}

func (e kindError) Error() string        { return e.text }
func (e kindError) Is(target error) bool { return target == e.kind }

// get reads one answer whole. The caller looks at the status.
func (o *origin) get(ctx context.Context, address string, limit int64, header http.Header) (answer, int, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stall := time.AfterFunc(o.stall, func() { stop(fmt.Errorf("no byte for %s", o.stall)) })
	defer stall.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return answer{}, 0, err
	}
	maps.Copy(req.Header, header)
	req.Header.Set("Accept-Encoding", "gzip")
	req.Header.Set("User-Agent", "reviewcast/"+reviewcast.Version)
	resp, err := o.client.Do(req)
	if err != nil {
		return answer{}, 0, plainError(ctx, err)
	}
	defer resp.Body.Close()
	a := answer{header: resp.Header}
	if resp.StatusCode != http.StatusOK {
		return a, resp.StatusCode, nil
	}
	raw := io.LimitReader(io.TeeReader(resp.Body, meter(func(n int) {
		o.received.Add(int64(n))
		stall.Reset(o.stall)
	})), limit+limit/8+rawSlack)
	body := raw
	switch coding := resp.Header.Get("Content-Encoding"); coding {
	case "", "identity":
	case "gzip":
		if body, err = gzip.NewReader(raw); err != nil {
			return a, 0, bodyError(ctx, err)
		}
	default:
		return a, 0, fmt.Errorf("the body comes in the encoding %q, which was not asked for; switch that compression off on the web server, or at the service before it", coding)
	}
	if a.body, err = readAtMost(body, limit); err != nil {
		return a, resp.StatusCode, bodyError(ctx, err)
	}
	return a, http.StatusOK, nil
}

// errBody reports a body that could not be read whole.
var errBody = errors.New("the body is cut off or damaged")

func bodyError(ctx context.Context, err error) error {
	if context.Cause(ctx) != nil || errors.Is(err, errLong) {
		return plainError(ctx, err)
	}
	return fmt.Errorf("%w: %w", errBody, err)
}

// plainError replaces the error of an ended context by its cause, and drops the address that net/http repeats.
func plainError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op != "dial" { // its text has the port of this connection
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	return err
}

// meter is told the number of bytes of each write.
type meter func(n int)

func (m meter) Write(p []byte) (int, error) {
	m(len(p))
	return len(p), nil
}

// conditional returns the headers that ask whether an answer is still current; nil when it must be read again. Many
// servers make the ETag out of the time and the size of a file: a tag is used as carefully as a date, and not for ever.
func conditional(last answer) http.Header {
	if time.Since(last.at) > maxTagAge {
		return nil
	}
	tag, modified := last.header.Get("ETag"), last.header.Get("Last-Modified")
	if modified != "" {
		at, err := http.ParseTime(modified)
		date, derr := http.ParseTime(last.header.Get("Date"))
		if err != nil || derr != nil || date.Sub(at) < weakAge {
			return nil
		}
	}
	switch {
	case tag != "":
		return http.Header{"If-None-Match": {tag}} // opaque, and weak tags compare as well
	case modified != "":
		return http.Header{"If-Modified-Since": {modified}}
	}
	return nil
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
}

// statusError says what to do about an answer that has no body for us.
func statusError(status int) error {
	what := "try again later"
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		what = "the site asks for a login or refuses this address; published files are public, so check the address, and on the web server the rights of the file"
	case status == http.StatusNotModified:
		what = "nothing was asked conditionally; a cache or a proxy in between is at fault"
	case status < http.StatusInternalServerError && status != http.StatusTooManyRequests:
		what = "check the address"
	}
	return fmt.Errorf("%s; %s", statusText(status), what)
}
