package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// inspected loads a folder of one YAML file and inspects it.
func inspected(t *testing.T, site, reviews string) []diagnostic.Problem {
	t.Helper()
	problems := checked(t, map[string]string{
		"business.yaml": `id: acme
name: Acme Plumbing
telephone: +1 555 010 0199
email: office@acme.example
address: {street_address: 12 Mill Lane, address_locality: Fairhaven}
technicians: [{id: ana, name: Ana Lima, aliases: [Annie]}]
service_areas: [{id: north, name: North Fairhaven}]
`, "site.yaml": site, "reviews/all.yaml": reviews,
	})
	if diagnostic.HasErrors(problems) {
		t.Fatal(problems)
	}
	return problems
}

// checked loads a folder of files and returns the problems of loading and of Check.
func checked(t *testing.T, files map[string]string) []diagnostic.Problem {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, problems, err := source.NewLoader(dir, source.Config{Today: "2026-11-01"}).LoadPartial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if content.Complete != (len(content.Unidentified) == 0) {
		t.Errorf("complete: %v with %d reviews without an id", content.Complete, len(content.Unidentified))
	}
	warnings, err := Check(t.Context(), dir, content, problems)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(problems, warnings)
}

// TestInspectText: what a text may hold and what is worth a warning.
func TestInspectText(t *testing.T) {
	for _, test := range []struct{ text, codes string }{
		{"They came on time and fixed it.", ""},
		{"Write to me at jo.doe+x@mail.example.org please.", "email-in-text"},
		{"Meet @ noon, user@host, a@b.", ""},
		{"office@acme.example answered at once.", ""},
		{"Call me on (555) 123-4567.", "phone-in-text"},
		{"Call me on +44 20 7946 0958, or not.", "phone-in-text"},
		{"Meine Nummer: 0471 123 4567", "phone-in-text"},
		{"Ring 5551234567 now", "phone-in-text"},
		{"Ring +49 170 1234567 now", "phone-in-text"},
		{"Ring 07700 900123 now", "phone-in-text"},
		{"Ruf 030 1234567 an", "phone-in-text"},
		{"Open 08.20-09.40 as they said.", ""},
		{"Booked for 2025-01-01 12:00 and done.", ""},
		{"I rang 555 010 0199 and Ana came.", ""}, // their own
		{"Came on 2025-03-14, invoice 2025-0042, $1,240.50 for 3 hours.", ""},
		{"On 14.03.2025 and 15/03/2025 from 8:00 to 12:30.", ""},
		{"Part 4711-0815, model GX-2000-150, 1990 - 2024.", ""},
		{"My card 4111 1111 1111 1111 was charged twice.", "card-in-text"},
		{"They came to 221 Baker Street within the hour.", "address-in-text"},
		{"Their shop at 12 Mill Lane is tidy.", ""}, // their own
		{"Abbiamo chiamato da via Giuseppe Verdi 12 di notte.", "language address-in-text"},
		{"Bei uns in der Goethestraße 7 lief es gut.", "language address-in-text"},
		{"Au 14 rue de la République, tout va bien.", "address-in-text"},
		{"2 Stars would be kind. 3 Way valves, 5 Star Service!", ""},
		{"The HVAC and the GFCI work, OK.", ""},
		{"Wow!!!!!! Just wow.", ""},
		{"Wow!!! Just wow?!", ""},
		{"Simply <b>great</b> people", "markup"},
		{"[b]Great[/b], see [here](https://example.com)", "markup"},
		{"5 < 6 and 7 > 3, a*b*c, <3", ""},
		{"The plumber, Dave, knew everything.", "unlisted-technician"},
		{"Our technician Annie was kind. Technician Ana's work, too.", ""},
		{"The technician He sent. The plumber Great.", ""},
	} {
		found := inspected(t, "", fmt.Sprintf("- {id: r, author: Ada L., rating: 5, date: 2026-01-02, verification: {method: job}, text: %q}\n", test.text))
		var codes []string
		for _, p := range found {
			codes = append(codes, p.Code)
			if p.Severity != diagnostic.Warning || p.Line != 1 || p.Col < 90 {
				t.Errorf("%q: %+v is not at the text", test.text, p)
			}
		}
		if got := strings.Join(slices.Compact(codes), " "); got != test.codes {
			t.Errorf("%q: %s, want %s", test.text, got, test.codes)
		}
	}
}

func TestInspectPlace(t *testing.T) {
	found := inspected(t, "", `- id: one
  author: Ada L.
  rating: 5
  date: 2026-01-02
  verification: {method: job}
  text: >-
    All was well, and ana@mail.example
    came.
- id: two
  author: Ada L.
  rating: 5
  date: 2026-01-01
  verification: {method: job}
  text: |
    Ünder ana@mail.example.
`)
	if len(found) != 2 || found[0].Line != 7 || found[0].Col != 23 || found[1].Line != 15 || found[1].Col != 11 {
		t.Errorf("got %+v", found)
	}
}

func TestInspectAuthors(t *testing.T) {
	authors := []string{"Maria Kowalska", "Maria K.", "Maria K", "Maria", "Anonymous", "Chantal & Rob", "J. R. Smith", "jo smith", "Maria de la Cruz", "Nik 2000", "李 明"}
	var b strings.Builder
	for i, a := range authors {
		fmt.Fprintf(&b, "- {id: r%d, author: %q, rating: 5, date: 2026-01-02, verification: {method: job}}\n", i, a)
	}
	var names []string
	for _, p := range inspected(t, "", b.String()) {
		names = append(names, authors[p.Line-1])
		if p.Code != "full-surname" || !strings.Contains(p.Suggestion, ".") {
			t.Errorf("got %+v", p)
		}
	}
	if got, want := strings.Join(names, ", "), "Maria Kowalska, J. R. Smith, Maria de la Cruz"; got != want {
		t.Errorf("noted %s, want %s", got, want)
	}
	if found := inspected(t, "policies: {author_names: full}\n", b.String()); len(found) != 0 {
		t.Errorf("full names are allowed, and %+v", found)
	}
}

func TestInspectAlike(t *testing.T) {
	text := "They came on the same day, found the leak behind the wall in ten minutes and left the kitchen cleaner than it had been before, all for a fair price."
	var b strings.Builder
	for i, s := range []string{
		text, text, strings.Replace(text, "ten", "twenty", 1), "Great work, thanks!", "Great work, thanks!",
		"They came late, found nothing, broke the wall, left the kitchen in a state and sent a bill that was twice what they had said on the telephone.",
	} {
		fmt.Fprintf(&b, "- {id: r%d, author: Ada L., rating: 5, date: 2026-01-0%d, verification: {method: job}, text: %q}\n", i, i+1, s)
	}
	found := inspected(t, "", b.String())
	if len(found) != 2 || found[0].Line != 2 || !strings.Contains(found[0].Message, `has the same text as "r0"`) ||
		found[1].Line != 3 || !strings.Contains(found[1].Message, `nearly the same text as "r0"`) {
		t.Errorf("got %+v", found)
	}
}

// BenchmarkCheck reads ten thousand texts that are nearly all alike.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&lines, `{"id":"r%d","author":"Jo K.","rating":5,"date":"2026-01-02","text":"Number %d came on the same day, found the leak behind wall %d in ten minutes and left the kitchen cleaner than it had been before, all for a fair price of %d."}`+"\n", i, i*7, i%13, i%101)
	}
	if err := os.MkdirAll(filepath.Join(dir, "reviews"), 0o755); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"business.yaml": "id: a\nname: A\n", "reviews/all.jsonl": lines.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	content, _, problems, err := source.NewLoader(dir, source.Config{Today: "2026-06-01"}).Load(b.Context(), nil)
	if err != nil || content == nil {
		b.Fatal(err, problems)
	}
	for b.Loop() {
		in := newInspector(content)
		for _, r := range content.Reviews {
			in.review(r)
		}
		in.duplicates(content.Reviews)
	}
}

// TestNameless: a review whose id is wrong or missing is told all the rest that is
// wrong with it, too.
func TestNameless(t *testing.T) {
	problems := checked(t, map[string]string{
		"business.yaml": "id: a\nname: A\ntechnicians: [{id: ana, name: Ana Ruiz}]\n", "site.yaml": "policies: {author_names: initials}\n",
		"reviews/a.yaml": "- {id: ../../x, author: Maria Kovacs, rating: 3, date: 2999-01-01, text: call jane@gmail.example, technicians: [anna]}\n- {author: Bo, rating: 5, date: 2998-01-01}\n",
	})
	got := map[string]int{}
	for _, p := range problems {
		got[p.Code]++
	}
	for code, n := range map[string]int{"future-date": 2, "full-surname": 1, "email-in-text": 1, "missing-field": 1} {
		if got[code] != n {
			t.Errorf("%s: %d times, want %d: %v", code, got[code], n, problems)
		}
	}
	if len(got) < 6 { // the id, and the technician
		t.Error(problems)
	}
}

// TestLanguageOfFile: many texts of a file in another language are told once, beside one that is right.
func TestLanguageOfFile(t *testing.T) {
	const head = "- {id: r%d, author: Ana, rating: 5, date: 2026-03-01, text: %q}\n"
	reviews := fmt.Sprintf(head, 0, "Sehr freundlich und schnell, wir waren mit der Arbeit und dem Preis mehr als zufrieden.")
	for i := range 2 * maxSame {
		reviews += fmt.Sprintf(head, i+1, fmt.Sprintf("They were here in %d days, and we have had no trouble with the boiler since then.", i+2))
		var got []string
		for _, p := range inspected(t, "language: de", reviews) {
			if p.Code == "language" {
				got = append(got, p.Message)
			}
		}
		want := i + 1
		if want > maxSame {
			want = 1
		}
		if len(got) != want || want == 1 && i > 0 && got[0] != fmt.Sprintf("%d texts here are published as de (German), and look English", i+1) {
			t.Errorf("%d texts: %q", i+1, got)
		}
	}
}

// TestForms: the forms of words.txt are compiled when they are first needed, and each must be right.
func TestForms(t *testing.T) {
	for _, section := range []string{"remarks", "authors", "placeholders", "technicians", "greetings", "personal data", "typing", "stars"} {
		list := remarksOf(section)
		if len(list) == 0 {
			t.Errorf("%s has no rows", section)
		}
		for _, m := range list {
			m.form()
		}
	}
}
