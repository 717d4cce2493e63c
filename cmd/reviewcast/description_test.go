package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/legacy"

	"reviewcast"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge"
	"reviewcast/edge/snapshot"
	"reviewcast/generator"
	"reviewcast/generator/source"
)

// The origin that the sample is built for in tests.
const origin = "https://reviews.example.com"

// site serves the published files of the sample, as the edge does.
func site(t testing.TB) http.Handler {
	t.Helper()
	holder := &snapshot.Holder{}
	watcher := snapshot.Watcher{Dir: samplePublic(t), Config: snapshot.Config{BaseURL: origin}, Holder: holder}
	if err := watcher.Look(); err != nil {
		t.Fatal(err)
	}
	indexed, err := holder.Files.Load().Index()
	if err != nil {
		t.Fatal(err)
	}
	holder.Indexed.Swap(indexed)
	return edge.New(edge.Config{Snapshots: holder, BaseURL: origin})
}

// TestAnswersMatchDescription holds real answers of the edge, good and bad,
// against the API description that it serves: status, headers and body.
func TestAnswersMatchDescription(t *testing.T) {
	t.Parallel()
	h := site(t)
	ask := func(method, target string, header http.Header) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), method, origin+target, nil)
		if header != nil {
			r.Header = header
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	described, err := io.ReadAll(ask(http.MethodGet, reviewcast.PathOpenAPI, nil).Body)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(described)
	if err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder(reviewcast.MediaAtom, func(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
		data, err := io.ReadAll(body)
		return string(data), err
	})
	tag := func(path string) http.Header {
		return http.Header{"If-None-Match": {ask(http.MethodGet, path, nil).Header.Get("Etag")}}
	}
	long := strings.Repeat("x", 5000)
	type request struct {
		target string
		header http.Header
		status int
	}
	requests := []request{
		{reviewcast.PathReviews, nil, 200},
		{reviewcast.PathReviews, tag(reviewcast.PathReviews), 304},
		{reviewcast.PathReviews, http.Header{"If-Match": {`"other"`}}, 412},
		{reviewcast.PathReviews, http.Header{"Range": {"bytes=0-9"}}, 206},
		{reviewcast.PathReviews, http.Header{"Range": {"bytes=99999999-"}}, 416},
		{reviewcast.PathReviews, http.Header{"Accept-Encoding": {"identity;q=0"}}, 406},
		{reviewcast.PathInsights, nil, 200},
		{reviewcast.PathInsights, tag(reviewcast.PathInsights), 304},
		{reviewcast.PathJSONFeed, nil, 200},
		{reviewcast.PathAtom, nil, 200},
		{reviewcast.PathAtom, tag(reviewcast.PathAtom), 304},
		{reviewcast.PathManifest, nil, 200},
		{reviewcast.PathOpenAPI, nil, 200},
		{reviewcast.PathSearch, nil, 200},
		{reviewcast.PathSearch + "?rating=5&limit=3", nil, 200},
		{reviewcast.PathSearch + "?query=on+time&min_rating=4.5&since=2024-01-01&until=2026-12-31&mentions_technician=Marcus&mentions_service=water-heater&limit=100", nil, 200},
		{reviewcast.PathSearch + "?mentions_technician=nobody", nil, 200},
		{reviewcast.PathSearch + "?limit=1", tag(reviewcast.PathSearch + "?limit=1"), 304},
		{reviewcast.PathSearch + "?rating=6&min_rating=x&since=2023-02-29&until=&query=" + strings.Repeat("x", 201) + "&mentions_technician=&limit=1&limit=2&foo=1", nil, 400},
		{reviewcast.PathSearch + "?since=2024-02-01&until=2024-01-01", nil, 400},
		{reviewcast.PathSearch + "?query=%zz", nil, 400},
		{reviewcast.PathSearch + "?query=" + long, nil, 414},
		{reviewcast.PathSince + "2026-01-01", nil, 200},
		{reviewcast.PathSince + "2099-01-01", nil, 200},
		{reviewcast.PathSince + "2026-01-01", tag(reviewcast.PathSince + "2026-01-01"), 304},
		{reviewcast.PathSince + "2026-02-30", nil, 400},
		{reviewcast.PathSince + "2026-01-01?limit=1", nil, 400},
	}
	check := func(method string, tt request) {
		resp := ask(method, tt.target, tt.header)
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != tt.status {
			t.Errorf("%s %.80s: status %d, want %d: %.200s", method, tt.target, resp.StatusCode, tt.status, body)
			return
		}
		if method == http.MethodPost {
			method = http.MethodGet // 405 is described where the methods are that are
		}
		r := httptest.NewRequestWithContext(t.Context(), method, origin+tt.target, nil)
		route, params, err := router.FindRoute(r)
		if err != nil {
			t.Errorf("%s %.80s: not described: %v", method, tt.target, err)
			return
		}
		err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: params},
			Status:                 resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)),
			Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: method == http.MethodHead || resp.StatusCode == http.StatusPartialContent},
		})
		if err != nil {
			t.Errorf("%s %.80s: the answer %d isn't what is described: %v", method, tt.target, tt.status, err)
		}
		if method == http.MethodHead && len(body) > 0 {
			t.Errorf("HEAD %.80s has a body", tt.target)
		}
	}
	for _, tt := range requests {
		check(http.MethodGet, tt)
		if tt.header.Get("Range") == "" {
			check(http.MethodHead, tt)
		}
		if tt.status == http.StatusOK {
			check(http.MethodPost, request{tt.target, nil, http.StatusMethodNotAllowed})
		}
	}
}

// TestSnapshotReadsBack: what the generator writes and what the edge reads are
// the same, review by review and number by number.
func TestSnapshotReadsBack(t *testing.T) {
	t.Parallel()
	builder := generator.NewBuilder(generator.Config{ContentDir: "../../content", PublicDir: t.TempDir(), BaseURL: origin, Today: "2026-11-21"})
	written, _, err := builder.Dataset(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := snapshot.OpenFiles(os.DirFS(samplePublic(t)), snapshot.Config{BaseURL: origin})
	if err != nil {
		t.Fatal(err)
	}
	s := snapshottest.Index(t, f)
	if s.Len() != len(written.Reviews) {
		t.Fatalf("%d reviews are written, %d read", len(written.Reviews), s.Len())
	}
	for _, want := range written.Reviews {
		raw, ok := s.Review(want.ID)
		if !ok {
			t.Fatalf("review %s is written and not read", want.ID)
		}
		got, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(raw, &a) != nil || json.Unmarshal(got, &b) != nil || !equalJSON(a, b) {
			t.Errorf("review %s is written as\n%s\nand read as\n%s", want.ID, got, raw)
		}
	}
	head := s.Dataset()
	head.Reviews = written.Reviews
	a, _ := json.Marshal(head)
	b, _ := json.Marshal(written)
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil || !equalJSON(x, y) {
		t.Errorf("the head is written as\n%.2000s\nand read as\n%.2000s", b, a)
	}
}

func equalJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// TestEveryFieldIsEverywhere: the CSV export, the manual and the loader's documentation
// have every field of a review.
func TestEveryFieldIsEverywhere(t *testing.T) {
	t.Parallel()
	read := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	header, _, _ := strings.Cut(read(filepath.Join(samplePublic(t), "reviews.csv")), "\r\n")
	for field := range reflect.TypeFor[reviewcast.Review]().Fields() {
		name := field.Tag.Get("json")
		if !slices.ContainsFunc(strings.Split(header, ","), func(column string) bool { return column == name || strings.HasPrefix(column, name+".") }) {
			t.Errorf("reviews.csv has no column for %s: %s", name, header)
		}
	}
	manual, doc := read(manual), read("../../generator/source/doc.go")
	for _, name := range source.Fields("review") {
		if !strings.Contains(manual, "`"+name) {
			t.Errorf("content/README.md doesn't describe %s", name)
		}
		if !regexp.MustCompile(`\n//\t.*\b` + name + `\b`).MatchString(doc) {
			t.Errorf("generator/source/doc.go doesn't list %s", name)
		}
	}
}
