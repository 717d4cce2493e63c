package compose

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// directSource is the source of a review that names none.
const directSource = "direct"

// Ask asks for the fields that are empty. An empty date is asked for with today as the default.
func (r *Review) Ask(p *terminal.Prompter, content *source.Content, today string) error {
	q := questions{prompt: p}
	q.ask(&r.Author, "Author (first name and initial)", func(s string) (string, error) {
		if s == "" {
			return "", errors.New("this is required; write Anonymous for somebody who does not want a name there")
		}
		return s, nil
	})
	stars := strings.TrimPrefix(strconv.Itoa(r.Rating), "0") // "" asks
	q.ask(&stars, "Stars (1 to 5)", func(s string) (_ string, err error) {
		if r.Rating, err = strconv.Atoi(s); err != nil || r.Rating < reviewcast.MinRating || r.Rating > reviewcast.MaxRating {
			return "", errors.New("write a whole number from 1 to 5")
		}
		return s, nil
	})
	q.ask(&r.Date, "Date ["+today+"]", func(s string) (string, error) {
		s = cmp.Or(s, today)
		if !reviewcast.Date(s).Valid() {
			message, remedy := diagnostic.ExplainDate("the date", s)
			return "", errors.New(message + "; " + remedy)
		} else if s > today {
			return "", errors.New(s + " is in the future; today is " + today)
		}
		return s, nil
	})
	q.ask(&r.Title, "Title (optional)", anything)
	if q.err == nil && r.Text == "" {
		r.Text, q.err = p.Text("Text (optional; a line with only a point ends it)")
	}
	if site := content.Site.Language; r.Title != "" || r.Text != "" {
		q.ask(&r.Language, "Language ["+site+"]", func(s string) (string, error) {
			if _, err := language.Parse(cmp.Or(s, site)); err != nil {
				return "", errors.New("write its tag, such as en, fr or pt-BR")
			}
			return unless(s, site), nil
		})
	}
	q.ask(&r.Source, "Source ["+directSource+"]", func(s string) (string, error) {
		return unless(s, directSource), nil
	})
	question := "Verification (" + strings.Join(reviewcast.VerificationMethods, ", ") + "; without it the review is not published)"
	q.ask(&r.Verification, question, func(s string) (string, error) {
		if s == "" {
			return "", nil
		}
		return resolve(s, "a method", Choices(content, "methods"))
	})
	if r.Verification != "" {
		q.ask(&r.Reference, "Reference (your proof, never published; optional)", anything)
	}
	for _, l := range r.lists() {
		if len(*l.ids) > 0 || len(Choices(content, l.kind)) == 0 {
			continue
		}
		answer := ""
		q.ask(&answer, l.question+" (separated by commas, ? lists)", func(s string) (_ string, err error) {
			*l.ids, err = l.resolve(strings.Split(s, ","), content)
			return s, err
		})
	}
	return q.err
}

// questions asks until the first error.
type questions struct {
	prompt *terminal.Prompter
	err    error
}

// ask asks for an answer that is empty. check returns what is kept of it.
func (q *questions) ask(answer *string, question string, check func(string) (string, error)) {
	if q.err != nil || *answer != "" {
		return
	}
	q.err = q.prompt.Line(question, func(s string) (err error) {
		*answer, err = check(s)
		return err
	})
}

func anything(s string) (string, error) { return s, nil }

// unless returns s, or "" if it is the default.
func unless(s, byDefault string) string {
	if s == byDefault {
		return ""
	}
	return s
}
