package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
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
}

// Help is what --help says beside the flags.
func (c *newReviewCmd) Help() string {
	return `Asks for what no flag gives, when a terminal is there to answer. The beginning of a
technician's, service's or area's name is enough; ? lists them. The file is written
below reviews/, in the folder of its year.

Examples:
  reviewcast new review
  reviewcast new review --author "Maria K." --rating 5 --text "Quick and kind." --verification job --technicians ana`
}

// Run asks and writes.
func (c *newReviewCmd) Run(ctx context.Context, std streams) error {
	content, problems, err := source.NewLoader(c.Content, source.Config{Today: reviewcast.Date(c.Today)}).Load(ctx)
	if err != nil {
		return err
	}
	if content == nil {
		return fmt.Errorf("%s has problems of its own; mend them first, so that names and ids are known:\n%s", c.Content, problemLines(problems))
	}
	today, err := todayOf(content, c.Today)
	if err != nil {
		return err
	}
	c.Date = orDefault(c.Date, today)
	if isTerminal(os.Stdin) && isTerminal(std.out) {
		if err := c.ask(&prompter{in: bufio.NewReader(os.Stdin), out: std.out}, content); err != nil {
			return err
		}
	}
	if c.Author == "" || c.Rating == 0 {
		return usageError{errors.New("a review needs at least --author and --rating")}
	}
	if err := c.resolve(content); err != nil {
		return usageError{err}
	}
	if c.ID == "" {
		c.ID = freshID(c.Date, content)
	}
	name, err := c.write()
	if err != nil {
		return err
	}
	// The folder is read again with the new file in it: what the loader refuses must
	// not be left behind.
	_, problems, err = source.NewLoader(c.Content, source.Config{Today: reviewcast.Date(today)}).Load(ctx)
	if err == nil && source.HasErrors(problems) {
		std.problems(c.Content, problems)
		err = errors.New("nothing was written")
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	fmt.Fprintln(std.out, name)
	return nil
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// freshID is a date and some random letters that no review has.
func freshID(date string, content *source.Content) string {
	taken := map[string]bool{}
	for i := range content.Reviews {
		taken[strings.ToLower(content.Reviews[i].ID)] = true
	}
	for _, w := range content.Withdrawn {
		taken[strings.ToLower(w.ID)] = true
	}
	for {
		if id := date + "-" + strings.ToLower(rand.Text()[:6]); !taken[id] {
			return id
		}
	}
}

// known is what a list of business.yaml offers.
type known struct{ id, name string }

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
func complete(word string, offered []known) (string, error) {
	lower := strings.ToLower(strings.TrimSpace(word))
	var found []string
	for _, k := range offered {
		if strings.ToLower(k.id) == lower {
			return k.id, nil
		}
		if strings.HasPrefix(strings.ToLower(k.id), lower) || strings.HasPrefix(strings.ToLower(k.name), lower) {
			found = append(found, k.id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		var ids []string
		for _, k := range offered {
			ids = append(ids, k.id)
		}
		return "", fmt.Errorf("%q is nobody and nothing in business.yaml, which has %s", word, strings.Join(ids, ", "))
	}
	return "", fmt.Errorf("%q may be %s", word, strings.Join(found, " or "))
}

// resolve turns names into ids.
func (c *newReviewCmd) resolve(content *source.Content) error {
	var errs []error
	for _, l := range c.lists(content) {
		for i, word := range *l.values {
			id, err := complete(word, l.offered)
			errs = append(errs, err)
			(*l.values)[i] = id
		}
	}
	return errors.Join(errs...)
}

type nameList struct {
	field   string
	values  *[]string
	offered []known
}

func (c *newReviewCmd) lists(content *source.Content) []nameList {
	b := &content.Business
	return []nameList{
		{"technicians", &c.Technicians, technicians(b)},
		{"services", &c.Services, named(b.Services)},
		{"service_areas", &c.ServiceAreas, named(b.ServiceAreas)},
	}
}

// prompter asks on a terminal.
type prompter struct {
	in  *bufio.Reader
	out io.Writer
}

// line asks until take is content with the answer.
func (p *prompter) line(question string, take func(answer string) error) error {
	for {
		fmt.Fprint(p.out, question+": ")
		answer, err := p.in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the answers end here; nothing was written: %w", err)
		}
		err = take(strings.TrimSpace(answer))
		if err == nil {
			return nil
		}
		fmt.Fprintf(p.out, "  %s\n", err)
	}
}

// ask asks for what no flag gave.
func (c *newReviewCmd) ask(p *prompter, content *source.Content) error {
	word := func(value *string, question string, required bool) error {
		if *value != "" {
			return nil
		}
		return p.line(question, func(s string) error {
			if s == "" && required {
				return errors.New("this is needed")
			}
			*value = s
			return nil
		})
	}
	steps := []func() error{
		func() error { return word(&c.Author, "Author (first name and initial)", true) },
		func() error {
			if c.Rating != 0 {
				return nil
			}
			return p.line("Stars (1 to 5)", func(s string) error {
				n, err := strconv.Atoi(s)
				if err != nil || n < reviewcast.MinRating || n > reviewcast.MaxRating {
					return errors.New("write a whole number from 1 to 5")
				}
				c.Rating = n
				return nil
			})
		},
		func() error {
			return p.line("Date ["+c.Date+"]", func(s string) error {
				if s != "" && !reviewcast.Date(s).Valid() {
					return errors.New("write it as YYYY-MM-DD")
				}
				c.Date = orDefault(s, c.Date)
				return nil
			})
		},
		func() error { return word(&c.Title, "Title (may be left out)", false) },
		func() error { return word(&c.Text, "Text (one line; may be left out)", false) },
		func() error {
			if c.Verification != "" {
				return nil
			}
			return p.line("Verification ("+strings.Join(reviewcast.VerificationMethods, ", ")+"; none leaves it unpublished)", func(s string) error {
				if s != "" && !slices.Contains(reviewcast.VerificationMethods, s) {
					return errors.New("write one of them")
				}
				c.Verification = s
				return nil
			})
		},
	}
	for _, l := range c.lists(content) {
		if len(*l.values) == 0 && len(l.offered) > 0 {
			steps = append(steps, func() error { return p.names(l) })
		}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// names asks for names of a list.
func (p *prompter) names(l nameList) error {
	return p.line(strings.ReplaceAll(l.field, "_", " ")+" (separated by commas; ? lists them)", func(s string) error {
		if s == "?" {
			var all []string
			for _, k := range l.offered {
				all = append(all, k.id+" ("+k.name+")")
			}
			return errors.New(strings.Join(all, ", "))
		}
		var ids []string
		for word := range strings.SplitSeq(s, ",") {
			if strings.TrimSpace(word) == "" {
				continue
			}
			id, err := complete(word, l.offered)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		*l.values = ids
		return nil
	})
}

// write writes the file, which must not be there yet.
func (c *newReviewCmd) write() (string, error) {
	if !reviewcast.ValidID(c.ID) {
		return "", usageError{fmt.Errorf("--id: %q is no id; write letters, digits, '.', '_' and '-'", c.ID)}
	}
	if !reviewcast.Date(c.Date).Valid() {
		return "", usageError{fmt.Errorf("--date: %q is not a calendar date YYYY-MM-DD", c.Date)}
	}
	rel := "reviews/" + c.Date[:len("2006")] + "/" + c.ID + ".yaml"
	name := filepath.Join(c.Content, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", fmt.Errorf("write the review: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s is there already; choose another --id", name)
	} else if err != nil {
		return "", fmt.Errorf("write the review: %w", err)
	}
	_, err = f.WriteString(c.yaml(source.SchemaLine(rel)))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write the review: %w", err), os.Remove(name))
	}
	return name, nil
}

// yaml is the file. Whatever people type stands in double quotes.
func (c *newReviewCmd) yaml(first string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n- id: %s\n  author: %s\n  rating: %d\n  date: %s\n", first, quoteYAML(c.ID), quoteYAML(c.Author), c.Rating, c.Date)
	for _, f := range []struct{ name, value string }{{"title", c.Title}, {"text", c.Text}, {"language", c.Language}, {"source", c.Source}} {
		if f.value != "" {
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
