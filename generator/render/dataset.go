package render

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"golang.org/x/sync/errgroup"

	"reviewcast"
)

// Reviews renders /reviews.json in the layout that the package comment promises.
// The dataset's reviews must be in their published order.
func Reviews(d *reviewcast.Dataset) ([]byte, error) {
	head := *d
	head.Reviews = nil
	body, err := withLines(&head, `"reviews":[`, `]`, len(d.Reviews), func(i int) any { return &d.Reviews[i] })
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", reviewcast.PathReviews, err)
	}
	return body, nil
}

// Insights renders /insights.json; each member of per_review has its own line.
func Insights(in *reviewcast.Insights) ([]byte, error) {
	head := *in
	head.PerReview = nil
	ids := slices.Sorted(maps.Keys(in.PerReview))
	body, err := withLines(&head, `"per_review":{`, `}`, len(ids), func(i int) any {
		return map[string]reviewcast.ReviewInsight{ids[i]: in.PerReview[ids[i]]}
	})
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", reviewcast.PathInsights, err)
	}
	return body, nil
}

// options are the package's rules for JSON: members of maps are sorted, and
// omitempty means what it means to encoding/json, by which the contract's types
// are read elsewhere. The rest this encoder does anyway: no null for an empty list
// or object, no escapes for the sake of HTML, an error for text that isn't UTF-8.
var options = json.JoinOptions(json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))

// marshal renders a whole file of JSON.
func marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v, options)
	return append(b, '\n'), err
}

// chunk is how many lines one goroutine renders at a time: enough to make the
// hand-over cheap, few enough that two cores end together.
const chunk = 1024

// withLines renders head, which has an empty list or object at the member open,
// and puts n elements into it, each on its own line. An element of an object is
// an object with that one member. Elements are rendered side by side, and the
// bytes don't depend on how many goroutines share the work.
func withLines(head any, open, shut string, n int, element func(int) any) ([]byte, error) {
	framed, err := marshal(head)
	if err != nil || n == 0 {
		return framed, err
	}
	// No string can hold the member's name as it stands here: there the quotes
	// around it would be escaped.
	before, after, ok := bytes.Cut(framed, []byte(open+shut))
	if !ok {
		return nil, fmt.Errorf("place %d elements: no empty member %s%s", n, open, shut)
	}

	chunks := make([][]byte, (n+chunk-1)/chunk)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for c := range chunks {
		g.Go(func() (err error) {
			chunks[c], err = lines(c*chunk, min(n, (c+1)*chunk), shut == "}", element)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}

	size := len(framed) + 1
	for _, b := range chunks {
		size += len(b)
	}
	body := make([]byte, 0, size)
	body = append(body, before...)
	body = append(body, open...)
	body = append(body, '\n')
	for _, b := range chunks {
		body = append(body, b...)
	}
	body = append(body[:len(body)-len(",\n")], '\n') // no comma after the last
	body = append(body, shut...)
	return append(body, after...), nil
}

// lines renders the elements from first to end, a comma and a newline after each.
// A member loses the braces around it.
func lines(first, end int, member bool, element func(int) any) ([]byte, error) {
	var all, one bytes.Buffer
	for i := first; i < end; i++ {
		one.Reset()
		if err := json.MarshalWrite(&one, element(i), options); err != nil {
			return nil, err
		}
		line := one.Bytes()
		if member {
			line = line[1 : len(line)-1]
		}
		all.Write(line)
		all.WriteString(",\n")
	}
	return all.Bytes(), nil
}
