package devserver

import (
	"fmt"
	"io"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
)

// printer writes what happens, for the editor at the terminal.
type printer struct {
	content  string
	out, err io.Writer
	verbose  bool
	reported []diagnostic.Problem // of the last build
}

// problems prints the problems that the build before did not have: an editor who
// fixes one of ten need not look for it among the other nine.
func (p *printer) problems(problems []diagnostic.Problem) {
	known := make(map[diagnostic.Problem]bool, len(p.reported))
	for _, problem := range p.reported {
		known[problem] = true
	}
	p.reported = problems
	for _, problem := range problems {
		if !known[problem] {
			terminal.Problems(p.err, p.content, []diagnostic.Problem{problem})
		}
	}
}

// built prints a line about a build; before is the one before, nil for the first.
func (p *printer) built(before, res *generator.Result, took time.Duration) {
	if before == nil {
		fmt.Fprintf(p.out, "%s, %s\nopen %s in a browser (Ctrl-C stops)\n", terminal.Plural(len(res.Dataset.Reviews), "review"), terminal.Duration(took), res.BaseURL)
		return
	}
	fmt.Fprintf(p.out, "%s, %s\n", changes(before.Dataset, res), terminal.Duration(took))
	if p.verbose {
		terminal.Files(p.out, res.Changed, res.Removed)
	}
}

// maxNamed is the number of ids in a line.
const maxNamed = 3

// changes describes what a build changes on the page.
func changes(before *reviewcast.Dataset, res *generator.Result) string {
	files := len(res.Changed) + len(res.Removed)
	if files == 0 {
		return "nothing changed"
	}
	d := res.Delta
	var parts []string
	for _, part := range []struct {
		ids  []string
		verb string
	}{{d.Added, "added"}, {d.Changed, "changed"}, {d.Removed, "removed"}} {
		if n := len(part.ids); n > 0 {
			names := strings.Join(part.ids[:min(n, maxNamed)], " ")
			if n > maxNamed {
				names += " …"
			}
			parts = append(parts, fmt.Sprintf("%d %s (%s)", n, part.verb, names))
		}
	}
	if was, is := terminal.Stars(before.AggregateRating.RatingValue), terminal.Stars(res.Dataset.AggregateRating.RatingValue); was != is {
		parts = append(parts, "rating "+was+" → "+is)
	}
	return strings.Join(append(parts, terminal.Plural(files, "file")), ", ")
}
