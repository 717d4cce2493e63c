package mirror_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast"
	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
)

// damagedCopy is a site of five versions, of which the third has erased a review, and a damaged copy of the last.
type damagedCopy struct {
	*history
	path   string
	scope  mirror.Scope
	accept bool               // as an edge does
	states []mirrortest.Site  // after each version
	erased *reviewcast.Review // that the first two versions publish
}

// newSiteToCopy publishes the five versions.
func newSiteToCopy(t *testing.T) *damagedCopy {
	d := &damagedCopy{history: newHistory(t, 21, 15)}
	d.keepState()
	d.site.Edit(d.site.IDs()[0], func(r *reviewcast.Review) { r.Rating = 1 + r.Rating%5 })
	d.next()
	for _, id := range d.site.IDs()[1:] {
		if r := d.site.Reviews[id]; r.Text != nil && d.alone(r) {
			d.erased = r
		}
	}
	d.site.Withdraw(d.erased.ID, reviewcast.ReasonLegal)
	d.next()
	for range 2 {
		d.site.Add()
		d.next()
	}
	if len(d.states) != 5 {
		t.Fatal(len(d.states))
	}
	return d
}

// copied returns a copy of the site, which tests can change at the same time as others.
func (d *damagedCopy) copied(t *testing.T, scope mirror.Scope) *damagedCopy {
	c := &damagedCopy{history: &history{T: t, origin: &mirrortest.Origin{}, versions: slices.Clone(d.versions)}, path: filepath.Join(t.TempDir(), "copy"), scope: scope, erased: d.erased}
	for i := range d.states {
		c.states = append(c.states, *d.states[i].Clone())
	}
	c.site = c.states[4].Clone()
	c.origin.Serve(c.site.Files)
	if err := c.update(); err != nil {
		t.Fatal(err)
	}
	return c
}

// alone reports whether a review is the only one of its month, whose page goes with it.
func (d *damagedCopy) alone(r *reviewcast.Review) bool {
	for _, other := range d.site.Reviews {
		if other.ID != r.ID && other.Date.Month() == r.Date.Month() {
			return false
		}
	}
	return true
}

func (d *damagedCopy) next() {
	d.publish(false)
	d.keepState()
}

func (d *damagedCopy) keepState() { d.states = append(d.states, *d.site.Clone()) }

// fork publishes another history after one of the versions.
func (d *damagedCopy) fork(after, versions int) {
	other := d.states[after]
	for n := range versions {
		other.Business.Name = fmt.Sprintf("Another Acme %d", n)
		other.Publish(false)
	}
	d.origin.Serve(other.Files)
}

// update updates the copy as a new process does.
func (d *damagedCopy) update() error {
	c := d.copy(d.path, d.scope)
	c.AcceptRewrite = d.accept
	_, err := c.Update(d.Context())
	return err
}

// rewrite changes the manifest of the copy, which stays a valid one.
func (d *damagedCopy) rewrite(old, next string) (rest string) {
	d.Helper()
	name := filepath.Join(d.path, "manifest.json")
	body, err := os.ReadFile(name)
	if err == nil && bytes.Contains(body, []byte(old)) {
		err = os.WriteFile(name, bytes.Replace(body, []byte(old), []byte(next), 1), 0o644)
	} else {
		d.Fatalf("the manifest has no %s: %v", old, err)
	}
	if err != nil {
		d.Fatal(err)
	}
	return ""
}

// harm damages or removes a file of the copy.
func (d *damagedCopy) harm(path string, remove bool) {
	d.Helper()
	file := filepath.Join(d.path, filepath.FromSlash(path))
	body, err := os.ReadFile(file)
	if err != nil {
		d.Fatal(err)
	}
	body[len(body)/2] ^= 0x80 // neither JSON nor a line of versions.txt
	if remove {
		err = os.Remove(file)
	} else {
		err = os.WriteFile(file, body, 0o644)
	}
	if err != nil {
		d.Fatal(err)
	}
}

// holds fails unless the copy is exactly what is published, without the erased text.
func (d *damagedCopy) holds(files mirrortest.Files) {
	d.Helper()
	have := onDisk(d.T, d.path)
	if want := wants(files, d.scope); !sameFiles(have, want) {
		for path := range have {
			if !bytes.Equal(have[path], want[path]) {
				d.Errorf("%s differs from the origin's", path)
			}
		}
		d.Fatalf("the copy has %d files, want %d", len(have), len(want))
	}
	d.lacksErased()
}

// lacksErased fails if the erased text is in the copy or beside it.
func (d *damagedCopy) lacksErased() {
	d.Helper()
	for path, body := range onDisk(d.T, filepath.Dir(d.path)) {
		if bytes.Contains(body, []byte(mirrortest.Secret(d.erased.ID))) {
			d.Fatalf("%s holds the erased text", path)
		}
	}
}

// refuses fails unless updates during 15 minutes leave the copy as it is, the first ten of them with an error.
func (d *damagedCopy) refuses(first error) {
	d.Helper()
	before := onDisk(d.T, d.path)
	began := time.Now()
	for _, minute := range []time.Duration{0, 9, 10, 14} {
		time.Sleep(time.Until(began.Add(minute * time.Minute)))
		err := d.update()
		if err == nil || minute < 10 && !errors.Is(err, first) {
			d.Fatalf("minute %d: %v, want %v", minute, err, first)
		}
		if !sameFiles(onDisk(d.T, d.path), before) {
			d.Fatalf("minute %d: the copy has changed", minute)
		}
	}
	d.lacksErased()
}

// after are what the origin may do next.
var after = map[string]func(d *damagedCopy){
	"next version": func(d *damagedCopy) {
		for _, r := range d.site.Reviews {
			if r.Text != nil && d.alone(r) {
				d.erased = r
			}
		}
		d.site.Withdraw(d.erased.ID, reviewcast.ReasonLegal)
		d.next()
		if err := d.update(); err != nil {
			d.Fatal(err)
		}
		d.holds(d.site.Files)
	},
	"same version": func(d *damagedCopy) {
		if err := d.update(); err != nil {
			d.Fatal(err)
		}
		d.holds(d.site.Files)
	},
	"fork": func(d *damagedCopy) {
		for _, n := range []int{1, 2, 4} {
			d.fork(3, n)
			d.refuses(mirror.ErrForked)
			evidence := onDisk(d.T, d.path+".fork")
			if len(evidence["/theirs/manifest.json"]) == 0 || len(evidence["/theirs/changes/versions.txt"]) == 0 ||
				len(evidence["/mine/manifest.json"])+len(evidence["/mine/changes/versions.txt"]) == 0 {
				d.Errorf("the evidence has %d files", len(evidence))
			}
		}
	},
	"fork that is followed": func(d *damagedCopy) {
		d.accept = true
		d.fork(3, 1)
		if err := d.update(); err != nil {
			d.Fatal(err)
		}
	},
	"fork from before the erasure": func(d *damagedCopy) {
		d.accept = true
		d.fork(1, 5)
		before := onDisk(d.T, d.path)
		if err := d.update(); err == nil || !sameFiles(onDisk(d.T, d.path), before) {
			d.Fatalf("taken, or the copy has changed: %v", err)
		}
		d.lacksErased()
	},
	"rollback": func(d *damagedCopy) {
		d.origin.Serve(d.versions[3])
		for range 2 {
			if err := d.update(); !errors.Is(err, mirror.ErrOlder) {
				d.Fatalf("an older version: %v", err)
			}
			time.Sleep(5 * time.Minute)
		}
		if err := d.update(); err != nil {
			d.Fatalf("after ten minutes: %v", err)
		}
		d.holds(d.versions[3])
	},
	"rollback of the erasure": func(d *damagedCopy) {
		d.accept = true
		d.origin.Serve(d.versions[1])
		d.refuses(mirror.ErrOlder)
	},
}

// TestDamagedCopy: whichever file of a copy is damaged or missing, what is left of it still protects: the next
// version puts it right, a fork is reported, an older version is waited for, and erased text never comes back.
// A sixth of the combinations; all with MIRROR_HISTORIES.
func TestDamagedCopy(t *testing.T) {
	t.Parallel()
	parts := 6
	if os.Getenv("MIRROR_HISTORIES") != "" {
		parts = 1
	}
	kinds := map[string]func(d *damagedCopy) string{
		"nothing":         nil,
		"the manifest":    func(*damagedCopy) string { return reviewcast.PathManifest },
		"versions.txt":    func(*damagedCopy) string { return reviewcast.PathVersions },
		"withdrawn.json":  func(*damagedCopy) string { return reviewcast.PathWithdrawn },
		"reviews.json":    func(*damagedCopy) string { return reviewcast.PathReviews },
		"latest.json":     func(*damagedCopy) string { return reviewcast.PathLatestChange },
		"newest document": func(d *damagedCopy) string { return document(d, 4) },
		"older document":  func(d *damagedCopy) string { return document(d, 2) },
		"a hash in the manifest": func(d *damagedCopy) string {
			f, _ := d.site.Files.Manifest().File(reviewcast.PathVersions)
			return d.rewrite(f.SHA256, strings.Repeat("0", len(f.SHA256)))
		},
		"the manifest's sequence": func(d *damagedCopy) string {
			return d.rewrite(`"sequence": 1`, `"sequence": 2`)
		},
		"patch of insights": func(d *damagedCopy) string { return reviewcast.InsightsPatchPath(d.versions[4].Manifest().Sequence) },
	}
	site := newSiteToCopy(t)
	for kind, path := range kinds {
		for name, then := range after {
			for _, remove := range []bool{false, true} {
				scopes := []mirror.Scope{mirror.Data}
				if name == "next version" { // which has fewer pages
					scopes = append(scopes, mirror.All)
				}
				for _, scope := range scopes {
					title := fmt.Sprintf("%s/removed=%t/%s/scope=%s", kind, remove, name, scope)
					if crc32.ChecksumIEEE([]byte(title))%uint32(parts) != 0 {
						continue
					}
					t.Run(title, func(t *testing.T) {
						t.Parallel()
						synctest.Test(t, func(t *testing.T) {
							d := site.copied(t, scope)
							if path != nil {
								if file := path(d); file != "" {
									d.harm(file, remove)
								}
							}
							then(d)
						})
					})
				}
			}
		}
	}
}

func document(d *damagedCopy, version int) string {
	return reviewcast.ChangePath(d.versions[version].Manifest().Sequence)
}
