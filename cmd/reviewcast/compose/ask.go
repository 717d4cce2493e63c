package compose

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/source"
)

// Ask asks for the fields that are empty. An empty date is asked for with today as
// the default.
func (r *Review) Ask(p *terminal.Prompter, content *source.Content, today string) error {
	q := questions{r, p, content, today}
	for _, ask := range []func() error{q.author, q.rating, q.date, q.title, q.text, q.language, q.source, q.verification, q.reference} {
		if err := ask(); err != nil {
			return err
		}
	}
	for _, l := range r.lists(content) {
		if len(*l.ids) == 0 && len(l.choices) > 0 {
			if err := q.ids(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// questions asks for the fields of a review.
type questions struct {
	*Review
	prompt  *terminal.Prompter
	content *source.Content
	today   string
}

func (q questions) author() error {
	if q.Author != "" {
		return nil
	}
	return q.prompt.Line("Author (first name and initial)", nil, func(s string) error {
		if s == "" {
			return errors.New("this is required; write Anonymous for somebody who does not want a name there")
		}
		q.Author = s
		return nil
	})
}

func (q questions) rating() error {
	if q.Rating != 0 {
		return nil
	}
	return q.prompt.Line("Stars (1 to 5)", nil, func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < reviewcast.MinRating || n > reviewcast.MaxRating {
			return errors.New("write a whole number from 1 to 5")
		}
		q.Rating = n
		return nil
	})
}

func (q questions) date() error {
	if q.Date != "" {
		return nil
	}
	return q.prompt.Line("Date ["+q.today+"]", nil, func(s string) error {
		switch date := reviewcast.Date(cmp.Or(s, q.today)); {
		case !date.Valid():
			return errors.New("write it as YYYY-MM-DD, such as " + q.today)
		case string(date) > q.today:
			return errors.New(s + " is in the future; today is " + q.today)
		default:
			q.Date = string(date)
		}
		return nil
	})
}

func (q questions) title() error {
	if q.Title != "" {
		return nil
	}
	return q.prompt.Line("Title (optional)", nil, func(s string) error { q.Title = s; return nil })
}

func (q questions) text() (err error) {
	if q.Text == "" {
		q.Text, err = q.prompt.Text("Text (an empty line ends it; optional)")
	}
	return err
}

// language is asked for if there is a text. Tab offers the languages that the folder
// has.
func (q questions) language() error {
	if q.Language != "" || q.Title == "" && q.Text == "" {
		return nil
	}
	site := q.content.Site.Language
	used := q.used(func(r *source.Review) string { return r.Language })
	return q.prompt.Line("Language ["+site+"]", used, func(s string) error {
		if _, err := language.Parse(cmp.Or(s, site)); err != nil {
			return errors.New("write its tag, such as en, fr or pt-BR")
		}
		q.Language = unless(s, site)
		return nil
	})
}

// directSource is the source of a review that names none.
const directSource = "direct"

func (q questions) source() error {
	if q.Source != "" {
		return nil
	}
	used := q.used(func(r *source.Review) string { return r.Source })
	return q.prompt.Line("Source ["+directSource+"]", used, func(s string) error {
		q.Source = unless(s, directSource)
		return nil
	})
}

// used returns the values that the reviews of the folder have in a field.
func (q questions) used(field func(*source.Review) string) []terminal.Choice {
	values := map[string]bool{}
	for _, r := range q.content.Reviews {
		values[field(r)] = true
	}
	return choices(slices.Sorted(maps.Keys(values)))
}

// unless returns s, or "" if it is the default.
func unless(s, byDefault string) string {
	if s == byDefault {
		return ""
	}
	return s
}

func choices(ids []string) (out []terminal.Choice) {
	for _, id := range ids {
		out = append(out, terminal.Choice{ID: id})
	}
	return out
}

func (q questions) verification() error {
	if q.Verification != "" {
		return nil
	}
	methods := choices(reviewcast.VerificationMethods)
	question := "Verification (" + strings.Join(reviewcast.VerificationMethods, ", ") + "; without it the review is not published)"
	return q.prompt.Line(question, methods, func(s string) error {
		if s == "" {
			return nil
		}
		method, err := resolve(s, "a method", methods)
		q.Verification = method
		return err
	})
}

func (q questions) reference() error {
	if q.Verification == "" || q.Reference != "" {
		return nil
	}
	return q.prompt.Line("Reference (your proof, never published; optional)", nil, func(s string) error { q.Reference = s; return nil })
}

// ids asks for names of a list.
func (q questions) ids(l list) error {
	return q.prompt.Line(l.question+" (separated by commas, Tab completes, ? lists)", l.choices, func(s string) error {
		if s == "?" {
			var all []string
			for _, c := range l.choices {
				all = append(all, c.String())
			}
			return errors.New(strings.Join(all, ", "))
		}
		var ids []string
		for word := range strings.SplitSeq(s, ",") {
			if strings.TrimSpace(word) == "" {
				continue
			}
			id, err := resolve(word, l.what, l.choices)
			if err != nil {
				return err
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		*l.ids = ids
		return nil
	})
}
