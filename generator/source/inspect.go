package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// Check is Load, and then reads the words as a careful colleague would, and gives
// Warnings: what may be right, and is worth a second look before the whole world
// has it. Nothing of that stops a build, and no text is ever changed.
//
//	email-in-text phone-in-text address-in-text card-in-text   personal data
//	full-surname          a whole surname where site.yaml says initials
//	shouting, markup      capitals throughout; HTML, BBCode or Markdown
//	near-duplicate        two reviews of nearly the same words
//	unlisted-technician   a text names one whom business.yaml doesn't list
//	cut-by-comment        a text without quotation marks that ends at " #1"
//	curly-quotes          a text in quotation marks that YAML doesn't take off
//
// The business's own address, telephone and e-mail are no personal data. An Error
// in one place hides no warning about another: every review that could be read is
// looked at. The files are read again to find the place of what is found.
func (l *Loader) Check(ctx context.Context) (*Checked, error) {
	f, problems, err := l.read(ctx, nil)
	if err != nil {
		return nil, err
	}
	c := &Checked{Content: f.content, Problems: problems}
	broken := func(name string) bool {
		return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error && p.File == name })
	}
	c.Complete = f.complete && !broken(withdrawnFile)
	in := newInspector(f.content)
	in.noNames, in.noBusiness = broken(siteFile), broken(businessFile)
	for i := range f.content.Reviews {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		in.review(&f.content.Reviews[i])
	}
	for _, w := range f.nameless {
		in.review(&w.Review)
	}
	in.alike(f.content.Reviews)
	warnings, err := in.place(l.dir)
	cut, cerr := in.cutTexts(l.dir)
	if err := errors.Join(err, cerr); err != nil {
		return nil, fmt.Errorf("read content folder %s: %w", l.dir, err)
	}
	c.Problems = slices.Concat(problems, warnings, cut)
	SortProblems(c.Problems)
	return c, nil
}

// Checked is what a Check found.
type Checked struct {
	// Content is what could be made out; it may be published unless one of the
	// problems is an Error.
	Content *Content
	// Problems are all there are, Errors and Warnings, sorted.
	Problems []Problem
	// Complete tells that a review that isn't in the Content isn't in the folder
	// either, and not listed as withdrawn.
	Complete bool
}

// remark is a warning that has no exact place yet.
type remark struct {
	at                        Position // of the review
	snippet                   string   // what it is about, as it stands in the text
	code, message, suggestion string
}

// inspector collects remarks.
type inspector struct {
	content *Content
	remarks []remark
	people  *people
	own     ownData
	// What can't be said because site.yaml or business.yaml is broken.
	noNames, noBusiness bool
}

func newInspector(c *Content) *inspector {
	return &inspector{content: c, people: newPeople(c), own: newOwnData(c)}
}

func (in *inspector) add(r *Review, snippet, code, message, suggestion string) {
	in.remarks = append(in.remarks, remark{r.At, snippet, code, message, suggestion})
}

// review looks at one review.
func (in *inspector) review(r *Review) {
	if in.content.Site.Policies.AuthorNames == "initials" && !in.noNames {
		if short, full := initials(unquoted(r.Author)); full {
			in.add(r, r.Author, "full-surname", fmt.Sprintf("author %s has a full surname, and the policy of site.yaml is initials", echo(r.Author)),
				fmt.Sprintf("write %q, or set author_names: full in site.yaml if the authors agreed", short))
		}
	}
	for _, t := range []struct {
		name string
		text *string
	}{{"author", &r.Author}, {"title", r.Title}, {"text", r.Text}} {
		if t.text == nil {
			continue
		}
		if _, was := straight(*t.text); was {
			in.add(r, firstLine(*t.text), "curly-quotes", t.name+" is in curly quotation marks, which are published as a part of it",
				"write straight ones (\") or none, unless they are the customer's own")
		}
	}
	for _, t := range []struct {
		name string
		text *string
	}{{"title", r.Title}, {"text", r.Text}, {"owner_reply.text", replyOf(r)}} {
		if t.text == nil {
			continue
		}
		reply := t.name == "owner_reply.text"
		if !reply || !in.noBusiness { // its own telephone isn't known then
			in.personal(r, t.name, *t.text)
		}
		if !reply {
			in.loud(r, t.name, *t.text)
		}
		if !reply && !in.noBusiness {
			in.unlisted(r, t.name, *t.text)
		}
	}
}

// unquoted is a text without quotation marks around it.
func unquoted(s string) string {
	s, _ = straight(s)
	return s
}

func replyOf(r *Review) *string {
	if r.OwnerReply == nil {
		return nil
	}
	return &r.OwnerReply.Text
}

// place finds each remark's place in its file: the first time that the words
// stand there from the beginning of the review on, and else the review itself.
func (in *inspector) place(dir string) ([]Problem, error) {
	slices.SortStableFunc(in.remarks, func(a, b remark) int { return strings.Compare(a.at.File, b.at.File) })
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var problems []Problem
	var data []byte
	file := ""
	for _, m := range in.remarks {
		if m.at.File != file {
			file, data = m.at.File, nil
			f, err := root.Open(file)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
			if err == nil {
				data, err = io.ReadAll(io.LimitReader(f, MaxDataFile))
				f.Close()
				if err != nil {
					return nil, err
				}
			}
		}
		at := locate(data, m.at, m.snippet)
		problems = append(problems, Problem{Severity: Warning, File: file, Line: at.Line, Col: at.Col, Code: m.code, Message: m.message, Suggestion: m.suggestion})
	}
	SortProblems(problems)
	return problems, nil
}

// maxSeek is how far behind the beginning of a review its words are looked for,
// in bytes: the longest review is shorter.
const maxSeek = 1 << 20

// locate finds a snippet in a file at or behind a place. Words that are folded or
// escaped in the file aren't found; then the review is the place.
func locate(data []byte, at Position, snippet string) Position {
	start := 0
	for line := 1; line < at.Line; line++ {
		i := bytes.IndexByte(data[start:], '\n')
		if i < 0 {
			return at
		}
		start += i + 1
	}
	rest := data[start:min(len(data), start+maxSeek)]
	i := bytes.Index(rest, []byte(snippet))
	if snippet == "" || i < 0 {
		return at
	}
	before := rest[:i]
	found := at
	found.Line += bytes.Count(before, []byte{'\n'})
	found.Col = utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return found
}
