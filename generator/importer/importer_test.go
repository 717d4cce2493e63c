package importer

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

const written = `{"id":"shop-b2","author":"Tom B.","rating":2,"date":"2026-02-10","text":"Late and dear.","source":"shop","verification":{"method":"platform"}}
{"id":"shop-a1","author":"Maria K.","rating":5,"date":"2026-01-03","title":"On time","text":"Came at nine, as said.","source":"shop","owner_reply":{"text":"Thank you!","date":"2026-01-04"},"verification":{"method":"platform"}}
{"id":"shop-c3","author":"Anonymous","rating":4,"date":"2026-01-03","source":"shop","verification":{"method":"platform"}}
`

func TestImport(t *testing.T) {
	d := newDesk(t)
	report := d.load(header + rowC + rowA + rowB)
	wantEqual(t, "counts", counts(report), [4]int{3, 0, 0, 0})
	wantEqual(t, "changed", report.Changed, true)
	wantEqual(t, "file", d.data(), written)
	wantEqual(t, "names", d.names(), []string{".import-shop.json", "import-shop.jsonl"})
	if memory := d.file(".import-shop.json"); strings.Contains(memory, "nine") || strings.Contains(memory, "Maria") {
		t.Errorf("the memory holds customers' words: %s", memory)
	}

	again := d.load(header + rowB + rowA + rowC)
	wantEqual(t, "counts again", counts(again), [4]int{0, 0, 3, 0})
	wantEqual(t, "changed again", again.Changed, false)
	wantEqual(t, "file again", d.data(), written)
}

func TestUnverifiedComesInWithout(t *testing.T) {
	d := newDesk(t)
	d.cfg.Verification = ""
	d.load(header + rowB)
	wantEqual(t, "file", d.data(), `{"id":"shop-b2","author":"Tom B.","rating":2,"date":"2026-02-10","text":"Late and dear.","source":"shop"}`+"\n")

	d.cfg.Verification = "platform"
	wantEqual(t, "counts", counts(d.load(header+rowB)), [4]int{0, 1, 0, 0})

	// An import that says nothing of it takes no verification away.
	d.cfg.Verification = ""
	wantEqual(t, "counts", counts(d.load(header+rowB)), [4]int{0, 0, 1, 0})
	if !strings.Contains(d.data(), `"verification":{"method":"platform"}`) {
		t.Errorf("the verification is gone: %s", d.data())
	}
}

func TestUpdateInPlace(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB)
	report := d.load(header + strings.Replace(rowA, "Came at nine", "Came at ten", 1) +
		strings.Replace(rowB, "2,2026-02-10", "3,2026-02-11", 1) + rowC)
	wantEqual(t, "counts", counts(report), [4]int{1, 2, 0, 0})
	wantEqual(t, "changes", report.Changes, []Change{
		{Row: 2, ID: "shop-a1", Date: "2026-01-03", Rating: 5, Author: "Maria K.", Fields: []string{"text"}},
		{Row: 3, ID: "shop-b2", Date: "2026-02-11", Rating: 3, Author: "Tom B.", Fields: []string{"rating", "date"}},
		{Row: 4, ID: "shop-c3", Date: "2026-01-03", Rating: 4, Author: "Anonymous"},
	})
	want := strings.NewReplacer("at nine", "at ten", `"rating":2,"date":"2026-02-10"`, `"rating":3,"date":"2026-02-11"`).Replace(written)
	wantEqual(t, "file", d.data(), want)
}

func TestEditorsChangesAreKept(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB + rowC)
	d.edit(`"title":"On time",`, ``)
	d.edit(`"author":"Tom B.","rating":2`, `"rating": 2, "author":"Tomasz B.","technicians":["joe"]`)
	d.edit(`"method":"platform"}}`+"\n"+`{"id":"shop-a1"`, `"reference":"job 17","method":"receipt"}}`+"\r\n\n"+`{"id":"shop-a1"`)

	same := d.load(header + rowA + rowB + rowC)
	wantEqual(t, "kept", same.Kept, []string{"shop-a1: title", "shop-b2: author and verification"})
	wantEqual(t, "counts", counts(same), [4]int{0, 0, 3, 0})

	report := d.load(header + strings.Replace(rowA, "On time,", "Punctual,", 1) + strings.NewReplacer("Late", "Very late", ",,\n", ",Sorry.,2026-02-12\n").Replace(rowB) + rowC)
	wantEqual(t, "counts", counts(report), [4]int{0, 1, 2, 0})
	want := `{"id":"shop-b2","author":"Tomasz B.","rating":2,"date":"2026-02-10","text":"Very late and dear.","source":"shop","owner_reply":{"text":"Sorry.","date":"2026-02-12"},"verification":{"reference":"job 17","method":"receipt"},"technicians":["joe"]}
{"id":"shop-a1","author":"Maria K.","rating":5,"date":"2026-01-03","text":"Came at nine, as said.","source":"shop","owner_reply":{"text":"Thank you!","date":"2026-01-04"},"verification":{"method":"platform"}}
`
	wantEqual(t, "file", strings.Join(strings.SplitAfter(d.data(), "\n")[:2], ""), want)

	// When export and editor agree, the member follows the export again.
	d.load(header + rowA + strings.Replace(rowB, "Tom ", "Tomasz ", 1) + rowC)
	report = d.load(header + rowA + strings.Replace(rowB, "Tom ", "Thomas ", 1) + rowC)
	wantEqual(t, "changes", report.Changes, []Change{{Row: 3, ID: "shop-b2", Date: "2026-02-10", Rating: 2, Author: "Thomas B.", Fields: []string{"author"}}})
}

func TestColumnsThatAreNotMappedStay(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB + rowC)
	report := d.without("title", "author", "owner_reply.text", "owner_reply.date").load(header + rowA + rowB + rowC)
	wantEqual(t, "counts", counts(report), [4]int{0, 0, 3, 0})
	wantEqual(t, "file", d.data(), written)
}

func TestVanishedReviewsStay(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB + rowC)
	// A row that is there and can't be read has not vanished.
	report := d.load(header + rowA + strings.Replace(rowC, ",4,", ",,", 1))
	wantEqual(t, "vanished", report.Vanished, []string{"shop-b2: Tom B., 2026-02-10"})
	wantEqual(t, "counts", counts(report), [4]int{0, 0, 1, 1})
	wantEqual(t, "file", d.data(), written)
}

func TestRemovedReviewsStayOut(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB)
	d.edit(strings.SplitAfter(written, "\n")[1], "")
	for range 2 {
		report := d.load(header + rowA + rowB)
		wantEqual(t, "codes", codes(report), []Code{Removed})
		wantEqual(t, "reason", report.Skipped[0].Reason, "the editor removed shop-a1 from reviews/import-shop.jsonl; to import it again, delete its entry in reviews/.import-shop.json")
	}
	if memory := d.file(".import-shop.json"); !strings.Contains(memory, `{"id":"shop-a1"}`) {
		t.Errorf("something of the removed review is left: %s", memory)
	}
	if err := os.Remove(d.path("import-shop.jsonl")); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "afresh", counts(d.load(header+rowA+rowB)), [4]int{2, 0, 0, 0})
}

func TestLostMemoryKeepsEverything(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB)
	if err := os.Remove(d.path(".import-shop.json")); err != nil {
		t.Fatal(err)
	}
	report := d.load(header + strings.Replace(rowA, "nine", "ten", 1) + rowB + rowC)
	wantEqual(t, "counts", counts(report), [4]int{1, 0, 2, 0})
	wantEqual(t, "kept", report.Kept, []string{"shop-a1: text"})
	wantEqual(t, "file", d.data(), written)
}

func TestIDs(t *testing.T) {
	export := "id,stars,day\nABC,5,2026-01-01\nabc,4,2026-01-01\na/b c,3,2026-01-01\n" + strings.Repeat("x", 80) + ",2,2026-01-01\n _x,1,2026-01-01\n"
	lines := strings.SplitAfter(export, "\n")
	shuffled := strings.Join([]string{lines[0], lines[5], lines[2], lines[1], lines[4], lines[3]}, "")
	d := newDesk(t).without("author", "title", "text", "owner_reply.text", "owner_reply.date")
	var ids [][]string
	for _, e := range []string{export, shuffled} {
		var of []string
		for _, c := range d.load(e).Changes {
			of = append(of, c.ID)
		}
		ids = append(ids, slices.Sorted(slices.Values(of)))
		if err := os.Remove(d.path("import-shop.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"shop-" + keyOf("id", "a/b c")[:12], "shop-" + keyOf("id", strings.Repeat("x", 80))[:12], "shop-" + keyOf("id", "abc")[:12], "shop-ABC", "shop-_x"}
	slices.Sort(want)
	wantEqual(t, "ids", ids[0], want)
	wantEqual(t, "ids of shuffled rows", ids[1], want)
}

func TestIDsOfContent(t *testing.T) {
	d := newDesk(t).without("id")
	d.load(header + rowA + rowB)
	before := d.data()
	// Another review of the same author and day comes first, one of the old ones
	// has other stars and an answer now.
	near := strings.Replace(rowA, "Came at nine, as said.", "Came again.", 1)
	report := d.load(header + near + strings.NewReplacer("b2,2", "b2,3", ",,\n", ",Sorry.,2026-02-12\n").Replace(rowB) + rowA)
	wantEqual(t, "counts", counts(report), [4]int{1, 1, 1, 0})
	for _, line := range strings.SplitAfter(before, "\n")[:2] {
		id := line[:len(`{"id":"shop-123456789012"`)]
		if !strings.Contains(d.data(), id) {
			t.Errorf("%s is gone", id)
		}
	}
	d.cfg.AuthorNames = "full"
	wantEqual(t, "in full", counts(d.load(header+rowA+rowB)), [4]int{0, 2, 0, 0})
}

// Ratings without words, of one day and nobody in particular, are told apart by
// their stars at least.
func TestRatingsAlone(t *testing.T) {
	d := newDesk(t).without("id")
	report := d.load(header + ",5,2026-01-01,,,,,\n,4,2026-01-01,,,,,\n,5,2026-01-01,,,,,\n")
	wantEqual(t, "counts", counts(report), [4]int{2, 0, 0, 1})
	wantEqual(t, "reason", report.Skipped[0].Error(), "row 4 (line 4): the row repeats row 2; if these are two reviews, add a column id to the table, with another id in each row that stays the same in later exports, such as r1 and r2, delete reviews/import-shop.jsonl if it is there, and nothing of it published yet, and import again")
}

func TestRepeatedRows(t *testing.T) {
	d := newDesk(t)
	report := d.load(header + rowA + rowB + rowA + strings.Replace(rowB, "b2,2", "b2,1", 1))
	wantEqual(t, "codes", codes(report), []Code{Duplicate, Conflict})
	wantEqual(t, "duplicate", report.Skipped[0].Error(), `row 4 (line 4) "a1": the row repeats row 2`)
	wantEqual(t, "conflict", report.Skipped[1].Error(), `row 5 (line 5) "b2": the row is the same review as row 3 with a different rating; row 3 is used, remove one of them`)
}

// TestAnotherReview: an id that the export gives to two reviews, or to another one than
// before, never puts one in the place of the other.
func TestAnotherReview(t *testing.T) {
	d := newDesk(t)
	torn := strings.Replace(rowA, "2026", "someday", 1)
	report := d.load(header + torn + rowA)
	wantEqual(t, "codes", len(report.Skipped), 2)
	wantEqual(t, "reason", report.Skipped[1].Reason, "the row has the id of row 2, which was skipped; give one of them another id, or correct row 2 and remove this one")

	d = newDesk(t)
	d.load(header + rowA)
	before := d.data()
	report = d.load(header + strings.Replace(rowB, "b2,", "a1,", 1))
	wantEqual(t, "counts", counts(report), [4]int{0, 0, 0, 1})
	wantEqual(t, "reason", report.Skipped[0].Reason, "shop-a1 was another review: its author, date and text all differ from this row's; if it is a new review, give the row an id of its own, if not, the id that it had")
	wantEqual(t, "file", d.data(), before)
}

func TestTakenAndWithdrawn(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowC)
	d.cfg.Taken = func(id string) string {
		return map[string]string{"shop-a1": "reviews/2026.yaml:12", "shop-c3": "reviews/import-shop.jsonl:1"}[strings.ToLower(id)]
	}
	d.cfg.Withdrawn = func(id string) bool { return id == "shop-b2" }
	report := d.load(header + rowA + rowB + rowC)
	wantEqual(t, "codes", codes(report), []Code{Taken, Withdrawn})
	wantEqual(t, "reason", report.Skipped[0].Reason, "the id shop-a1 is already used at reviews/2026.yaml:12 by another review; give one of the two another id")
	wantEqual(t, "unchanged", report.Unchanged, 1)
}

func TestAnotherScale(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB)
	before := d.data()
	d.cfg.RatingScale, d.cfg.Round = 10, "nearest"
	report := d.load(header + rowA + rowB + strings.Replace(rowC, ",4,", ",8,", 1))
	wantEqual(t, "codes", codes(report), []Code{OtherScale, OtherScale})
	wantEqual(t, "added", report.Added, 1)
	for line := range strings.Lines(before) {
		if !strings.Contains(d.data(), line) {
			t.Errorf("%s was changed", line)
		}
	}
	wantEqual(t, "again", counts(d.load(header+strings.Replace(rowC, ",4,", ",8,", 1))), [4]int{0, 0, 1, 0})
}

func TestDryRun(t *testing.T) {
	d := newDesk(t)
	d.cfg.DryRun = true
	report := d.load(header + rowA)
	wantEqual(t, "names", d.names(), []string(nil))
	wantEqual(t, "changed", report.Changed, true)

	d.cfg.DryRun = false
	d.load(header + rowA)
	before := [2]string{d.data(), d.file(".import-shop.json")}
	d.cfg.DryRun = true
	wantEqual(t, "counts", counts(d.load(header+strings.Replace(rowA, "nine", "ten", 1)+rowB)), [4]int{1, 1, 0, 0})
	wantEqual(t, "files", [2]string{d.data(), d.file(".import-shop.json")}, before)
}

func TestNothingToImport(t *testing.T) {
	d := newDesk(t)
	wantEqual(t, "changed", d.load(header).Changed, false)
	wantEqual(t, "names", d.names(), []string(nil))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestCancelled(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA)
	before := d.data()
	ctx, cancel := context.WithCancel(t.Context())
	export := io.MultiReader(strings.NewReader(header+rowB+strings.Repeat(rowC, 10_000)), readerFunc(func([]byte) (int, error) {
		cancel() // half-way
		return 0, nil
	}), strings.NewReader(rowC))
	_, err := CSV(ctx, export, d.cfg)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	wantEqual(t, "file", d.data(), before)
	wantEqual(t, "names", d.names(), []string{".import-shop.json", "import-shop.jsonl"})
}
