package snapshot

import (
	"bytes"
	"crypto/sha256"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// block is a run of whole reviews and the separator after them. The blocks of a snapshot begin with its first review.
type block struct {
	ordinal int               // of its first review
	start   int               // offset in reviews.json
	sum     [sha256.Size]byte // of the bytes from the first review to start

	deflated func() []byte // compresses the block once; nil for the last one, which is never complete
}

// blockSize is the least size of a block in bytes. Twice the size compresses 3 % better, but
// doubles what each request compresses.
const blockSize = 64 << 10

// newBlocks divides the reviews into blocks and hashes them in one pass.
func newBlocks(raw []byte, spans []span) (blocks []block) {
	sum := sha256.New()
	for i, s := range spans {
		if i == 0 {
			blocks = append(blocks, block{start: s.start})
		}
		if last := &blocks[len(blocks)-1]; s.start-last.start >= blockSize {
			whole := raw[last.start:s.start]
			sum.Write(whole)
			last.deflated = sync.OnceValue(func() []byte { return deflate(false, whole) })
			blocks = append(blocks, block{ordinal: i, start: s.start, sum: [sha256.Size]byte(sum.Sum(nil))})
		}
	}
	return blocks
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
	w, _ := flate.NewWriter(io.Discard, flateLevel) // a constant in range
	return w
}}

// flateLevel is the compression level. The next one takes twice the time and saves 2 %.
const flateLevel = 6
