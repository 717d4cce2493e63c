package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reviewcast"
)

// Source is where a published set is: a directory or an origin. [Open] returns one.
type Source interface {
	String() string // the name of the source in messages: a directory or a URL
	// Received returns how many bytes came over the network since the source was opened. It may be called while
	// files are fetched.
	Received() int64

	// deadline bounds the time of one read, which ends with the returned function.
	deadline(ctx context.Context) (context.Context, context.CancelFunc)
	manifest(ctx context.Context) ([]byte, error) // its bytes as they are now
	// file returns the body at a path. Its hash is sha256, and it has at most limit bytes.
	file(ctx context.Context, path, sha256 string, limit int64) ([]byte, error)
}

// Config says how an origin is read. The zero value is right for a mirror.
type Config struct {
	Timeout time.Duration // bounds one Read or Update; 0 is ten minutes
	// MaxAge refuses a manifest that stayed in a cache for longer; 0 takes any. A build on an old set would
	// make a second version.
	MaxAge time.Duration
}

// IsURL reports whether a name is that of an origin rather than a directory.
func IsURL(where string) bool { return strings.Contains(where, "://") }

// Open returns the source at a URL or in a directory. It does not look at it yet.
func Open(where string, cfg Config) (Source, error) {
	if !IsURL(where) {
		return dir(where), nil
	}
	base, err := reviewcast.ParseBaseURL(where)
	if err != nil {
		return nil, err
	}
	return newOrigin(base, cfg), nil
}

// dir is a source in a directory.
type dir string

func (d dir) String() string  { return string(d) }
func (d dir) Received() int64 { return 0 }

func (d dir) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

func (d dir) manifest(ctx context.Context) ([]byte, error) {
	data, err := d.read(ctx, reviewcast.PathManifest, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		if _, none := os.Stat(string(d)); none != nil {
			return nil, fmt.Errorf("there is no folder %s here; reviewcast build writes one: %w", string(d), ErrNeverPublished)
		}
		if _, page := os.Stat(d.name(reviewcast.PathIndex)); page == nil {
			return nil, kindError{d.name(reviewcast.PathManifest) + " is missing, by which the other files are checked; put it back from the recycle bin or your web server; in a copy, copy everything again that the build has written", ErrNeverPublished}
		}
		return nil, fmt.Errorf("read %s: %w", d.name(reviewcast.PathManifest), ErrNeverPublished)
	}
	return data, err
}

func (d dir) file(ctx context.Context, path, sha256 string, limit int64) ([]byte, error) {
	data, err := d.read(ctx, path, limit)
	cause := errors.New("is missing")
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case err == nil && reviewcast.SHA256(data) == sha256:
		return data, nil
	case err != nil && !missing && !errors.Is(err, errLong):
		return nil, err
	case !missing:
		cause = differs(path, data, false)
	}
	if errors.Is(cause, ErrStale) && filepath.Base(string(d)) != "public" { // it was uploaded, and says what to do
		return nil, fmt.Errorf("%s %w: %w", d.name(path), cause, ErrDamaged)
	}
	remedy := "reviewcast build writes it again, from the files in content; if this is a copy, copy all that the build has written, also .well-known, which programs hide"
	if data, err := d.read(ctx, reviewcast.PathManifest, maxManifest); err == nil && Record.Holds(path) {
		if m, err := reviewcast.ParseManifest(data); err == nil {
			remedy = fmt.Sprintf("undo that, since corrections belong into the folder content, those of a review into its file in reviews; or fetch what is online with: reviewcast pull %s %s; if nothing is online yet, delete the folder %[2]s, and build again", m.BaseURL, string(d))
		}
	}
	return nil, fmt.Errorf("%s %w; %s: %w", d.name(path), cause, remedy, ErrDamaged)
}

// differs says how the body of a file, online or in a folder, differs from the one that was built.
func differs(path string, body []byte, online bool) error {
	start := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 512)]))
	isPage := strings.HasSuffix(path, ".html")
	switch {
	case !isPage && (bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))):
		return errors.New("is not as it was built (it is a page in HTML, as servers send one for what is missing or needs a login)")
	case bytes.Contains(body, []byte("\r\n")) != strings.HasSuffix(path, ".csv") && !strings.HasSuffix(path, ".png"): // RFC 4180
		return kindError{"has other line ends than it was built with (an upload in text mode or git has changed them; upload all of public again, in binary mode)", ErrStale}
	case isPage && online:
		return kindError{"is not as it was built: it is of another version than manifest.json, or was changed by hand, and then an upload of everything in public helps; or your web host adds something to pages or shrinks them (statistics, optimisation), and then ask for that to be switched off", ErrStale}
	}
	return errors.New("is not as it was built (it is of another version than manifest.json, or was changed by hand)")
}

func (d dir) name(path string) string { return filepath.Join(string(d), filepath.FromSlash(path)) }

func (d dir) read(ctx context.Context, path string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := d.name(path)
	// Opening a FIFO would wait for its writer.
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAtMost(f, limit)
	if err != nil {
		return data, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

var errLong = errors.New("larger than expected")

// readAtMost reads all of r, unless there are more than limit bytes.
func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	var b bytes.Buffer
	if limit > maxDocument { // the size of a listed file: a buffer that grows takes twice as much
		b.Grow(int(limit) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(r, limit+1))
	if err == nil && int64(b.Len()) > limit {
		err = fmt.Errorf("%w: more than %d bytes", errLong, limit)
	}
	return b.Bytes(), err
}
