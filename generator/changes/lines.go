package changes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reviewcast"
)

// linePrefix begins the line of a review.
const linePrefix = `{"id":"`

// errLayout reports a dataset that isn't laid out as the generator writes it.
var errLayout = errors.New("a line is not a review; the file was not written by reviewcast")

// IDs returns the ids of a published /reviews.json, in its order. It reads no more
// of a line than the id.
func IDs(reviews []byte) ([]string, error) {
	var ids []string
	err := eachLine(reviews, func(id string, _ []byte) error {
		ids = append(ids, id)
		return nil
	})
	return ids, err
}

// Months returns the months, YYYY-MM, of the reviews of a published /reviews.json
// that are asked for.
func Months(reviews []byte, wanted func(id string) bool) (map[string]string, error) {
	months := map[string]string{}
	err := eachLine(reviews, func(id string, line []byte) error {
		if !wanted(id) {
			return nil
		}
		var r struct {
			Date string `json:"date"`
		}
		if err := json.Unmarshal(line, &r); err != nil || len(r.Date) != len("2006-01-02") {
			return fmt.Errorf("review %s: %w", id, errLayout)
		}
		months[id] = r.Date[:len("2006-01")]
		return nil
	})
	return months, err
}

// eachLine calls f with the id and the line, without comma and newline, of each
// review of a published /reviews.json.
func eachLine(reviews []byte, f func(id string, line []byte) error) error {
	first, last := 1, bytes.Count(reviews, []byte("\n"))-1 // the head and "]}" are no reviews
	n := 0
	for line := range bytes.Lines(reviews) {
		if n >= first && n < last {
			line = trim(line)
			id, ok := lineID(string(line[:min(len(line), len(linePrefix)+reviewcast.MaxIDLength+1)]))
			if !ok {
				return fmt.Errorf("line %d: %w", n+1, errLayout)
			}
			if err := f(id, line); err != nil {
				return err
			}
		}
		n++
	}
	return nil
}

// trim drops what follows a review on its line.
func trim(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte(","))
}

// lineID is the id of the review that a line begins with.
func lineID(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, linePrefix)
	id, _, closed := strings.Cut(rest, `"`)
	return id, ok && closed && id != ""
}

// difference returns the operations between two states of a dataset, and its entry
// in the change document, without the operations; nil when the bytes are the same.
func difference(path string, old, next []byte) ([]reviewcast.Op, *reviewcast.FileChange) {
	if bytes.Equal(old, next) {
		return nil, nil
	}
	return reviewcast.Diff(old, next), &reviewcast.FileChange{Path: path, From: reviewcast.SHA256(old), To: reviewcast.SHA256(next), Size: int64(len(next))}
}

// small reports whether operations are small enough to be worth publishing.
func small(ops []reviewcast.Op, next []byte) (bool, error) {
	size := 0
	for _, op := range ops {
		size += len(op.Line)
	}
	if size > reviewcast.MaxOpsSize(len(next)) {
		return false, nil // no need to encode them
	}
	body, err := reviewcast.EncodeJSON(ops)
	return len(body) <= reviewcast.MaxOpsSize(len(next)), err
}

// movedLines returns the reviews whose lines the operations don't copy, and those
// whose lines they add, by id. A line that only gained or lost its comma is in
// neither.
func movedLines(old []byte, ops []reviewcast.Op) (gone, come map[string]string) {
	gone, come = map[string]string{}, map[string]string{}
	for _, op := range ops {
		if id, ok := lineID(op.Line); op.End == 0 && ok {
			come[id] = strings.TrimSuffix(op.Line, ",")
		}
	}
	copied := make([]bool, bytes.Count(old, []byte("\n")))
	for _, op := range ops {
		for i := op.Start; i < op.End; i++ {
			copied[i] = true
		}
	}
	n := 0
	for line := range bytes.Lines(old) {
		if id, ok := lineID(string(line)); ok && !copied[n] {
			if line := string(trim(line)); come[id] == line {
				delete(come, id)
			} else {
				gone[id] = line
			}
		}
		n++
	}
	return gone, come
}

// fill makes the lists of the reviews that are gone and come.
func fill(c *reviewcast.ReviewChanges, gone, come map[string]string, withdrawn []reviewcast.Withdrawal) error {
	reasons := make(map[string]string, len(withdrawn)) // ids compare ignoring case
	for _, w := range withdrawn {
		reasons[strings.ToLower(w.ID)] = w.Reason
	}
	for id := range come {
		if _, was := gone[id]; was {
			c.Changed = append(c.Changed, id)
		} else {
			c.Added = append(c.Added, id)
		}
	}
	for id := range gone {
		if _, is := come[id]; is {
			continue
		}
		reason, listed := reasons[strings.ToLower(id)]
		if !listed {
			return fmt.Errorf("review %s is no longer published and not listed in withdrawn.yaml", id)
		}
		c.Withdrawn = append(c.Withdrawn, reviewcast.WithdrawnReview{ID: id, Reason: reason})
	}
	slices.Sort(c.Added)
	slices.Sort(c.Changed)
	slices.SortFunc(c.Withdrawn, func(a, b reviewcast.WithdrawnReview) int { return strings.Compare(a.ID, b.ID) })
	return nil
}
