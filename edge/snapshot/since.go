package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"sort"
	"sync"

	"github.com/klauspost/compress/flate"

	"reviewcast"
)

// Since is every review dated on or after a date. It is cheap at any size: a prefix of
// reviews.json, whose blocks were hashed on opening and are compressed once.
type Since struct {
	Matched int // the number of reviews

	head, reviews, tail []byte
	whole               []block // complete within reviews
	sum                 [sha256.Size]byte
	rest                []byte // of reviews, after the whole blocks
}

// Since returns the reviews dated on or after a valid date.
func (s *Snapshot) Since(date reviewcast.Date) Since {
	_, matched := s.reviews.dated(date)
	// A struct of strings and numbers always marshals.
	head, _ := json.Marshal(reviewcast.SinceResult{Since: date, Matched: matched, Returned: matched, Reviews: []reviewcast.Review{}})
	cut := len(head) - len("]}")
	x := Since{Matched: matched, head: head[:cut:cut], tail: append(head[cut:], '\n')}
	if matched == 0 {
		return x
	}
	l := &s.reviews
	begin, end := l.spans[0].start, l.spans[matched-1].end
	n := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].ordinal >= matched }) - 1
	x.whole, x.sum, x.reviews, x.rest = s.blocks[:n], s.blocks[n].sum, l.raw[begin:end], l.raw[s.blocks[n].start:end]
	return x
}

// Sum is a hash of the body's bytes. It doesn't change when something outside the range does.
func (x Since) Sum() [sha256.Size]byte {
	h := sha256.New()
	for _, part := range [][]byte{x.head, x.sum[:], x.rest, x.tail} {
		h.Write(part)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Body returns the response body in consecutive parts.
func (x Since) Body() [][]byte { return [][]byte{x.head, x.reviews, x.tail} }

// Gzip returns the body in the gzip coding (RFC 1952), in parts: the head, the blocks that are complete within the
// range, compressed once for all requests, and the rest.
func (x Since) Gzip() [][]byte {
	parts := [][]byte{deflate(gzipHeader, false, x.head)}
	for _, b := range x.whole {
		parts = append(parts, b.deflated())
	}
	return append(parts, appendTrailer(deflate("", true, x.rest, x.tail), x.Body()...))
}

// Gzip returns a body in the gzip coding.
func Gzip(body []byte) []byte { return appendTrailer(deflate(gzipHeader, true, body), body) }

// gzipHeader is that of RFC 1952, section 2.3: deflate, no flags, no time, unknown system.
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// appendTrailer ends a body in the gzip coding with the checksum and the length of the plain one.
func appendTrailer(b []byte, plain ...[]byte) []byte {
	crc, length := uint32(0), 0
	for _, part := range plain {
		crc, length = crc32.Update(crc, crc32.IEEETable, part), length+len(part)
	}
	b = binary.LittleEndian.AppendUint32(b, crc)
	return binary.LittleEndian.AppendUint32(b, uint32(length)) // modulo 2^32, as the RFC says
}

// block is a run of whole reviews and the separator after them. The blocks of a snapshot begin with its first review.
type block struct {
	ordinal int               // of its first review
	start   int               // offset in reviews.json
	sum     [sha256.Size]byte // of the bytes from the first review to start

	deflated func() []byte // compresses the block once; nil for the last one, which is never complete
}

// newBlocks divides the reviews into blocks and hashes them in one pass.
func newBlocks(raw []byte, spans []span) (blocks []block) {
	// The least size in bytes. Twice the size compresses 3 % better, but doubles what each request compresses.
	const blockSize = 64 << 10
	sum := sha256.New()
	for i, s := range spans {
		if i == 0 {
			blocks = append(blocks, block{start: s.start})
		}
		if last := &blocks[len(blocks)-1]; s.start-last.start >= blockSize {
			whole := raw[last.start:s.start]
			sum.Write(whole)
			last.deflated = sync.OnceValue(func() []byte { return deflate("", false, whole) })
			blocks = append(blocks, block{ordinal: i, start: s.start, sum: [sha256.Size]byte(sum.Sum(nil))})
		}
	}
	return blocks
}

// deflate compresses parts into a raw deflate stream (RFC 1951) after a header. Unless it is the last, it ends on a
// byte boundary.
func deflate(header string, last bool, parts ...[]byte) []byte {
	var out bytes.Buffer
	out.WriteString(header)
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
	const level = 6                            // the next one takes twice the time and saves 2 %
	w, _ := flate.NewWriter(io.Discard, level) // a constant in range
	return w
}}
