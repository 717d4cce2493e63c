package verify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
	"reviewcast/internal/verify"
)

// histories is how many random histories a test runs: few, or VERIFY_HISTORIES.
func histories(t *testing.T, few int) int {
	t.Helper()
	s := os.Getenv("VERIFY_HISTORIES")
	if s == "" {
		return few
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// run verifies a published set as anybody can over HTTP.
func run(t *testing.T, files mirrortest.Files, since verify.Note) *verify.Result {
	t.Helper()
	origin := &mirrortest.Origin{}
	origin.Serve(files)
	srv := httptest.NewServer(origin)
	defer srv.Close()
	source, err := mirror.Open(srv.URL, mirror.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return verify.Verify(t.Context(), source, mirror.All, since)
}

// note is what an auditor notes.
func note(files mirrortest.Files) verify.Note {
	versions := files[reviewcast.PathVersions]
	return verify.Note{Size: int64(len(versions)), SHA256: reviewcast.SHA256(versions)}
}

// TestHonest: in an honest history nothing is contradicted, whatever was noted.
func TestHonest(t *testing.T) {
	proven := 0
	n := histories(t, 5)
	for seed := range uint64(n) {
		site := mirrortest.New(seed, []int{0, 1, 2, 30, 60}[seed%5])
		site.Publish(false)
		notes := []verify.Note{{}, note(site.Files)}
		for range 1 + site.Rand.IntN(20) {
			for range 1 + site.Rand.IntN(3) {
				site.Step()
			}
			if site.Publish(site.Rand.IntN(30) == 0) {
				notes = append(notes, note(site.Files))
			}
		}
		last := notes[len(notes)-1]
		for _, since := range []verify.Note{{}, notes[site.Rand.IntN(len(notes))], notes[max(0, len(notes)-2)], last} {
			r := run(t, site.Files, since)
			if len(r.Contradictions) > 0 {
				t.Fatalf("seed %d, noted %v: %q", seed, since, r.Contradictions)
			}
			if since != (verify.Note{}) && len(r.Unknown) == 0 {
				proven++
			}
			if r.Note != last {
				t.Fatalf("seed %d: the note is %v, want %v", seed, r.Note, last)
			}
		}
	}
	t.Logf("%d notes proven in %d histories", proven, n)
	if proven < n {
		t.Errorf("only %d notes were proven in %d histories", proven, n)
	}
}

// forgery is one way to change what was published, with every hash and count made
// right again. It returns the forged set, which has at least one more version than
// the noted one, or is of another history.
type forgery func(f *forger) mirrortest.Files

// forger has a history of honest versions, of which the auditor noted one.
type forger struct {
	*rand.Rand
	site     *mirrortest.Site
	versions []mirrortest.Files
	noted    int // index of the noted version
}

// publish publishes what the site has now after the last of the versions, with a
// document that lies.
func (f *forger) publish(after mirrortest.Files, lie func(c *reviewcast.Change)) mirrortest.Files {
	f.site.Now = f.site.Now.Add(time.Hour)
	v := mirrortest.Version{Previous: after, Bodies: f.site.Render(), Time: f.site.Now, Tamper: lie}
	return v.Publish()
}

func (f *forger) last() mirrortest.Files { return f.versions[len(f.versions)-1] }

// unlisted empties the lists of a document.
func unlisted(c *reviewcast.Change) {
	c.Reviews = reviewcast.ReviewChanges{Added: []string{}, Changed: []string{}, Withdrawn: []reviewcast.WithdrawnReview{}}
}

// withoutOps leaves the operations out, as if they had been too large.
func withoutOps(c *reviewcast.Change) {
	for i := range c.Files {
		c.Files[i].Ops = nil
	}
}

func both(a, b func(*reviewcast.Change)) func(*reviewcast.Change) {
	return func(c *reviewcast.Change) { a(c); b(c) }
}

// drop takes a review out without a withdrawal.
func (f *forger) drop() string {
	id := f.site.Pick().ID
	delete(f.site.Reviews, id)
	return id
}

func (f *forger) edit() {
	f.change(func(r *reviewcast.Review) { text := "All is well."; r.Text = &text })
}

func (f *forger) change(how func(r *reviewcast.Review)) { f.site.Edit(f.site.Pick().ID, how) }

func redate(r *reviewcast.Review) {
	r.Date = reviewcast.Date("2020-01-" + fmt.Sprintf("%02d", 1+len(r.ID)%28))
}

// rewrite publishes the history anew from a version on.
func (f *forger) rewrite(from int, versions int) mirrortest.Files {
	set := f.versions[from]
	for range versions {
		f.site.Business.Name += "!"
		set = f.publish(set, nil)
	}
	return set
}

var forgeries = map[string]forgery{
	"dropped": func(f *forger) mirrortest.Files { f.drop(); return f.publish(f.last(), unlisted) },
	"dropped, without operations": func(f *forger) mirrortest.Files {
		f.drop()
		return f.publish(f.last(), both(unlisted, withoutOps))
	},
	"dropped, and said to be withdrawn": func(f *forger) mirrortest.Files { f.drop(); return f.publish(f.last(), nil) },
	"dropped, with the count of before": func(f *forger) mirrortest.Files {
		f.drop()
		return f.publish(f.last(), func(c *reviewcast.Change) { unlisted(c); c.ReviewCount++ })
	},
	"dropped, with the ids of before": func(f *forger) mirrortest.Files {
		ids := f.site.IDs()
		f.drop()
		return f.publish(f.last(), func(c *reviewcast.Change) { unlisted(c); c.IDsSHA256 = reviewcast.IDsSHA256(ids) })
	},
	"dropped, and other versions after it": func(f *forger) mirrortest.Files {
		f.drop()
		set := f.publish(f.last(), unlisted)
		for range 2 {
			f.site.Add()
			set = f.publish(set, nil)
		}
		return set
	},
	"exchanged for another": func(f *forger) mirrortest.Files {
		r := *f.site.Pick()
		delete(f.site.Reviews, r.ID)
		r.ID = "zz-new"
		f.site.Reviews[r.ID] = &r
		return f.publish(f.last(), func(c *reviewcast.Change) { unlisted(c); c.Reviews.Changed = []string{r.ID} })
	},
	"withdrawn without a reason": func(f *forger) mirrortest.Files {
		id := f.drop()
		return f.publish(f.last(), func(c *reviewcast.Change) {
			c.Reviews.Withdrawn[0] = reviewcast.WithdrawnReview{ID: id, Reason: "withdrawn"}
		})
	},
	"edited": func(f *forger) mirrortest.Files { f.edit(); return f.publish(f.last(), unlisted) },
	"edited, without operations": func(f *forger) mirrortest.Files {
		f.edit()
		return f.publish(f.last(), both(unlisted, withoutOps))
	},
	"edited, beside an honest addition": func(f *forger) mirrortest.Files {
		f.edit()
		id := f.site.Add()
		return f.publish(f.last(), func(c *reviewcast.Change) { unlisted(c); c.Reviews.Added = []string{id} })
	},
	"edited, and another one said to be": func(f *forger) mirrortest.Files {
		f.edit()
		return f.publish(f.last(), func(c *reviewcast.Change) {
			for _, id := range f.site.IDs() {
				if id != c.Reviews.Changed[0] {
					c.Reviews.Changed[0] = id
					return
				}
			}
		})
	},
	"stars changed": func(f *forger) mirrortest.Files {
		f.change(func(r *reviewcast.Review) { r.Rating = 1 + r.Rating%5 })
		return f.publish(f.last(), unlisted)
	},
	"re-dated": func(f *forger) mirrortest.Files { f.change(redate); return f.publish(f.last(), unlisted) },
	"re-dated, without operations": func(f *forger) mirrortest.Files {
		f.change(redate)
		return f.publish(f.last(), both(unlisted, withoutOps))
	},
	"reply put into a mouth": func(f *forger) mirrortest.Files {
		f.change(func(r *reviewcast.Review) { r.Author = "Somebody Else" })
		return f.publish(f.last(), unlisted)
	},
	"added, and said to be old": func(f *forger) mirrortest.Files { f.site.Add(); return f.publish(f.last(), unlisted) },
	"rolled back":               func(f *forger) mirrortest.Files { return f.versions[f.noted-1] },
	"rolled back, and on from there": func(f *forger) mirrortest.Files {
		return f.rewrite(f.noted-1, 3)
	},
	"forked far back": func(f *forger) mirrortest.Files { return f.rewrite(0, len(f.versions)+2) },
	"begun anew":      func(f *forger) mirrortest.Files { return f.publish(nil, nil) },
	"noted version rewritten": func(f *forger) mirrortest.Files {
		f.edit()
		set := f.publish(f.versions[f.noted-1], nil)
		for range f.versions[f.noted:] {
			f.site.Add()
			set = f.publish(set, nil)
		}
		return set
	},
}

// newForger publishes an honest history. The noted version's document is still there in the end.
func newForger(seed uint64) *forger {
	f := &forger{Rand: rand.New(rand.NewPCG(seed, 9)), site: mirrortest.New(seed, 20+int(37*seed%100))}
	for len(f.versions) < 4 || f.IntN(6) > 0 {
		if len(f.versions) > 0 {
			f.site.Add()
			if f.IntN(3) == 0 {
				f.site.Withdraw(f.site.Pick().ID, reviewcast.ReasonWithdrawn)
			}
		}
		f.site.Publish(false)
		f.versions = append(f.versions, f.site.Files)
	}
	f.noted = len(f.versions) - 1 - f.IntN(2)
	return f
}

// TestForgeries: each forged history is contradicted by a hash that was noted before.
func TestForgeries(t *testing.T) {
	n := histories(t, len(forgeries)) / len(forgeries)
	for seed := range uint64(n) {
		honest := newForger(seed)
		since := note(honest.versions[honest.noted])
		if r := run(t, honest.last(), since); len(r.Contradictions)+len(r.Unknown) > 0 {
			t.Fatalf("seed %d: the honest history: %q %q", seed, r.Contradictions, r.Unknown)
		}
		for _, name := range slices.Sorted(maps.Keys(forgeries)) {
			f := *honest
			f.site = honest.site.Clone()
			if r := run(t, forgeries[name](&f), since); len(r.Contradictions) == 0 {
				t.Errorf("seed %d, %s: nothing was found; unknown: %q", seed, name, r.Unknown)
			}
		}
	}
	t.Logf("%d histories with %d forgeries each", n, len(forgeries))
}

// TestCounts changes numbers and quotes of an honest set, one at a time, and makes
// the hashes right again.
func TestCounts(t *testing.T) {
	site := mirrortest.New(3, 25)
	site.Publish(false)
	insights := func(change func(in *reviewcast.Insights)) func(mirrortest.Files) {
		return func(files mirrortest.Files) {
			in := &reviewcast.Insights{}
			decode(t, files[reviewcast.PathInsights], in)
			change(in)
			files[reviewcast.PathInsights] = encode(t, in)
		}
	}
	dataset := func(change func(ds *reviewcast.Dataset)) func(mirrortest.Files) {
		return func(files mirrortest.Files) {
			ds := &reviewcast.Dataset{}
			decode(t, files[reviewcast.PathReviews], ds)
			change(ds)
			files[reviewcast.PathReviews] = encode(t, ds)
		}
	}
	better := 4.99
	for name, change := range map[string]func(mirrortest.Files){
		"review_count":  dataset(func(ds *reviewcast.Dataset) { ds.ReviewCount++ }),
		"rating_value":  dataset(func(ds *reviewcast.Dataset) { ds.AggregateRating.RatingValue = &better }),
		"rating_count":  dataset(func(ds *reviewcast.Dataset) { ds.AggregateRating.RatingCount++ }),
		"text_count":    dataset(func(ds *reviewcast.Dataset) { ds.AggregateRating.TextCount++ }),
		"distribution":  dataset(func(ds *reviewcast.Dataset) { ds.AggregateRating.Distribution.Five++ }),
		"order":         dataset(func(ds *reviewcast.Dataset) { slices.Reverse(ds.Reviews) }),
		"unverified":    dataset(func(ds *reviewcast.Dataset) { ds.Reviews[3].Verified = false }),
		"twice":         dataset(func(ds *reviewcast.Dataset) { ds.Reviews[3].ID = strings.ToUpper(ds.Reviews[4].ID) }),
		"insights of":   insights(func(in *reviewcast.Insights) { in.ReviewCount-- }),
		"positive":      insights(func(in *reviewcast.Insights) { in.Aspects[0].PositiveCount++ }),
		"negative":      insights(func(in *reviewcast.Insights) { in.Aspects[0].NegativeCount-- }),
		"mentions":      insights(func(in *reviewcast.Insights) { in.Aspects[0].MentionCount++ }),
		"share":         insights(func(in *reviewcast.Insights) { in.Aspects[0].PositivePct += 5 }),
		"aspect stars":  insights(func(in *reviewcast.Insights) { in.Aspects[0].AverageRating = &better }),
		"overall":       insights(func(in *reviewcast.Insights) { in.OverallSentiment.NegativePct /= 2 }),
		"month":         insights(func(in *reviewcast.Insights) { in.Temporal.Monthly[0].ReviewCount++ }),
		"no month":      insights(func(in *reviewcast.Insights) { in.Temporal.Monthly = in.Temporal.Monthly[1:] }),
		"dates":         insights(func(in *reviewcast.Insights) { in.DateRange.Earliest = in.DateRange.Latest }),
		"quote":         insights(func(in *reviewcast.Insights) { in.Aspects[0].Evidence[0].Quote = "He was early." }),
		"quote's place": insights(func(in *reviewcast.Insights) { in.Aspects[0].Evidence[0].Start++ }),
		"quote past it": insights(func(in *reviewcast.Insights) { in.Aspects[0].Evidence[0].End = 1 << 20 }),
		"example":       insights(func(in *reviewcast.Insights) { in.Aspects[0].ExampleReviewIDs[0] = "nobody" }),
		"technician":    insights(func(in *reviewcast.Insights) { in.Entities.Technicians[0].ReviewCount++ }),
		"per_review":    insights(func(in *reviewcast.Insights) { delete(in.PerReview, site.IDs()[0]) }),
		"answer":        insights(func(in *reviewcast.Insights) { in.FAQ = []reviewcast.FAQ{{EvidenceReviewIDs: []string{"nobody"}}} }),
		"pull quote": insights(func(in *reviewcast.Insights) {
			in.PullQuote = &reviewcast.PullQuote{ReviewID: site.IDs()[0], Text: "Best ever"}
		}),
		"not JSON": func(files mirrortest.Files) { files[reviewcast.PathInsights] = []byte("{") },
	} {
		t.Run(name, func(t *testing.T) {
			bodies := site.Render()
			change(bodies)
			v := mirrortest.Version{Bodies: bodies, Time: site.Now}
			if r := run(t, v.Publish(), verify.Note{}); len(r.Contradictions) == 0 {
				t.Error("nothing was found")
			}
		})
	}
}

func decode(t *testing.T, body []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(body, to); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	body, err := reviewcast.EncodeJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestUnknown: what can't be read or is no longer published is neither proven nor
// contradicted.
func TestUnknown(t *testing.T) {
	if r := run(t, mirrortest.Files{}, verify.Note{}); len(r.Unknown) != 1 || len(r.Contradictions) > 0 {
		t.Errorf("nothing published: %+v", r)
	}
	site := mirrortest.New(1, 50)
	site.Publish(false)
	since := note(site.Files)
	for range 3 {
		site.Add()
		site.Publish(true)
	}
	if r := run(t, site.Files, since); len(r.Unknown) != 1 || !strings.Contains(r.Unknown[0], "no longer published") || len(r.Contradictions) > 0 {
		t.Errorf("documents are gone: %q %q", r.Unknown, r.Contradictions)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	source, err := mirror.Open(mirrortest.BaseURL, mirror.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if r := verify.Verify(ctx, source, mirror.All, verify.Note{}); len(r.Unknown) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestNote(t *testing.T) {
	n := verify.Note{Size: 76, SHA256: reviewcast.SHA256(nil)}
	if got, err := verify.ParseNote(n.String()); err != nil || got != n {
		t.Error(got, err)
	}
	for _, s := range []string{"", "76", "76:", "x:" + n.SHA256, "-1:" + n.SHA256, "76:" + strings.ToUpper(n.SHA256)} {
		if _, err := verify.ParseNote(s); err == nil {
			t.Errorf("%q is read", s)
		}
	}
}
