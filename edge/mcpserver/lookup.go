package mcpserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// directories are the names that the lookups and their hints use.
type directories struct{ technicians, services, areas, aspects namedList }

func newDirectories(b reviewcast.Business, in reviewcast.Insights) (d directories) {
	for _, t := range b.Technicians {
		d.technicians.add(t.ID, append([]string{t.Name}, t.Aliases...)...)
	}
	for _, s := range b.Services {
		d.services.add(s.ID, s.Name)
	}
	for _, s := range b.ServiceAreas {
		d.areas.add(s.ID, s.Name)
	}
	for _, a := range byMentions(in.Aspects) {
		d.aspects.add(a.ID, a.Label)
	}
	return d
}

// byMentions sorts aspects, most mentioned first.
func byMentions(aspects []reviewcast.Aspect) []reviewcast.Aspect {
	return slices.SortedStableFunc(slices.Values(aspects), func(a, b reviewcast.Aspect) int { return b.MentionCount - a.MentionCount })
}

// one returns the only id that a name means. kind is the word for errors.
func (l namedList) one(kind, name string) (string, error) {
	name = strings.TrimSpace(name)
	if i := slices.IndexFunc(l, func(n named) bool { return strings.EqualFold(n.id, name) }); i >= 0 {
		return l[i].id, nil // an id takes precedence over another's name
	}
	switch ids := l.find(name); len(ids) {
	case 0:
		return "", refuse("%s", l.unknown(kind, name))
	case 1:
		return ids[0], nil
	default:
		return "", refuse("%s may mean %s. Give one of these.", echo(name), strings.Join(ids[:min(len(ids), maxKnown)], " or "))
	}
}

// unknown says that a name is unknown, and which names are most similar to it.
func (l namedList) unknown(kind, name string) string {
	text := fmt.Sprintf("No %s is called %s.", kind, echo(name))
	sorted := l.sorted(name)
	if len(sorted) > 3 {
		text += " Most similar: " + strings.Join(sorted[:3], ", ") + "."
	}
	return text + " " + known(kind+"s", sorted)
}

// reviewAnswer answers get_review.
func reviewAnswer(v *view, id string) (jsontext.Value, error) {
	review, ok := v.review(id)
	if !ok {
		return nil, refuse("No review has the id %s. search_reviews gives ids; they are written exactly so, upper and lower case included.", echo(id))
	}
	insight := v.Insight(id)
	if insight != nil {
		insight = cleanJSON(insight)
	}
	return encode(oneReview{Notice: notice, Review: review, Insight: jsontext.Value(insight)})
}

// aspect finds an aspect by id or label.
func (v *view) aspect(name string) (reviewcast.Aspect, error) {
	id, err := v.names.aspects.one("aspect", name)
	if err != nil {
		return reviewcast.Aspect{}, err
	}
	i := slices.IndexFunc(v.insights.Aspects, func(a reviewcast.Aspect) bool { return a.ID == id })
	return v.insights.Aspects[i], nil
}

// aspectIDs lists the ids of all aspects, most mentioned first.
func (v *view) aspectIDs() []string {
	var ids []string
	for _, a := range v.names.aspects {
		ids = append(ids, a.id)
	}
	return ids
}

// mentionsPage is the number of reviews in a page of get_aspect_sentiment.
const mentionsPage = 8

// aspectAnswer answers get_aspect_sentiment: the aspect with its evidence, and a page
// of all reviews that mention it.
func aspectAnswer(v *view, values map[string]string, _ arguments) (jsontext.Value, error) {
	a, err := v.aspect(values["aspect"])
	if err != nil {
		return nil, err
	}
	q := reviewcast.Query{Aspect: a.ID, Sentiment: reviewcast.Polarity(values["polarity"]), Limit: mentionsPage}
	from := 0
	if values["cursor"] != "" {
		if from, err = v.resume(q, values["cursor"]); err != nil {
			return nil, refuse("Invalid arguments for get_aspect_sentiment:\n- %s", err)
		}
	}
	found := v.SearchFrom(q, from)
	answer := oneAspect{Notice: notice, Aspect: a, ReviewCount: v.Len(), Method: v.insights.Method.Name,
		Languages: v.insights.Method.Languages, Matched: found.Matched, Reviews: []mention{}}
	if q.Sentiment != "" {
		answer.Aspect.Evidence = slices.DeleteFunc(slices.Clone(a.Evidence), func(e reviewcast.Evidence) bool { return e.Polarity != q.Sentiment })
	}
	if from > 0 { // the first page has them
		answer.Aspect.Evidence, answer.Aspect.Monthly = []reviewcast.Evidence{}, []reviewcast.AspectMonth{}
	}
	for _, raw := range found.Reviews {
		answer.Reviews = append(answer.Reviews, v.mention(raw, a))
	}
	if found.Next >= 0 {
		next := cursor(q, keyOf(found.Reviews[len(found.Reviews)-1]))
		answer.NextCursor = &next
	}
	return encode(answer)
}

// entity finds what the reviews say about an id; nil when there is nothing.
func entity(list []reviewcast.Entity, id string) *reviewcast.Entity {
	if i := slices.IndexFunc(list, func(e reviewcast.Entity) bool { return e.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// technicianAnswer answers get_technician.
func technicianAnswer(v *view, name string) (jsontext.Value, error) {
	var ids []string
	for _, t := range v.Technicians(strings.TrimSpace(name)) {
		ids = append(ids, t.ID)
	}
	if ids == nil {
		ids = v.names.technicians.find(name)
	}
	if ids == nil {
		return nil, refuse("%s", v.names.technicians.unknown("technician", name))
	}
	answer := technicians{Matched: len(ids)}
	for _, t := range v.dataset.Business.Technicians {
		if slices.Contains(ids, t.ID) {
			answer.Technicians = append(answer.Technicians, v.technician(t))
		}
	}
	return encode(answer)
}

// technician combines a technician's record with what reviews say.
func (v *view) technician(t reviewcast.Technician) technician {
	return technician{t, entity(v.insights.Entities.Technicians, t.ID)}
}

// serviceAnswer answers get_service.
func serviceAnswer(v *view, name string) (jsontext.Value, error) {
	id, err := v.names.services.one("service", name)
	if err != nil {
		return nil, err
	}
	services := v.dataset.Business.Services
	s := services[slices.IndexFunc(services, func(s reviewcast.Named) bool { return s.ID == id })]
	return encode(service{s, entity(v.insights.Entities.Services, id)})
}

// entitiesAnswer answers list_entities.
func entitiesAnswer(v *view, kind string) (jsontext.Value, error) {
	e, b := v.insights.Entities, v.dataset.Business
	technicians := make([]reviewcast.Named, 0, len(b.Technicians))
	for _, t := range b.Technicians {
		technicians = append(technicians, reviewcast.Named{ID: t.ID, Name: t.Name})
	}
	answer := entityLists{ReviewCount: v.Len()}
	for _, list := range []struct {
		kind   string
		to     *[]entityLine
		said   []reviewcast.Entity
		listed []reviewcast.Named
	}{
		{"technicians", &answer.Technicians, e.Technicians, technicians},
		{"services", &answer.Services, e.Services, b.Services},
		{"problems", &answer.Problems, e.Problems, nil},
		{"service_areas", &answer.ServiceAreas, e.ServiceAreas, b.ServiceAreas},
	} {
		if kind == "" || kind == list.kind {
			*list.to = entityLines(list.said, list.listed)
		}
	}
	return encode(answer)
}

// entityLines lists entities, and those of the business that no review mentions.
func entityLines(said []reviewcast.Entity, listed []reviewcast.Named) []entityLine {
	lines := []entityLine{}
	for _, e := range said {
		lines = append(lines, entityLine{e.ID, e.Name, e.ReviewCount, e.AverageRating, e.SentimentCounts})
	}
	for _, n := range listed {
		if entity(said, n.ID) == nil {
			lines = append(lines, entityLine{ID: n.ID, Name: n.Name})
		}
	}
	slices.SortStableFunc(lines, func(a, b entityLine) int { return b.ReviewCount - a.ReviewCount })
	return lines
}
