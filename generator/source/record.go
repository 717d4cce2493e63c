package source

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// record is one review as its file gives it, not yet checked against other files: its language may be missing and the
// ids of its job unknown. It is never changed.
//
// Its places are relative to its first line, which is line 1: a record that moves to another line is the same record.
// Its file knows where it is.
type record struct {
	Review
	key                                    uint64 // hash of the bytes, or of the nodes, that it was read from
	file                                   string
	start, id, date, replyDate, verifiedOn place
	refs                                   []ref            // in the order of the file
	problems                               *diagnostic.List // its own; nil for none
}

// place is a place in a record.
type place struct{ Line, Col int32 }

func placeOf(n *syntax.Node) place { return place{int32(n.Line), int32(n.Col)} }

// ref is an id in a job record.
type ref struct {
	value string
	list  uint8 // an index into refLists
	text  bool  // value is a text where the list belongs
	at    place
}

// seed makes the hashes of one process comparable.
var seed = maphash.MakeSeed()

// parser makes the records of one file. It takes the records of the last state of the file where their keys are the
// same.
type parser struct {
	*decoder // its List collects the problems of the current record
	ctx      context.Context
	salt     uint64             // of the keys: what else the records depend on
	old      map[uint64]*record // by key; without those that were taken, since a record is in one place only
	listed   int                // problems of earlier records
	now      *file              // with the records so far
	problems *diagnostic.List   // of the file
}

// parseYAML reads a file of reviews: a list or one review in each document.
func (p *parser) parseYAML(data []byte) (complete bool) {
	return syntax.ReadYAML(data, fieldNames, true, p.problems, func(n *syntax.Node) {
		switch n.Kind {
		case syntax.Null: // an empty file or document
		case syntax.List:
			for _, n := range joined(n.Items, reviewSchema, p.problems) {
				p.add(&n)
			}
		default:
			p.add(n)
		}
	})
}

// parseCSV reads a file of reviews, one a row.
func (p *parser) parseCSV(data []byte) (complete bool) {
	c := &syntax.CSVReader{List: p.problems, Columns: csvColumns}
	c.Fits = func(n *syntax.Node) bool {
		d := decoder{List: &diagnostic.List{}, absent: c.Absent}
		d.review(n, &record{})
		return d.Len() == 0 || d.Len() == 1 && d.All()[0].Code == "bad-rating" && strings.HasPrefix(d.All()[0].Suggestion, "write ")
	}
	return c.Read(data, func(n *syntax.Node) {
		if p.absent == nil { // the first row: the missing columns are known now, and part of every key
			p.absent = c.Absent
			p.salt = maphash.String(seed, fmt.Sprint(c.Absent))
		}
		p.add(n)
	})
}

// add takes or decodes the record of a node.
func (p *parser) add(n *syntax.Node) {
	line := n.Rebase()
	var h maphash.Hash
	h.SetSeed(seed)
	n.AddTo(&h)
	key := h.Sum64() ^ p.salt
	r := p.old[key]
	delete(p.old, key)
	if r == nil {
		r = p.decode(key, n)
	}
	p.put(r, line)
}

// put puts in a record that begins on a line.
func (p *parser) put(r *record, line int) {
	p.now.records = append(p.now.records, r)
	p.now.lines[r] = line
}

// manyWrong is how many wrong cells of a CSV row are reported as one mistake.
const manyWrong = 4

// decode makes the record of a node; nil stands for one that the reader has refused.
func (p *parser) decode(key uint64, n *syntax.Node) *record {
	r := &record{key: key, file: p.File}
	if n != nil {
		p.review(n, r)
	}
	if all := p.All(); len(all) >= 2 && p.absent != nil && all[0].Code == "missing-field" && all[1].Code == "missing-field" {
		all[1].Message, all[1].Suggestion = strings.Replace(all[1].Message, "the review has", all[0].Message+" and", 1), "delete the row if it is a heading or a total, or fill it in"
		*p.List = diagnostic.List{File: p.File, Max: p.Max}
		p.Put(all[1])
	} else if n := p.Len(); n >= manyWrong && p.absent != nil { // probably one mistake
		first := p.All()[0]
		*p.List = diagnostic.List{File: p.File, Max: p.Max}
		p.Add(first.Severity, first.Line, first.Col, "cell-count", fmt.Sprintf("%d cells of this row are wrong; the first: %s", n, first.Message),
			"check that the cells are in the order of the header; "+first.Suggestion)
	}
	if p.Len() > 0 {
		r.problems = p.List
		// The file lists no more than the first problems.
		p.listed += p.Len()
		p.List = &diagnostic.List{File: p.File, Max: cmp.Or(diagnostic.MaxListed-p.listed, -1)}
	}
	return r
}

// csvColumns are the columns of a CSV file.
var csvColumns = func() syntax.Columns {
	var c syntax.Columns
	for _, name := range reviewSchema.names {
		if g := reviewSchema.group(name); g != nil {
			for _, inner := range g.names {
				c.Names = append(c.Names, g.prefix+inner)
			}
		} else {
			c.Names = append(c.Names, name)
		}
	}
	c.Required = requiredFields
	c.DidYouMean = func(name string) string {
		meant := cmp.Or(reviewSchema.also[diagnostic.Squash(name)], strings.TrimSpace(name))
		if g := reviewSchema.group(meant); g != nil {
			meant = g.prefix + g.names[0]
		}
		return diagnostic.Nearest(meant, c.Names)
	}
	return c
}()
