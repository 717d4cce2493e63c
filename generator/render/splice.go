package render

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"reviewcast"
)

// spliced is a file of one element a line as it was last rendered. The next one is
// put together from the lines of what hasn't changed, long runs of them at once,
// and from new ones: of 10,000 reviews, an editor's save changes one.
type spliced struct {
	body []byte // which is published; it is only read here
	// at is where the lines begin, and where the last one ends. Each ends in ",\n",
	// the last in "\n".
	at []int
}

// line is an element's bytes as they were.
func (s *spliced) line(i int) []byte {
	if i == len(s.at)-2 {
		return s.body[s.at[i] : s.at[i+1]-1]
	}
	return s.body[s.at[i] : s.at[i+1]-2]
}

// fresh marks an element that has to be rendered.
const fresh = -1

// elements is what stands on the lines of a file.
type elements struct {
	open, shut string
	// from gives for each element the index of its equal in the file before, or
	// fresh.
	from   []int
	render func(i int) any
}

// next renders head, which has an empty list or object at the member open, and
// puts the elements into it, each on its own line. An element of an object is an
// object with that one member. New lines are rendered side by side, and the bytes
// depend neither on how many goroutines share the work nor on what was rendered
// before.
func (s *spliced) next(head any, e elements) (*spliced, error) {
	framed, err := marshal(head)
	if err != nil || len(e.from) == 0 {
		return &spliced{body: framed}, err
	}
	// No string can hold the member's name as it stands here: there the quotes
	// around it would be escaped.
	before, after, ok := bytes.Cut(framed, []byte(e.open+e.shut))
	if !ok {
		return nil, fmt.Errorf("place %d elements: no empty member %s%s", len(e.from), e.open, e.shut)
	}
	lines, err := e.lines()
	if err != nil {
		return nil, err
	}
	size := len(framed) + 1
	for i, from := range e.from {
		if from == fresh {
			size += len(lines[i]) + 2
		} else {
			size += len(s.line(from)) + 2
		}
	}
	out := &spliced{body: make([]byte, 0, size), at: make([]int, 0, len(e.from)+1)}
	out.body = append(out.body, before...)
	out.body = append(out.body, e.open...)
	out.body = append(out.body, '\n')
	for i := 0; i < len(e.from); {
		if e.from[i] != fresh {
			i = out.run(s, e.from, i)
			continue
		}
		out.at = append(out.at, len(out.body))
		out.body = append(out.body, lines[i]...)
		out.body = append(out.body, ",\n"...)
		i++
	}
	out.body = append(out.body[:len(out.body)-len(",\n")], '\n') // no comma after the last
	out.at = append(out.at, len(out.body))
	out.body = append(out.body, e.shut...)
	out.body = append(out.body, after...)
	return out, nil
}

// run appends the lines from the i-th element on that followed each other in the
// file before, and gives the index of the first that didn't.
func (s *spliced) run(last *spliced, from []int, i int) int {
	first := from[i]
	end := i + 1
	for end < len(from) && from[end] == from[end-1]+1 {
		end++
	}
	start, shift := last.at[first], len(s.body)-last.at[first]
	for k := first; k <= from[end-1]; k++ {
		s.at = append(s.at, last.at[k]+shift)
	}
	lastLine := last.line(from[end-1])
	s.body = append(s.body, last.body[start:last.at[from[end-1]]]...)
	s.body = append(s.body, lastLine...)
	s.body = append(s.body, ",\n"...)
	return end
}

// chunk is how many lines one goroutine renders at a time: enough to make the
// hand-over cheap, few enough that two cores end together.
const chunk = 512

// lines renders the new elements, by their index; the others are nil.
func (e *elements) lines() ([][]byte, error) {
	var todo []int
	for i, from := range e.from {
		if from == fresh {
			todo = append(todo, i)
		}
	}
	lines := make([][]byte, len(e.from))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for part := range slices.Chunk(todo, chunk) {
		g.Go(func() error { return e.renderSome(part, lines) })
	}
	return lines, g.Wait()
}

// renderSome renders a part of the elements. A member of an object loses the
// braces around it.
func (e *elements) renderSome(part []int, lines [][]byte) error {
	var all bytes.Buffer
	ends := make([]int, len(part))
	for k, i := range part {
		if err := json.MarshalWrite(&all, e.render(i), options); err != nil {
			return err
		}
		ends[k] = all.Len()
	}
	start := 0
	for k, i := range part {
		line := all.Bytes()[start:ends[k]]
		if start = ends[k]; e.shut == "}" {
			line = line[1 : len(line)-1]
		}
		lines[i] = line
	}
	return nil
}

// lastReviews is reviews.json as it was last rendered, and of what.
type lastReviews struct {
	spliced
	reviews []reviewcast.Review
}

func (l *lastReviews) next(d *reviewcast.Dataset) (*lastReviews, error) {
	head := *d
	head.Reviews = nil
	out, err := l.spliced.next(&head, elements{`"reviews":[`, `]`, l.equals(d.Reviews), func(i int) any { return &d.Reviews[i] }})
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", reviewcast.PathReviews, err)
	}
	return &lastReviews{*out, d.Reviews}, nil
}

// equals finds the reviews that haven't changed. Both lists are in the published
// order, so that one pass will do.
func (l *lastReviews) equals(reviews []reviewcast.Review) []int {
	from := make([]int, len(reviews))
	k := 0
	for i := range reviews {
		r := &reviews[i]
		for k < len(l.reviews) && published(&l.reviews[k], r) < 0 {
			k++
		}
		from[i] = fresh
		if k < len(l.reviews) && sameReview(&l.reviews[k], r) {
			from[i] = k
			k++
		}
	}
	return from
}

// published compares two reviews by their place: newest first, then by id.
func published(a, b *reviewcast.Review) int {
	if c := strings.Compare(string(b.Date), string(a.Date)); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// sameReview tells whether two reviews render to the same bytes. It is asked of
// every review on every save, so that it compares by hand; a test changes each
// field and sees that it shows.
func sameReview(a, b *reviewcast.Review) bool {
	return a.ID == b.ID && a.Date == b.Date && a.Rating == b.Rating && a.Author == b.Author && a.Language == b.Language && a.Source == b.Source &&
		a.Verified == b.Verified && a.Verification == b.Verification &&
		same(a.Text, b.Text) && same(a.Title, b.Title) && same(a.SourceURL, b.SourceURL) && same(a.AuthorAvatarURL, b.AuthorAvatarURL) && same(a.OwnerReply, b.OwnerReply) &&
		slices.Equal(a.Mentions.Technicians, b.Mentions.Technicians) && slices.Equal(a.Mentions.Services, b.Mentions.Services) &&
		slices.Equal(a.Mentions.ServiceAreas, b.Mentions.ServiceAreas)
}

// same tells whether two values that may be missing are equal.
func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// lastInsights is insights.json as it was last rendered, and of what.
type lastInsights struct {
	spliced
	ids    []string
	values []reviewcast.ReviewInsight
}

func (l *lastInsights) next(in *reviewcast.Insights) (*lastInsights, error) {
	head := *in
	head.PerReview = nil
	out := &lastInsights{ids: l.idsOf(in.PerReview)}
	out.values = make([]reviewcast.ReviewInsight, len(out.ids))
	from := make([]int, len(out.ids))
	k := 0
	for i, id := range out.ids {
		out.values[i] = in.PerReview[id]
		for k < len(l.ids) && l.ids[k] < id {
			k++
		}
		from[i] = fresh
		if k < len(l.ids) && l.ids[k] == id && sameInsight(&l.values[k], &out.values[i]) {
			from[i] = k
		}
	}
	s, err := l.spliced.next(&head, elements{`"per_review":{`, `}`, from, func(i int) any {
		return map[string]reviewcast.ReviewInsight{out.ids[i]: out.values[i]}
	}})
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", reviewcast.PathInsights, err)
	}
	out.spliced = *s
	return out, nil
}

// idsOf gives the keys, sorted; those of the last time if they are the same.
func (l *lastInsights) idsOf(all map[string]reviewcast.ReviewInsight) []string {
	missing := func(id string) bool {
		_, ok := all[id]
		return !ok
	}
	if len(l.ids) == len(all) && !slices.ContainsFunc(l.ids, missing) {
		return l.ids
	}
	return slices.Sorted(maps.Keys(all))
}

// sameInsight tells whether two of them render to the same bytes.
func sameInsight(a, b *reviewcast.ReviewInsight) bool {
	return a.Sentiment == b.Sentiment && a.Score == b.Score && a.Source == b.Source &&
		(reflect.ValueOf(a.Aspects).UnsafePointer() == reflect.ValueOf(b.Aspects).UnsafePointer() || maps.Equal(a.Aspects, b.Aspects))
}
