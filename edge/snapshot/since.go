package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"

	"reviewcast"
)

// Since is the answer to a since request: every review dated on or after a date.
// It is cheap whatever its size: the reviews are a prefix of reviews.json, their
// hash is known since opening, and of the gzip form only the blocks that nobody
// asked for before are made.
type Since struct {
	// Matched is the number of reviews.
	Matched int

	snapshot   *Snapshot
	head, tail []byte
}

// Since finds the reviews dated on or after a date, which must be valid. A date
// in the future gives none.
func (s *Snapshot) Since(date reviewcast.Date) Since {
	matched := s.reviews.after(date)
	head, err := json.Marshal(reviewcast.SinceResult{Since: date, Matched: matched, Returned: matched, Reviews: []reviewcast.Review{}})
	if err != nil {
		panic(err) // a struct of strings and numbers always marshals
	}
	cut := len(head) - len("]}")
	return Since{Matched: matched, snapshot: s, head: head[:cut:cut], tail: append(head[cut:], '\n')}
}

// Reviews are the reviews' JSON, newest first.
func (x Since) Reviews() []json.RawMessage {
	raw := make([]json.RawMessage, x.Matched)
	for i := range raw {
		raw[i] = x.snapshot.reviews.json(i)
	}
	return raw
}

// Sum is a hash of the body's bytes and of nothing else. What is published
// outside the range doesn't move it.
func (x Since) Sum() [sha256.Size]byte {
	h := sha256.New()
	h.Write(x.head)
	if x.Matched > 0 {
		h.Write(x.snapshot.prefix.sums[x.Matched-1][:])
	}
	h.Write(x.tail)
	return [sha256.Size]byte(h.Sum(nil))
}

// Body is the answer in parts, to be sent one behind the other.
func (x Since) Body() [][]byte {
	if x.Matched == 0 {
		return [][]byte{x.head, x.tail}
	}
	l := &x.snapshot.reviews
	return [][]byte{x.head, l.raw[l.spans[0].start:l.spans[x.Matched-1].end], x.tail}
}

// Gzip is the same in the gzip coding (RFC 1952): one member, whose deflate
// stream is put together from the head as it is, the blocks that lie in the range
// whole, compressed once for all requests, and the rest, compressed now.
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
	// RFC 1952, section 2.3: deflate, no flags, no time, no system named. Then RFC
	// 1951, section 3.2.4: a stored block, which ends on a byte.
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
	shut = binary.LittleEndian.AppendUint32(shut, uint32(len(x.head)+length+len(rest)+len(x.tail))) // modulo 2^32, as the RFC has it
	return append(parts, shut)
}
