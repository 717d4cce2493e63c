package mcpserver

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// reviewAnswer answers get_review.
func reviewAnswer(v *view, id string) (jsontext.Value, error) {
	review, ok := v.review(id)
	if !ok {
		return nil, refuse("No review has the id %s. search_reviews gives ids; they are written exactly so, upper and lower case included.", echo(id))
	}
	return encode(oneReview{Review: review, Insight: v.perReview[id], Notice: notice})
}

// aspect finds an aspect by id or label.
func (v *view) aspect(name string) (reviewcast.Aspect, bool) {
	for _, by := range []func(reviewcast.Aspect) string{
		func(a reviewcast.Aspect) string { return a.ID },
		func(a reviewcast.Aspect) string { return a.Label },
	} {
		if i := slices.IndexFunc(v.insights.Aspects, func(a reviewcast.Aspect) bool { return strings.EqualFold(by(a), name) }); i >= 0 {
			return v.insights.Aspects[i], true
		}
	}
	return reviewcast.Aspect{}, false
}

// aspectIDs are the ids of all aspects, those of most mentions first.
func (v *view) aspectIDs() []string {
	sorted := slices.SortedStableFunc(slices.Values(v.insights.Aspects), func(a, b reviewcast.Aspect) int { return b.MentionCount - a.MentionCount })
	ids := make([]string, 0, len(sorted))
	for _, a := range sorted {
		ids = append(ids, a.ID)
	}
	return ids
}

// aspectAnswer answers get_aspect_sentiment.
func aspectAnswer(v *view, name string) (jsontext.Value, error) {
	a, ok := v.aspect(strings.TrimSpace(name))
	if !ok {
		return nil, refuse("No aspect is called %s. %s For anything else use search_reviews with query.", echo(name), known("aspects", v.aspectIDs()))
	}
	return encode(oneAspect{Aspect: a, ReviewCount: v.Len(), Method: v.insights.Method.Name, Notice: notice})
}

// entity finds what the reviews say about an id; nil when there is nothing.
func entity(list []reviewcast.Entity, id string) *reviewcast.Entity {
	if i := slices.IndexFunc(list, func(e reviewcast.Entity) bool { return e.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

func (v *view) technicianNames() []string {
	names := make([]string, 0, len(v.dataset.Business.Technicians))
	for _, t := range v.dataset.Business.Technicians {
		names = append(names, t.Name)
	}
	return names
}

func (v *view) serviceNames() []string {
	names := make([]string, 0, len(v.dataset.Business.Services))
	for _, s := range v.dataset.Business.Services {
		names = append(names, s.ID)
	}
	return names
}

// technicianAnswer answers get_technician.
func technicianAnswer(v *view, name string) (jsontext.Value, error) {
	found := v.Technicians(strings.TrimSpace(name))
	if len(found) == 0 {
		return nil, refuse("No technician is called %s. %s", echo(name), known("technicians", v.technicianNames()))
	}
	answer := technicians{Matched: len(found)}
	for _, t := range found {
		answer.Technicians = append(answer.Technicians, v.technician(t))
	}
	return encode(answer)
}

// technician combines a technician's record with what reviews say. The names come
// from the view, where they are clean.
func (v *view) technician(t reviewcast.Technician) technician {
	if i := slices.IndexFunc(v.dataset.Business.Technicians, func(c reviewcast.Technician) bool { return c.ID == t.ID }); i >= 0 {
		t = v.dataset.Business.Technicians[i]
	}
	return technician{t, entity(v.insights.Entities.Technicians, t.ID)}
}

// serviceAnswer answers get_service.
func serviceAnswer(v *view, name string) (jsontext.Value, error) {
	name = strings.TrimSpace(name)
	found := v.Services(name)
	if len(found) == 0 {
		return nil, refuse("No service is called %s. %s", echo(name), known("services", v.serviceNames()))
	}
	s := found[0]
	if i := slices.IndexFunc(found, func(s reviewcast.Named) bool { return strings.EqualFold(s.ID, name) }); i >= 0 {
		s = found[i] // an id takes precedence over another service's name
	}
	for _, c := range v.dataset.Business.Services {
		if c.ID == s.ID {
			s = c
		}
	}
	return encode(service{s, entity(v.insights.Entities.Services, s.ID)})
}
