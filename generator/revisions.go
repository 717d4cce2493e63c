package generator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/lint"
	"reviewcast/generator/source"
)

// revision is a published review that the content changes.
type revision struct {
	was reviewcast.Review
	is  *source.Review // nil if it is withdrawn
	at  diagnostic.Position
}

// revisions returns the published reviews that are withdrawn, but for legal reasons, or written otherwise.
func (b *Builder) revisions(previous *published, content *source.Content) (all []revision) {
	now, withdrawn := make(map[string]*source.Review, len(content.Reviews)), map[string]diagnostic.Position{}
	for _, r := range content.Reviews {
		if r.Published {
			now[r.ID] = r
		}
	}
	for _, w := range content.Withdrawn {
		if w.Reason != source.Legal {
			withdrawn[w.ID] = w.At
		}
	}
	for id, line := range previous.reviews {
		at, gone := withdrawn[id]
		r := revision{is: now[id], at: at}
		if r.is == nil && !gone || b.entries.of[r.is] != nil && string(b.entries.of[r.is].line) == line {
			continue
		}
		if json.Unmarshal([]byte(line), &r.was) != nil {
			continue
		}
		if r.is != nil {
			next := r.is.Review
			next.Verified, next.Mentions = true, r.was.Mentions
			if len(reviewcast.ChangedFields(&r.was, &next)) == 0 {
				continue
			}
			r.at = content.Position(r.is)
		}
		all = append(all, r)
	}
	return all
}

// exposed warns of personal data that is taken out of published reviews: older change documents still have it.
func exposed(content *source.Content, revisions []revision) (problems []diagnostic.Problem) {
	for _, r := range revisions {
		var left []string
		if r.is != nil {
			left = lint.Personal(content, &r.is.Review)
		}
		for _, found := range lint.Personal(content, &r.was) {
			if !slices.Contains(left, found) {
				problems = append(problems, r.at.Error("personal-data",
					fmt.Sprintf("%s is published in review %q; it is gone from the pages now, but the list of changes below public/changes keeps it", diagnostic.Quote(found), r.was.ID),
					"to remove it there, too, build once with: reviewcast build --forget"))
			}
		}
	}
	return problems
}

// replaced warns of published reviews that have become another one: a copied entry that kept its id.
func replaced(revisions []revision) (problems []diagnostic.Problem) {
	for _, r := range revisions {
		was := &r.was
		if r.is != nil && was.Author != r.is.Author && was.Date != r.is.Date && was.Text != nil && r.is.Text != nil && *was.Text != *r.is.Text {
			problems = append(problems, r.at.Error("replaced",
				fmt.Sprintf("the published review %q was by %s of %s, and is another one now: author, date and text differ", was.ID, was.Author, was.Date),
				"if it is another customer's, give it an id of its own, and put the old review back"))
		}
	}
	return problems
}

// columns are what one changes in a whole table at once; titles and texts are corrected.
var columns = []struct {
	name  string
	value func(*reviewcast.Review) string
}{
	{"author", func(r *reviewcast.Review) string { return r.Author }},
	{"rating", func(r *reviewcast.Review) string { return strconv.Itoa(r.Rating) }},
	{"date", func(r *reviewcast.Review) string { return string(r.Date) }},
}

// minColumn is how many values make a column, maxNoticed how many changes one notices where a build lists them.
const minColumn, maxNoticed = 3, 10

// tables warns of columns of which most values have changed: one that was sorted alone, or replaced as a whole, and
// elsewhere of reviews that are others now.
func (p *published) tables(revisions []revision) (problems []diagnostic.Problem) {
	for _, column := range columns {
		changed := slices.DeleteFunc(slices.Clone(revisions), func(r revision) bool {
			return r.is == nil || column.value(&r.was) == column.value(&r.is.Review)
		})
		if n := len(changed); n >= minColumn && (n > maxNoticed || 2*n > len(p.ids)) {
			first := changed[0]
			was, is := column.value(&first.was), column.value(&first.is.Review)
			problems = append(problems, first.at.Error("replaced",
				fmt.Sprintf("%d of %d published reviews have another %s than before; this one had %s, and has %s now", n, len(p.ids), column.name, was, is),
				"if that was meant for some of them only, undo it, or put the file back from a copy; to sort a table, select all of its columns"))
		}
	}
	if len(problems) == 0 {
		problems = replaced(revisions)
	}
	return problems
}
