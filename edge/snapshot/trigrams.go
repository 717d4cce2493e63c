package snapshot

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
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

// maxLists is the most trigrams of a query that are intersected. The rarest few leave hardly more
// reviews than all 200 would.
const maxLists = 8

// filter removes from found the reviews that lack one of the folded query's trigrams. exact is
// false for more than three code points, which the caller verifies.
func (t *trigrams) filter(query []rune, found bitmap) (exact bool) {
	switch len(query) {
	case 0:
		return true
	case 1:
		t.filterRange(key(query[0], 0, 0), key(query[0], end, end), found)
		return true
	case 2:
		t.filterRange(key(query[0], query[1], 0), key(query[0], query[1], end), found)
		return true
	}
	sets := make([]set, 0, len(query)-2)
	for i := range len(query) - 2 {
		s, ok := t.set(key(query[i], query[i+1], query[i+2]))
		if !ok {
			clear(found)
			return true
		}
		sets = append(sets, s)
	}
	slices.SortFunc(sets, func(a, b set) int { return cmp.Compare(a.n, b.n) })
	for _, s := range sets[:min(len(sets), maxLists)] {
		s.intersect(found)
	}
	return len(query) == 3
}

// filterRange removes from found the reviews without a trigram from low to high.
func (t *trigrams) filterRange(low, high uint64, found bitmap) {
	from, _ := slices.BinarySearch(t.keys, low)
	to, _ := slices.BinarySearch(t.keys, high+1)
	any := make(bitmap, len(found))
	for _, s := range t.sets[from:to] {
		s.addTo(any)
	}
	found.and(any)
}

func (t *trigrams) set(k uint64) (set, bool) {
	at, ok := slices.BinarySearch(t.keys, k)
	if !ok {
		return set{}, false
	}
	return t.sets[at], true
}

// atMost returns a bound of how many texts a scan for a folded query reads: those with its rarest trigram.
func (t *trigrams) atMost(query []rune) int {
	if len(query) <= 3 {
		return 0
	}
	rarest := math.MaxInt
	for i := range len(query) - 2 {
		s, _ := t.set(key(query[i], query[i+1], query[i+2])) // empty if there is none
		rarest = min(rarest, s.n)
	}
	return rarest
}

// newTrigrams indexes n folded texts. Each core takes a run of shards and reads it twice: to count,
// and to fill sets of known sizes. The sets are slices of two arenas, so that the garbage collector
// has few pointers.
func newTrigrams(texts []shard, n int) trigrams {
	runs := make([]*run, min(runtime.GOMAXPROCS(0), len(texts)))
	for i := range runs {
		low, high := i*len(texts)/len(runs), (i+1)*len(texts)/len(runs)
		runs[i] = &run{texts: texts[low:high], first: low * shardSize, table: newKeyTable()}
	}
	each := func(do func(*run)) {
		var g errgroup.Group
		for _, r := range runs {
			g.Go(func() error { do(r); return nil })
		}
		_ = g.Wait() // the functions never fail
	}
	each((*run).countAll)

	t := trigrams{}
	for _, r := range runs {
		t.keys = append(t.keys, r.table.keys...)
	}
	slices.Sort(t.keys)
	t.keys = slices.Clip(slices.Compact(t.keys))

	// The offset of each run's part in each set.
	total := make([]int, len(t.keys))
	for _, r := range runs {
		r.rank = make([]uint32, len(r.table.keys))
		r.next = make([]uint32, len(t.keys))
		for id, k := range r.table.keys {
			at, _ := slices.BinarySearch(t.keys, k)
			r.rank[id] = uint32(at)
			r.next[at] = uint32(total[at])
			total[at] += int(r.counts[id])
		}
	}
	listed, mapped := 0, 0
	for _, count := range total {
		if dense(count, n) {
			mapped += words(n)
		} else {
			listed += count
		}
	}
	lists, maps := make([]uint32, listed), make(bitmap, mapped)
	t.sets = make([]set, len(t.keys))
	for at, count := range total {
		if dense(count, n) {
			t.sets[at] = set{n: count, bits: maps[:words(n):words(n)]}
			maps = maps[words(n):]
		} else {
			t.sets[at] = set{n: count, list: lists[:count:count]}
			lists = lists[count:]
		}
	}
	each(func(r *run) { r.fill(t.sets) })
	return t
}

type run struct {
	texts  []shard
	first  int // ordinal
	table  keyTable
	counts []uint32 // of reviews, by the table's id
	last   []uint32 // ordinal+1 of the last review that has it, by the table's id
	rank   []uint32 // index in the sorted keys, by the table's id
	next   []uint32 // next index in the list to fill, by rank
}

func (r *run) countAll() {
	r.each(func(id, ordinal uint32) {
		if int(id) == len(r.counts) {
			r.counts, r.last = append(r.counts, 0), append(r.last, 0)
		}
		if r.last[id] != ordinal+1 {
			r.last[id] = ordinal + 1
			r.counts[id]++
		}
	})
	clear(r.last)
}

func (r *run) fill(sets []set) {
	r.each(func(id, ordinal uint32) {
		if r.last[id] == ordinal+1 {
			return
		}
		r.last[id] = ordinal + 1
		at := r.rank[id]
		if s := &sets[at]; s.bits != nil {
			s.bits.add(ordinal)
		} else {
			s.list[r.next[at]] = ordinal
			r.next[at]++
		}
	})
}

// each calls do with the table's id of every trigram of every review, in order and with repetitions.
func (r *run) each(do func(id, ordinal uint32)) {
	ordinal := uint32(r.first)
	for i := range r.texts {
		for j := range r.texts[i].ends {
			text := r.texts[i].of(j)
			var k uint64 // the last three code points
			have := 0    // how many of them there are
			push := func(c rune) {
				k = (k<<runeBits | uint64(c)) & keyMask
				if have++; have >= 3 {
					do(r.table.id(k), ordinal)
				}
			}
			finish := func() {
				if have > 0 {
					push(end)
					push(end)
				}
				k, have = 0, 0
			}
			for at := 0; at < len(text); {
				switch c := text[at]; {
				case c < utf8.RuneSelf:
					push(rune(c))
					at++
				case c == between:
					finish()
					at++
				default:
					c, size := utf8.DecodeRune(text[at:])
					push(c)
					at += size
				}
			}
			finish()
			ordinal++
		}
	}
}

// keyTable numbers keys in order of appearance. It is several times as fast as a map, which opening needs.
type keyTable struct {
	keys  []uint64 // by id
	slots []slot   // a power of two
	shift uint
	// multiplier is random and odd, so that nobody can choose words that collide.
	multiplier uint64
}

// slot is a key and its id. The key is complemented, so that an empty slot is zero.
type slot struct {
	key uint64
	id  uint32
}

func newKeyTable() keyTable {
	return keyTable{slots: make([]slot, 1<<12), shift: 64 - 12, multiplier: rand.Uint64() | 1}
}

func (t *keyTable) id(k uint64) uint32 {
	mask := uint64(len(t.slots) - 1)
	for at := k * t.multiplier >> t.shift; ; at = (at + 1) & mask {
		switch s := &t.slots[at]; s.key {
		case ^k:
			return s.id
		case 0:
			id := uint32(len(t.keys))
			*s = slot{^k, id}
			t.keys = append(t.keys, k)
			if 2*len(t.keys) > len(t.slots) {
				t.grow()
			}
			return id
		}
	}
}

func (t *keyTable) grow() {
	t.slots = make([]slot, 2*len(t.slots))
	t.shift--
	mask := uint64(len(t.slots) - 1)
	for id, k := range t.keys {
		at := k * t.multiplier >> t.shift
		for t.slots[at].key != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = slot{^k, uint32(id)}
	}
}
