package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"

	"reviewcast"
)

// Since is every review dated on or after a date. It is cheap at any size: a prefix of
// reviews.json, whose hash was computed on opening and whose gzip blocks are compressed once.
type Since struct {
	// Matched is the number of reviews.
	Matched int

	snapshot   *Snapshot
	head, tail []byte
}

// Since returns the reviews dated on or after a valid date.
func (s *Snapshot) Since(date reviewcast.Date) Since {
	matched := s.reviews.after(date)
	head, err := json.Marshal(reviewcast.SinceResult{Since: date, Matched: matched, Returned: matched, Reviews: []reviewcast.Review{}})
	if err != nil {
		panic(err) // a struct of strings and numbers always marshals
	}
	cut := len(head) - len("]}")
	return Since{Matched: matched, snapshot: s, head: head[:cut:cut], tail: append(head[cut:], '\n')}
}

// Sum is a hash of the body's bytes. It doesn't change when something outside the range does.
func (x Since) Sum() [sha256.Size]byte {
	h := sha256.New()
	h.Write(x.head)
	if x.Matched > 0 {
		h.Write(x.snapshot.prefix.sums[x.Matched-1][:])
	}
	h.Write(x.tail)
	return [sha256.Size]byte(h.Sum(nil))
}

// Body returns the response body in consecutive parts.
func (x Since) Body() [][]byte {
	if x.Matched == 0 {
		return [][]byte{x.head, x.tail}
	}
	l := &x.snapshot.reviews
	return [][]byte{x.head, l.raw[l.spans[0].start:l.spans[x.Matched-1].end], x.tail}
}

// Gzip returns the body in the gzip coding (RFC 1952), in parts: the stored head, the blocks that
// are complete within the range, compressed once for all requests, and the rest.
func (x Since) Gzip() [][]byte {
	p, l := &x.snapshot.prefix, &x.snapshot.reviews
	var (
		whole  int    // blocks
		length int    // of their bytes
		crc    uint32 // of their bytes
		rest   []byte
	)
	if x.Matched > 0 {
		whole = p.within(x.Matched)
		b := &p.blocks[whole]
		length, crc, rest = b.start-l.spans[0].start, b.crc, l.raw[b.start:l.spans[x.Matched-1].end]
	}
	parts := make([][]byte, 0, whole+2)
	// RFC 1952, section 2.3: deflate, no flags, no time, unknown system. RFC 1951, section 3.2.4: a stored block.
	open := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 0}
	open = binary.LittleEndian.AppendUint16(open, uint16(len(x.head)))
	open = binary.LittleEndian.AppendUint16(open, ^uint16(len(x.head)))
	parts = append(parts, append(open, x.head...))
	for i := range whole {
		parts = append(parts, p.blocks[i].deflated())
	}
	crc = combineCRC(crc32.ChecksumIEEE(x.head), crc, int64(length))
	crc = crc32.Update(crc32.Update(crc, crc32.IEEETable, rest), crc32.IEEETable, x.tail)
	shut := deflate(true, rest, x.tail)
	shut = binary.LittleEndian.AppendUint32(shut, crc)
	shut = binary.LittleEndian.AppendUint32(shut, uint32(len(x.head)+length+len(rest)+len(x.tail))) // modulo 2^32, as the RFC says
	return append(parts, shut)
}
