package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

type newCmd struct {
	Review newReviewCmd `cmd:"" help:"Write a file with a new review."`
}

type newReviewCmd struct {
	Content      string   `help:"The editors' folder." default:"content" placeholder:"DIR"`
	ID           string   `name:"id" help:"The review's id (default: a fresh one)." placeholder:"ID"`
	Author       string   `help:"First name and initial." placeholder:"NAME"`
	Rating       int      `help:"Stars, 1 to 5." placeholder:"N"`
	Date         string   `help:"When it was given (default: today)." placeholder:"YYYY-MM-DD"`
	Title        string   `help:"Its title." placeholder:"TEXT"`
	Text         string   `help:"The customer's words." placeholder:"TEXT"`
	Language     string   `help:"BCP 47 tag (default: the site's)." placeholder:"TAG"`
	Source       string   `help:"Where it was given (default: direct)." placeholder:"NAME"`
	Verification string   `help:"How you know that the author was a customer: ${methods}. Without it the review isn't published." placeholder:"METHOD"`
	Reference    string   `help:"Your proof, such as a job number; it is never published." placeholder:"TEXT"`
	Technicians  []string `help:"Who did the work: ids of business.yaml, or how their names begin." placeholder:"ID,…"`
	Services     []string `help:"What was done, likewise." placeholder:"ID,…"`
	ServiceAreas []string `name:"service-areas" help:"Where, likewise." placeholder:"ID,…"`
	Today        string   `help:"The day that it is (default: today, where the business is)." placeholder:"YYYY-MM-DD"`

	dated bool // a flag gave the date
}

// Help is what --help says beside the flags.
func (c *newReviewCmd) Help() string {
	return `Asks for what no flag gives, when a terminal is there to answer. The beginning of a
technician's, service's or area's name is enough; Tab completes it, ? lists them. A
text may be pasted with all its paragraphs. The file is written below reviews/, in the
folder of its year, when the last question is answered; Ctrl-C leaves nothing behind.

Examples:
  reviewcast new review
  reviewcast new review --author "Maria K." --rating 5 --text "Quick and kind." --verification job`
}

// Run asks and writes.
func (c *newReviewCmd) Run(ctx context.Context, std streams) error {
	if err := mustBeFolder(c.Content); err != nil {
		return err
	}
	content, _, problems, err := source.NewLoader(c.Content, source.Config{Today: reviewcast.Date(c.Today)}).Load(ctx, nil)
	if err != nil {
		return err
	}
	if content == nil {
		return fmt.Errorf("%s has problems of its own; mend them first, so that names and ids are known:\n%s", c.Content, problemLines(c.Content, problems))
	}
	today, err := todayOf(content, c.Today)
	if err != nil {
		return err
	}
	c.dated, c.Date = c.Date != "", orDefault(c.Date, today)
	if isTerminal(os.Stdin) && isTerminal(std.out) {
		if err := c.askHere(ctx, std, content); err != nil {
			return err
		}
	}
	if c.Author == "" || c.Rating == 0 {
		return usageError{errors.New("a review needs at least --author and --rating")}
	}
	if err := c.resolve(content); err != nil {
		return usageError{err}
	}
	taken := takenIDs(content)
	if where := taken[strings.ToLower(c.ID)]; where != "" {
		return usageError{fmt.Errorf("--id: %q is %s; choose another, or leave it out", c.ID, where)}
	}
	if c.ID == "" {
		c.ID = freshID(c.Date, taken)
	}
	name, err := c.write()
	if err != nil {
		return err
	}
	if err := c.verify(ctx, std, name, today); err != nil {
		_ = os.Remove(filepath.Dir(name)) // the year's folder, unless something stands in it
		return err
	}
	fmt.Fprintln(std.out, name)
	if c.Verification == "" {
		fmt.Fprintln(std.err, fold(std.err, "it isn't published until it has a verification: how you know that its author was a customer", 2))
	}
	return nil
}

// verify reads the folder again with the new file in it: what the loader refuses
// must not be left behind. What somebody else has saved meanwhile is not ours.
func (c *newReviewCmd) verify(ctx context.Context, std streams, name, today string) error {
	_, _, problems, err := source.NewLoader(c.Content, source.Config{Today: reviewcast.Date(today)}).Load(ctx, nil)
	problems = slices.DeleteFunc(problems, func(p diagnostic.Problem) bool { return p.File != c.file() })
	if err == nil && diagnostic.HasErrors(problems) {
		std.problems(c.Content, problems)
		err = fmt.Errorf("nothing was written; this is what it would have been:\n%s", strings.TrimRight(c.yaml(source.SchemaLine(c.file())), "\n"))
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	std.problems(c.Content, problems)
	return nil
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// takenIDs tells of each id, in lower case, what has it already.
func takenIDs(content *source.Content) map[string]string {
	taken := map[string]string{}
	for i := range content.Reviews {
		r := content.Reviews[i]
		taken[strings.ToLower(r.ID)] = fmt.Sprintf("that of the review at %s:%d", content.Position(r).File, content.Position(r).Line)
	}
	for _, w := range content.Withdrawn {
		taken[strings.ToLower(w.ID)] = "among the withdrawn"
	}
	return taken
}

// freshID is a date and some random letters that no review has.
func freshID(date string, taken map[string]string) string {
	for {
		if id := date + "-" + strings.ToLower(rand.Text()[:6]); taken[id] == "" {
			return id
		}
	}
}

// known is what a list of business.yaml offers.
type known struct{ id, name string }

// begins tells whether a word in lower case is how the id or the name begins.
func (k known) begins(word string) bool {
	return strings.HasPrefix(strings.ToLower(k.id), word) || strings.HasPrefix(strings.ToLower(k.name), word)
}

func (k known) String() string {
	if k.name == "" {
		return k.id
	}
	return k.id + " (" + k.name + ")"
}

func technicians(b *reviewcast.Business) (out []known) {
	for _, t := range b.Technicians {
		out = append(out, known{t.ID, t.Name})
	}
	return out
}

func named(list []reviewcast.Named) (out []known) {
	for _, n := range list {
		out = append(out, known{n.ID, n.Name})
	}
	return out
}

// complete finds the one id that a word stands for: the id, or the beginning of
// one or of a name.
func complete(word, what string, offered []known) (string, error) {
	lower := strings.ToLower(strings.TrimSpace(word))
	var found, all []string
	for _, k := range offered {
		if strings.ToLower(k.id) == lower {
			return k.id, nil
		}
		if k.begins(lower) {
			found = append(found, k.id)
		}
		all = append(all, k.id)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%q may be %s", strings.TrimSpace(word), strings.Join(found, " or "))
	case len(all) == 0:
		return "", fmt.Errorf("%q is not %s, which lists none yet", strings.TrimSpace(word), what)
	}
	return "", fmt.Errorf("%q is not %s; there are %s", strings.TrimSpace(word), what, strings.Join(all, ", "))
}

// resolve turns names into ids.
func (c *newReviewCmd) resolve(content *source.Content) error {
	var errs []error
	for _, l := range c.lists(content) {
		for i, word := range *l.values {
			id, err := complete(word, l.what, l.offered)
			errs = append(errs, err)
			(*l.values)[i] = id
		}
	}
	return errors.Join(errs...)
}

type nameList struct {
	question string
	what     string // one of them, in a message
	values   *[]string
	offered  []known
}

func (c *newReviewCmd) lists(content *source.Content) []nameList {
	b := &content.Business
	return []nameList{
		{"Technicians", "a technician of business.yaml", &c.Technicians, technicians(b)},
		{"Services", "a service of business.yaml", &c.Services, named(b.Services)},
		{"Service areas", "a service area of business.yaml", &c.ServiceAreas, named(b.ServiceAreas)},
	}
}

// askHere asks on this terminal.
func (c *newReviewCmd) askHere(ctx context.Context, std streams, content *source.Content) error {
	p, restore, err := newPrompter(ctx, std.out)
	if err != nil {
		return err
	}
	defer restore()
	return c.ask(p, content)
}

// ask asks for what no flag gave.
func (c *newReviewCmd) ask(p *prompter, content *source.Content) error {
	for _, step := range []func(*prompter, *source.Content) error{
		c.askAuthor, c.askRating, c.askDate, c.askWords, c.askOrigin, c.askVerification,
	} {
		if err := step(p, content); err != nil {
			return err
		}
	}
	for _, l := range c.lists(content) {
		if len(*l.values) == 0 && len(l.offered) > 0 {
			if err := p.names(l); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *newReviewCmd) askAuthor(p *prompter, _ *source.Content) error {
	if c.Author != "" {
		return nil
	}
	return p.line("Author (first name and initial)", nil, func(s string) error {
		if s == "" {
			return errors.New("this is needed; write Anonymous for somebody who wants no name there")
		}
		c.Author = s
		return nil
	})
}

func (c *newReviewCmd) askRating(p *prompter, _ *source.Content) error {
	if c.Rating != 0 {
		return nil
	}
	return p.line("Stars (1 to 5)", nil, func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < reviewcast.MinRating || n > reviewcast.MaxRating {
			return errors.New("write a whole number from 1 to 5")
		}
		c.Rating = n
		return nil
	})
}

func (c *newReviewCmd) askDate(p *prompter, _ *source.Content) error {
	if c.dated {
		return nil
	}
	today := c.Date
	return p.line("Date ["+today+"]", nil, func(s string) error {
		switch date := reviewcast.Date(orDefault(s, today)); {
		case !date.Valid():
			return errors.New("write it as YYYY-MM-DD, such as " + today)
		case string(date) > today:
			return errors.New(s + " is in the future; today is " + today)
		default:
			c.Date = string(date)
		}
		return nil
	})
}

func (c *newReviewCmd) askWords(p *prompter, _ *source.Content) (err error) {
	if c.Title == "" {
		if err := p.line("Title (may be left out)", nil, func(s string) error { c.Title = s; return nil }); err != nil {
			return err
		}
	}
	if c.Text == "" {
		c.Text, err = p.text("Text (an empty line ends it; may be left out)")
	}
	return err
}

// directSource is what a review has that names no source.
const directSource = "direct"

// askOrigin asks for what most reviews have by default. Tab offers what the folder
// has already.
func (c *newReviewCmd) askOrigin(p *prompter, content *source.Content) error {
	languages, sources := map[string]bool{}, map[string]bool{}
	for i := range content.Reviews {
		languages[content.Reviews[i].Language], sources[content.Reviews[i].Source] = true, true
	}
	if c.Language == "" && (c.Title != "" || c.Text != "") {
		usual := content.Site.Language
		err := p.line("Language ["+usual+"]", words(slices.Sorted(maps.Keys(languages))), func(s string) error {
			if _, err := language.Parse(orDefault(s, usual)); err != nil {
				return errors.New("write its tag, such as en, fr or pt-BR")
			}
			c.Language = unless(s, usual)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if c.Source != "" {
		return nil
	}
	return p.line("Source ["+directSource+"]", words(slices.Sorted(maps.Keys(sources))), func(s string) error {
		c.Source = unless(s, directSource)
		return nil
	})
}

// unless is s, or "" when that is what is meant anyhow.
func unless(s, usual string) string {
	if s == usual {
		return ""
	}
	return s
}

func words(list []string) (out []known) {
	for _, s := range list {
		out = append(out, known{id: s})
	}
	return out
}

func (c *newReviewCmd) askVerification(p *prompter, _ *source.Content) error {
	methods := words(reviewcast.VerificationMethods)
	if c.Verification == "" {
		question := "Verification (" + strings.Join(reviewcast.VerificationMethods, ", ") + "; empty leaves it unpublished)"
		err := p.line(question, methods, func(s string) error {
			if s == "" {
				return nil
			}
			method, err := complete(s, "a method", methods)
			c.Verification = method
			return err
		})
		if err != nil {
			return err
		}
	}
	if c.Verification == "" || c.Reference != "" {
		return nil
	}
	return p.line("Reference (your proof, never published; may be left out)", nil, func(s string) error { c.Reference = s; return nil })
}

// names asks for names of a list.
func (p *prompter) names(l nameList) error {
	return p.line(l.question+" (commas between, Tab completes, ? lists)", l.offered, func(s string) error {
		if s == "?" {
			var all []string
			for _, k := range l.offered {
				all = append(all, k.String())
			}
			return errors.New(strings.Join(all, ", "))
		}
		var ids []string
		for word := range strings.SplitSeq(s, ",") {
			if strings.TrimSpace(word) == "" {
				continue
			}
			id, err := complete(word, l.what, l.offered)
			if err != nil {
				return err
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		*l.values = ids
		return nil
	})
}

// file is where the review is to stand, below the content folder.
func (c *newReviewCmd) file() string {
	return "reviews/" + c.Date[:len("2006")] + "/" + c.ID + ".yaml"
}

// write writes the file, which must not be there yet.
func (c *newReviewCmd) write() (string, error) {
	if !reviewcast.ValidID(c.ID) {
		return "", usageError{fmt.Errorf("--id: %q is no id; write letters, digits, '.', '_' and '-'", c.ID)}
	}
	if !reviewcast.Date(c.Date).Valid() {
		return "", usageError{fmt.Errorf("--date: %q is not a calendar date YYYY-MM-DD", c.Date)}
	}
	name := filepath.Join(c.Content, filepath.FromSlash(c.file()))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", fmt.Errorf("write the review: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s is there already; choose another --id", name)
	} else if err != nil {
		return "", fmt.Errorf("write the review: %w", err)
	}
	_, err = f.WriteString(c.yaml(source.SchemaLine(c.file())))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write the review: %w", err), os.Remove(name))
	}
	return name, nil
}

// yaml is the file. What people type stands in double quotes; paragraphs stand as
// a block, which can be read and mended.
func (c *newReviewCmd) yaml(first string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n- id: %s\n  author: %s\n  rating: %d\n  date: %s\n", first, quoteYAML(c.ID), quoteYAML(c.Author), c.Rating, c.Date)
	for _, f := range []struct{ name, value string }{{"title", c.Title}, {"text", c.Text}, {"language", c.Language}, {"source", c.Source}} {
		switch {
		case f.value == "":
		case fitsBlock(f.value):
			fmt.Fprintf(&b, "  %s: |-\n", f.name)
			for line := range strings.SplitSeq(f.value, "\n") {
				b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
			}
		default:
			fmt.Fprintf(&b, "  %s: %s\n", f.name, quoteYAML(f.value))
		}
	}
	if c.Verification != "" {
		fmt.Fprintf(&b, "  verification:\n    method: %s\n", quoteYAML(c.Verification))
		if c.Reference != "" {
			fmt.Fprintf(&b, "    reference: %s\n", quoteYAML(c.Reference))
		}
	}
	for _, l := range []struct {
		name string
		ids  []string
	}{{"technicians", c.Technicians}, {"services", c.Services}, {"service_areas", c.ServiceAreas}} {
		if len(l.ids) > 0 {
			fmt.Fprintf(&b, "  %s: [%s]\n", l.name, strings.Join(l.ids, ", "))
		}
	}
	return b.String()
}

// fitsBlock tells whether a block scalar gives the text back as it is: one of
// several lines, without white space at its start, its end or a line's end.
func fitsBlock(s string) bool {
	return strings.Contains(s, "\n") && s == strings.TrimSpace(s) && !strings.Contains(s, " \n") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// quoteYAML writes a text in double quotes, which can hold any.
func quoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7F || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xFEFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
