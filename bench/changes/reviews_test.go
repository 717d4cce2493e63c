//go:build !race

package changes

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
)

// reviews returns n reviews, newest first: of the CSV file that the environment variable
// REVIEWS names, or generated ones. The file has the columns author, date, title,
// content and overall_rating, and at least n rows.
//
// What a poller saves depends on how well the dataset compresses, so that the generated
// texts have the lengths and the entropy of real ones; TestProse compares them.
func reviews(tb testing.TB, n int) []reviewcast.Review {
	tb.Helper()
	list := corpus.Reviews(n)
	name := os.Getenv("REVIEWS")
	if name == "" {
		p := newProse()
		for i := range list {
			title, text := p.text(4, 0.4), p.text(medianLength, lengthSigma)
			list[i].Title, list[i].Text = &title, &text
		}
		return list
	}
	rows := readCSV(tb, name)
	if len(rows) < n {
		tb.Skipf("%s has %d reviews; this needs %d", name, len(rows), n)
	}
	for i := range list {
		r, row := &list[i], rows[i]
		title, text := row["title"], row["content"]
		r.Author, r.Date, r.Title, r.Text = row["author"], reviewcast.Date(row["date"]), &title, &text
		stars, err := strconv.ParseFloat(row["overall_rating"], 64)
		if err == nil {
			r.Rating = min(max(int(stars), 1), 5)
		}
		r.Verification.VerifiedOn = r.Date
		if r.OwnerReply != nil {
			r.OwnerReply.Date = r.Date
		}
	}
	return list
}

// readCSV reads the rows of a file that have a date and a text, newest first.
func readCSV(tb testing.TB, name string) []map[string]string {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, column := range records[0] {
			row[column] = record[i]
		}
		if reviewcast.Date(row["date"]).Valid() && strings.TrimSpace(row["content"]) != "" && strings.TrimSpace(row["author"]) != "" {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b map[string]string) int { return strings.Compare(b["date"], a["date"]) })
	return rows
}

// Measured on 2,264 real reviews, of which the repository has none: characters of a
// text, which are distributed log-normally, and how well gzip compresses all texts, and
// ten of them alone.
const (
	medianLength = 399
	lengthSigma  = 0.574
	gzipOfAll    = 2.83
	gzipOfTen    = 2.11
)

// prose makes texts of invented words. Frequent words are short, and a word has some
// that often follow it.
type prose struct {
	*rand.Rand
	words []string
	zipf  *rand.Zipf
}

const (
	vocabulary = 9_000
	follows    = 0.28 // how often a word is one of those that often follow
)

func newProse() *prose {
	p := &prose{Rand: rand.New(rand.NewPCG(3, 5))}
	seen := map[string]bool{}
	for len(p.words) < vocabulary {
		word := ""
		for range 1 + int(math.Log10(float64(len(p.words)+3))*0.9+p.Float64()*0.9) {
			word += string("bcdfghlmnprstvw"[p.IntN(15)]) + string("aeiou"[p.IntN(5)])
			if p.IntN(3) == 0 {
				word += string("nrst"[p.IntN(4)])
			}
		}
		if !seen[word] {
			seen[word] = true
			p.words = append(p.words, word)
		}
	}
	p.zipf = rand.NewZipf(p.Rand, 1.12, 3, vocabulary-1)
	return p
}

// text makes a text of about so many characters.
func (p *prose) text(median, sigma float64) string {
	length := median * math.Exp(sigma*p.NormFloat64())
	var b strings.Builder
	at := uint64(0)
	for start := true; float64(b.Len()) < length; {
		if p.Float64() < follows {
			at = (at*31 + 7*p.Uint64N(3)) % 700
		} else {
			at = p.zipf.Uint64()
		}
		word := p.words[at]
		if start {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
		if start = p.IntN(14) == 0; start {
			b.WriteByte('.')
		}
		b.WriteByte(' ')
	}
	return strings.TrimSuffix(b.String(), " ") + "."
}

// TestProse compares the generated texts with what was measured on real ones.
func TestProse(t *testing.T) {
	var texts []string
	for _, r := range reviews(t, 2_264) {
		texts = append(texts, *r.Text)
	}
	all := ratio(t, texts)
	ten := 0.0
	for i := range 200 {
		ten += ratio(t, texts[i*11:i*11+10]) / 200
	}
	lengths := make([]int, len(texts))
	for i, text := range texts {
		lengths[i] = len(text)
	}
	slices.Sort(lengths)
	t.Logf("median length %d, all texts %.2f, ten texts %.2f", lengths[len(lengths)/2], all, ten)
	for what, got := range map[string][2]float64{
		"median length": {float64(lengths[len(lengths)/2]), medianLength}, "gzip of all": {all, gzipOfAll}, "gzip of ten": {ten, gzipOfTen},
	} {
		if math.Abs(got[0]/got[1]-1) > 0.05 {
			t.Errorf("%s: %.2f, and %.2f of real reviews", what, got[0], got[1])
		}
	}
}

// ratio is how many times smaller gzip makes texts.
func ratio(t *testing.T, texts []string) float64 {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	n, err := fmt.Fprint(z, strings.Join(texts, "\n"))
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return float64(n) / float64(out.Len())
}
