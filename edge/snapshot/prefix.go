package snapshot

import (
	"bytes"
	"crypto/sha256"
	"hash/crc32"
	"io"
	"sort"
	"sync"

	"github.com/klauspost/compress/flate"
)

// prefix has the hash of every prefix of the list of reviews, and the list compressed in blocks.
type prefix struct {
	sums   []digest // sums[i] covers the bytes from the first review to the end of the i-th
	blocks []block
}

type digest [16]byte

// block is a run of whole reviews and the separator after them.
type block struct {
	ordinal int    // of its first review
	start   int    // offset in reviews.json
	crc     uint32 // of the bytes from the first review to start

	deflated func() []byte // compresses the block once; nil for the last one, which is never complete
}

// blockSize is the least size of a block in bytes. Twice the size compresses 3 % better, but
// doubles what each request compresses.
const blockSize = 64 << 10

// newPrefix hashes the reviews and divides them into blocks in one pass.
func newPrefix(raw []byte, spans []span) prefix {
	p := prefix{sums: make([]digest, len(spans))}
	if len(spans) == 0 {
		return p
	}
	sum, crc := sha256.New(), uint32(0)
	var buf [sha256.Size]byte
	at := spans[0].start
	p.blocks = append(p.blocks, block{start: at})
	for i, s := range spans {
		if last := &p.blocks[len(p.blocks)-1]; s.start-last.start >= blockSize {
			whole := raw[last.start:s.start]
			crc = crc32.Update(crc, crc32.IEEETable, whole)
			last.deflated = sync.OnceValue(func() []byte { return deflate(false, whole) })
			p.blocks = append(p.blocks, block{ordinal: i, start: s.start, crc: crc})
		}
		sum.Write(raw[at:s.end])
		at = s.end
		p.sums[i] = digest(sum.Sum(buf[:0]))
	}
	return p
}

// within returns the index of the block that contains the n-th review (n > 0).
func (p *prefix) within(n int) int {
	return sort.Search(len(p.blocks), func(i int) bool { return p.blocks[i].ordinal >= n }) - 1
}

// deflate compresses parts into a raw deflate stream (RFC 1951). Unless it is the last, it ends on a byte boundary.
func deflate(last bool, parts ...[]byte) []byte {
	var out bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	for _, part := range parts {
		_, _ = w.Write(part) // writes to memory never fail
	}
	if last {
		_ = w.Close()
	} else {
		_ = w.Flush()
	}
	return out.Bytes()
}

// deflaters pools the compressors: their tables are larger than their input.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flateLevel)
	if err != nil {
		panic(err) // flateLevel is a constant in range
	}
	return w
}}

// flateLevel is the compression level. The next one takes twice the time and saves 2 %.
const flateLevel = 6

// combineCRC is the CRC-32 of a‖b from that of each and the length of b: crc(a)·x^(8·|b|) + crc(b)
// modulo the polynomial.
func combineCRC(a, b uint32, length int64) uint32 {
	shift, power := uint32(1<<31), uint32(1<<23) // x^0 and x^8, bits reflected
	for n := length; n > 0; n >>= 1 {
		if n&1 == 1 {
			shift = multiplyCRC(shift, power)
		}
		power = multiplyCRC(power, power)
	}
	return multiplyCRC(a, shift) ^ b
}

// multiplyCRC multiplies two polynomials modulo that of CRC-32. The highest power is the lowest bit.
func multiplyCRC(a, b uint32) (product uint32) {
	for bit := uint32(1 << 31); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		if b&1 == 1 {
			b = b>>1 ^ crc32.IEEE
		} else {
			b >>= 1
		}
	}
	return product
}
