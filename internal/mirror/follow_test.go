package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast"
	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
)

// histories is how many random histories a test runs: few, or MIRROR_HISTORIES.
func histories(t *testing.T, few int) int {
	t.Helper()
	s := os.Getenv("MIRROR_HISTORIES")
	if s == "" {
		return few
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func open(t *testing.T, transport http.RoundTripper) mirror.Source {
	t.Helper()
	source, err := mirror.Open(mirrortest.BaseURL, mirror.Config{})
	if err != nil {
		t.Fatal(err)
	}
	mirror.Over(source, transport)
	return source
}

// wants are the files of a set in a scope.
func wants(files mirrortest.Files, scope mirror.Scope) mirrortest.Files {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(path string, _ []byte) bool { return !scope.Holds(path) })
	return files
}

// difference is "" when a set has exactly the files.
func difference(set *mirror.Set, files mirrortest.Files) string {
	want := wants(files, set.Scope)
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got, ok := set.Files[path]; !ok || !bytes.Equal(got, want[path]) {
			return fmt.Sprintf("%s differs or is missing: %q, want %q", path, got, want[path])
		}
	}
	for path := range set.Files {
		if _, ok := want[path]; !ok {
			return path + " is too much"
		}
	}
	return ""
}

// history is a site, every version of it, and a mirror.
type history struct {
	*testing.T
	site     *mirrortest.Site
	origin   *mirrortest.Origin
	rand     *rand.Rand
	versions []mirrortest.Files
	log      []string
}

func newHistory(t *testing.T, seed uint64, reviews int) *history {
	h := &history{T: t, site: mirrortest.New(seed, reviews), origin: &mirrortest.Origin{}, rand: rand.New(rand.NewPCG(seed, 3))}
	h.publish(false)
	return h
}

func (h *history) publish(forget bool) {
	if h.site.Publish(forget) {
		h.versions = append(h.versions, h.site.Files)
		h.origin.Serve(h.site.Files)
	}
}

// step edits and publishes.
func (h *history) step() {
	for range 1 + h.rand.IntN(3) {
		h.log = append(h.log, h.site.Step())
	}
	h.log = append(h.log, "publish")
	h.publish(h.rand.IntN(30) == 0)
}

func (h *history) isVersion(set *mirror.Set) bool {
	return slices.ContainsFunc(h.versions, func(v mirrortest.Files) bool { return difference(set, v) == "" })
}

// TestHistories follows random histories. Over a clean connection the copy equals
// the origin after every version; over caches that serve old answers and over
// connections that damage them it is one of the versions, and never goes back; at
// the end it equals the origin. Erased texts are nowhere in it.
func TestHistories(t *testing.T) {
	ways := []struct {
		name  string
		clean bool // every update succeeds
		least int  // of a thousand updates bring a version
		over  func(h *history) http.RoundTripper
	}{
		{"clean", true, 800, func(h *history) http.RoundTripper { return mirrortest.Transport{Handler: h.origin} }},
		{"cache by address", true, 800, func(h *history) http.RoundTripper {
			return mirrortest.Transport{Handler: &mirrortest.Cache{Origin: h.origin, Rand: h.rand}}
		}},
		{"cache by path", false, 20, func(h *history) http.RoundTripper {
			return mirrortest.Transport{Handler: &mirrortest.Cache{Origin: h.origin, Rand: h.rand, IgnoreQuery: true}}
		}},
		{"damage", false, 200, func(h *history) http.RoundTripper {
			return &mirrortest.Damage{RoundTripper: mirrortest.Transport{Handler: h.origin}, Rand: h.rand}
		}},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			var updated, failed, total int
			length := 15
			if os.Getenv("MIRROR_HISTORIES") != "" {
				length = 25
			}
			for seed := range uint64(histories(t, 2)) {
				h := newHistory(t, seed, []int{0, 1, 3, 40, 150}[seed%5])
				f := &mirror.Follower{Source: open(t, way.over(h)), Scope: []mirror.Scope{mirror.All, mirror.Data}[seed%2]}
				var have *mirror.Set
				for range length {
					h.step()
					set, report, err := f.Update(t.Context(), have)
					total++
					switch {
					case err != nil && (way.clean || set != have):
						t.Fatalf("seed %d: %v\n%s", seed, err, h.log)
					case err != nil:
						failed++
					case way.clean && difference(set, h.site.Files) != "":
						t.Fatalf("seed %d: %s\n%s", seed, difference(set, h.site.Files), h.log)
					case !h.isVersion(set):
						t.Fatalf("seed %d: the copy is no version that was published\n%s", seed, h.log)
					case have != nil && set.Manifest.Sequence < have.Manifest.Sequence:
						t.Fatalf("seed %d: went back from %d to %d", seed, have.Manifest.Sequence, set.Manifest.Sequence)
					}
					if report.Updated {
						updated++
					}
					have = set
				}
				f = &mirror.Follower{Source: open(t, mirrortest.Transport{Handler: h.origin}), Scope: f.Scope}
				set, _, err := f.Update(t.Context(), have)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, h.log)
				}
				if d := difference(set, h.site.Files); d != "" {
					t.Fatalf("seed %d: %s\n%s", seed, d, h.log)
				}
				h.checkErased(set)
			}
			t.Logf("%d updates: %d new versions, %d failed", total, updated, failed)
			if updated*1000 < total*way.least || !way.clean && failed == 0 {
				t.Errorf("%d of %d updates brought a version, %d failed: the test tests nothing", updated, total, failed)
			}
		})
	}
}

func (h *history) checkErased(set *mirror.Set) {
	h.Helper()
	for id, w := range h.site.Withdrawn {
		if w.Reason != reviewcast.ReasonLegal {
			continue
		}
		for path, body := range set.Files {
			if bytes.Contains(body, []byte(mirrortest.Secret(id))) {
				h.Fatalf("%s holds the text of %s, which was withdrawn for legal reasons\n%s", path, id, h.log)
			}
		}
	}
}

// TestChangesAreUsed counts what an update asks for: a small edit costs the manifest,
// the new documents, and the pages.
func TestChangesAreUsed(t *testing.T) {
	h := newHistory(t, 1, 300)
	f := &mirror.Follower{Source: open(t, mirrortest.Transport{Handler: h.origin}), Scope: mirror.Data}
	have, report, err := f.Update(t.Context(), nil)
	if err != nil || report.Added != 300 {
		t.Fatal(report, err)
	}
	h.origin.Requests()
	if _, report, err = f.Update(t.Context(), have); err != nil || report.Updated {
		t.Fatal(report, err)
	}
	if got := h.origin.Requests(); len(got) != 1 || report.Bytes != 0 {
		t.Errorf("without a change it asked for %v, %d bytes", got, report.Bytes)
	}
	for range 3 {
		h.site.Add()
		h.publish(false)
	}
	h.site.Withdraw(h.site.Pick().ID, reviewcast.ReasonWithdrawn)
	h.publish(false)
	set, report, err := f.Update(t.Context(), have)
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(set, h.site.Files); d != "" {
		t.Fatal(d)
	}
	for path := range h.origin.Requests() {
		if path == reviewcast.PathReviews || path == reviewcast.PathInsights || path == reviewcast.PathVersions {
			t.Errorf("%s was fetched whole", path)
		}
	}
	if whole := len(set.Files[reviewcast.PathReviews]); report.Bytes > int64(whole/4) {
		t.Errorf("the update cost %d bytes of %d", report.Bytes, whole)
	}
	line := report.String()
	if !strings.HasPrefix(line, "3 added, 1 withdrawn; rating ") || !strings.HasSuffix(line, "kB") {
		t.Errorf("report %q", line)
	}
}

// TestRollback: an older version is taken when it has stood for ten minutes.
func TestRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 2, 20)
		old := h.site.Files
		h.site.Add()
		h.publish(false)
		f := &mirror.Follower{Source: open(t, mirrortest.Transport{Handler: h.origin})}
		have, _, err := f.Update(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		h.origin.Serve(old)
		for range 10 {
			set, _, err := f.Update(t.Context(), have)
			if !errors.Is(err, mirror.ErrOlder) || set != have {
				t.Fatalf("an older version: %v", err)
			}
			time.Sleep(time.Minute)
		}
		set, _, err := f.Update(t.Context(), have)
		if err != nil || difference(set, old) != "" {
			t.Fatalf("after ten minutes: %v", err)
		}
		// A cache that is behind for a moment starts the time anew.
		h.origin.Serve(h.site.Files)
		if have, _, err = f.Update(t.Context(), set); err != nil || f.Waiting != nil || difference(have, h.site.Files) != "" {
			t.Fatal(err)
		}
		h.origin.Serve(old)
		if _, _, err := f.Update(t.Context(), have); !errors.Is(err, mirror.ErrOlder) {
			t.Fatalf("an older version again: %v", err)
		}
	})
}

// TestRollbackOfErasure: going back to a version with text that was erased since is
// refused for good.
func TestRollbackOfErasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 3, 20)
		old := h.site.Files
		h.site.Withdraw(h.site.Pick().ID, reviewcast.ReasonLegal)
		h.publish(false)
		f := &mirror.Follower{Source: open(t, mirrortest.Transport{Handler: h.origin})}
		have, _, err := f.Update(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		h.origin.Serve(old)
		if _, _, err := f.Update(t.Context(), have); !errors.Is(err, mirror.ErrOlder) || !strings.Contains(err.Error(), "and has no text that was withdrawn for legal reasons since") {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if _, _, err := f.Update(t.Context(), have); !errors.Is(err, mirror.ErrErased) {
			t.Fatalf("back to before an erasure: %v", err)
		}
		f.AcceptRewrite = true
		if _, _, err := f.Update(t.Context(), have); !errors.Is(err, mirror.ErrErased) {
			t.Fatalf("back to before an erasure, accepted: %v", err)
		}
	})
}

// TestFork: another history is evidence, and taken only when the caller accepts it.
func TestFork(t *testing.T) {
	h := newHistory(t, 4, 20)
	before := *h.site
	h.site.Add()
	h.publish(false)
	f := &mirror.Follower{Source: open(t, mirrortest.Transport{Handler: h.origin})}
	have, _, err := f.Update(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Another build machine starts from the version before, too.
	other := before
	other.Business.Name = "Acme Ltd"
	other.Publish(false)
	other.Note = "And once more."
	other.Publish(false)
	h.origin.Serve(other.Files)
	set, _, err := f.Update(t.Context(), have)
	var fork *mirror.ForkError
	if !errors.As(err, &fork) || set != have {
		t.Fatalf("a fork: %v", err)
	}
	if want := fmt.Sprintf("version %d in common", before.Files.Manifest().Sequence); !strings.Contains(err.Error(), want) {
		t.Errorf("%q does not say %q", err, want)
	}
	f.AcceptRewrite = true
	if set, _, err = f.Update(t.Context(), have); err != nil || difference(set, other.Files) != "" {
		t.Errorf("an accepted fork: %v", err)
	}
}

// TestOlderProgram follows an origin whose program learns to publish changes.
func TestOlderProgram(t *testing.T) {
	h := newHistory(t, 5, 100)
	plain := maps.Clone(h.site.Files)
	m := plain.Manifest()
	m.ChangeSHA256, m.ChangesFrom, m.Sequence = "", 0, 7
	m.Files = slices.DeleteFunc(m.Files, func(f reviewcast.File) bool { return strings.HasPrefix(f.Path, reviewcast.PathChanges) })
	maps.DeleteFunc(plain, func(path string, _ []byte) bool { return strings.HasPrefix(path, reviewcast.PathChanges) })
	body, err := reviewcast.EncodeJSON(m)
	if err != nil {
		t.Fatal(err)
	}
	plain[reviewcast.PathManifest] = body
	h.origin.Serve(plain)
	f := &mirror.Follower{Source: open(t, mirrortest.Transport{Handler: h.origin})}
	have, _, err := f.Update(t.Context(), nil)
	if err != nil || difference(have, plain) != "" {
		t.Fatal(err)
	}
	h.site.Files = plain
	h.site.Add()
	h.publish(false)
	h.origin.Requests()
	set, _, err := f.Update(t.Context(), have)
	if err != nil || difference(set, h.site.Files) != "" {
		t.Fatal(err)
	}
	if asked := h.origin.Requests(); asked[reviewcast.PathReviews] > 0 {
		t.Error("the first change was not used")
	}
	h.origin.Serve(plain)
	if _, _, err := f.Update(t.Context(), set); !errors.Is(err, mirror.ErrOlder) {
		t.Errorf("back to the older program: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	h := newHistory(t, 6, 5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := mirror.Read(ctx, open(t, mirrortest.Transport{Handler: h.origin}), mirror.All)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
