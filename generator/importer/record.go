package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// values are the JSON values of the members that imports write; nil is absent, which is what null means too.
type values [fieldReplyDate]jsontext.Value

// record is one line of the import's file.
type record struct {
	id     string
	date   string // "", and sorted last, if it is not a string: a build reports that
	values values
	extra  map[string]jsontext.Value // the editor's own members
}

func parseRecord(line []byte) (*record, error) {
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(line, &members); err != nil {
		return nil, errors.New(diagnostic.Pick(utf8.Valid(line), "the line can't be read", "a character is saved in an old encoding, so save the file as UTF-8 (in Notepad with File, Save as, Encoding)"))
	}
	r := &record{extra: map[string]jsontext.Value{}}
	if err := json.Unmarshal(members["id"], &r.id); err != nil || !reviewcast.ValidID(r.id) {
		return nil, errors.New("the review has no valid id")
	}
	delete(members, "id")
	for name, value := range members {
		_ = value.Compact() // it was parsed above
		if m := slices.Index(memberNames[:], name); m < 0 {
			r.extra[name] = value
		} else if value.Kind() != 'n' {
			r.values[m] = value
		}
	}
	r.date = textOf(r.values[fieldDate])
	return r, nil
}

// cause returns an error's text without the name of the library.
func cause(err error) error {
	return errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "jsontext: "))
}

func (r *record) append(b []byte) []byte {
	b = append(b, `{"id":"`+r.id+`"`...) // ASCII without quotes, by ValidID
	for m, v := range r.values {
		if v != nil {
			b = append(b, `,"`+memberNames[m]+`":`...)
			b = append(b, v...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.extra)) {
		b = append(b, ","+string(asJSON(name))+":"...)
		b = append(b, r.extra[name]...)
	}
	return append(b, '}', '\n')
}

// parseRecords reads a file of records. It must be valid: what can't be read can't be kept.
func parseRecords(data []byte) ([]*record, error) {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	var records []*record
	for i, line := range bytes.Split(data, []byte{'\n'}) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		r, err := parseRecord(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w; run `reviewcast check`, which says how to correct it, and then import again", i+1, err)
		}
		records = append(records, r)
	}
	return records, nil
}

// same reports whether two values are equal however they are written.
func same(a, b jsontext.Value) bool {
	return bytes.Equal(a, b) || a != nil && b != nil && bytes.Equal(canonical(a), canonical(b))
}

// canonical returns a value as RFC 8785 writes it. A string without escapes has one form only.
func canonical(v jsontext.Value) jsontext.Value {
	if v.Kind() == '"' && !bytes.Contains(v, []byte{'\\'}) {
		return v
	}
	c := v.Clone()
	_ = c.Canonicalize() // it was parsed or made here
	return c
}

// fingerprint is what the import's memory keeps of a value: enough to see that it was changed, too little to read it.
// An absent value has none.
func fingerprint(v jsontext.Value) string {
	if v == nil {
		return ""
	}
	sum := sha256.Sum256(canonical(v))
	return hex.EncodeToString(sum[:6])
}

// keysOfContent returns the key of a review without an id: that of the fields that reviews are identified by, which are
// what its customer would not have written twice, and the key without the author. The author counts as the export has
// it, so that another policy for names changes no id. The rating does not count, since customers change it, unless
// nothing else distinguishes two ratings of a day.
func keysOfContent(r *row, date string, knownBy []string) (key, nameless string) {
	cell := func(f field) string {
		if c := r.cells[f]; strings.TrimSpace(c) != "" && slices.Contains(knownBy, f.String()) {
			return c
		}
		return ""
	}
	title, text, url := cell(fieldTitle), cell(fieldText), strings.TrimSpace(cell(fieldSourceURL))
	rating := diagnostic.When(title+text+url == "", strings.TrimSpace(r.cells[fieldRating]))
	author := strings.Join(strings.Fields(cell(fieldAuthor)), " ")
	return keyOf("content", date, author, title, text, url, rating), keyOf("content", date, title, text, url, rating)
}

// keyOf returns a key, which identifies a review of one source in the next export. It is a SHA-256 in hex, so that the
// memory of the import contains neither the ids of a platform nor the words of a customer. The first part distinguishes
// the kinds of keys. Parts are hashed with their lengths, so that different lists of parts have different keys.
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

// shortKey is how many hex digits of a key are in an id: among a million reviews two share them once in 500 imports.
const shortKey = 12

// newID returns the id of a review: the export's own if it is valid and not taken, or else a hash. Without an id in the
// export it is one of what is published: a guess of the author's whole name must not be confirmed by it. A number makes
// it unique. The ids of an export may differ by case only, ours may not, so it is normal that an id is taken.
func newID(source string, v *review, taken func(id string) bool) string {
	id := source + "-" + v.external
	if v.external != "" && reviewcast.ValidID(id) && !taken(id) {
		return id
	}
	hash := source + "-" + cmp.Or(v.nameless, v.key)[:shortKey]
	id = hash
	for n := 2; taken(id); n++ {
		id = fmt.Sprintf("%s-%d", hash, n)
	}
	return id
}

// anonymous is the author of a review without a name.
const anonymous, quotedAnonymous = "Anonymous", `"Anonymous"`

// publishedAuthor turns an export's author into the name that is published.
//
// With initials that is the first word and the initial of the last, "Maria K.", however many words are in between; a
// single word stays as it is, and so do the case of the first and a name that ends with an initial, "John Joe K.". A name written surname first with a comma is
// reordered; of a couple, "Bob & Carol Smith", both first names or titles stay. In full it is the name as given, with single spaces. In both cases a word with an @ is an e-mail address
// and is left out, and a name that then has no letter (nothing, a telephone number, an emoji) or begins with
// "Anonymous" is Anonymous.
func publishedAuthor(name string, full bool) string {
	name = strings.TrimSpace(name)
	if bare := untitled(name); !full && !forms("titled").MatchString(bare) { // or it is a surname
		name = untitled(diagnostic.SurnameLast(bare))
	}
	kept := slices.DeleteFunc(strings.Fields(name), func(w string) bool { return strings.Contains(w, "@") })
	name = strings.Join(kept, " ")
	if !strings.ContainsFunc(name, unicode.IsLetter) || strings.EqualFold(strings.Trim(kept[0], "()[]<>"), anonymous) ||
		diagnostic.Nobody(name) {
		return anonymous
	}
	if full || len(kept) == 1 || forms("initialLast").MatchString(name) {
		return name
	}
	first := kept[0]
	if m := forms("couple").FindStringSubmatch(name); m != nil {
		first = m[1]
	}
	for _, word := range slices.Backward(kept[1:]) {
		if m := forms("initialForm").FindStringSubmatch(word); m != nil {
			return first + " " + strings.ToTitle(m[1]) + m[2] + "."
		}
	}
	return kept[0] // "Maria !!!"
}

// untitled returns a name of several words, that of one person, without the titles before it.
func untitled(name string) string {
	name = strings.TrimSpace(name)
	bare := len(strings.Fields(name)) < 3 || forms("couple").MatchString(name)
	return diagnostic.Pick(bare, name, forms("titles").ReplaceAllString(name, "$1"))
}
