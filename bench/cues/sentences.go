package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reviewcast/generator/sentiment"
)

// aspects are those of the table, in its order.
var aspects = func() (ids []string) {
	for _, a := range sentiment.DefaultAspects {
		ids = append(ids, a.ID)
	}
	return ids
}()

// item is what somebody has written, and what it says.
type item struct {
	source string
	text   string
	labels []label
	units  []sentiment.CueUnit
}

type label struct {
	aspect   int
	polarity byte // '+', '-', '0'
}

func (it *item) has(aspect int) (byte, bool) {
	for _, l := range it.labels {
		if l.aspect == aspect {
			return l.polarity, true
		}
	}
	return 0, false
}

// readItems reads "punctuality+ pricing- | text" lines.
func readItems(r *sentiment.CueReader, files []string) (items []item, err error) {
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		n := 0
		for line := range strings.Lines(string(body)) {
			n++
			before, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
			if !ok {
				return nil, fmt.Errorf("%s:%d: want labels, a bar and a text", file, n)
			}
			it := item{source: filepath.Base(file), text: text, units: r.Read(text)}
			if it.labels, err = readLabels(before); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, n, err)
			}
			items = append(items, it)
		}
	}
	return items, nil
}

func readLabels(s string) (labels []label, err error) {
	if s == "none" {
		return nil, nil
	}
	if s == "" {
		return nil, errors.New("no labels: want aspects, or none")
	}
	for l := range strings.FieldsSeq(s) {
		id, polarity := l[:len(l)-1], l[len(l)-1]
		at := slices.Index(aspects, id)
		if at < 0 || !strings.ContainsRune("+-0", rune(polarity)) {
			return nil, fmt.Errorf("%q is no label: want an aspect and +, - or 0", l)
		}
		if slices.ContainsFunc(labels, func(l label) bool { return l.aspect == at }) {
			return nil, fmt.Errorf("%s twice", id)
		}
		labels = append(labels, label{at, polarity})
	}
	return labels, nil
}
