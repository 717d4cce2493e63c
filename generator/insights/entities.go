package insights

import (
	"cmp"
	"slices"
	"strings"

	"reviewcast"
)

// maxTopAspects is how many aspects stand with an entity.
const maxTopAspects = 3

// entityCounter counts places, technicians, services and problems.
type entityCounter struct {
	v     *vocabulary
	names [kinds][]string
	index [kinds]map[string]int32
}

func newEntityCounter(in Input, v *vocabulary) *entityCounter {
	c := &entityCounter{v: v}
	for k := range kinds {
		c.index[k] = map[string]int32{}
		for id, name := range k.all(in) {
			c.index[k][id] = int32(len(c.names[k]))
			c.names[k] = append(c.names[k], name)
		}
	}
	return c
}

// entitySum is what is counted of one entity.
type entitySum struct {
	reviewcast.Entity
	stars   int
	aspects []int // votes by aspect
}

// mentions unites job records and texts.
func (c *entityCounter) mentions(all []found) []reviewcast.Mentions {
	out := make([]reviewcast.Mentions, len(all))
	parallel(len(all), func(_, i int) {
		r := &all[i]
		out[i] = reviewcast.Mentions{
			Technicians:  c.union(technician, r.Job.Technicians, r.named),
			Services:     c.union(service, r.Job.Services, r.named),
			ServiceAreas: c.union(area, r.Job.ServiceAreas, r.named),
		}
	})
	return out
}

// union gives the sorted set of a kind's ids in both, never nil.
func (c *entityCounter) union(k kind, job []string, text []named) []string {
	ids := append([]string{}, job...)
	for _, n := range text {
		if n.kind == k && n.rule != tooManyBearIt {
			ids = append(ids, c.v.ids[k][n.id])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// count counts everything, in one pass over the reviews, newest first.
func (c *entityCounter) count(all []found) reviewcast.Entities {
	var sums [kinds][]entitySum
	for k := range kinds {
		sums[k] = make([]entitySum, len(c.names[k]))
		for i, id := range c.v.ids[k] {
			sums[k][i] = entitySum{
				Entity:  reviewcast.Entity{ID: id, Name: c.names[k][i], TopAspects: []string{}, ExampleReviewIDs: []string{}},
				aspects: make([]int, len(c.v.aspects)),
			}
		}
	}
	type seen struct{ job, times int }
	var here [kinds]map[int32]seen
	for k := range kinds {
		here[k] = map[int32]seen{}
	}
	for i := range all {
		r := &all[i]
		for k := range kinds {
			for _, id := range k.of(r.Job) {
				if at, ok := c.index[k][id]; ok {
					here[k][at] = seen{1, here[k][at].times}
				}
			}
		}
		for _, n := range r.named {
			if n.rule != tooManyBearIt {
				s := here[n.kind][n.id]
				here[n.kind][n.id] = seen{s.job, s.times + 1}
			}
		}
		for k := range kinds {
			for at, s := range here[k] {
				sums[k][at].add(r, s.job, s.times)
			}
			clear(here[k])
		}
	}
	return reviewcast.Entities{
		Technicians: c.publish(sums[technician]), Services: c.publish(sums[service]),
		Problems: c.publish(sums[problem]), ServiceAreas: c.publish(sums[area]),
	}
}

func (e *entitySum) add(r *found, job, times int) {
	e.ReviewCount++
	e.stars += r.Rating
	e.FromJob += job
	e.MentionCount += job + times
	if times > 0 {
		e.FromText++
	}
	count(&e.SentimentCounts, r.verdict.sentiment)
	for _, b := range r.verdict.votes {
		e.aspects[b.aspect]++
	}
	if e.LastMentioned == nil { // newest first
		e.LastMentioned = &r.Date
	}
	if len(e.ExampleReviewIDs) < maxExamples {
		e.ExampleReviewIDs = append(e.ExampleReviewIDs, r.ID)
	}
}

// publish sorts the most reviewed first, then by id. Those that nobody names are
// listed too, with zeros.
func (c *entityCounter) publish(sums []entitySum) []reviewcast.Entity {
	out := make([]reviewcast.Entity, len(sums))
	for i := range sums {
		s := &sums[i]
		s.AverageRating = Mean(s.stars, s.ReviewCount)
		counts := map[string]int{}
		for a, n := range s.aspects {
			if n > 0 {
				counts[c.v.aspects[a].ID] = n
			}
		}
		s.TopAspects = most(counts, maxTopAspects)
		out[i] = s.Entity
	}
	slices.SortStableFunc(out, func(a, b reviewcast.Entity) int {
		return cmp.Or(cmp.Compare(b.ReviewCount, a.ReviewCount), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// ambiguous lists the names that were credited to nobody.
func ambiguous(v *vocabulary, all []found) []AmbiguousName {
	by := map[string]*AmbiguousName{}
	for i := range all {
		r := &all[i]
		for _, n := range r.named {
			if n.rule != tooManyBearIt {
				continue
			}
			text := r.Text
			if n.title {
				text = r.Title
			}
			written := (*text)[n.start:n.end]
			a := by[fold(written)]
			if a == nil {
				a = &AmbiguousName{Name: written, TechnicianIDs: v.bearers(written)}
				by[fold(written)] = a
			}
			if n := len(a.ReviewIDs); n == 0 || a.ReviewIDs[n-1] != r.ID {
				a.ReviewIDs = append(a.ReviewIDs, r.ID)
			}
		}
	}
	out := []AmbiguousName{}
	for _, a := range by {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b AmbiguousName) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// bearers gives the ids of all technicians who bear a name.
func (v *vocabulary) bearers(written string) []string {
	at := int32(0)
	for w := range words(written) {
		next, ok := v.people.edges.get(key(at, v.dict.names[w]))
		if !ok {
			return nil
		}
		at = next
	}
	p := v.people.nodes[at].payload
	if p == 0 {
		return nil
	}
	ids := []string{}
	for _, i := range v.nameList[p-1].people {
		ids = append(ids, v.ids[technician][i])
	}
	return ids
}
