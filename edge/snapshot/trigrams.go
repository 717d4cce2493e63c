package snapshot

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// trigrams maps three consecutive code points to the set of reviews that contain them.
type trigrams struct {
	keys []uint64 // sorted
	sets []set
}

// A key is three code points of 21 bits, so that trigrams with a common prefix are adjacent.
const (
	runeBits = 21
	runeMask = 1<<runeBits - 1
	keyMask  = 1<<(3*runeBits) - 1
	// end is the mark that follows every title and text twice. No query contains it.
	end = runeMask
)

func key(a, b, c rune) uint64 { return uint64(a)<<(2*runeBits) | uint64(b)<<runeBits | uint64(c) }

// filter removes from found the reviews that lack one of the folded query's trigrams. exact is
// false for more than three code points, which the caller verifies.
func (t *trigrams) filter(query []rune, found bitmap) (exact bool) {
	if len(query) < 3 {
		low, high := [3]rune{}, [3]rune{end, end, end}
		copy(low[:], query)
		copy(high[:], query)
		from, _ := slices.BinarySearch(t.keys, key(low[0], low[1], low[2]))
		to, _ := slices.BinarySearch(t.keys, key(high[0], high[1], high[2])+1)
		found.keep(t.sets[from:to]...)
		return true
	}
	sets := t.of(query)
	slices.SortFunc(sets, rarer)
	if sets[0].n == 0 {
		clear(found)
		return true
	}
	const most = 8 // the rarest few leave hardly more reviews than all 200 would
	for _, s := range sets[:min(len(sets), most)] {
		found.keep(s)
	}
	return len(query) == 3
}

// of returns the sets of a query's trigrams, of which there is at least one. That of an unknown one is empty.
func (t *trigrams) of(query []rune) []set {
	sets := make([]set, len(query)-2)
	for i := range sets {
		if at, ok := slices.BinarySearch(t.keys, key(query[i], query[i+1], query[i+2])); ok {
			sets[i] = t.sets[at]
		}
	}
	return sets
}

func rarer(a, b set) int { return cmp.Compare(a.n, b.n) }

// newTrigrams indexes folded texts.
func newTrigrams(texts []string) trigrams {
	x := indexer{common: make([]uint32, 1<<(3*commonBits)), others: map[uint64]*uint32{}}
	for i, both := range texts {
		for text := range strings.SplitSeq(both, between) {
			x.add(uint32(i), text)
		}
	}
	t := trigrams{keys: slices.Sorted(slices.Values(x.keys)), sets: make([]set, len(x.keys))}
	for at, k := range t.keys {
		t.sets[at] = newSet(slices.Clone(x.lists[*x.id(k)-1]), len(texts)) // without spare capacity
	}
	return t
}

type indexer struct {
	keys  []uint64   // in order of appearance
	lists [][]uint32 // the sorted ordinals of each key
	// A key's place in keys, counted from 1. Most keys consist of U+0020 to U+005F, to which ASCII
	// letters fold, and for these a table is several times as fast as a map.
	common []uint32
	others map[uint64]*uint32
}

const commonBits = 6

// id is where a key's place is stored, 0 for a new one.
func (x *indexer) id(k uint64) *uint32 {
	const one = 1<<(2*runeBits) | 1<<runeBits | 1 // in each of the three code points
	const high = (1<<runeBits - 1<<commonBits) * one
	if c := k - ' '*one; c&high == 0 { // a code point below the space sets high bits, too
		return &x.common[c>>(2*(runeBits-commonBits))|c>>(runeBits-commonBits)&(1<<(2*commonBits)-1)|c&(1<<commonBits-1)]
	}
	id := x.others[k]
	if id == nil {
		id = new(uint32)
		x.others[k] = id
	}
	return id
}

func (x *indexer) push(ordinal uint32, k uint64) {
	id := x.id(k)
	if *id == 0 {
		x.keys, x.lists = append(x.keys, k), append(x.lists, nil)
		*id = uint32(len(x.keys))
	}
	if list := &x.lists[*id-1]; len(*list) == 0 || (*list)[len(*list)-1] != ordinal {
		*list = append(*list, ordinal)
	}
}

// add adds the title or text of a review.
func (x *indexer) add(ordinal uint32, text string) {
	var k uint64 // the last three code points
	have := 0    // how many of them there are
	push := func(c rune) {
		k = (k<<runeBits | uint64(c)) & keyMask
		if have++; have >= 3 {
			x.push(ordinal, k)
		}
	}
	for _, c := range text {
		push(c)
	}
	if have > 0 {
		push(end)
		push(end)
	}
}

// fold returns s, which must be UTF-8, in the form in which texts and queries are compared: NFC, with each code point
// replaced by the smallest one that is equal under simple case folding ("straße" -> "STRAßE", "K" -> "K").
func fold(s string) string { return strings.Map(foldRune, norm.NFC.String(s)) }

// foldRune is the smallest code point of r's orbit under simple case folding.
func foldRune(r rune) rune {
	if 0x2E80 <= r && r < 0xA640 || 0xAC00 <= r && r < 0xD800 {
		return r // CJK and Hangul have no case; this is a fast path for texts in them
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
