package lint

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"reviewcast/generator/source"
)

// A text is the set of its runs of three words; two texts are near-duplicates if their sets are similar. Comparing
// each pair would take 50 million comparisons for 10,000 reviews. So each text is reduced to a few minimum hashes
// (MinHash, Broder 1997), and only texts that agree in a band of them are compared.
const (
	minWords  = 8   // shorter texts are often alike
	minShare  = 0.8 // of the runs that two texts have between them
	runLength = 3
	bands     = 8
	rows      = 4 // minima in a band: of 8 bands of 4, 98 of 100 alike pairs agree in one
)

// duplicates reports reviews whose text is nearly that of an older one.
func (in *inspector) duplicates(reviews []*source.Review) {
	type key struct {
		band int
		hash uint64
	}
	first := map[key]int{}
	equal := map[string]int{} // by all that readers see
	runs := make([][]uint64, len(reviews))
	for i := len(reviews) - 1; i >= 0; i-- { // oldest first
		r := reviews[i]
		if r.Text == nil {
			continue
		}
		found := -1
		all := fmt.Sprintf("%s\x00%s\x00%d\x00%s", strings.ToLower(r.Author), r.Date, r.Rating, *r.Text)
		if j, taken := equal[all]; taken && r.Date != "" {
			found = j
		} else {
			equal[all] = i
		}
		runs[i] = runsOf(*r.Text)
		minima := minimaOf(runs[i])
		for b := range bands {
			if runs[i] == nil {
				break
			}
			k := key{b, mix(minima[b*rows] ^ mix(minima[b*rows+1]^mix(minima[b*rows+2]^mix(minima[b*rows+3]))))}
			j, taken := first[k]
			if !taken {
				// One text represents all that agree with it, so that ten thousand equal ones cost ten thousand comparisons.
				first[k] = i
			} else if found < 0 && share(runs[i], runs[j]) >= minShare {
				found = j
			}
		}
		if found >= 0 {
			other, at := reviews[found], in.content.Position(reviews[found])
			how := "nearly the same text as"
			if *other.Text == *r.Text {
				how = "the same text as"
			}
			in.add(r, firstLine(*r.Text), "near-duplicate", fmt.Sprintf("review %q has %s %q (%s:%d)", r.ID, how, other.ID, at.File, at.Line),
				"if one customer posted it in two places, keep one of them")
		}
	}
}

// runsOf returns the hashes of the runs of words of a text, sorted and unique; nil for a short text.
func runsOf(text string) []uint64 {
	words := wordsOf(strings.ToLower(text))
	if len(words) < minWords {
		return nil
	}
	hashes := make([]uint64, len(words))
	for i, w := range words {
		h := fnv.New64a()
		_, _ = h.Write([]byte(w))
		hashes[i] = h.Sum64()
	}
	runs := make([]uint64, 0, len(words))
	for i := range len(words) - runLength + 1 {
		runs = append(runs, mix(hashes[i]^mix(hashes[i+1]^mix(hashes[i+2]))))
	}
	slices.Sort(runs)
	return slices.Compact(runs)
}

// minimaOf returns the minimum of the runs under each of several hash functions.
func minimaOf(runs []uint64) (minima [bands * rows]uint64) {
	for i := range minima {
		least, salt := uint64(math.MaxUint64), mix(uint64(i)+1)
		for _, r := range runs {
			least = min(least, mix(r^salt))
		}
		minima[i] = least
	}
	return minima
}

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// share returns the Jaccard similarity of two sets of runs.
func share(a, b []uint64) float64 {
	both := 0
	for _, run := range a {
		if _, found := slices.BinarySearch(b, run); found {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
