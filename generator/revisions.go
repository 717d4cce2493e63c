package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// revision is a published review that the content writes otherwise.
type revision struct {
	was reviewcast.Review
	is  *source.Review
	at  diagnostic.Position
}

func (b *Builder) revisions(previous *published, content *source.Content) (all []revision) {
	now := make(map[string]*source.Review, len(content.Reviews))
	for _, r := range source.Published(content.Reviews) {
		now[r.ID] = r
	}
	for id, line := range previous.reviews {
		r := now[id]
		if r == nil || b.entries.of[r] != nil && string(b.entries.of[r].line) == line {
			continue
		}
		v, next := revision{is: r, at: content.Position(r)}, r.Review
		err := json.Unmarshal([]byte(line), &v.was)
		next.Verified, next.Mentions = true, v.was.Mentions
		if err == nil && len(reviewcast.ChangedFields(&v.was, &next)) > 0 {
			all = append(all, v)
		}
	}
	return all
}

// columns are what one changes in a whole table at once, and cells what a review has in them.
var columns = [...]string{"author", "rating", "date", "text"}

func cells(r *reviewcast.Review) [len(columns)]string {
	return [...]string{r.Author, strconv.Itoa(r.Rating), string(r.Date), *cmp.Or(r.Text, new(string))}
}

// tables warns of a column that changed as a whole or was sorted alone; if there is none, of reviews that are others now.
func (p *published) tables(revisions []revision) (problems []diagnostic.Problem) {
	const minColumn, maxNoticed = 3, 10 // values that make a column, and changes that one notices where a build lists them
	for i, column := range columns {
		changed := slices.DeleteFunc(slices.Clone(revisions), func(r revision) bool {
			return cells(&r.was)[i] == cells(&r.is.Review)[i]
		})
		var before, after []string
		for _, r := range changed {
			before, after = append(before, cells(&r.was)[i]), append(after, cells(&r.is.Review)[i])
		}
		slices.Sort(before)
		slices.Sort(after)
		n, same := len(changed), slices.Equal(before, after)
		if n >= minColumn && (n > maxNoticed || 2*n > len(p.ids) || same) || n > 1 && same && column == "rating" && strings.HasSuffix(changed[0].at.File, ".csv") {
			first := changed[0]
			was, is := diagnostic.Quote(cells(&first.was)[i]), diagnostic.Quote(cells(&first.is.Review)[i])
			return []diagnostic.Problem{first.at.Error("replaced",
				fmt.Sprintf("%d of %d published reviews have another %s than before; this one had %s, and has %s now", n, len(p.ids), column, was, is),
				"if that was meant for some of them only, undo it, or put the file back from a copy; to sort a table, select all of its columns")}
		}
	}
	for _, r := range revisions { // a copied entry that kept its id
		was := &r.was
		if apart := max(was.Rating-r.is.Rating, r.is.Rating-was.Rating); apart > 1 && source.IsYAML(r.at.File) && *cmp.Or(was.Text, new("")) == *cmp.Or(r.is.Text, new("")) {
			problems = append(problems, r.at.Error("replaced", fmt.Sprintf("the published rating of %q is %d, and it is %d now, with the same text", was.ID, was.Rating, r.is.Rating),
				fmt.Sprintf("if it is mistyped, write rating: %d; if the customer has changed it, there is nothing to do", was.Rating)))
		}
		if was.Author != r.is.Author && was.Date != r.is.Date && was.Text != nil && r.is.Text != nil && *was.Text != *r.is.Text {
			problems = append(problems, r.at.Error("replaced",
				fmt.Sprintf("the published review %q was by %s of %s, and is another one now: author, date and text differ", was.ID, was.Author, was.Date),
				"if it is another customer's, give it an id of its own, and put the old review back; if this is the old one, put back, there is nothing to do"))
		}
	}
	return problems
}
