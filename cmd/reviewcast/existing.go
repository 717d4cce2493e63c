package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// existing is what an import must know of the content folder.
type existing struct {
	zone        *time.Location
	today       reviewcast.Date
	authorNames string
	positions   map[string]diagnostic.Position // by lower-case id
	withdrawn   map[string]bool                // by lower-case id
}

// readExisting reads the content folder. Every id and every withdrawal must be known:
// without them, an import could bring back a text that was withdrawn for legal reasons.
// Other errors don't matter to an import.
func readExisting(ctx context.Context, dir string, today reviewcast.Date) (*existing, error) {
	content, problems, err := source.NewLoader(dir, source.Config{Today: today}).LoadPartial(ctx)
	if err != nil {
		return nil, err
	}
	problems = slices.DeleteFunc(problems, func(p diagnostic.Problem) bool {
		settings := p.File == source.SiteFile || p.File == source.BusinessFile || p.File == source.WithdrawnFile
		return p.Severity != diagnostic.Error || content.Complete && !settings
	})
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s has errors; fix them first, so that ids and withdrawals are known:\n%s", dir, errorLines(dir, problems))
	}
	s := &existing{authorNames: content.Site.Policies.AuthorNames, positions: map[string]diagnostic.Position{}, withdrawn: map[string]bool{}}
	if s.zone, err = time.LoadLocation(content.Business.TimeZone); err != nil {
		return nil, err
	}
	day, err := todayOf(content.Content, string(today))
	if err != nil {
		return nil, err
	}
	s.today = reviewcast.Date(day)
	for _, r := range content.Reviews {
		s.positions[strings.ToLower(r.ID)] = content.Position(r)
	}
	for _, w := range content.Withdrawn {
		s.withdrawn[strings.ToLower(w.ID)] = true
	}
	return s, nil
}

// position returns where the review with an id is, and whether there is one.
func (s *existing) position(id string) (string, bool) {
	at, ok := s.positions[strings.ToLower(id)]
	return fmt.Sprintf("%s:%d", at.File, at.Line), ok
}

func (s *existing) isWithdrawn(id string) bool { return s.withdrawn[strings.ToLower(id)] }
