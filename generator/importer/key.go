package importer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"reviewcast"
)

// A key is by what a review of one source is known again in the next export: a
// SHA-256 in hex, so that the import's memory holds neither a platform's ids nor
// a customer's words. The first part tells the two kinds of key apart.

// keyOfID is the key of a review whose export has ids.
func keyOfID(external string) string { return keyOf("id", external) }

// keyOfContent is the key of a review whose export has none: what its customer
// would not have written twice. The author counts as the export has it, so that
// another policy for names changes no id. The rating doesn't count, since
// customers change it, unless nothing else tells two ratings of a day apart.
func keyOfContent(r *row, date reviewcast.Date) string {
	title, text := blankToEmpty(r.cell(fieldTitle)), blankToEmpty(r.cell(fieldText))
	url := strings.TrimSpace(r.cell(fieldSourceURL))
	rating := ""
	if title == "" && text == "" && url == "" {
		rating = strings.TrimSpace(r.cell(fieldRating))
	}
	return keyOf("content", string(date), strings.Join(strings.Fields(r.cell(fieldAuthor)), " "), title, text, url, rating)
}

func blankToEmpty(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

// keyOf hashes parts with their lengths, so that no two lists of parts are alike.
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

// shortKey is how many hex digits of a key stand in an id: at a million reviews
// two share them once in 500 imports, and then the second takes one digit more.
const shortKey = 12

// candidates gives the ids that a review may have, the best first: the export's
// own where it can be one, or else as much of the key as it takes to be alone.
// The export's ids may differ by case only, ours may not, so an id's being taken
// is nothing unusual.
func candidates(source string, v *review) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if id := source + "-" + v.external; v.external != "" && reviewcast.ValidID(id) {
			if !yield(id) {
				return
			}
		}
		for n := shortKey; n <= reviewcast.MaxIDLength-len(source)-1 && n <= len(v.key); n++ {
			if !yield(source + "-" + v.key[:n]) {
				return
			}
		}
	}
}
