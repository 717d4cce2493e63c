package mcpserver

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// newNames lists the names that the lookups and their hints use, by kind.
func newNames(b reviewcast.Business, in reviewcast.Insights) map[string]namedList {
	var technicians, services, areas, aspects namedList
	for _, t := range b.Technicians {
		technicians.add(t.ID, snapshot.NamesOf(t)...)
	}
	for _, s := range b.Services {
		services.add(s.ID, s.Name)
	}
	for _, s := range b.ServiceAreas {
		areas.add(s.ID, s.Name)
	}
	for _, a := range slices.SortedStableFunc(slices.Values(in.Aspects), func(a, b reviewcast.Aspect) int {
		return cmp.Compare(b.MentionCount, a.MentionCount)
	}) {
		aspects.add(a.ID, a.Label)
	}
	return map[string]namedList{"technician": technicians, "service": services, "service area": areas, "aspect": aspects}
}

// one returns the only id that a name of a kind means.
func (v *view) one(kind, name string) (string, error) {
	l, name := v.names[kind], strings.TrimSpace(name)
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

func reviewAnswer(v *view, args arguments) (any, error) {
	id := args.values["id"]
	review, ok := v.Review(id)
	if !ok {
		return nil, refuse("No review has the id %s. search_reviews gives ids; they are written exactly so, upper and lower case included.", echo(id))
	}
	return oneReview[jsontext.Value, jsontext.Value]{Notice: notice, Review: cleanJSON(review), Insight: cleanJSON(v.Insight(id))}, nil
}

func (v *view) aspect(name string) (reviewcast.Aspect, error) {
	id, err := v.one("aspect", name)
	if err != nil {
		return reviewcast.Aspect{}, err
	}
	i := slices.IndexFunc(v.insights.Aspects, func(a reviewcast.Aspect) bool { return a.ID == id })
	return v.insights.Aspects[i], nil
}

// aspectAnswer answers get_aspect_sentiment: the aspect, and a page of the reviews that mention it.
func aspectAnswer(v *view, args arguments) (any, error) {
	a, err := v.aspect(args.values["aspect"])
	if err != nil {
		return nil, err
	}
	const page = 8 // mentions in an answer
	q := reviewcast.Query{Aspect: a.ID, Sentiment: reviewcast.Polarity(args.values["polarity"]), Limit: page}
	last, err := resume(q, args.values["cursor"])
	if err != nil {
		return nil, err
	}
	found := v.SearchAfter(q, last)
	answer := oneAspect{Notice: notice, Aspect: a, ReviewCount: v.Len(), Method: v.insights.Method.Name,
		Languages: v.insights.Method.Languages, Matched: found.Matched, Reviews: []line{}, NextCursor: nextCursor(found)}
	answer.Aspect.Monthly = a.Monthly[max(0, len(a.Monthly)-summaryMonths):]
	if q.Sentiment != "" {
		answer.Aspect.Evidence = slices.DeleteFunc(slices.Clone(a.Evidence), func(e reviewcast.Evidence) bool { return e.Polarity != q.Sentiment })
	}
	if last != nil { // the first page has them
		answer.Aspect.Evidence, answer.Aspect.Monthly = []reviewcast.Evidence{}, []reviewcast.AspectMonth{}
	}
	for _, raw := range found.Reviews {
		answer.Reviews = append(answer.Reviews, v.mention(raw, a))
	}
	return answer, nil
}

// entity returns a copy of what the reviews say about an id; nil when there is nothing.
func entity(list []reviewcast.Entity, id string) *reviewcast.Entity {
	if i := slices.IndexFunc(list, func(e reviewcast.Entity) bool { return e.ID == id }); i >= 0 {
		return new(list[i])
	}
	return nil
}

// technicianAnswer answers get_technician. A name that a search accepts means the same technicians
// here, and those whose name differs only in accents, punctuation or a plural ending.
func technicianAnswer(v *view, args arguments) (any, error) {
	name := args.values["name"]
	ids := v.names["technician"].find(name)
	if ids == nil {
		return nil, refuse("%s", v.names["technician"].unknown("technician", name))
	}
	const technicianBytes = 800 // without quarters
	answer := technicians{Matched: len(ids)}
	shrink(maxEntities, pageBudget, func(most int) any {
		answer.Hint, answer.Technicians = "", nil
		shown := cut(ids, most, "technicians", &answer.Hint)
		for _, id := range shown {
			t := v.technician(id)
			if said := t.Reviews; said != nil {
				newest := fit(slices.Backward(said.Quarters), pageBudget/len(shown)-technicianBytes)
				said.Quarters = said.Quarters[len(said.Quarters)-newest:]
			}
			answer.Technicians = append(answer.Technicians, *t)
		}
		return answer
	})
	return answer, nil
}

// technician combines a technician's record with what reviews say.
func (v *view) technician(id string) *technician {
	for _, t := range v.dataset.Business.Technicians {
		if t.ID == id {
			return &technician{t, entity(v.insights.Entities.Technicians, id)}
		}
	}
	return nil
}

func serviceAnswer(v *view, args arguments) (any, error) {
	id, err := v.one("service", args.values["service"])
	if err != nil {
		return nil, err
	}
	services := v.dataset.Business.Services
	s := services[slices.IndexFunc(services, func(s reviewcast.Named) bool { return s.ID == id })]
	return service{s, entity(v.insights.Entities.Services, id)}, nil
}

func entitiesAnswer(v *view, args arguments) (any, error) {
	e := v.insights.Entities
	answer, kind := entityLists{ReviewCount: v.Len()}, args.values["kind"]
	least, _ := strconv.Atoi(args.values["min_reviews"]) // digits, or absent
	recent, most := &reviewcast.Facets{}, maxEntities
	if kind != "" {
		const maxOfKind = 22    // entities in its list
		const recentMonths = 12 // before the newest review
		most = maxOfKind
		answer.RecentSince = v.before(recentMonths, 0)
		recent = v.Search(reviewcast.Query{Since: answer.RecentSince, Facets: true}).Facets
	}
	lists := []struct {
		kind   string
		to     *[]entityLine
		said   []reviewcast.Entity
		listed namedList
		recent []reviewcast.Facet
	}{
		{"technicians", &answer.Technicians, e.Technicians, v.names["technician"], recent.Technician},
		{"services", &answer.Services, e.Services, v.names["service"], recent.Service},
		{"problems", &answer.Problems, e.Problems, nil, nil},
		{"service_areas", &answer.ServiceAreas, e.ServiceAreas, v.names["service area"], recent.ServiceArea},
	}
	shrink(most, pageBudget, func(most int) any {
		answer.Hint = ""
		for _, list := range lists {
			if kind != "" && kind != list.kind {
				continue
			}
			lines := slices.DeleteFunc(entityLines(list.said, list.listed, list.recent, args.values["order"]),
				func(l entityLine) bool { return l.ReviewCount < least })
			*list.to = cut(lines, most, list.kind, &answer.Hint)
		}
		return answer
	})
	return answer, nil
}

const maxEntities = 8 // in a list, unless a kind is asked for

// shrink makes an answer with ever smaller numbers of elements in its lists until it takes at most some bytes.
func shrink(most, budget int, make func(most int) any) {
	for ; ; most = most * 7 / 8 {
		if b, err := encode(make(most)); err != nil || len(b) <= budget || most <= 1 {
			return
		}
	}
}

// cut shortens a list to its first elements and adds to a hint what is missing, unless that is all.
func cut[T any](list []T, most int, name string, hint *string) []T {
	if len(list) > most && most > 0 {
		*hint = cmp.Or(*hint, "Cut lists:") + fmt.Sprintf(" %s has the first %d of %d.", name, most, len(list))
	}
	return list[:min(len(list), most)]
}

// fit returns how many elements of a list take at most some bytes as JSON.
func fit[T any](list iter.Seq2[int, T], budget int) (n int) {
	for _, one := range list {
		b, err := encode(one)
		if budget -= len(b) + 1; err != nil || budget < 0 {
			break
		}
		n++
	}
	return n
}

// entityLines lists entities, and those of the business that no review mentions. Most reviews come
// first, or the lowest or highest mean stars.
func entityLines(said []reviewcast.Entity, listed namedList, recent []reviewcast.Facet, order string) []entityLine {
	lines := []entityLine{}
	for _, e := range said {
		l := entityLine{ID: e.ID, Name: e.Name, ReviewCount: e.ReviewCount, AverageRating: e.AverageRating, SentimentCounts: e.SentimentCounts}
		if i := slices.IndexFunc(recent, func(f reviewcast.Facet) bool { return f.Value == e.ID }); i >= 0 {
			l.Recent = &recent[i].FacetCount
		}
		lines = append(lines, l)
	}
	for _, n := range listed {
		if entity(said, n.id) == nil {
			lines = append(lines, entityLine{ID: n.id, Name: n.names[0]})
		}
	}
	slices.SortStableFunc(lines, func(a, b entityLine) int {
		byStars := 0
		switch {
		case order == "" || a.AverageRating == nil || b.AverageRating == nil: // those without reviews are last
		case order == reviewcast.OrderLowest:
			byStars = cmp.Compare(*a.AverageRating, *b.AverageRating)
		default:
			byStars = cmp.Compare(*b.AverageRating, *a.AverageRating)
		}
		return cmp.Or(byStars, cmp.Compare(b.ReviewCount, a.ReviewCount))
	})
	return lines
}
