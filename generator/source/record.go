package source

import (
	"context"
	"fmt"
	"hash/maphash"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// record is one review as its file gives it, before it meets the rest of the folder:
// its language may be missing and the ids of its job unknown. It is never changed.
//
// Its places are relative to its first line, which is line 1: a record that moves to
// another line is the same record. Its file knows where it is.
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
	at    place
}

// placed is a record with its first line in its file; 0 for none.
type placed struct {
	*record
	line int
}

// seed makes the hashes of one process comparable.
var seed = maphash.MakeSeed()

// parser makes the records of one file after another, or of parts of them. It takes
// the records of the last state of the file where their keys are the same.
type parser struct {
	yaml    syntax.YAMLReader
	decoder *decoder

	ctx      context.Context
	file     string
	salt     uint64 // of the keys: what else the records depend on
	old      earlier
	list     diagnostic.List // of the record that is being decoded
	listed   int             // problems of earlier records
	records  []placed
	problems *diagnostic.List // of the file
}

func newParser() *parser {
	p := &parser{yaml: syntax.YAMLReader{Fields: fieldNames}}
	p.decoder = newDecoder(&p.list)
	return p
}

// begin begins a file. old are the records of its last state.
func (p *parser) begin(ctx context.Context, file string, old []placed, problems *diagnostic.List) {
	p.ctx = ctx
	p.file, p.salt, p.listed, p.records, p.problems = file, 0, 0, nil, problems
	p.list = diagnostic.List{File: file}
	p.decoder.locate, p.decoder.strict, p.decoder.absent = nil, false, nil
	p.old = newEarlier(old)
}

// parseYAML reads a file of reviews: a list or one review in each document.
func (p *parser) parseYAML(data []byte) (complete bool) {
	return p.yaml.ReadItems(data, p.problems, func(n *syntax.Node) {
		switch n.Kind {
		case syntax.Null: // an empty file or document
		case syntax.List:
			for i := range n.Items {
				p.add(&n.Items[i])
			}
		default:
			p.add(n)
		}
	})
}

// parseCSV reads a file of reviews, one a row.
func (p *parser) parseCSV(data []byte) (complete bool) {
	c := syntax.NewCSVReader(p.problems, csvColumns)
	p.decoder.locate, p.decoder.absent = c.Locate, c.Absent
	return c.Read(data, func(n *syntax.Node) {
		if p.salt == 0 { // the header has been read; its problems stand for those of the rows
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
	r := p.old.take(key)
	if r == nil {
		r = p.decode(key, n)
	}
	p.records = append(p.records, placed{r, line})
}

// manyWrong is how many wrong cells of a CSV row are reported as one mistake.
const manyWrong = 4

// decode makes the record of a node; nil stands for one that the reader has refused.
func (p *parser) decode(key uint64, n *syntax.Node) *record {
	r := &record{key: key, file: p.file}
	if n != nil {
		p.decoder.review(n, r)
	}
	if n := p.list.Len(); n >= manyWrong && p.decoder.absent != nil { // probably one mistake
		first := p.list.All()[0]
		p.list = diagnostic.List{File: p.file, Max: p.list.Max}
		p.list.Add(first.Severity, first.Line, first.Col, "cell-count", fmt.Sprintf("%d cells of this row are wrong; the first: %s", n, first.Message),
			"check that the cells are in the order of the header; "+first.Suggestion)
	}
	if p.list.Len() > 0 {
		problems := p.list
		r.problems = &problems
		// The file lists no more than the first problems.
		p.listed += problems.Len()
		p.list = diagnostic.List{File: p.file, Max: diagnostic.MaxListed - p.listed}
		if p.listed >= diagnostic.MaxListed {
			p.list.Max = -1
		}
	}
	return r
}

// csvColumns are the columns of a CSV file.
var csvColumns = func() syntax.Columns {
	var c syntax.Columns
	for _, name := range reviewSchema.names {
		if g := reviewSchema.group(name); g != nil {
			c.Names = append(c.Names, g.qualified()...)
		} else {
			c.Names = append(c.Names, name)
		}
	}
	c.Required = requiredFields
	c.DidYouMean = func(name string) string {
		meant := strings.TrimSpace(name)
		if also := reviewSchema.also[diagnostic.Squash(name)]; also != "" {
			meant = also
		}
		if g := reviewSchema.group(meant); g != nil {
			meant = g.prefix + g.names[0]
		}
		return diagnostic.Nearest(meant, c.Names)
	}
	return c
}()
