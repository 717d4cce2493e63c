package devserver

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast/edge/snapshot"
	"reviewcast/generator"
)

// TestProblemsOfEqualContent: what is wrong is printed whenever it appears, also when it went away and came back
// without another build being shown, and when no review changed with it.
func TestProblemsOfEqualContent(t *testing.T) {
	const url = "http://localhost:1"
	dir := t.TempDir()
	put(t, dir, map[string]string{"business.yaml": business, "reviews/a.yaml": "id: a\nrating: 5\ndate: 2026-01-02\nauthor: Maria\ntext: On time and clean.\nverification: {method: job}\n"})
	var printed bytes.Buffer
	s := New(Config{
		Builder:    generator.NewBuilder(generator.Config{ContentDir: dir, PublicDir: filepath.Join(t.TempDir(), "public"), BaseURL: url, Lenient: true}),
		ContentDir: dir, Snapshots: &snapshot.Holder{}, BaseURL: url, Logger: slog.New(slog.DiscardHandler), Out: io.Discard, Err: &printed,
	})
	rebuild := func() string {
		t.Helper()
		printed.Reset()
		if wait := s.rebuild(t.Context(), nil, time.Hour); wait != 0 {
			t.Fatalf("rebuild waits for %s", wait)
		}
		return printed.String()
	}
	if out := rebuild(); s.shown == nil {
		t.Fatal(out)
	}
	for _, c := range []struct{ file, text, want string }{
		{"reviews/b.yaml", "id: b\nrating: 6\n", "reviews/b.yaml:2:9"},
		{"stray.docx", "text", "stray.docx"},
	} {
		for range 2 {
			put(t, dir, map[string]string{c.file: c.text})
			if out := rebuild(); !strings.Contains(out, c.want) {
				t.Errorf("with %s: printed %q, want %s in it", c.file, out, c.want)
			}
			if err := os.Remove(filepath.Join(dir, c.file)); err != nil {
				t.Fatal(err)
			}
			if out := rebuild(); out != "" {
				t.Errorf("without %s: printed %q", c.file, out)
			}
		}
	}
}

// TestLines: the line about a build says that mistakes are corrected, and how many reviews wait for a verification.
func TestLines(t *testing.T) {
	const url = "http://localhost:1"
	dir := t.TempDir()
	var printed bytes.Buffer
	s := New(Config{
		Builder:    generator.NewBuilder(generator.Config{ContentDir: dir, PublicDir: filepath.Join(t.TempDir(), "public"), BaseURL: url, Lenient: true}),
		ContentDir: dir, Snapshots: &snapshot.Holder{}, BaseURL: url, Logger: slog.New(slog.DiscardHandler), Out: &printed, Err: io.Discard,
	})
	const good, waits = "id: a\nrating: 5\ndate: 2026-01-02\nauthor: Maria\ntext: On time.\nverification: {method: job}\n", "id: b\nrating: 4\ndate: 2026-01-03\nauthor: Jo\n"
	for _, step := range []struct{ file, text, want string }{
		{"business.yaml", business, "0 reviews (none is published yet; write one with: reviewcast new review), "},
		{"reviews/a.yaml", good, "1 added (a), rating none → 5.00, "},
		{"reviews/a.yaml", good + "stars: 5\n", ""},
		{"reviews/a.yaml", good, "nothing is wrong any more: nothing changed"},
		{"reviews/b.yaml", waits, "1 not published: without a verification, "},
		{"reviews/b.yaml", waits + "stars: 5\n", ""},
		{"reviews/b.yaml", waits + "verification: {method: job}\n", "nothing is wrong any more: 1 added (b), 0 not published: without a verification, rating 5.00 → 4.50, "},
	} {
		put(t, dir, map[string]string{step.file: step.text})
		printed.Reset()
		if wait := s.rebuild(t.Context(), nil, time.Hour); wait != 0 {
			t.Fatalf("rebuild waits for %s", wait)
		}
		if out := printed.String(); !strings.HasPrefix(out, step.want) || step.want == "" && out != "" {
			t.Errorf("after %s with %q: printed %q, want %q", step.file, step.text, out, step.want)
		}
	}
}

// TestLint: what check warns of is shown some time after a build, once, also on the page, until it is mended. A save
// that comes before has it wait.
func TestLint(t *testing.T) {
	const url = "http://localhost:1"
	dir := t.TempDir()
	review := func(text string) map[string]string {
		return map[string]string{"reviews/a.yaml": "id: a\nrating: 5\ndate: 2026-01-02\nauthor: Maria\ntext: " + text + "\nverification: {method: job}\n"}
	}
	put(t, dir, map[string]string{"business.yaml": business})
	synctest.Test(t, func(t *testing.T) {
		var printed bytes.Buffer
		s := New(Config{
			Builder:    generator.NewBuilder(generator.Config{ContentDir: dir, PublicDir: dir + "-public", BaseURL: url, Today: "2026-11-21", Lenient: true}),
			ContentDir: dir, Snapshots: &snapshot.Holder{}, BaseURL: url, Logger: slog.New(slog.DiscardHandler), Out: io.Discard, Err: &printed,
		})
		save := func(text string, wait time.Duration) (printedNow string, warnings int) {
			t.Helper()
			printed.Reset()
			put(t, dir, review(text))
			s.rebuild(t.Context(), nil, time.Hour)
			time.Sleep(wait)
			synctest.Wait()
			return printed.String(), len(s.current.Load().Warnings)
		}
		if out, n := save("Write to jo@example.org.", lintDelay/2); strings.Contains(out, "jo@") || n != 0 {
			t.Errorf("at once: printed %q, %d warnings on the page", out, n)
		}
		if out, n := save("Do write to jo@example.org.", 2*lintDelay); strings.Count(out, "jo@example.org") != 1 || n != 1 {
			t.Errorf("later: printed %q, %d warnings on the page; want one", out, n)
		}
		if out, n := save("Do write to jo@example.org.", 2*lintDelay); out != "" || n != 1 {
			t.Errorf("again: printed %q, %d warnings on the page; want nothing and one", out, n)
		}
		if out, n := save("On time.", 2*lintDelay); out != "" || n != 0 {
			t.Errorf("mended: printed %q, %d warnings on the page", out, n)
		}
	})
}

// TestPageAtTheEnd: a page that is asked for while the preview ends is served.
func TestPageAtTheEnd(t *testing.T) {
	const url = "http://localhost:1"
	dir := t.TempDir()
	put(t, dir, map[string]string{"business.yaml": business})
	s := New(Config{
		Builder:    generator.NewBuilder(generator.Config{ContentDir: dir, PublicDir: filepath.Join(t.TempDir(), "public"), BaseURL: url, Lenient: true}),
		ContentDir: dir, Snapshots: &snapshot.Holder{}, BaseURL: url, Logger: slog.New(slog.DiscardHandler), Out: io.Discard, Err: io.Discard,
		Poll: time.Millisecond,
	})
	ctx, cancel := context.WithCancel(t.Context())
	s.Out = writer(func() { cancel() }) // the line about the first build
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// writer calls a function when something is written.
type writer func()

func (f writer) Write(p []byte) (int, error) { f(); return len(p), nil }
