package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
)

type diffCmd struct {
	Published string `arg:"" help:"The published set: a folder or a URL." placeholder:"DIR|URL"`
	folderFlags
	BaseURL string `name:"base-url" help:"The origin to publish under, instead of site.yaml's base_url." placeholder:"URL"`
	Quiet   bool   `short:"q" xor:"volume" help:"Print only the numbers of changes, and the rating."`
	Verbose bool   `short:"v" xor:"volume" help:"Also show the old and new value of each changed field."`
}

// Run compares once.
func (c *diffCmd) Run(ctx context.Context, std streams) error {
	cfg, err := (&contentFlags{folderFlags: c.folderFlags, BaseURL: c.BaseURL}).config()
	if err != nil {
		return err
	}
	if err := checkPublished(c.Published); err != nil {
		return err
	}
	before, err := generator.ReadDataset(ctx, c.Published)
	if err != nil {
		return err
	}
	after, problems, err := generator.NewBuilder(cfg).Dataset(ctx)
	if err != nil {
		return std.buildError(c.Content, err)
	}
	terminal.Problems(std.err, c.Content, problems)
	quiet := c.Quiet
	if before == nil {
		if strings.Contains(c.Published, "://") {
			return fmt.Errorf("nothing of reviewcast is published at %s; is it the address in base_url?", c.Published)
		}
		fmt.Fprintf(std.out, "nothing is published in %s yet, so every review is new\n", c.Published)
		quiet = !c.Verbose
		before = &reviewcast.Dataset{Business: after.Business}
	}
	after.Business.URL = cmp.Or(after.Business.URL, before.Business.URL) // the origin, which is known to a build
	lines, delta := changeLines(std.out, before, after, c.Verbose)
	if quiet {
		lines = nil
	}
	printDifference(std.out, lines, delta, before, after)
	return nil
}

// changeLines returns a line for each review that differs between two datasets, and which these are.
// Withdrawals come first, then changes: a mistake in them weighs more than one in a new review. If verbose, the old and
// new words of long fields follow.
func changeLines(w io.Writer, before, after *reviewcast.Dataset, verbose bool) (lines []string, d *reviewcast.Delta) {
	colors, was, is := terminal.PaletteFor(w), byID(before), byID(after)
	d = reviewcast.Difference(slices.Collect(maps.Values(was)), slices.Collect(maps.Values(is)))
	for _, id := range d.Removed {
		lines = append(lines, colors.Red("withdrawn  "+describe(was[id])))
	}
	if changes := fieldChanges(before.Business, after.Business, verbose); changes != "" {
		lines = append(lines, colors.Yellow("changed    the business")+": "+changes)
	}
	for _, id := range d.Changed {
		lines = append(lines, colors.Yellow("changed    "+describe(is[id]))+": "+fieldChanges(was[id], is[id], verbose)+diagnostic.When(!verbose, former(was[id], is[id])))
	}
	for _, id := range d.Added {
		lines = append(lines, colors.Green("new        "+describe(is[id])))
	}
	return lines, d
}

// former returns the texts in whose place others stand now, or none: who has written over one by mistake can put it back.
func former(was, is *reviewcast.Review) (lines string) {
	now := texts(is)
	for i, old := range texts(was) {
		words := strings.Fields(old)
		gone := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(now[i], word) })
		if name := []string{"", "", "text", "owner_reply"}[i]; name != "" && 2*len(gone) > len(words) {
			lines += fmt.Sprintf("\n    its %s was: %.600q", name, old)
		}
	}
	return lines
}

// maxShort is the length of values that are shown beside the names of their fields.
const maxShort = 24

// fieldChanges returns the published fields in which two versions of a review or a business differ, with the values that
// are short.
func fieldChanges(was, is any, verbose bool) string {
	before, after := members(was), members(is)
	all := maps.Clone(before)
	maps.Copy(all, after)
	var names []string
	var words strings.Builder
	for _, field := range slices.Sorted(maps.Keys(all)) {
		old, next := excerpts(before[field], after[field])
		switch {
		case bytes.Equal(before[field], after[field]):
			continue
		case len(before[field]) <= maxShort && len(after[field]) <= maxShort:
			field += " " + old + " → " + next
		case verbose:
			fmt.Fprintf(&words, "\n    %s: %s → %s", field, old, next)
		}
		names = append(names, field)
	}
	return strings.Join(names, ", ") + words.String()
}

// printDifference writes the lines of [changeLines], how many reviews they are of, and the rating.
func printDifference(w io.Writer, lines []string, d *reviewcast.Delta, before, after *reviewcast.Dataset) {
	for _, line := range lines {
		fmt.Fprintln(w, terminal.Fold(w, line, 4))
	}
	was, is := before.AggregateRating, after.AggregateRating
	counts := diagnostic.Pick(d.Empty(), "no review changes", fmt.Sprintf("%d new, %d changed, %d withdrawn", len(d.Added), len(d.Changed), len(d.Removed)))
	fmt.Fprintf(w, "%s\nrating %s of %s before, %s of %s after\n", counts, reviewcast.Stars(was.RatingValue), diagnostic.Plural(was.RatingCount, "review"),
		reviewcast.Stars(is.RatingValue), diagnostic.Plural(is.RatingCount, "review"))
}

func byID(ds *reviewcast.Dataset) map[string]*reviewcast.Review {
	m := make(map[string]*reviewcast.Review, len(ds.Reviews))
	for i := range ds.Reviews {
		m[ds.Reviews[i].ID] = &ds.Reviews[i]
	}
	return m
}

func describe(r *reviewcast.Review) string {
	return fmt.Sprintf("%s (%s, %d of %d stars, %s)", r.ID, terminal.Visible(r.Author), r.Rating, reviewcast.MaxRating, r.Date)
}

// members returns the published members of a review or a business, as JSON.
func members(v any) (m map[string]json.RawMessage) {
	data, _ := reviewcast.EncodeJSON(v) // types of the contract always marshal
	_ = json.Unmarshal(data, &m)
	return m
}

// maxClip is the number of characters of a member in a line.
const maxClip = 60

// excerpts returns two members, of long ones the words around their first difference. One that is null is "nothing".
func excerpts(was, is json.RawMessage) (string, string) {
	old, next, same := []rune(terminal.Visible(string(was))), []rune(terminal.Visible(string(is))), 0
	for max(len(old), len(next)) > maxClip && same < min(len(old), len(next)) && old[same] == next[same] {
		same++
	}
	return clip(old, same-maxClip/3), clip(next, same-maxClip/3)
}

func clip(s []rune, start int) string {
	if len(s) == 0 || string(s) == "null" {
		return "nothing"
	}
	if start > 0 {
		s = append([]rune("…"), s[start:]...)
	}
	return diagnostic.Pick(len(s) > maxClip, string(s[:min(len(s), maxClip-1)])+"…", string(s))
}
