// Command cues fits the table of cues, generator/sentiment/lexicon/cues.txt, to the
// sentences in sentences/, and tells how good it would be on sentences that it
// hasn't seen:
//
//	make cues                              writes the table
//	go run . -verify                       tells whether the table is that of the sentences
//	go run . -without train-06,train-11    fits to the others, and scores on these
//
// It is a module of its own because nothing else needs the optimiser. The reading of
// texts is the program's own (sentiment.CueReader).
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"reviewcast/generator/sentiment"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "cues:", err)
		os.Exit(1)
	}
}

// settings are those of the table that is shipped, chosen by leaving writers out and
// on the check sets; docs/insights.md.
var settings = options{topicC: 1, toneC: 1, plainC: 0.5, own: 1.5, seldom: 8, least: 0.2}

func run(w io.Writer, args []string) error {
	o := settings
	flags := flag.NewFlagSet("cues", flag.ContinueOnError)
	sentences := flags.String("sentences", "sentences", "the folder of the sentences")
	table := flags.String("table", "../../generator/sentiment/lexicon/cues.txt", "the table to write or verify")
	verify := flags.Bool("verify", false, "compare the table with a fit instead of writing it")
	without := flags.String("without", "", "files, by a part of their names, to leave out and to score on instead of writing")
	flags.Float64Var(&o.topicC, "topic", o.topicC, "trust in the sentences, against the prior: what they speak of")
	flags.Float64Var(&o.toneC, "tone", o.toneC, "the same: praise or blame")
	flags.Float64Var(&o.plainC, "plain", o.plainC, "the same: plain facts")
	flags.Float64Var(&o.own, "own", o.own, "how freely an aspect has a tone of its own")
	flags.IntVar(&o.seldom, "seldom", o.seldom, "cues in fewer items are left out")
	flags.Float64Var(&o.least, "least", o.least, "weights below are left out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(*sentences, "*.txt"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, fmt.Errorf("%s has no .txt file", *sentences))
	}
	reader := sentiment.NewCueReader()
	items, err := readItems(reader, files)
	if err != nil {
		return err
	}
	if *without != "" {
		return score(w, items, strings.Split(*without, ","), o)
	}
	var b bytes.Buffer
	if err := train(items, o).write(&b, reader.Name); err != nil {
		return err
	}
	if *verify {
		have, err := os.ReadFile(*table)
		if err != nil {
			return err
		}
		return compare(b.Bytes(), have, o.least)
	}
	fmt.Fprintf(w, "%d items, %d cues\n", len(items), bytes.Count(b.Bytes(), []byte("\n"))-2)
	return os.WriteFile(*table, b.Bytes(), 0o644)
}

// score fits to the items of other files and tells how they do on those left out.
func score(w io.Writer, items []item, names []string, o options) error {
	var in, out []item
	for _, it := range items {
		if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(it.source, n) }) {
			out = append(out, it)
		} else {
			in = append(in, it)
		}
	}
	if len(in) == 0 || len(out) == 0 {
		return fmt.Errorf("without %s: %d items are left to fit to, and %d to score on", strings.Join(names, ", "), len(in), len(out))
	}
	m := train(in, o)
	m.prune()
	for _, enough := range []float64{-2, -1.5, -1, -0.5} {
		var t tally
		for i := range out {
			t.add(&out[i], m.predict(&out[i], limits{enough: enough, plainly: -0.5}))
		}
		pct := func(a, b int) float64 { return 100 * float64(a) / float64(max(b, 1)) }
		fmt.Fprintf(w, "%d labels, from %.1f on: right %.1f %% (aspect found %.1f %%)   precision %.1f %% of %d found\n",
			t.gold, enough, pct(t.right, t.gold), pct(t.found, t.gold), pct(t.right, t.told), t.told)
	}
	return nil
}

// tolerance is how far a weight may be off: processors differ in the last digits of
// an exponential, and the fit stops a step earlier or later for it.
const tolerance = 0.03

// compare tells whether two tables say the same.
func compare(want, have []byte, least float64) error {
	a, b := weightsOf(want), weightsOf(have)
	for k := range b {
		if _, ok := a[k]; !ok {
			a[k] = 0
		}
	}
	for _, k := range slices.Sorted(maps.Keys(a)) {
		w := a[k]
		v, ok := b[k]
		off := math.Abs(w - v)
		if !ok || w == 0 { // left out on one side
			off = max(math.Abs(w), math.Abs(v)) - least
		}
		if off > tolerance {
			return fmt.Errorf("the table isn't that of the sentences: %s is %g and should be %g; write it with make cues", k, v, w)
		}
	}
	return nil
}

func weightsOf(table []byte) map[string]float64 {
	out := map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(table))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		cue, weights, _ := strings.Cut(lines.Text(), "\t")
		for one := range strings.SplitSeq(weights, ", ") {
			what, number, _ := strings.Cut(one, " ")
			if v, err := strconv.ParseFloat(number, 64); err == nil {
				out[cue+" / "+what] = v
			} else {
				out[cue+" / "+one] = 1
			}
		}
	}
	return out
}
