package main

import (
	"context"
	"fmt"
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

// readExisting reads the content folder. It must have no errors: without all ids and
// withdrawals, an import could bring back a text that was withdrawn for legal
// reasons.
func readExisting(ctx context.Context, dir string, today reviewcast.Date) (*existing, error) {
	loader := source.NewLoader(dir, source.Config{Today: today})
	content, _, problems, err := loader.Load(ctx, nil)
	if err != nil {
		return nil, err
	}
	if content == nil {
		return nil, fmt.Errorf("%s has errors; fix them first, so that ids and withdrawals are known:\n%s", dir, errorLines(dir, problems))
	}
	s := &existing{authorNames: content.Site.Policies.AuthorNames, positions: map[string]diagnostic.Position{}, withdrawn: map[string]bool{}}
	if s.zone, err = time.LoadLocation(content.Business.TimeZone); err != nil {
		return nil, err
	}
	day, err := todayOf(content, string(today))
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
