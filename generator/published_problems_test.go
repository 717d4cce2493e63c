package generator

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOthersThanPublished: warnings of a published id that is another review now, and of
// another address; a review that is gone is reported in place of what cites it.
func TestOthersThanPublished(t *testing.T) {
	t.Parallel()
	dir, public := t.TempDir(), t.TempDir()
	jo := "- {id: jo, author: Jo P., rating: 5, date: 2026-01-02, text: They came on time., verification: {method: job}}\n"
	put(t, dir, map[string]string{
		"business.yaml":     "id: acme\nname: Acme\n",
		"reviews/all.yaml":  jo,
		"reviews/more.yaml": "- {id: al, author: Al B., rating: 4, date: 2026-01-03, text: Fine., verification: {method: job}}\n",
		"faq.yaml":          "- {question: Are they on time?, answer: Yes., evidence_review_ids: [al]}\n",
	})
	published := Config{ContentDir: dir, PublicDir: public, BaseURL: "https://reviews.acme.test", Today: "2026-11-21"}
	if _, err := NewBuilder(published).Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	check := func(baseURL string) (said []string) {
		t.Helper()
		cfg := published
		cfg.BaseURL = baseURL
		problems, err := NewBuilder(cfg).Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			said = append(said, p.Code+" "+p.String())
		}
		return said
	}
	for _, test := range []struct{ name, reviews, more, baseURL, says string }{
		{"the same", jo, "al", published.BaseURL, ""},
		{"a corrected text", strings.Replace(jo, "on time", "at nine", 1), "al", published.BaseURL, ""},
		{"another customer's review", "- {id: jo, author: Mia K., rating: 1, date: 2026-05-06, text: They never came., verification: {method: job}}\n", "al", published.BaseURL,
			`replaced reviews/all.yaml:1:3: the published review "jo" was by Jo P. of 2026-01-02, and is another one now: author, date and text differ`},
		{"another address", jo, "al", "https://acme.test", "moved site.yaml: --base-url is https://acme.test, and the published pages are for https://reviews.acme.test"},
		{"this computer", jo, "al", "http://localhost:8080", ""},
		{"another id, which the questions cite", jo, "albert", published.BaseURL, `review "al" is published, but`},
	} {
		put(t, dir, map[string]string{
			"reviews/all.yaml":  test.reviews,
			"reviews/more.yaml": "- {id: " + test.more + ", author: Al B., rating: 4, date: 2026-01-03, text: Fine., verification: {method: job}}\n",
		})
		said := check(test.baseURL)
		if (test.says == "") != (len(said) == 0) || len(said) > 1 || len(said) == 1 && !strings.Contains(said[0], test.says) {
			t.Errorf("%s: %q, want %q", test.name, said, test.says)
		}
	}
}

// TestGoneAndCited: what stops a preview is an error, also where only a published review that is gone stops it.
func TestGoneAndCited(t *testing.T) {
	t.Parallel()
	dir, cfg := alreadyPublished(t)
	put(t, dir, map[string]string{"faq.yaml": "- {question: Kind?, answer: Yes., evidence_review_ids: [r1]}\n"})
	if err := os.Remove(filepath.Join(dir, "reviews", "1.yaml")); err != nil {
		t.Fatal(err)
	}
	cfg.Lenient = true
	_, err := NewBuilder(cfg).Prepare(t.Context(), nil)
	want := "1 error to fix first; no page was changed"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestWithdrawalAsNote deletes a review and leaves the # before its withdrawal, below one that is published and names
// a review that no file has had.
func TestWithdrawalAsNote(t *testing.T) {
	t.Parallel()
	const gutter = "- id: 2025-q3-gutter\n  reason: withdrawn\n  date: 2026-02-01\n"
	files := map[string]string{"withdrawn.yaml": gutter}
	for _, id := range []string{"2026-q3-boiler", "2026-q3-oven"} {
		files["reviews/"+id+".yaml"] = "id: " + id + "\nauthor: \"" + id + "\"\nrating: 5\ndate: 2026-01-02\nverification: {method: job}\n"
	}
	dir := folder(t, files)
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	if err := os.Remove(filepath.Join(dir, "reviews", "2026-q3-boiler.yaml")); err != nil {
		t.Fatal(err)
	}
	for entry, want := range map[string]string{
		"":                          "error withdrawn.yaml: review \"2026-q3-boiler\" (2026-q3-boiler, 5 of 5 stars, 2026-01-02) is published, but no file of reviews/ has it any more; put it back under this id, from your own copy of its file or with its words in the reviews.jsonl that is published; or add to withdrawn.yaml (with the reason legal if its words must disappear everywhere): - {id: 2026-q3-boiler, reason: withdrawn, date: 2026-06-01}; if it was never online, build with --previous and the address of your reviews",
		"# - id: 2026-q3-boiler\n#": "error withdrawn.yaml:4:1: review \"2026-q3-boiler\" is published, and only a note here, since its lines begin with #; delete these #, so that it is withdrawn; or put the review back",
	} {
		put(t, dir, map[string]string{"withdrawn.yaml": gutter + entry})
		problems, err := NewBuilder(cfg).Check(t.Context())
		if err != nil || len(problems) != 1 || string(problems[0].Severity)+" "+problems[0].String() != want {
			t.Errorf("%q: got %v, %v, want %s", entry, problems, err, want)
		}
	}
}

// TestWithdrawn deletes published reviews and withdraws them, rightly or not, and builds between.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	const gone = "error withdrawn.yaml:1:7: review \"2026-q3-boiler\" (2026-q3-boiler B., 5 of 5 stars, 2026-01-02) is published, but no file of reviews/ has it any more, and there has never been a review \"2026-q3-boilr\"; write 2026-q3-boiler here, or put the review back"
	files := map[string]string{}
	for _, id := range []string{"2026-q3-boiler", "2026-q3-oven", "2026-10-marathon-sandra", "shop-1001", "shop-1002"} {
		files["reviews/"+id+".yaml"] = "id: " + id + "\nauthor: \"" + id + " B.\"\nrating: 5\ndate: 2026-01-02\nverification: {method: job}\n"
	}
	published := filepath.Join(t.TempDir(), "public") // of each of the folders
	mustBuild(t, config(folder(t, files), published))
	const never = "error withdrawn.yaml:1:7: there is no review \"2025-q3-oven\", and none has been published; if a review is to go that is still published, write id: 2026-q3-oven; what was never published needs no withdrawal: delete these lines"
	for _, test := range []struct {
		name, deleted, withdrawn, says string // also after the build that follows
	}{
		{"rightly", "2026-q3-boiler", "- id: 2026-q3-boiler", ""},
		{"under another id", "2026-q3-boiler", "- id: 2026-q3-boilr", gone},
		{"under the name of the author", "2026-q3-boiler", "- id: Jo Böhm", "error withdrawn.yaml:1:7: id is \"Jo Böhm\"; write the id of the review, as it stands behind id: in its file\nerror withdrawn.yaml:1:7: review \"2026-q3-boiler\" (2026-q3-boiler B., 5 of 5 stars, 2026-01-02) is published, but no file of reviews/ has it any more, and there has never been a review \"Jo Böhm\"; write 2026-q3-boiler here, or put the review back"},
		{"under the name of its author", "2026-q3-boiler", "- id: 2026-q3-boiler B.", "error withdrawn.yaml:1:7: id is \"2026-q3-boiler B.\"; write id: 2026-q3-boiler"},
		{"on one line", "2026-q3-boiler", "- 2026-q3-boiler B.: wished\n- id: shop-1001", "error withdrawn.yaml:1:3: the withdrawal is the text \"2026-q3-boiler B.: wished\"; it must have fields; write in place of this line, with the reason legal if the law requires that its text disappears everywhere: - {id: 2026-q3-boiler, reason: withdrawn, date: 2026-06-01}"},
		{"under an id that is like none", "2026-q3-boiler", "- id: 2025-q3-gutter", "error withdrawn.yaml:1:7: review \"2026-q3-boiler\" (2026-q3-boiler B., 5 of 5 stars, 2026-01-02) is published, but no file of reviews/ has it any more, and there has never been a review \"2025-q3-gutter\"; write 2026-q3-boiler here, or put the review back"},
		{"misspelt, and not deleted", "", "- id: 2026-q3-ovne", "error withdrawn.yaml:1:7: there is no review \"2026-q3-ovne\", and none has been published; if a review is to go that is still published, write id: 2026-q3-oven; what was never published needs no withdrawal: delete these lines"},
		{"and not deleted", "", "- id: 2026-q3-oven", ""},
		{"in other letters", "2026-q3-boiler", "- id: 2026-Q3-Boiler", ""},
		{"of a review that never was", "", "- id: 2025-q3-oven", never},
		{"under an id from memory", "", "- id: 2026-10-wade-sandra", "error withdrawn.yaml:1:7: there is no review \"2026-10-wade-sandra\", and none has been published; if a review is to go that is still published, write id: 2026-10-marathon-sandra; what was never published needs no withdrawal: delete these lines"},
		{"of another number", "shop-1001", "- id: shop-1001", ""},
		{"before the review", "2026-q3-boiler", "- id: 2026-q3-boiler\n  month: 2026-03", "warning withdrawn.yaml:1:7: the withdrawal of \"2026-q3-boiler\" is dated 2026-02-01, and its review of 2026-03 was published after that; correct the date; if it is withdrawn today, write date: 2026-06-01"},
	} {
		dir := folder(t, files)
		cfg := config(dir, filepath.Join(t.TempDir(), "public"))
		if err := os.CopyFS(cfg.PublicDir, os.DirFS(published)); err != nil {
			t.Fatal(err)
		}
		if test.deleted != "" {
			if err := os.Remove(filepath.Join(dir, "reviews", test.deleted+".yaml")); err != nil {
				t.Fatal(err)
			}
		}
		put(t, dir, map[string]string{"withdrawn.yaml": test.withdrawn + "\n  reason: withdrawn\n  date: 2026-02-01\n"})
		said := func() string {
			problems, err := NewBuilder(cfg).Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, p := range problems {
				lines = append(lines, string(p.Severity)+" "+p.String())
			}
			return strings.Join(lines, "\n")
		}
		if got := said(); got != test.says {
			t.Errorf("%s: %s\nwant: %s", test.name, got, test.says)
		}
		if strings.HasPrefix(test.says, "error") {
			continue
		}
		mustBuild(t, cfg)
		if strings.Contains(test.says, "there is no review") {
			test.says = "" // it is published, and may be right
		}
		if got := said(); got != test.says {
			t.Errorf("%s, after the build: %s\nwant: %s", test.name, got, test.says)
		}
		if list := read(t, cfg.PublicDir)["withdrawn.json"]; strings.Contains(list, "Q3") {
			t.Errorf("%s: an id has other letters than it had: %s", test.name, list)
		}
	}
}

// TestEdited changes published files by hand.
func TestEdited(t *testing.T) {
	t.Parallel()
	_, cfg := alreadyPublished(t)
	public := cfg.PublicDir
	page := filepath.Join(public, "index.html")
	before := read(t, public)
	if err := os.WriteFile(page, []byte("<p>ours"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{{"index.html"}, nil} {
		res := mustBuild(t, cfg)
		if !slices.Equal(res.Edited, want) {
			t.Errorf("edited: %q, want %q", res.Edited, want)
		}
		if got := read(t, public); !maps.Equal(got, before) {
			t.Error("the build doesn't put the page right")
		}
	}
	if err := os.WriteFile(filepath.Join(public, "reviews.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := NewBuilder(cfg).Build(t.Context())
	if err == nil || !strings.Contains(err.Error(), "was changed by hand); undo that, since corrections belong into the folder content, those of a review into its file in reviews; or fetch what is online with: reviewcast pull https://reviews.example.com ") {
		t.Errorf("a build on reviews.json that was edited: %v", err)
	}
	if err := os.Remove(filepath.Join(public, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	_, err = NewBuilder(cfg).Build(t.Context())
	if want := "its manifest.json is missing; put it back"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a build without the manifest: %v, want %q", err, want)
	}
}

// TestCheckWithoutDates: beside a published set, a check reads reviews whose date is missing or no date.
func TestCheckWithoutDates(t *testing.T) {
	t.Parallel()
	dir, cfg := alreadyPublished(t)
	put(t, dir, map[string]string{
		"reviews/1.yaml": "- {id: r1, author: Ana, rating: 5, date: yesterday, verification: {method: job}}\n",
		"reviews/9.yaml": "- {id: r9, author: Ana, rating: 5}\n- {id: r10, author: Ana, rating: 5, date: November, verification: {method: job}}\n",
		"withdrawn.yaml": "- {id: r1, reason: withdrawn, date: 2026-05-01}\n- {id: r9, reason: withdrawn, date: 2026-05-01}\n",
	})
	problems, err := NewBuilder(cfg).Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	all := "\n" + strings.Join(got, "\n")
	for _, place := range []string{"reviews/1.yaml:1:42", "reviews/9.yaml:1:3", "reviews/9.yaml:2:43"} {
		if !strings.Contains(all, "\n"+place+": ") {
			t.Errorf("no problem at %s:%s", place, all)
		}
	}
}

// TestPublishedNote: a published review whose lines begin with # is found where it is a note.
func TestPublishedNote(t *testing.T) {
	t.Parallel()
	dir, cfg := alreadyPublished(t)
	put(t, dir, map[string]string{"reviews/1.yaml": "# kept for later\n# - id: r1\n#   author: Ana\n"})
	problems, err := NewBuilder(cfg).Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const want = `reviews/1.yaml:2:1: review "r1" is published, and only a note here, since its lines begin with #; delete these #, or add to withdrawn.yaml (with the reason legal if its words must disappear everywhere): - {id: r1, reason: withdrawn, date: 2026-06-01}`
	if len(problems) != 1 || problems[0].String() != want {
		t.Errorf("got %v, want %s", problems, want)
	}
}

// TestDeletedService deletes a service that is published; the line to write is indented as its neighbours are.
func TestDeletedService(t *testing.T) {
	t.Parallel()
	const review = "id: jo\nauthor: Jo K.\nrating: 5\ndate: 2026-01-02\nservices: [drains]\nverification: {method: job}\n"
	const head, both = "id: acme\nname: Acme\n", "services:\n  - {id: drains, name: Drain cleaning}\n  - {id: gas, name: Gas}\n"
	dir := folder(t, map[string]string{"business.yaml": head + both, "reviews/jo.yaml": review})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	for business, want := range map[string]string{
		head + "services:\n  # what we do\n  - {id: gas, name: Gas}\n": "write below services: in business.yaml:   - ",
		head + "services:\n- id: gas\n  name: Gas\n":                   "write below services: in business.yaml: - ",
		head: "write below services: in business.yaml: - ",
	} {
		put(t, dir, map[string]string{"business.yaml": business})
		problems, err := NewBuilder(cfg).Check(t.Context())
		want = "put it back, since older reviews name it; " + want + `{id: drains, name: "Drain cleaning"}`
		if err != nil || len(problems) == 0 || problems[0].Suggestion != want {
			t.Errorf("%s: got %v, %v, want %s", business, problems, err, want)
		}
	}
}

// TestDeletedTechnician deletes a technician that a review names; the line to write has the aliases as published.
func TestDeletedTechnician(t *testing.T) {
	t.Parallel()
	const review = "id: jo\nauthor: Jo K.\nrating: 5\ndate: 2026-01-02\ntechnicians: [sepp, al]\nverification: {method: job}\n"
	const head = "id: acme\nname: Acme\ntechnicians:\n  - {id: mia, name: Mia Egger, aliases: [Mia]}\n"
	dir := folder(t, map[string]string{"business.yaml": head + "  - {id: sepp, name: Josef \"Sepp\" Maier, aliases: [Josef, Sepp]}\n  - {id: al, name: Al Bo}\n", "reviews/jo.yaml": review})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	put(t, dir, map[string]string{"business.yaml": head})
	problems, err := NewBuilder(cfg).Check(t.Context())
	const remedy = "put it back, since older reviews name it; write below technicians: in business.yaml:   - "
	for i, want := range []string{`{id: sepp, name: "Josef \"Sepp\" Maier", aliases: ["Josef","Sepp"]}`, `{id: al, name: "Al Bo"}`} {
		if err != nil || len(problems) != 2 || problems[i].Suggestion != remedy+want {
			t.Errorf("got %v, %v, want %s", problems, err, want)
		}
	}
	put(t, dir, map[string]string{"business.yaml": head + "  - id: sepp-m\n    name: 'Josef \"Sepp\" Maier'\n  - {id: albert, name: Al Bo, aliases: [Al]}\n"})
	problems, err = NewBuilder(cfg).Check(t.Context())
	for i, want := range []string{"write id: sepp in place of id: sepp-m in business.yaml, since older reviews name it", "write id: al in place of id: albert in business.yaml, since older reviews name it"} {
		if err != nil || len(problems) != 2 || problems[i].Suggestion != want {
			t.Errorf("got %v, %v, want %s", problems, err, want)
		}
	}
}

// TestRenamedTechnician gives a technician, whose name has changed, another id as well.
func TestRenamedTechnician(t *testing.T) {
	t.Parallel()
	const review = "id: jo\nauthor: Jo K.\nrating: 5\ndate: 2026-01-02\ntechnicians: [anna-lind]\nverification: {method: job}\n"
	const head = "id: acme\nname: Acme\ntechnicians:\n  - {id: anna-lind, name: Anna Lind}\n"
	dir := folder(t, map[string]string{"business.yaml": head, "reviews/jo.yaml": review})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	put(t, dir, map[string]string{"business.yaml": strings.Replace(head, "anna-lind, name: Anna Lind", "anna-berg, name: Anna Berg", 1)})
	problems, err := NewBuilder(cfg).Check(t.Context())
	const want = "if Anna Berg is the same person, write id: anna-lind in place of id: anna-berg in business.yaml, and change only the name; " +
		`if not, put it back, since older reviews name it; write below technicians: in business.yaml:   - {id: anna-lind, name: "Anna Lind"}`
	if err != nil || len(problems) != 1 || problems[0].Suggestion != want {
		t.Errorf("got %v, %v, want %s", problems, err, want)
	}
}

// TestSortedColumn sorts one column of a table whose reviews are published.
func TestSortedColumn(t *testing.T) {
	t.Parallel()
	const head = "id,author,rating,date,text,verification.method\n"
	rows := [][]string{{"k1", "Mia", "5", "2026-01-05", `"All ""fine"", thanks."`}, {"k2", "Al", "2", "2026-01-04", "Late."}, {"k3", "Zoe", "4", "2026-01-06", "Good work."}, {"k4", "Jo", "5", "2026-01-01", "Kind."}}
	file := func(rows [][]string) map[string]string {
		text := head
		for _, r := range rows {
			text += strings.Join(r, ",") + ",job\n"
		}
		return map[string]string{"reviews/cards.csv": text}
	}
	dir := folder(t, file(rows))
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	for column, name := range []string{"id", "author", "rating", "date", "text", "nothing", "two authors"} {
		sorted, values := [][]string{}, []string{}
		for _, r := range rows {
			sorted, values = append(sorted, slices.Clone(r)), append(values, r[min(column, 4)])
		}
		if slices.Sort(values); name == "id" {
			slices.Reverse(values)
		}
		for i := range sorted {
			if column < len(values)+1 {
				sorted[i][column] = values[i]
			}
		}
		if name == "two authors" {
			sorted[0][1], sorted[1][1] = sorted[1][1], sorted[0][1]
		}
		put(t, dir, file(sorted))
		problems, err := NewBuilder(cfg).Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, p := range problems {
			said += p.String() + "\n"
		}
		want := " published reviews have another " + strings.Replace(name, "id", "author", 1) + " than before"
		if column < 5 && !strings.Contains(said, want) || column >= 5 && said != "" || strings.Count(said, "\n") > 1 {
			t.Errorf("%s: got %s, want %s", name, said, want)
		}
	}
}

// TestReplacedColumn changes values of a column of published reviews.
func TestReplacedColumn(t *testing.T) {
	t.Parallel()
	const head = "id,author,rating,date,text,verification.method\n"
	const rows = "k1,Mia,5,2025-01-05,Fine.,job\nk2,Al,2,2025-01-04,Late.,job\nk3,Zoe,4,2025-01-06,Good.,job\nk4,Jo,5,2025-01-01,Kind.,job\n"
	dir := folder(t, map[string]string{"reviews/cards.csv": head + rows})
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	mustBuild(t, cfg)
	const remedy = "if that was meant for some of them only, undo it, or put the file back from a copy; to sort a table, select all of its columns"
	for _, test := range []struct{ old, new, want string }{
		{"2025-", "2024-", "reviews/cards.csv:4:1: 4 of 4 published reviews have another date than before; this one had \"2025-01-06\", and has \"2024-01-06\" now; " + remedy},
		{",2025-01-05", ",2024-01-05", ""},
		{".,", "!,", "reviews/cards.csv:4:1: 4 of 4 published reviews have another text than before; this one had \"Good.\", and has \"Good!\" now; " + remedy},
		{"Fine.", "Fine!", ""},
	} {
		put(t, dir, map[string]string{"reviews/cards.csv": head + strings.ReplaceAll(rows, test.old, test.new)})
		problems, err := NewBuilder(cfg).Check(t.Context())
		got := ""
		for _, p := range problems {
			got += p.String()
		}
		if err != nil || got != test.want {
			t.Errorf("%s: got %s, %v\nwant %s", test.old, got, err, test.want)
		}
	}
}

// TestSmallTable exchanges two ratings of a table, as sorting them alone does, and changes one.
func TestSmallTable(t *testing.T) {
	t.Parallel()
	const table = "id,author,rating,date,text,verification.method\nk1,Mia,%d,2025-01-05,Fine.,job\nk2,Al,%d,2025-01-04,Late.,job\nk3,Zoe,%d,2025-01-06,Good.,job\nk4,Jo,%d,2025-01-01,Kind.,job\n"
	more := map[string]string{}
	for i := range 4 {
		more[fmt.Sprintf("reviews/m%d.yaml", i)] = fmt.Sprintf("{id: m%d, author: Jo K., rating: 5, date: 2026-01-02, verification: {method: job}}\n", i)
	}
	dir := folder(t, more)
	cfg := config(dir, filepath.Join(t.TempDir(), "public"))
	put(t, dir, map[string]string{"reviews/cards.csv": fmt.Sprintf(table, 5, 4, 5, 3)})
	mustBuild(t, cfg)
	for _, test := range []struct {
		ratings []any
		want    bool
	}{{[]any{3, 4, 5, 5}, true}, {[]any{4, 5, 5, 3}, true}, {[]any{5, 4, 5, 5}, false}} {
		put(t, dir, map[string]string{"reviews/cards.csv": fmt.Sprintf(table, test.ratings...)})
		problems, err := NewBuilder(cfg).Check(t.Context())
		if got := fmt.Sprint(problems); err != nil || strings.Contains(got, "2 of 8 published reviews have another rating") != test.want || (len(problems) > 0) != test.want {
			t.Errorf("%v: %s, %v", test.ratings, got, err)
		}
	}
}

// TestWebsiteAsAddress writes the address of the website in place of the published one: one warning, with its line.
func TestWebsiteAsAddress(t *testing.T) {
	t.Parallel()
	cfg := config(folder(t, nil), filepath.Join(t.TempDir(), "public"))
	cfg.BaseURL = ""
	business := "id: acme\nname: Acme\nurl: https://www.acme.test\n"
	put(t, cfg.ContentDir, map[string]string{"business.yaml": business, "site.yaml": "base_url: https://reviews.acme.test\n"})
	mustBuild(t, cfg)
	put(t, cfg.ContentDir, map[string]string{"site.yaml": "title: Acme\nbase_url: https://acme.test\n"})
	problems, err := NewBuilder(cfg).Check(t.Context())
	const want = "site.yaml:2:11: base_url is also the url in business.yaml: the reviews would replace the front page of your website; " +
		"the published pages are for an address of their own; write base_url: https://reviews.acme.test"
	if err != nil || len(problems) != 1 || problems[0].String() != want {
		t.Errorf("%v, %v, want %s", problems, err, want)
	}
}

// TestWaiting names the newest of the reviews that only lack a verification.
func TestWaiting(t *testing.T) {
	t.Parallel()
	const waits = "- {id: %s, author: Jo K., rating: 5, date: 2026-01-%02d}\n"
	dir := folder(t, map[string]string{"reviews/a.yaml": "- {id: a1, author: Jo K., rating: 5, date: 2026-01-02, verification: {method: job}}\n" + fmt.Sprintf(waits, "a2", 2), "reviews/b.yaml": fmt.Sprintf(waits, "b1", 1)})
	b := NewBuilder(config(dir, filepath.Join(t.TempDir(), "public")))
	got, err := b.Waiting(t.Context())
	want := "a2 (" + filepath.Join(dir, "reviews/a.yaml") + ":2), b1 (" + filepath.Join(dir, "reviews/b.yaml") + ":1)\n  to publish it, write on a line of its own below its other fields: "
	if err != nil || !strings.Contains(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for i := range 9 {
		put(t, dir, map[string]string{fmt.Sprintf("reviews/c%d.yaml", i): fmt.Sprintf(waits, fmt.Sprintf("c%d", i), i+3)})
	}
	if got, err := b.Waiting(t.Context()); err != nil || !strings.Contains(got, "c6.yaml:1), 8 more\n") {
		t.Errorf("of many: got %q, %v", got, err)
	}
}
