// Package diagnostic describes what is wrong in an editor's files.
//
// A [Problem] names the place (file, line and column), the cause and the remedy, as compilers do. Its code is stable,
// so that programs can rely on it. An [Error] stops a build; a [Warning] does not.
//
// Parsers and decoders report the problems of one file to a [List], which keeps the first 1,000 and counts the others.
// [Sort] brings the problems of several files into the order in which an editor goes through them. [Nearest] and
// [DidYouMean] suggest what a mistyped word was meant to be.
package diagnostic

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/dustin/go-humanize/english"
)

// Position is a place in a file. Line and Col count from 1, Col in Unicode code points; 0 means the file as a whole.
type Position struct {
	File      string // below the content folder, with forward slashes
	Line, Col int
}

// Severity is how serious a problem is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // stops a build
	Warning Severity = "warning" // does not
)

// Problem is one thing wrong in an editor's files: the place, the cause and the remedy.
type Problem struct {
	Severity   Severity `json:"severity"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Col        int      `json:"col"`
	Code       string   `json:"code"`    // kebab-case, stable: "unknown-field"
	Message    string   `json:"message"` // what is wrong
	Suggestion string   `json:"suggestion"`
}

// String formats the problem as compilers do, "file:line:col: message; suggestion". Line and column are left out when
// the problem concerns the whole file.
func (p Problem) String() string {
	place := p.File + When(p.Line > 0, fmt.Sprintf(":%d", p.Line)) + When(p.Line > 0 && p.Col > 0, fmt.Sprintf(":%d", p.Col))
	return place + ": " + p.Message + When(p.Suggestion != "", "; "+p.Suggestion)
}

// Error returns an Error at a position.
func (at Position) Error(code, message, remedy string) Problem {
	return at.problem(Error, code, message, remedy)
}

// Warning returns a Warning at a position.
func (at Position) Warning(code, message, remedy string) Problem {
	return at.problem(Warning, code, message, remedy)
}

// problem returns a problem whose suggestion is in the format of its file: fields in YAML are written in JSON where that is
// JSON Lines.
func (at Position) problem(sev Severity, code, message, suggestion string) Problem {
	if strings.HasSuffix(at.File, ".jsonl") && strings.Contains(suggestion, ": ") {
		for _, row := range Rows(wordsFile, "JSON") {
			suggestion = inJSON(row[0]).ReplaceAllString(suggestion, row[0])
		}
	}
	return Problem{Severity: sev, File: at.File, Line: at.Line, Col: at.Col, Code: code, Message: message, Suggestion: suggestion}
}

// Pick returns yes if the condition holds, no if it doesn't: words of a message that differ in one place.
func Pick[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// When returns words of a message that stand only if a condition holds, and "" if it doesn't.
func When(condition bool, words string) string { return Pick(condition, words, "") }

// HasErrors reports whether any of the problems is an Error.
func HasErrors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error })
}

// Sort sorts problems by file, line, column and code. Equal ones keep their order.
func Sort(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Code, b.Code))
	})
}

// MaxListed is how many problems of one file a List keeps; the others are counted. It stops an export of a million
// broken lines from filling memory and screen.
const MaxListed = 1000

// List collects the problems of one file.
type List struct {
	File string // of every problem that Add adds
	// Max is how many problems are listed; 0 means MaxListed, less than 0 none.
	Max     int
	listed  []Problem
	dropped int
	worst   Severity // of the dropped ones
}

// Add adds a problem in the list's file.
func (l *List) Add(sev Severity, line, col int, code, message, suggestion string) {
	l.Put(Position{l.File, line, col}.problem(sev, code, message, suggestion))
}

// Put adds a problem.
func (l *List) Put(p Problem) {
	if l.Full() {
		l.Drop(1, p.Severity)
		return
	}
	l.listed = append(l.listed, p)
}

// Full reports whether a further problem will only be counted. A caller may then skip the work of writing its message
// and call [List.Drop].
func (l *List) Full() bool { return len(l.listed) >= cmp.Or(l.Max, MaxListed) }

// Drop counts n problems that are not listed.
func (l *List) Drop(n int, sev Severity) {
	l.dropped += n
	if n > 0 && l.worst != Error {
		l.worst = sev
	}
}

// Join appends the problems of a part of the same file that begins at a line: line 1 of the part is that line. Since
// every part lists its first problems, the result doesn't depend on where the file was cut.
func (l *List) Join(part *List, line int) {
	for _, p := range part.listed {
		if p.Line > 0 {
			p.Line += line - 1
		}
		l.Put(p)
	}
	l.Drop(part.dropped, part.worst)
}

// Len returns the number of problems, those that were only counted included.
func (l *List) Len() int { return len(l.listed) + l.dropped }

// Complete reports whether all problems are listed.
func (l *List) Complete() bool { return l.dropped == 0 }

// All returns the problems; the last one stands for those that were only counted.
func (l *List) All() []Problem {
	if l.dropped == 0 {
		return l.listed
	}
	return append(slices.Clip(l.listed), Problem{Severity: l.worst, File: l.File, Code: "too-many-problems",
		Message:    fmt.Sprintf("%d more problems in this file are not listed", l.dropped),
		Suggestion: "fix the listed ones and check again"})
}

// maxQuoted is how many code points of a bad value a message repeats: enough to recognise the value, not so much that
// it hides the rest of the message.
const maxQuoted = 40

// MaxPasted is how many bytes a line has at most that a remedy repeats, to be pasted.
const MaxPasted = 160

// Quote quotes a value for a message and shortens it to 40 code points.
func Quote(s string) string {
	if utf8.RuneCountInString(s) > maxQuoted {
		return fmt.Sprintf("%.*q …", maxQuoted, s)
	}
	return strconv.Quote(s)
}

// Plural writes a number of things: "1 review", "2 reviews".
func Plural(n int, noun string) string {
	return fmt.Sprintf("%d %s", n, noun+When(n != 1, "s"))
}

// Join writes a list with a word before the last item: "a, b and c", "a, b or c".
func Join(list []string, word string) string { return english.WordSeries(list, word) }

// maxEdits is the edit distance above which a word is another one, not a misspelt one.
const maxEdits = 3

// Nearest returns the candidate that a word was probably meant to be: one that is equal but for case, spaces, hyphens,
// underscores and dots, or else the one at the smallest edit distance, if that is small for the word's length. The
// first of equally near ones wins. It returns "" if none is near.
func Nearest(word string, candidates []string) string {
	// A longer word is no typing mistake, and the distance takes quadratic time.
	if len(word) > 100 {
		return ""
	}
	word = Squash(Unaccented(word)) // "bügel" is two letters less than "buegel"
	limit := min(maxEdits, 1+len([]rune(word))/4)
	best := ""
	for _, c := range candidates {
		if len(c) > 4*len(word)+40 {
			continue
		}
		squashed := Squash(Unaccented(c))
		if squashed == word {
			return c
		}
		if len(squashed) > 2*len(word)+4 {
			continue
		}
		d := levenshtein.ComputeDistance(word, squashed)
		if d < limit || d == limit && best == "" && d < len(word) {
			best, limit = c, d
		}
	}
	return best
}

// minAlikeID is how many characters of an id are no date or year alone.
const minAlikeID = len("2026-01-01-")

// NearestID returns the nearest of some ids or, if none is near, the only one with the same words but one: a name, and others,
// since a date alone says little.
func NearestID(id string, ids []string) string {
	words := strings.Split(strings.ToLower(id), "-")
	alike := slices.DeleteFunc(slices.Clone(ids), func(other string) bool {
		same := slices.DeleteFunc(strings.Split(strings.ToLower(other), "-"), func(word string) bool { return !slices.Contains(words, word) })
		named := slices.ContainsFunc(same, func(word string) bool { return !strings.ContainsAny(word, "0123456789") })
		return !named || len(same) < max(2, len(words)-1) || strings.Count(other, "-") != len(words)-1
	})
	longer := slices.DeleteFunc(slices.Clone(ids), func(other string) bool {
		short, long := min(id, other), max(id, other) // of which one begins with the other
		rest, begins := strings.CutPrefix(long, short)
		return !strings.HasSuffix(other, "-"+id) && (!begins || len(short) < minAlikeID || strings.Trim(rest[:min(1, len(rest))], "-0123456789") == "")
	})
	return cmp.Or(Nearest(id, ids), When(len(longer) == 1, strings.Join(longer, "")), When(len(alike) == 1, strings.Join(alike, "")))
}

var squashed = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// Squash lowers a word and drops spaces, hyphens, underscores and dots.
func Squash(s string) string { return squashed.Replace(strings.ToLower(s)) }

// DidYouMean returns the suggestion for a mistyped word, or other if no candidate is near.
func DidYouMean(word string, candidates []string, other string) string {
	near := Nearest(word, candidates)
	return Pick(near != "", `did you mean "`+near+`"?`, other)
}
