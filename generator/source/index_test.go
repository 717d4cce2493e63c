package source

import (
	"fmt"
	"strings"
	"testing"

	"reviewcast"
)

// TestIndex applies records to an index: order, duplicates and problems follow.
func TestIndex(t *testing.T) {
	around := &surroundings{content: Content{Today: today, Site: Site{Language: "en"}}, withdrawn: map[string]Withdrawal{"w": {ID: "w", Reason: Withdrawn}}}
	around.content.known[0] = &names{ids: map[string]bool{}, byName: map[string]string{}}
	around.content.known[0].add("ana", "Ana", nil)
	x := newIndex(around)
	f := &file{path: "reviews/a.yaml", lines: map[*record]int{}}
	add := func(line int, id string, date reviewcast.Date, technicians ...string) *record {
		r := &record{file: f.path, start: place{1, 1}, id: place{1, 5}, date: place{1, 20}}
		r.ID, r.Date, r.Hidden = id, date, Unverified
		for _, s := range technicians {
			r.refs = append(r.refs, ref{value: s, at: place{2, 3}})
		}
		f.lines[r] = line
		return r
	}
	b, a, a2, w := add(1, "b", "2026-01-02"), add(2, "a", "2026-01-02"), add(4, "A", "2026-01-03"), add(5, "w", "2026-01-01")
	unknown, late, nameless := add(6, "u", "2026-01-01", "anna"), add(8, "l", "2999-01-01"), add(9, "", "2999-01-01")
	for _, step := range []struct {
		gone, come []*record
		order      string
		problems   []string
	}{
		{come: []*record{b, a, w}, order: "a b w"},
		{come: []*record{a2}, order: "A a b w", problems: []string{`reviews/a.yaml:4:5: the id "A" is used by the review at reviews/a.yaml:2:5 (a; upper and lower case are the same); if both are the same review, write into the first what is newer here, and delete this one; if not, give the newer one an id of its own: one that is published keeps its id`}},
		{gone: []*record{a}, order: "A b w"},
		{gone: []*record{a2}, come: []*record{a, unknown, late, nameless}, order: "l a b u w", problems: []string{
			`reviews/a.yaml:7:3: "anna" is not a technician in business.yaml; did you mean "ana"? If not, add it there under technicians, as - {id: anna, name: …} with the name in place of …, also if it was deleted (then with its aliases): older reviews name it`,
			"reviews/a.yaml:8:20: date 2999-01-01 is in the future; today is 2026-11-21; correct the year, the month or the day",
			"reviews/a.yaml:9:20: date 2999-01-01 is in the future; today is 2026-11-21; correct the year, the month or the day"}},
		{gone: []*record{unknown, late, nameless, b, a, w}},
	} {
		x.apply(step.gone, step.come)
		var ids, problems []string
		for _, r := range x.order {
			ids = append(ids, r.ID)
			if r.Language != "en" || r.Published || (r.Hidden == Withdrawn) != (r.ID == "w") {
				t.Errorf("%+v", r)
			}
		}
		for _, p := range x.problems(places{f}) {
			problems = append(problems, p.String())
		}
		if got := strings.Join(ids, " "); got != step.order || fmt.Sprint(problems) != fmt.Sprint(step.problems) {
			t.Errorf("order %s, want %s\nproblems:\n%s\nwant:\n%s", got, step.order, strings.Join(problems, "\n"), strings.Join(step.problems, "\n"))
		}
	}
	if len(x.byID)+len(x.unidentified)+len(x.suspects) > 0 {
		t.Error("something is left of removed records")
	}
}
