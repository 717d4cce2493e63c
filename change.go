package reviewcast

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits on the changes that a set publishes: shares of what a client would download instead, with floors for
// small sites, where a document of a kilobyte is much.
const (
	MaxChanges = 64 // how many change documents a set holds at most

	minChanges = 256 << 10
	minOps     = 16 << 10
)

// MaxChangesSize is how many bytes all documents and patches may have. The newest ones are kept in any case.
func MaxChangesSize(reviews int) int { return max(reviews/4, minChanges) }

// MaxOpsSize is how many bytes of JSON the operations on a file may have whose new size is size.
func MaxOpsSize(size int) int { return max(size/8, minOps) }

// Change is /changes/{sequence}.json: what one version changed compared with the version before. Its bytes'
// hash identifies the version.
type Change struct {
	Version  int   `json:"version" jsonschema:"version of this format, always 1"`
	Sequence int64 `json:"sequence"`
	// Previous and PreviousSHA256 are the version before and the hash of its document. Both are nil in the
	// first version, the hash also when there was no document.
	Previous        *int64          `json:"previous"`
	PreviousSHA256  *string         `json:"previous_sha256"`
	ChangesFrom     int64           `json:"changes_from"`  // the oldest version whose document was published with this one
	SetSHA256       string          `json:"set_sha256"`    // [Manifest.SetSHA256]
	LastModified    time.Time       `json:"last_modified"` // the time of the version: the latest of its files
	Reviews         ReviewChanges   `json:"reviews"`
	ReviewCount     int             `json:"review_count"`
	AggregateRating AggregateRating `json:"aggregate_rating"`
	// IDsSHA256 is [IDsSHA256] of the reviews after the change, at which a walk back by the lists in Reviews
	// must arrive. Without it a review could be exchanged for one that is listed as changed.
	IDsSHA256 string       `json:"ids_sha256"`
	Files     []FileChange `json:"files"` // the datasets whose bytes changed, sorted by path
}

// ReviewChanges lists reviews by id, sorted. A review whose id changed counts as withdrawn and added.
type ReviewChanges struct {
	Added     []string          `json:"added"`
	Changed   []string          `json:"changed"`
	Withdrawn []WithdrawnReview `json:"withdrawn"`
}

// WithdrawnReview is a review that is no longer published.
type WithdrawnReview struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // ReasonWithdrawn or ReasonLegal
}

// Reasons of a withdrawal.
const (
	ReasonWithdrawn = "withdrawn"
	ReasonLegal     = "legal"
)

// FileChange is how one dataset changed. Without Ops and Patch it is fetched whole.
type FileChange struct {
	Path string `json:"path"`
	From string `json:"from"` // sha256 of the bytes before
	To   string `json:"to"`   // sha256 of the bytes after
	Size int64  `json:"size"` // of the bytes after
	Ops  []Op   `json:"ops,omitempty"`
	// Patch is the path of a [Patch] document that holds the operations. Mirrors publish
	// it again, and ask for it by PatchSHA256, the hash of its bytes.
	Patch       string `json:"patch,omitempty"`
	PatchSHA256 string `json:"patch_sha256,omitempty"`
}

// Patch is /changes/{sequence}/insights.json: the operations on a file. It is separate because many clients don't read
// insights.json.
type Patch struct {
	Path string `json:"path"`
	From string `json:"from"`
	To   string `json:"to"`
	Ops  []Op   `json:"ops"`
}

// Op copies the lines Start (counted from 0) up to, not including, End of the old file, in JSON [start, end];
// or, when End is 0, it is one new line without its newline, in JSON a string.
type Op struct {
	Start, End int
	Line       string
}

// MarshalJSON writes [start, end] or a string.
func (o Op) MarshalJSON() ([]byte, error) {
	if o.End > 0 {
		return fmt.Appendf(nil, "[%d,%d]", o.Start, o.End), nil
	}
	return EncodeJSON(o.Line)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Op) UnmarshalJSON(data []byte) error {
	*o = Op{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &o.Line)
	}
	var lines []int
	if err := json.Unmarshal(data, &lines); err != nil || len(lines) != 2 || lines[0] < 0 || lines[1] <= lines[0] {
		return fmt.Errorf("operation %s: want a line, or [start, end] with 0 <= start < end", EchoJSON(data))
	}
	o.Start, o.End = lines[0], lines[1]
	return nil
}

// ReviewLine returns the id and the review on a line of /reviews.json; the head and the end have none.
func ReviewLine(line string) (id, review string, ok bool) {
	rest, ok := strings.CutPrefix(line, `{"id":"`)
	id, _, closed := strings.Cut(rest, `"`)
	return id, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), ","), ok && closed
}

// ReviewLines iterates over the ids and the reviews on the lines of a /reviews.json.
func ReviewLines(dataset []byte) iter.Seq2[string, string] {
	return func(yield func(id, review string) bool) {
		for line := range bytes.Lines(dataset) {
			if id, review, ok := ReviewLine(string(line)); ok && !yield(id, review) {
				return
			}
		}
	}
}

// Diff returns the operations that make the lines of next out of those of old. Both end in a newline. A line
// that only moved is copied.
func Diff(old, next []byte) []Op {
	lines := strings.SplitAfter(string(old), "\n")
	lines = lines[:len(lines)-1] // what follows the last newline is no line
	at := make(map[string]int, len(lines))
	for i, line := range slices.Backward(lines) {
		at[line] = i
	}
	var ops []Op
	for line := range strings.Lines(string(next)) {
		last := len(ops) - 1
		if last >= 0 && ops[last].End > 0 && ops[last].End < len(lines) && lines[ops[last].End] == line {
			ops[last].End++
		} else if i, known := at[line]; known {
			ops = append(ops, Op{Start: i, End: i + 1})
		} else {
			ops = append(ops, Op{Line: strings.TrimSuffix(line, "\n")})
		}
	}
	return ops
}

// Apply makes the file that c describes out of the bytes before and operations: c.Ops or its patch's. It is an
// error unless the hash is c.To. It never makes more than c.Size bytes.
func (c *FileChange) Apply(old []byte, ops []Op) ([]byte, error) {
	fail := func(format string, args ...any) ([]byte, error) {
		return nil, fmt.Errorf("apply change of %s: the operations do not fit the file: %s", c.Path, fmt.Sprintf(format, args...))
	}
	if SHA256(old) != c.From {
		return fail("it was made for other bytes")
	}
	lines := bytes.SplitAfter(old, []byte("\n")) // the last one is what follows the last newline
	out := make([]byte, 0, min(c.Size, int64(len(old))+1<<20))
	for _, op := range ops {
		switch {
		case op.End == 0:
			out = append(append(out, op.Line...), '\n')
		case op.Start < 0 || op.Start >= op.End || op.End >= len(lines):
			return fail("lines %d to %d of %d", op.Start, op.End, len(lines)-1)
		default:
			for _, line := range lines[op.Start:op.End] {
				out = append(out, line...)
			}
		}
		if int64(len(out)) > c.Size {
			return fail("the result is larger than %d bytes", c.Size)
		}
	}
	if SHA256(out) != c.To {
		return fail("the result has another hash")
	}
	return out, nil
}

// SHA256 is the hash of a published body as documents give it: in hex.
func SHA256(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// IDsSHA256 is the sha256, in hex, of the ids in byte order, each followed by a newline.
func IDsSHA256(ids []string) string {
	return SHA256([]byte(strings.Join(append(slices.Sorted(slices.Values(ids)), ""), "\n")))
}

// EncodeJSON encodes a document as it is published: compact, with a newline at the end and without escapes for HTML.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// Withdrawals is /withdrawn.json: every review that was withdrawn, sorted by id.
type Withdrawals struct {
	Version   int          `json:"version"`
	Withdrawn []Withdrawal `json:"withdrawn"`
}

// Withdrawal is one review that is no longer published.
type Withdrawal struct {
	ID     string  `json:"id"`
	Reason string  `json:"reason"`
	Date   Date    `json:"date"`  // of the withdrawal
	Month  *string `json:"month"` // of the review, YYYY-MM; nil when it isn't known
}

// VersionLine is one line of /changes/versions.txt, a version once published. Lines are only appended, so that
// a noted prefix can be checked at any later time.
type VersionLine struct {
	Sequence int64
	SHA256   string // of its change document
}

// String is the line, with its newline.
func (v VersionLine) String() string { return fmt.Sprintf("%d %s\n", v.Sequence, v.SHA256) }

// ParseVersions reads /changes/versions.txt. The error names the line.
func ParseVersions(data []byte) ([]VersionLine, error) {
	var versions []VersionLine
	last := int64(-1)
	for line := range strings.Lines(string(data)) {
		sequence, hash, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseInt(sequence, 10, 64)
		v := VersionLine{n, hash}
		if err != nil || v.String() != line || n <= last || !IsSHA256(hash) {
			return nil, fmt.Errorf("not a list of versions: line %d: want a sequence above the one before, a space and a sha256 in hex", len(versions)+1)
		}
		versions, last = append(versions, v), n
	}
	return versions, nil
}

// IsSHA256 reports whether s is a hash as documents give it.
func IsSHA256(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// Relation is how another list of versions relates to one's own.
type Relation int

// The relations.
const (
	Same   Relation = iota // the same versions
	Newer                  // mine is a prefix of theirs
	Older                  // theirs is a prefix of mine: a cache that is behind, or a rollback
	Forked                 // neither
)

// Paths below which changes are published.
const (
	PathChanges      = "/changes/"
	PathLatestChange = PathChanges + "latest.json"
	PathVersions     = PathChanges + "versions.txt"
	PathWithdrawn    = "/withdrawn.json"
	MediaVersions    = "text/plain; charset=utf-8"
)

// ChangePath is the path of a version's change document.
func ChangePath(sequence int64) string { return fmt.Sprintf("%s%d.json", PathChanges, sequence) }

// InsightsPatchPath is the path of a version's patch of /insights.json.
func InsightsPatchPath(sequence int64) string {
	return fmt.Sprintf("%s%d%s", PathChanges, sequence, PathInsights)
}

// Delta is what changed between two sets of published reviews, in lists of sorted ids.
type Delta struct {
	Added   []string // only the later set has them
	Changed []string // of both sets, and different in a published field
	Removed []string // only the earlier set has them
	// Fields are the published names of the fields that differ, by the ids of Changed, in the order of [Review].
	Fields map[string][]string
}

// Empty reports whether nothing changed.
func (d *Delta) Empty() bool { return len(d.Added)+len(d.Changed)+len(d.Removed) == 0 }

// Difference compares reviews by id, in any order. Unchanged ones may be left out of both.
func Difference(before, after []*Review) *Delta {
	d := &Delta{Fields: map[string][]string{}}
	old := make(map[string]*Review, len(before))
	for _, r := range before {
		old[r.ID] = r
	}
	for _, r := range after {
		was, known := old[r.ID]
		delete(old, r.ID)
		if !known {
			d.Added = append(d.Added, r.ID)
		} else if was == r {
			continue
		} else if fields := ChangedFields(was, r); len(fields) > 0 {
			d.Changed = append(d.Changed, r.ID)
			d.Fields[r.ID] = fields
		}
	}
	slices.Sort(d.Added)
	slices.Sort(d.Changed)
	d.Removed = slices.Sorted(maps.Keys(old))
	return d
}

// ChangedFields returns the published names of the fields in which two reviews differ.
func ChangedFields(a, b *Review) []string {
	var fields []string
	vb := reflect.ValueOf(*b)
	for field, value := range reflect.ValueOf(*a).Fields() {
		if !reflect.DeepEqual(value.Interface(), vb.FieldByIndex(field.Index).Interface()) {
			fields = append(fields, field.Tag.Get("json"))
		}
	}
	return fields
}
