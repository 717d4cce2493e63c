package source

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxProblems is how many problems of one file are reported one by one; the
// rest are counted in one more problem. It stops an export of a million broken
// lines from filling the memory and the editor's screen.
const maxProblems = 1000

// maxEcho is how many code points of a bad value a problem repeats: enough to
// recognise it, too little to drown what is wrong with it.
const maxEcho = 40

// String gives the problem as compilers do, "file:line:col: what; what would be
// right". Line and column are left out when the file as a whole is meant.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Col > 0 {
			fmt.Fprintf(&b, ":%d", p.Col)
		}
	}
	b.WriteString(": ")
	b.WriteString(p.Message)
	if p.Suggestion != "" {
		b.WriteString("; ")
		b.WriteString(p.Suggestion)
	}
	return b.String()
}

// HasErrors tells whether any of the problems stops a build.
func HasErrors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error })
}

// problems collects what is wrong with one file: the first maxProblems in full,
// the rest as a number.
type problems struct {
	file    string
	list    []Problem
	dropped int
	worst   Severity // of the dropped ones
}

// add notes one problem. The message and the suggestion are ready for people.
func (p *problems) add(sev Severity, line, col int, code, message, suggestion string) {
	p.put(Problem{Severity: sev, File: p.file, Line: line, Col: col, Code: code, Message: message, Suggestion: suggestion})
}

func (p *problems) put(q Problem) {
	if p.full() {
		p.drop(1, q.Severity)
		return
	}
	p.list = append(p.list, q)
}

// full tells that a further problem will only be counted.
func (p *problems) full() bool { return len(p.list) >= maxProblems }

func (p *problems) drop(n int, sev Severity) {
	if n == 0 {
		return
	}
	p.dropped += n
	if p.worst != Error {
		p.worst = sev
	}
}

// join appends the problems of a later part of the same file. Since every part
// keeps its first maxProblems, the outcome doesn't depend on where the file was
// cut.
func (p *problems) join(q *problems) {
	for _, problem := range q.list {
		p.put(problem)
	}
	p.drop(q.dropped, q.worst)
}

// all gives the problems, the last one standing for those that were dropped.
func (p *problems) all() []Problem {
	if p.dropped == 0 {
		return p.list
	}
	return append(slices.Clip(p.list), Problem{Severity: p.worst, File: p.file, Code: "too-many-problems",
		Message:    fmt.Sprintf("%d more problems in this file are not listed", p.dropped),
		Suggestion: "correct those that are, then look again"})
}

// SortProblems brings problems into the order in which an editor goes through
// them. Equal ones keep the order in which they were found.
func SortProblems(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Code, b.Code))
	})
}

// echo quotes what an editor wrote, shortened to maxEcho.
func echo(s string) string {
	n := 0
	for i := range s {
		if n == maxEcho {
			return strconv.Quote(s[:i]) + " …"
		}
		n++
	}
	return strconv.Quote(s)
}

// oneOf writes a list for people: `a, b or c`.
func oneOf(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
