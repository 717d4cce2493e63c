package snapshot

import (
	"iter"
	"math/bits"
)

// bitmap is a set of ordinals below 64 times its length.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) add(i uint32)    { b[i>>6] |= 1 << (i & 63) }
func (b bitmap) remove(i uint32) { b[i>>6] &^= 1 << (i & 63) }

func (b bitmap) has(i uint32) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// addRange adds the ordinals from low up to, not including, high.
func (b bitmap) addRange(low, high int) {
	for i := low; i < high; i = i&^63 + 64 {
		word := ^uint64(0) << (i & 63)
		if i>>6 == high>>6 {
			word &= 1<<(high&63) - 1
		}
		b[i>>6] |= word
	}
}

func (b bitmap) len() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// all iterates over the ordinals from low on, ascending. The current one may be removed.
func (b bitmap) all(low int) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for w := low >> 6; w < len(b); w++ {
			word := b[w]
			if w == low>>6 {
				word &= ^uint64(0) << (low & 63)
			}
			for ; word != 0; word &= word - 1 {
				if !yield(uint32(w<<6 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// backward iterates over the ordinals below end, descending.
func (b bitmap) backward(end int) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := end - 1; i >= 0; i-- {
			if b.has(uint32(i)) && !yield(uint32(i)) {
				return
			}
		}
	}
}

// set is an immutable set of ordinals, a sorted list or a bitmap; the other one is nil. The zero value is empty.
type set struct {
	n    int
	list []uint32
	bits bitmap
}

func newSet(sorted []uint32, of int) set {
	if len(sorted) < 2*((of+63)/64) { // takes less memory than a bitmap
		return set{n: len(sorted), list: sorted}
	}
	b := newBitmap(of)
	for _, i := range sorted {
		b.add(i)
	}
	return set{n: len(sorted), bits: b}
}

func (s set) addTo(b bitmap) {
	for _, i := range s.list {
		b.add(i)
	}
	for w, word := range s.bits {
		b[w] |= word
	}
}

// keep removes from b what is in none of the sets.
func (b bitmap) keep(sets ...set) {
	other := make(bitmap, len(b))
	for _, s := range sets {
		s.addTo(other)
	}
	b.and(other)
}

// and removes from b what is not in o. Both have the same length.
func (b bitmap) and(o bitmap) {
	for w := range b {
		b[w] &= o[w]
	}
}
