package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// write writes the table: a line for each cue, by name.
func (m *model) write(w io.Writer, name func(uint64) string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "aspects\t%s\n", strings.Join(aspects, " "))
	n := len(m.keys)
	line := func(name string, at func(w []float64) float64, tone func(w []float64, aspect int) float64) {
		var parts []string
		add := func(what string, w float64) {
			if w = math.Round(w*100) / 100; w != 0 && (name == "bias" || math.Abs(w) >= m.least) {
				parts = append(parts, fmt.Sprintf("%s %g", what, w))
			}
		}
		for a, id := range aspects {
			add(id, at(m.topics[a]))
			add(id+":", tone(m.tone, a+1)*m.own)
			add(id+"?", tone(m.plain, a+1)*m.own)
		}
		add(":", tone(m.tone, 0))
		add("?", tone(m.plain, 0))
		if len(parts) > 0 {
			fmt.Fprintf(out, "%s\t%s\n", name, strings.Join(parts, ", "))
		}
	}
	line("bias", func(w []float64) float64 { return w[n] }, func(w []float64, aspect int) float64 {
		if aspect == 0 {
			return w[len(w)-1]
		}
		return 0
	})
	order := make([]int, n)
	names := make([]string, n)
	for i, k := range m.keys {
		order[i], names[i] = i, name(k)
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	for _, i := range order {
		line(names[i], func(w []float64) float64 { return w[i] }, func(w []float64, aspect int) float64 { return w[aspect*n+i] })
	}
	return out.Flush()
}
