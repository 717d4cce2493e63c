package importer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"reviewcast"
)

// A key identifies a review of one source in the next export. It is a SHA-256 in hex, so that the memory of the import
// contains neither the ids of a platform nor the words of a customer. The first part distinguishes the two kinds of
// keys.

// keyOfID returns the key of a review whose export has ids.
func keyOfID(external string) string { return keyOf("id", external) }

// keyOfContent returns the key of a review without an id: those of the fields that reviews are identified by, which
// are what its customer would not have written twice. The author counts as the export has it, so that another policy
// for names changes no id. The rating does not count, since customers change it, unless nothing else distinguishes two
// ratings of a day.
func keyOfContent(r *row, date string, knownBy []string) string {
	cell := func(f field) string {
		if c := r.cells[f]; strings.TrimSpace(c) != "" && slices.Contains(knownBy, f.String()) {
			return c
		}
		return ""
	}
	title, text, url, rating := cell(fieldTitle), cell(fieldText), strings.TrimSpace(cell(fieldSourceURL)), ""
	if title == "" && text == "" && url == "" {
		rating = strings.TrimSpace(r.cells[fieldRating])
	}
	return keyOf("content", date, strings.Join(strings.Fields(cell(fieldAuthor)), " "), title, text, url, rating)
}

// keyOf hashes parts with their lengths, so that different lists of parts have different keys.
func keyOf(parts ...string) string {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// shortKey is how many hex digits of a key are in an id: among a million reviews two share them once in 500 imports,
// and then the second takes one digit more.
const shortKey = 12

// newID returns the id of a review: the export's own if it is valid and not taken, or else as much of the key as is
// needed to be unique; "" if nothing is. The ids of an export may differ by case only, ours may not, so it is normal
// that an id is taken.
func newID(source string, v *review, taken func(id string) bool) string {
	if id := source + "-" + v.external; v.external != "" && reviewcast.ValidID(id) && !taken(id) {
		return id
	}
	for n := shortKey; n <= min(reviewcast.MaxIDLength-len(source)-1, len(v.key)); n++ {
		if id := source + "-" + v.key[:n]; !taken(id) {
			return id
		}
	}
	return ""
}
