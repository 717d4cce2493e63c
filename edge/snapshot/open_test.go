package snapshot_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// TestOpenRefuses breaks a directory in every way and looks whether the error
// names the file and the fault.
func TestOpenRefuses(t *testing.T) {
	type dir struct {
		public   snapshottest.Public
		manifest reviewcast.Manifest
		raw      []byte // manifest.json, when not from manifest
	}
	listed := func(d *dir, path string) *reviewcast.File {
		for i := range d.manifest.Files {
			if d.manifest.Files[i].Path == path {
				return &d.manifest.Files[i]
			}
		}
		t.Fatalf("%s is not listed", path)
		return nil
	}
	// rewrite changes reviews.json and lets the manifest agree.
	rewrite := func(change func(reviews []byte) []byte) func(*dir) {
		return func(d *dir) {
			d.public[reviewcast.PathReviews] = change(d.public[reviewcast.PathReviews])
			d.raw = d.public.Manifest(t, 1)
		}
	}
	replace := func(old, new string) func(*dir) {
		return rewrite(func(b []byte) []byte {
			if !bytes.Contains(b, []byte(old)) {
				t.Fatalf("reviews.json has no %s", old)
			}
			return bytes.Replace(b, []byte(old), []byte(new), 1)
		})
	}
	dataset := func(change func(*reviewcast.Dataset)) func(*dir) {
		return rewrite(func([]byte) []byte {
			d := corpus.Dataset(3)
			change(&d)
			return snapshottest.Reviews(t, d)
		})
	}
	for _, tt := range []struct {
		name  string
		spoil func(*dir)
		want  string
	}{
		{"no manifest", func(d *dir) { d.raw = []byte{} }, "unexpected end of JSON input"},
		{"manifest of another version", func(d *dir) { d.manifest.Version = 2 }, "version 2, want 1"},
		{"another base URL", func(d *dir) { d.manifest.BaseURL = "https://other.example" }, "manifest.json: base_url https://other.example, want https://reviews.example.com"},
		{"path without a slash", func(d *dir) { d.manifest.Files[0].Path = "a.json" }, `path "a.json" cannot be published`},
		{"path out of the directory", func(d *dir) { d.manifest.Files[0].Path = "/../etc/passwd" }, `path "/../etc/passwd" cannot be published`},
		{"path of the manifest", func(d *dir) { d.manifest.Files[0].Path = "/manifest.json" }, `path "/manifest.json" cannot be published`},
		{"files out of order", func(d *dir) { f := d.manifest.Files; f[0], f[1] = f[1], f[0] }, "files are sorted by path"},
		{"file listed twice", func(d *dir) { d.manifest.Files[1] = d.manifest.Files[0] }, "each once"},
		{"hash in capitals", func(d *dir) { d.manifest.Files[0].SHA256 = strings.ToUpper(d.manifest.Files[0].SHA256) }, "lower-case hex"},
		{"hash too short", func(d *dir) { d.manifest.Files[0].SHA256 = "00" }, "64 lower-case hex digits"},
		{"reviews not listed", func(d *dir) { d.manifest.Files = d.manifest.Files[:1] }, "/reviews.json is not listed"},
		{"file missing", func(d *dir) { delete(d.public, reviewcast.PathAtom) }, "open feed.xml: file does not exist"},
		{"other size", func(d *dir) { listed(d, reviewcast.PathAtom).Size++ }, "feed.xml has"},
		{"other hash", func(d *dir) { d.public[reviewcast.PathAtom] = bytes.ToUpper(d.public[reviewcast.PathAtom]) }, "feed.xml has the sha256"},

		{"reviews.json cut off", rewrite(func(b []byte) []byte { return b[:len(b)/2] }), "reviews.json: jsontext: unexpected EOF"},
		{"reviews.json is a list", rewrite(func([]byte) []byte { return []byte(`[]`) }), "reviews.json: not a JSON object"},
		{"more behind it", rewrite(func(b []byte) []byte { return append(b, '1') }), "reviews.json: "},
		{"no reviews", rewrite(func([]byte) []byte { return []byte(`{"version":1}`) }), "reviews.json: no array of reviews"},
		{"reviews are no array", replace(`"reviews":[`, `"reviews":null,"others":[`), "reviews.json: no array of reviews"},
		{"a review is no object", replace(`"reviews":[`, `"reviews":[7,`), "reviews.json: review 0 is not an object"},
		{"dataset of another version", replace(`"version":1`, `"version":2`), "reviews.json: version 2, want 1"},
		{"wrong count", replace(`"review_count":3`, `"review_count":4`), "reviews.json: review_count 4, but there are 3 reviews"},
		{"bad id", replace(`"id":"ab-0000013"`, `"id":"ab 13"`), "id is not valid"},
		{"no rating", replace(`"rating":`, `"stars":`), "rating 0 is not 1 to 5"},
		{"bad date", dataset(func(d *reviewcast.Dataset) { d.Reviews[1].Date = "2026-02-30" }), `date "2026-02-30" is not a calendar date`},
		{"title is a number", replace(`"title":`, `"title":7,"heading":`), `unmarshal JSON number into Go string within "/title"`},
		{"broken UTF-8", replace(`"author":"`, "\"author\":\"\xff"), "invalid UTF-8"},
		{"oldest first", dataset(func(d *reviewcast.Dataset) { r := d.Reviews; r[0], r[2] = r[2], r[0] }), "reviews must be sorted, newest first"},
		{"ids out of order", dataset(func(d *reviewcast.Dataset) {
			d.Reviews[0].Date = d.Reviews[1].Date
			d.Reviews[0].ID, d.Reviews[1].ID = "b", "a"
		}), "review a comes after b"},
		{"id twice", dataset(func(d *reviewcast.Dataset) { d.Reviews[2].ID = d.Reviews[0].ID }), "used twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &dir{public: snapshottest.Publish(t, corpus.Dataset(3))}
			if err := json.Unmarshal(d.public.Manifest(t, 1), &d.manifest); err != nil {
				t.Fatal(err)
			}
			tt.spoil(d)
			if d.raw == nil {
				d.raw = snapshottest.Marshal(t, d.manifest)
			}
			_, err := snapshot.FromArtifacts(d.raw, d.public, snapshot.Config{BaseURL: snapshottest.BaseURL})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestOpenDirectory reads the same from disk as from memory, and any origin when
// none is asked for.
func TestOpenDirectory(t *testing.T) {
	dir := t.TempDir()
	if _, err := snapshot.Open(os.DirFS(dir), snapshot.Config{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "manifest.json") {
		t.Errorf("an empty directory: %v", err)
	}
	snapshottest.Publish(t, corpus.Dataset(20)).Write(t, dir, 3)
	s, err := snapshot.Open(os.DirFS(dir), snapshot.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 20 || s.Sequence() != 3 {
		t.Errorf("%d reviews, sequence %d", s.Len(), s.Sequence())
	}
}

// TestOpenAnyLayout: how reviews.json breaks its lines doesn't matter.
func TestOpenAnyLayout(t *testing.T) {
	p := snapshottest.Publish(t, corpus.Dataset(200))
	want := p.Open(t, 1)
	var indented bytes.Buffer
	if err := json.Indent(&indented, p[reviewcast.PathReviews], "\t", "  "); err != nil {
		t.Fatal(err)
	}
	p[reviewcast.PathReviews] = indented.Bytes()
	got := p.Open(t, 1)
	for _, q := range corpus.Queries {
		q.Limit = 5
		a, b := want.Search(q.Query), got.Search(q.Query)
		if a.Matched != b.Matched || len(a.Reviews) != len(b.Reviews) || a.More != b.More {
			t.Errorf("%s: matched %d, laid out otherwise %d", q.Name, a.Matched, b.Matched)
		}
	}
	x := got.Since("0001-01-01")
	var all reviewcast.SinceResult
	if err := json.Unmarshal(gunzip(t, new(gzip.Reader), x.Gzip()), &all); err != nil || len(all.Reviews) != 200 {
		t.Errorf("since: %d reviews, %v", len(all.Reviews), err)
	}
}

// TestVariants: an encoded variant is used when it decodes to exactly the file, and
// left out with a line in the log when not.
func TestVariants(t *testing.T) {
	p := snapshottest.Publish(t, corpus.Dataset(30))
	body := p[reviewcast.PathReviews]
	encode := map[string]func([]byte) []byte{
		".br": func(b []byte) []byte {
			var out bytes.Buffer
			w := brotli.NewWriter(&out)
			w.Write(b)
			w.Close()
			return out.Bytes()
		},
		".gz": func(b []byte) []byte {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			w.Write(b)
			w.Close()
			return out.Bytes()
		},
		".zst": func(b []byte) []byte {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			return w.EncodeAll(b, nil)
		},
	}
	for suffix, encode := range encode {
		good := encode(body)
		for _, tt := range []struct {
			name    string
			encoded []byte
			used    bool
		}{
			{"good", good, true},
			{"of other bytes", encode(bytes.ToUpper(body)), false},
			{"of less", encode(body[:len(body)-1]), false},
			{"of more", encode(append(bytes.Clone(body), ' ')), false},
			{"cut off", good[:len(good)-5], false},
			{"garbage", []byte("garbage"), false},
			{"empty", nil, false},
		} {
			t.Run(suffix+" "+tt.name, func(t *testing.T) {
				p[reviewcast.PathReviews+suffix] = tt.encoded
				defer delete(p, reviewcast.PathReviews+suffix)
				var log bytes.Buffer
				s, err := snapshot.FromArtifacts(p.Manifest(t, 1), p, snapshot.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				if err != nil {
					t.Fatal(err)
				}
				f, _ := s.File(reviewcast.PathReviews)
				if used := len(f.Variants) == 1; used != tt.used || used == strings.Contains(log.String(), "file=reviews.json"+suffix) {
					t.Errorf("used: %v, log: %s", used, log.String())
				}
				if _, ok := s.File(reviewcast.PathReviews + suffix); ok {
					t.Error("the variant is a file of its own")
				}
			})
		}
	}
}

// FuzzOpen gives Open any reviews.json: it takes it or refuses it, and what it
// takes answers.
func FuzzOpen(f *testing.F) {
	f.Add(snapshottest.Reviews(f, corpus.Dataset(2)))
	f.Add([]byte(`{"version":1,"reviews":[]}`))
	f.Add([]byte(`{"version":1,"review_count":1,"reviews":[ {"id":"a","rating":5,"date":"2026-01-01","text":"\ud83d\udc4d"} ]}`))
	f.Add([]byte(`{"reviews":[{}],"reviews":[{}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := snapshottest.Public{reviewcast.PathReviews: body}
		s, err := snapshot.FromArtifacts(p.Manifest(t, 1), p, snapshot.Config{})
		if err != nil {
			return
		}
		r := s.Search(reviewcast.Query{Limit: 100})
		if r.Matched != s.Len() {
			t.Errorf("matched %d of %d", r.Matched, s.Len())
		}
		for _, raw := range r.Reviews {
			if !json.Valid(raw) {
				t.Errorf("not JSON: %s", raw)
			}
		}
		x := s.Since("0001-01-01")
		if plain := bytes.Join(x.Body(), nil); !json.Valid(plain) || !bytes.Equal(plain, gunzip(t, new(gzip.Reader), x.Gzip())) {
			t.Errorf("since: %s", plain)
		}
	})
}
