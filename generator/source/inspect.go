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

// Inspect reads the words of valid content as a careful colleague would, and
// gives Warnings: what may be right, and is worth a second look before the whole
// world has it. Nothing here stops a build, and no text is ever changed.
//
//	email-in-text phone-in-text address-in-text card-in-text   personal data
//	full-surname          a whole surname where site.yaml says initials
//	shouting, markup      capitals throughout; HTML, BBCode or Markdown
//	near-duplicate        two reviews of nearly the same words
//	unlisted-technician   a text names one whom business.yaml doesn't list
//
// The business's own address, telephone and e-mail are no personal data. The
// content must be the Loader's own; the files are read again to find the place of
// what is found.
func (l *Loader) Inspect(ctx context.Context, content *Content) ([]Problem, error) {
	in := newInspector(content)
	for i := range content.Reviews {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		in.review(&content.Reviews[i])
	}
	in.alike(content.Reviews)
	problems, err := in.place(l.dir)
	if err != nil {
		return nil, fmt.Errorf("read content folder %s: %w", l.dir, err)
	}
	return problems, nil
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
}

func newInspector(c *Content) *inspector {
	return &inspector{content: c, people: newPeople(c), own: newOwnData(c)}
}

func (in *inspector) add(r *Review, snippet, code, message, suggestion string) {
	in.remarks = append(in.remarks, remark{r.At, snippet, code, message, suggestion})
}

// review looks at one review.
func (in *inspector) review(r *Review) {
	if in.content.Site.Policies.AuthorNames == "initials" {
		if short, full := initials(r.Author); full {
			in.add(r, r.Author, "full-surname", fmt.Sprintf("author %s has a full surname, and the policy of site.yaml is initials", echo(r.Author)),
				fmt.Sprintf("write %q, or set author_names: full in site.yaml if the authors agreed", short))
		}
	}
	for _, t := range []struct {
		name string
		text *string
	}{{"title", r.Title}, {"text", r.Text}, {"owner_reply.text", replyOf(r)}} {
		if t.text == nil {
			continue
		}
		in.personal(r, t.name, *t.text)
		if t.name != "owner_reply.text" {
			in.loud(r, t.name, *t.text)
			in.unlisted(r, t.name, *t.text)
		}
	}
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
