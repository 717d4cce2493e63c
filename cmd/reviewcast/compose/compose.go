// Package compose writes the file of a new review: it asks for what is missing, resolves names to ids, and checks the
// file with the loader that a build uses.
package compose

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/lint"
	"reviewcast/generator/schema"
	"reviewcast/generator/source"
)

// Review is what an editor gives of a new review, with the flags that give it. Zero values are left out of the file.
type Review struct {
	ID           string   `name:"id" help:"The review's id (default: a new one)." placeholder:"ID"`
	Author       string   `help:"First name and initial." placeholder:"NAME"`
	Rating       int      `help:"Stars, 1 to 5." placeholder:"N"`
	Date         string   `help:"The day of the review (default: today)." placeholder:"YYYY-MM-DD"`
	Title        string   `help:"Its title." placeholder:"TEXT"`
	Text         string   `help:"The customer's words." placeholder:"TEXT"`
	Language     string   `help:"BCP 47 tag (default: the site's)." placeholder:"TAG"`
	Source       string   `help:"Where it was given (default: direct)." placeholder:"NAME"`
	Verification string   `help:"How you know that the author was a customer: ${methods}. Without it the review is not published." placeholder:"METHOD"`
	Reference    string   `help:"Your proof, such as a job number; it is never published." placeholder:"TEXT"`
	Technicians  []string `help:"Who did the work: ids of business.yaml, or the beginnings of names." placeholder:"ID,…" ids:"technicians"`
	Services     []string `help:"What was done, likewise." placeholder:"ID,…" ids:"services"`
	ServiceAreas []string `name:"service-areas" help:"Where, likewise." placeholder:"ID,…" ids:"service_areas"`
}

// Ask asks for the fields that are empty. An empty date is asked for with today as the default.
func (r *Review) Ask(p *terminal.Prompter, content *source.Content, today string) (err error) {
	// ask asks for an answer that is empty, until the first error. check returns what is kept of it.
	ask := func(answer *string, question string, check func(string) (string, error)) {
		if err == nil && *answer == "" {
			err = p.Line(question, func(s string) (err error) {
				*answer, err = check(s)
				return err
			})
		}
	}
	ask(&r.Author, "Author (first name and initial)", func(s string) (string, error) {
		if !strings.ContainsFunc(s, unicode.IsLetter) {
			return "", errors.New("a name is required; write Anonymous for somebody who does not want a name there")
		} else if short, full := lint.Initials(s); full && content.Site.AuthorNames == "initials" {
			return "", fmt.Errorf("site.yaml asks for initials; write %s", short)
		}
		return s, nil
	})
	stars := strings.TrimPrefix(strconv.Itoa(r.Rating), "0") // "" asks
	ask(&stars, "Stars (1 to 5)", func(s string) (_ string, err error) {
		if r.Rating, err = strconv.Atoi(s); err != nil || r.Rating < reviewcast.MinRating || r.Rating > reviewcast.MaxRating {
			return "", errors.New("write a whole number from 1 to 5")
		}
		return s, nil
	})
	ask(&r.Date, "Date ["+today+"]", func(s string) (string, error) {
		s = cmp.Or(s, today)
		if !reviewcast.Date(s).Valid() {
			message, remedy := diagnostic.ExplainDate("the date", s)
			return "", errors.New(message + "; " + remedy)
		} else if s > today {
			return "", errors.New(s + " is in the future; today is " + today)
		}
		return s, nil
	})
	ask(&r.Title, "Title (optional)", anything)
	if err == nil && r.Text == "" {
		r.Text, err = p.Text("Text (optional; a line with only a point ends it)")
	}
	if site := content.Site.Language; r.Title != "" || r.Text != "" {
		ask(&r.Language, "Language ["+site+"]", func(s string) (string, error) {
			if _, err := language.Parse(cmp.Or(s, site)); err != nil {
				return "", errors.New("write its tag, such as en, fr or pt-BR")
			}
			return diagnostic.When(s != site, s), nil
		})
	}
	ask(&r.Source, "Source [direct]", func(s string) (string, error) { return diagnostic.When(s != "direct", s), nil })
	question := "Verification (" + strings.Join(reviewcast.VerificationMethods, ", ") + "; without it the review is not published)"
	ask(&r.Verification, question, func(s string) (string, error) { return methodOf(s, content) })
	if r.Verification != "" {
		ask(&r.Reference, "Reference (your proof, never published; optional)", anything)
	}
	for _, l := range r.lists() {
		if len(*l.ids) > 0 || len(Choices(content, l.kind)) == 0 {
			continue
		}
		answer := ""
		ask(&answer, l.question+" (separated by commas, ? lists)", func(s string) (_ string, err error) {
			*l.ids, err = l.resolve(strings.Split(s, ","), content)
			return s, err
		})
	}
	return err
}

func anything(s string) (string, error) { return s, nil }

// Resolve replaces the beginnings of names by ids, and makes an id if there is none. Its errors are mistakes in what the
// editor gave.
func (r *Review) Resolve(content *source.Content) error {
	if r.Author == "" || r.Rating == 0 {
		return errors.New("a review needs at least --author and --rating")
	}
	r.Author, _ = diagnostic.TrimCurlyQuotes(strings.Trim(r.Author, `'"`)) // which Windows passes on
	r.Text, _ = diagnostic.TrimCurlyQuotes(r.Text)
	if r.Reference != "" && r.Verification == "" {
		return errors.New("--reference is the proof of a verification, which is missing; add --verification job, or another way in which you know that the author was a customer")
	}
	if info, err := os.Stat(r.Text); err == nil && !info.IsDir() {
		return fmt.Errorf("--text: %s is a file; write its words between quotes, or leave --text out and paste them when you are asked", r.Text)
	}
	if !reviewcast.Date(r.Date).Valid() {
		message, remedy := diagnostic.ExplainDate("--date:", r.Date)
		return fmt.Errorf("%s; %s", message, remedy)
	}
	var errs []error
	method, err := methodOf(r.Verification, content)
	if err != nil {
		errs = append(errs, fmt.Errorf("--verification: %w", err))
	}
	r.Verification = cmp.Or(method, r.Verification)
	for _, l := range r.lists() {
		ids, err := l.resolve(*l.ids, content)
		errs, *l.ids = append(errs, err), ids
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	taken, withdrawn := UsedIDs(content)
	switch where := taken(r.ID); {
	case withdrawn(r.ID):
		return fmt.Errorf("--id: %q is the id of a withdrawn review; choose another, or leave it out", r.ID)
	case where != "":
		return fmt.Errorf("--id: %q is the id of the review at %s; choose another, or leave it out", r.ID, where)
	case r.ID != "" && !reviewcast.ValidID(r.ID):
		fixed := strings.Trim(strings.Join(strings.Fields(diagnostic.Latin(r.ID)), "-"), "-._")
		return fmt.Errorf("--id: %q is not an id; %swrite letters a to z without accents, digits, '.', '_' and '-'", r.ID, diagnostic.When(reviewcast.ValidID(fixed), fmt.Sprintf("write %s, or leave it out: ", fixed)))
	}
	for r.ID == "" {
		id := r.Date + "-" + strings.ToLower(rand.Text()[:6])
		if taken(id) == "" && !withdrawn(id) {
			r.ID = id
		}
	}
	return nil
}

// UsedIDs returns functions that report where the review with an id is, "" if there is none, and whether it is withdrawn.
// Case is ignored.
func UsedIDs(content *source.Content) (taken func(id string) (where string), withdrawn func(id string) bool) {
	places, gone := map[string]string{}, map[string]bool{}
	for _, r := range content.Reviews {
		places[strings.ToLower(r.ID)] = place(content, r)
	}
	for _, w := range content.Withdrawn {
		gone[strings.ToLower(w.ID)] = true
	}
	return func(id string) string { return places[strings.ToLower(id)] }, func(id string) bool { return gone[strings.ToLower(id)] }
}

func place(content *source.Content, r *source.Review) string {
	at := content.Position(r)
	return fmt.Sprintf("%s:%d", at.File, at.Line)
}

// Places returns a function that returns where the content has a review with an author, a date and a text.
func Places(content *source.Content) func(author string, date reviewcast.Date, text string) string {
	places := map[[3]string]string{}
	for _, r := range content.Reviews {
		if r.Text != nil {
			places[[3]string{r.Author, string(r.Date), *r.Text}] = place(content, r)
		}
	}
	return func(author string, date reviewcast.Date, text string) string {
		return places[[3]string{author, string(date), text}]
	}
}

// list is a field of ids of business.yaml.
type list struct {
	kind     string // of [Choices], and the name of the field
	question string
	what     string // one of them, in a message
	ids      *[]string
}

func (r *Review) lists() []list {
	return []list{
		{"technicians", "Technicians", "a technician of business.yaml", &r.Technicians},
		{"services", "Services", "a service of business.yaml", &r.Services},
		{"service_areas", "Service areas", "a service area of business.yaml", &r.ServiceAreas},
	}
}

// resolve returns the ids that words stand for, each once.
func (l list) resolve(words []string, content *source.Content) (ids []string, err error) {
	for word := range strings.SplitSeq(strings.Join(words, ";"), ";") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		id, known := content.Named(l.kind, word)
		var werr error
		if !known {
			id, werr = resolve(word, l.what, Choices(content, l.kind))
		}
		if werr != nil {
			remedy := diagnostic.Pick(strings.Contains(word, " "), "separate several by commas", "add a new one to business.yaml first")
			near := content.Meant(l.kind, word)
			werr = fmt.Errorf("%w; %s%s", werr, diagnostic.When(near != "", fmt.Sprintf("did you mean %s? If not, ", near)), remedy)
		}
		for _, kind := range []string{"technicians", "services", "service_areas"} {
			if id, other := content.Named(kind, word); other && werr != nil {
				werr = fmt.Errorf("%q is not %s, but one of its %s; name it there, as in --%s %s", word, l.what, kind, strings.ReplaceAll(kind, "_", "-"), id)
			}
		}
		if err = errors.Join(err, werr); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// Choices returns what the content offers for a kind of name: technicians, services, service_areas, methods or reviews.
func Choices(content *source.Content, kind string) (out []reviewcast.Named) {
	switch kind {
	case "technicians":
		for _, t := range content.Business.Technicians {
			out = append(out, reviewcast.Named{ID: t.ID, Name: t.Name})
		}
	case "services":
		return content.Business.Services
	case "service_areas":
		return content.Business.ServiceAreas
	case "methods":
		for _, method := range reviewcast.VerificationMethods {
			out = append(out, reviewcast.Named{ID: method})
		}
	case "reviews":
		for _, r := range content.Reviews {
			out = append(out, reviewcast.Named{ID: r.ID, Name: fmt.Sprintf("%s, %s", r.Author, r.Date)})
		}
	}
	return out
}

// methodOf returns the method of verification that a word stands for; "" stands for none.
func methodOf(word string, content *source.Content) (string, error) {
	if word == "" {
		return "", nil
	}
	method, err := resolve(word, "a method", Choices(content, "methods"))
	if err != nil {
		err = fmt.Errorf("%q is not a method, which says how you know that the author was a customer; write %s", word, source.MethodsExplained)
	}
	return method, err
}

// resolve returns the only id that a word, or the beginning of its name, stands for.
func resolve(word, what string, choices []reviewcast.Named) (string, error) {
	word = strings.TrimSpace(word)
	lower := strings.ToLower(word)
	var found, ids, names []string
	for _, c := range choices {
		if strings.ToLower(c.ID) == lower {
			return c.ID, nil
		}
		if strings.HasPrefix(strings.ToLower(c.ID), lower) || strings.HasPrefix(strings.ToLower(c.Name), lower) {
			found = append(found, c.ID)
		}
		ids, names = append(ids, c.ID), append(names, strings.TrimSuffix(c.ID+" ("+c.Name+")", " ()"))
	}
	switch {
	case word == "?" && len(names) > 0:
		return "", fmt.Errorf("there are %s", strings.Join(names, ", "))
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%q may be %s; write one of these ids", word, strings.Join(found, " or "))
	case len(ids) == 0:
		return "", fmt.Errorf("%q is not %s, which lists none yet", word, what)
	}
	return "", fmt.Errorf("%q is not %s; there are %s", word, what, strings.Join(ids, ", "))
}

// file is the name of the review's file, relative to the content folder.
func (r *Review) file() string { return "reviews/" + r.Date[:len("2006")] + "/" + r.ID + ".yaml" }

// Write writes the review, which is resolved, and returns the path of its file and the warnings about it. A file that the loader refuses
// is removed again; its problems are returned with the error.
func (r *Review) Write(ctx context.Context, dir, today string) (path string, problems []diagnostic.Problem, err error) {
	path = filepath.Join(dir, filepath.FromSlash(r.file()))
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = WriteNew(path, r.yaml())
	}
	if errors.Is(err, fs.ErrExist) {
		return "", nil, fmt.Errorf("write the review: %s exists already; choose another --id", path)
	} else if err != nil {
		return "", nil, fmt.Errorf("write the review: %w", err)
	}
	_, _, problems, err = source.NewLoader(dir, source.Config{Today: reviewcast.Date(today)}).Load(ctx, nil)
	// Other files may have been saved in the meantime.
	problems = slices.DeleteFunc(problems, func(p diagnostic.Problem) bool { return p.File != r.file() })
	if err == nil && diagnostic.HasErrors(problems) {
		err = fmt.Errorf("nothing was written; the file would have been:\n%s", strings.TrimRight(r.yaml(), "\n"))
	}
	if err != nil {
		err = errors.Join(err, os.Remove(path))
		_ = os.Remove(filepath.Dir(path)) // fails unless Write created it
	}
	return path, problems, err
}

// WriteNew writes a file that must not exist yet.
func WriteNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// yaml returns the content of the file: quoted strings, and blocks for several paragraphs.
func (r *Review) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n- id: %s\n  author: %s\n  rating: %d\n  date: %s\n", schema.ReviewLine, quoteYAML(r.ID), quoteYAML(r.Author), r.Rating, r.Date)
	for _, f := range []struct{ name, value string }{{"title", r.Title}, {"text", r.Text}, {"language", r.Language}, {"source", r.Source}} {
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
	if r.Verification != "" {
		fmt.Fprintf(&b, "  verification:\n    method: %s\n", quoteYAML(r.Verification))
		if r.Reference != "" {
			fmt.Fprintf(&b, "    reference: %s\n", quoteYAML(r.Reference))
		}
	}
	for _, l := range r.lists() {
		if len(*l.ids) > 0 {
			fmt.Fprintf(&b, "  %s: [%s]\n", l.kind, strings.Join(*l.ids, ", "))
		}
	}
	return b.String()
}

// fitsBlock reports whether a block scalar reads back as s: several lines without white space at the ends.
func fitsBlock(s string) bool {
	return strings.Contains(s, "\n") && s == strings.TrimSpace(s) && !strings.Contains(s, " \n") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// quoteYAML returns s in double quotes: all escapes of Go strings are YAML's, too.
func quoteYAML(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }
