// Command eval measures package sentiment on labelled texts.
//
//	make eval EVAL="FILE.xml … gold.jsonl …" [VOCABULARY=insights.yaml]
//	make measure REVIEWS=FILE.csv [PART=steer ERRORS=1]
//
// The first form reads SemEval-2014 Task 4 and MAMS XML (aspectTerm elements with
// from, to and polarity, aspectCategory elements with category and polarity) and the
// project's invented sentences in JSON lines. Labels "conflict" are left out, as is
// usual. Gold terms are judged by the lexicon rule; categories and invented sentences
// by all that is shipped. The second form reads real reviews (real.go).
//
// Gold terms: accuracy and macro-F1 over positive, negative and neutral; two-class
// is the share of positive and negative labels whose sign the score has, a score
// of zero counting as positive, the more frequent class. The stricter figure
// beside it counts "neutral" as wrong.
//
// Categories: which categories a sentence mentions, by the terms of the vocabulary
// given (aspects named as the categories are; one without any terms is that of the
// sentences in which nothing is found), as micro F1; and of those found, the share
// whose polarity is right.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"reviewcast"
	"reviewcast/generator/insights"
	"reviewcast/generator/sentiment"
)

func main() {
	vocabulary := flag.String("vocabulary", "", "aspects and their terms, as in insights.yaml, for aspect categories")
	errs := flag.Bool("errors", false, "show the gold sentences whose labels are wrong; never those of a held-back file")
	labels := flag.String("labels", "", "labels of real reviews, by hash; the file named is the CSV with their texts")
	part := flag.String("part", "", "of the real reviews: steer, judge, or empty for both")
	verify := flag.Bool("verify", false, "compare with the accuracy that insights.json publishes")
	flag.Parse()
	var err error
	if *labels != "" {
		err = runReal(os.Stdout, *vocabulary, *labels, *part, *errs, *verify, flag.Args())
	} else {
		err = run(os.Stdout, *vocabulary, *errs, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func runReal(w io.Writer, vocabulary, labels, part string, errs, verify bool, files []string) error {
	c, err := readVocabulary(vocabulary)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return errors.New("name one CSV file with the texts of the labels")
	}
	return evalReal(w, labels, files[0], part, c, errs, verify)
}

func run(w io.Writer, vocabulary string, errs bool, files []string) error {
	if len(files) == 0 {
		return errors.New("name at least one file: SemEval-2014 or MAMS XML, or gold sentences in .jsonl")
	}
	var c sentiment.Config
	if vocabulary != "" {
		var err error
		if c, err = readVocabulary(vocabulary); err != nil {
			return err
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".jsonl") {
			if errs && strings.Contains(filepath.Base(file), "held") {
				return fmt.Errorf("%s is held back: nobody looks at its sentences", file)
			}
			if err := evalGold(w, file, errs); err != nil {
				return err
			}
			continue
		}
		sentences, err := readXML(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %d sentences\n", file, len(sentences))
		if !evalTerms(w, sentences) && c.Aspects == nil {
			fmt.Fprintln(w, "  no aspect terms; for its categories name a vocabulary (VOCABULARY=insights.yaml)")
		}
		if c.Aspects != nil {
			evalCategories(w, sentences, c)
		}
	}
	return nil
}

// sentence is one of either corpus.
type sentence struct {
	Text  string `xml:"text"`
	Terms []struct {
		From     int    `xml:"from,attr"`
		To       int    `xml:"to,attr"`
		Polarity string `xml:"polarity,attr"`
	} `xml:"aspectTerms>aspectTerm"`
	Categories []struct {
		Category string `xml:"category,attr"`
		Polarity string `xml:"polarity,attr"`
	} `xml:"aspectCategories>aspectCategory"`
}

func readXML(file string) ([]sentence, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Sentences []sentence `xml:"sentence"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return doc.Sentences, nil
}

func readVocabulary(file string) (c sentiment.Config, err error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	if err := yaml.Unmarshal(body, &c); err != nil {
		return c, fmt.Errorf("read %s: %w", file, err)
	}
	if len(c.Aspects) == 0 {
		return c, fmt.Errorf("read %s: it has no aspects", file)
	}
	return c, nil
}

// evalTerms judges gold terms; false when the file has none.
func evalTerms(w io.Writer, sentences []sentence) bool {
	// It knows no aspects, only the shipped phrases that praise or blame whatever is near them.
	a := sentiment.NewAnalyzer(sentiment.Config{Aspects: []sentiment.Term{}})
	var m confusion
	for _, s := range sentences {
		at := offsets(s.Text)
		for _, t := range s.Terms {
			gold, ok := classOf(t.Polarity)
			if !ok || t.From < 0 || t.To > len(at)-1 || t.From >= t.To {
				continue
			}
			p, score := a.Polarity(s.Text, at[t.From], at[t.To])
			m.add(gold, string(p), score)
		}
	}
	if m.n == 0 {
		return false
	}
	fmt.Fprintf(w, "  gold terms: %d (positive %d, negative %d, neutral %d)\n", m.n, m.total(0), m.total(1), m.total(2))
	fmt.Fprintf(w, "  accuracy %.1f   macro-F1 %.1f   two-class %.1f (neutral counted as wrong: %.1f)\n",
		100*m.accuracy(), 100*m.macroF1(), 100*m.twoClass(), 100*m.strict())
	return true
}

// offsets gives the byte of every code point, and the text's length: the corpora
// count code points.
func offsets(s string) []int {
	at := make([]int, 0, len(s)+1)
	for i := range s {
		at = append(at, i)
	}
	return append(at, len(s))
}

// evalCategories finds the categories of each sentence by the vocabulary.
func evalCategories(w io.Writer, sentences []sentence, c sentiment.Config) {
	in := insights.Input{Config: c}
	known := map[string]bool{}
	rest := "" // the category of sentences in which nothing is found
	for _, a := range c.Aspects {
		known[a.ID] = true
		if len(a.Terms)+len(a.Positive)+len(a.Negative)+len(a.Neutral) == 0 {
			rest = a.ID
		}
	}
	for i := range sentences {
		in.Reviews = append(in.Reviews, insights.Review{Review: &reviewcast.Review{
			ID: fmt.Sprintf("s%06d", i), Rating: 3, Date: "2014-01-01", Language: "en", Text: &sentences[i].Text,
		}})
	}
	found := insights.Compute(in).Insights.PerReview
	gold, predicted, right, polar, judged := 0, 0, 0, 0, 0
	unknown := map[string]int{}
	for i, s := range sentences {
		got := found[fmt.Sprintf("s%06d", i)].Aspects
		if len(got) == 0 && rest != "" {
			got = map[string]reviewcast.Polarity{rest: reviewcast.Neutral}
		}
		predicted += len(got)
		for _, c := range s.Categories {
			gold++
			if !known[c.Category] {
				unknown[c.Category]++
			}
			p, ok := got[c.Category]
			if !ok {
				continue
			}
			right++
			if _, ok := classOf(c.Polarity); ok {
				judged++
				if string(p) == c.Polarity {
					polar++
				}
			}
		}
	}
	if gold == 0 {
		return
	}
	precision, recall := ratio(right, predicted), ratio(right, gold)
	f1 := 0.0
	if precision+recall > 0 {
		f1 = 2 * precision * recall / (precision + recall)
	}
	fmt.Fprintf(w, "  categories: %d   F1 %.1f (precision %.1f, recall %.1f)   polarity of those found %.1f\n",
		gold, 100*f1, 100*precision, 100*recall, 100*ratio(polar, judged))
	for _, c := range slices.Sorted(maps.Keys(unknown)) {
		fmt.Fprintf(w, "  %d labels %q are of no aspect of the vocabulary\n", unknown[c], c)
	}
}

// evalGold scores the project's own gold sentences: a label is right when its
// aspect is found with its polarity.
func evalGold(w io.Writer, file string, errs bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	type label struct{ Aspect, Polarity string }
	var labels [][]label
	in := insights.Input{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var item struct {
			ID, Text string
			Stars    int // of a whole review
			Labels   []label
		}
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		text := item.Text
		in.Reviews = append(in.Reviews, insights.Review{Review: &reviewcast.Review{
			ID: item.ID, Rating: cmp.Or(item.Stars, 3), Date: "2026-11-21", Language: "en", Text: &text,
		}})
		labels = append(labels, item.Labels)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	found := insights.Compute(in).Insights.PerReview
	gold, aspect, right, predicted := 0, 0, 0, 0
	for i, r := range in.Reviews {
		got := found[r.ID].Aspects
		predicted += len(got)
		for _, l := range labels[i] {
			gold++
			p, ok := got[l.Aspect]
			if ok {
				aspect++
			}
			if string(p) == l.Polarity {
				right++
			} else if errs {
				fmt.Fprintf(w, "  %s %s is %s, not %q: %s\n", r.ID, l.Aspect, l.Polarity, p, *r.Text)
			}
		}
		for id, p := range got {
			if errs && !slices.ContainsFunc(labels[i], func(l label) bool { return l.Aspect == id }) {
				fmt.Fprintf(w, "  %s %s isn't there, %s was found: %s\n", r.ID, id, p, *r.Text)
			}
		}
	}
	fmt.Fprintf(w, "%s: %d items, %d labels\n  labels right %.1f %% (aspect found %.1f %%)   precision %.1f %% of %d found\n",
		file, len(labels), gold, 100*ratio(right, gold), 100*ratio(aspect, gold), 100*ratio(right, predicted), predicted)
	return nil
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
