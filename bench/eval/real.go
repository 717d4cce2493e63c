package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
	"reviewcast/generator/insights"
	"reviewcast/generator/sentiment"
)

// labelled is a review that two passes have labelled: each gives the aspects that
// the text judges, with polarity. The text itself is not in the repository.
type labelled struct {
	SHA256        string // the first 16 hex digits of the hash of the trimmed text
	Part          string // steer: errors may be looked at; judge: only scored
	First, Second map[string]reviewcast.Polarity
}

// tally counts votes against labels. A vote is right when either pass has the
// aspect with this polarity. A label counts for recall when both passes have it.
type tally struct{ votes, right, labels, found int }

func (t tally) precision() float64 { return ratio(t.right, t.votes) }
func (t tally) recall() float64    { return ratio(t.found, t.labels) }

func (t tally) f1() float64 {
	p, r := t.precision(), t.recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func (t tally) String() string {
	return fmt.Sprintf("precision %5.1f (%d of %d)   recall %5.1f (%d of %d)   F1 %5.1f",
		100*t.precision(), t.right, t.votes, 100*t.recall(), t.found, t.labels, 100*t.f1())
}

func (t *tally) vote(p reviewcast.Polarity, aspect string, l *labelled) (right bool) {
	t.votes++
	if right = l.First[aspect] == p || l.Second[aspect] == p; right {
		t.right++
	}
	return right
}

// evalReal scores the reviews of a CSV file that a labels file has labelled. part
// is "steer", "judge", or "" for both.
func evalReal(w io.Writer, labels, data, part string, c sentiment.Config, errs, verify bool) error {
	if errs && part != "steer" {
		return errors.New("errors are shown of the steering part only (-part steer)")
	}
	list, err := readLabels(labels)
	if err != nil {
		return err
	}
	texts, err := readTexts(data)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w, "%s: not measured: %s is not here\n", labels, data)
		return nil
	} else if err != nil {
		return err
	}
	in := insights.Input{Config: c}
	by := map[string]*labelled{}
	for i := range list {
		r, ok := texts[list[i].SHA256]
		if !ok || part != "" && list[i].Part != part {
			continue
		}
		by[r.ID] = &list[i]
		in.Reviews = append(in.Reviews, insights.Review{Review: r})
	}
	return scoreReal(w, insights.Compute(in), by, c.Aspects, errs, verify)
}

// evidence counts the published quotes whose review has a label with their polarity,
// or a mixed one.
func evidence(in *reviewcast.Insights, by map[string]*labelled) string {
	right, all := 0, 0
	for _, a := range in.Aspects {
		for _, e := range a.Evidence {
			l := by[e.ReviewID]
			all++
			for _, p := range []reviewcast.Polarity{l.First[a.ID], l.Second[a.ID]} {
				if p == e.Polarity || p == reviewcast.Mixed && e.Polarity != reviewcast.Neutral {
					right++
					break
				}
			}
		}
	}
	return fmt.Sprintf("right %.1f %% (%d of %d)", 100*ratio(right, all), right, all)
}

func rounded(f float64) float64 { return math.Round(f*1000) / 1000 }

func scoreReal(w io.Writer, res insights.Result, by map[string]*labelled, aspects []sentiment.Term, errs, verify bool) error {
	var all tally
	perAspect, perOrigin, perPolarity := map[string]*tally{}, map[string]*tally{}, map[string]*tally{}
	of := func(m map[string]*tally, key string) *tally {
		if m[key] == nil {
			m[key] = &tally{}
		}
		return m[key]
	}
	for _, r := range res.Reviews {
		l := by[r.ID]
		for _, v := range r.Votes {
			id := aspects[v.Aspect].ID
			at := &r.Aspects[v.Mention]
			right := all.vote(v.Polarity, id, l)
			of(perAspect, id).vote(v.Polarity, id, l)
			of(perOrigin, at.Origin.String()).vote(v.Polarity, id, l)
			of(perPolarity, string(v.Polarity)).vote(v.Polarity, id, l)
			if against(v.Polarity, r.Rating) {
				of(perPolarity, "against the stars").vote(v.Polarity, id, l)
			}
			if errs && !right {
				fmt.Fprintf(w, "- %s %s by %s (%q), labelled %q: %s\n", id, v.Polarity, at.Origin, (*r.Text)[at.Start:at.End], l.First[id], (*r.Text)[at.Sentence.Start:at.Sentence.End])
			}
		}
		for id, p := range l.First {
			if l.Second[id] != p {
				continue
			}
			got := r.Insight.Aspects[id]
			for _, t := range []*tally{&all, of(perAspect, id), of(perPolarity, string(p))} {
				t.labels++
				if got == p {
					t.found++
				}
			}
			if errs && got == "" {
				fmt.Fprintf(w, "+ %s %s not found%s\n", id, p, signs(r, aspects, id))
			}
		}
	}
	fmt.Fprintf(w, "%d reviews: %s\n", len(res.Reviews), all)
	fmt.Fprintf(w, "  evidence %s\n", evidence(res.Insights, by))
	got := reviewcast.Measured{Precision: rounded(all.precision()), Recall: rounded(all.recall()), Reviews: len(res.Reviews), Labels: all.labels, On: insights.Measured.On}
	if verify && got != insights.Measured {
		return fmt.Errorf("measured %+v, but generator/insights/confidence.go publishes %+v", got, insights.Measured)
	}
	for _, m := range []map[string]*tally{perAspect, perPolarity, perOrigin} {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(w, "  %-18s %s\n", key, m[key])
		}
	}
	return nil
}

// signs lists the mentions of an aspect that did not count, with their sentences.
func signs(r insights.Analyzed, aspects []sentiment.Term, id string) string {
	var b strings.Builder
	for _, m := range r.Aspects {
		if aspects[m.Aspect].ID == id {
			fmt.Fprintf(&b, "; %s %+.2f (%s): %s", (*r.Text)[m.Start:m.End], m.Score, m.Rule, (*r.Text)[m.Sentence.Start:m.Sentence.End])
		}
	}
	if b.Len() == 0 {
		return ": no term in " + *r.Text
	}
	return b.String()
}

// against reports whether a vote contradicts the review's rating.
func against(p reviewcast.Polarity, stars int) bool {
	return p == reviewcast.Negative && stars > 3 || p == reviewcast.Positive && stars < 3
}

func readLabels(file string) ([]labelled, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []labelled
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			return out, lines.Err()
		}
		var l labelled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		out = append(out, l)
	}
}

// readTexts reads the reviews of a CSV file with the columns content and
// overall_rating, by the hash of the text.
func readTexts(file string) (map[string]*reviewcast.Review, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("read %s: %w", file, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	text, rating := slices.Index(rows[0], "content"), slices.Index(rows[0], "overall_rating")
	if text < 0 || rating < 0 {
		return nil, fmt.Errorf("read %s: it has no columns content and overall_rating", file)
	}
	out := map[string]*reviewcast.Review{}
	for i, row := range rows[1:] {
		t := strings.TrimSpace(row[text])
		sum := sha256.Sum256([]byte(t))
		stars, _ := strconv.ParseFloat(row[rating], 64)
		if stars > 5 { // some rows are out of ten
			stars /= 2
		}
		out[hex.EncodeToString(sum[:8])] = &reviewcast.Review{
			ID: fmt.Sprintf("r%05d", i), Rating: max(1, min(5, int(stars+0.5))), Date: "2015-01-01", Language: "en", Text: &t,
		}
	}
	return out, nil
}
