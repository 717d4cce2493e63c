package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// format is how a file's reviews are written.
type format uint8

const (
	formatYAML format = iota + 1
	formatJSONL
	formatCSV
)

// formatOf tells a file's format by its extension; 0 for none that holds reviews.
func formatOf(name string) format {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml":
		return formatYAML
	case ".jsonl":
		return formatJSONL
	case ".csv":
		return formatCSV
	}
	return 0
}

// IsYAML reports whether a file of reviews is YAML, by its name.
func IsYAML(name string) bool { return formatOf(name) == formatYAML }

// part is what was read from a file or from a piece of one.
type part struct {
	diagnostic.List
	drafts []draft
	// nameless are reviews without a usable id, kept for what else is wrong with them.
	nameless []draft
	// incomplete tells that there may be reviews that weren't understood.
	incomplete bool
	marks      []lineMark // of JSONL
	unmarked   bool       // there are too many lines to mark them
}

// csvColumns are the columns of a CSV file.
var csvColumns = func() syntax.Columns {
	var c syntax.Columns
	for i, name := range reviewSchema.names {
		switch i {
		case reviewReply:
			c.Names = append(c.Names, replySchema.qualified()...)
		case reviewVerification:
			c.Names = append(c.Names, verificationSchema.qualified()...)
		default:
			c.Names = append(c.Names, name)
		}
	}
	for _, f := range requiredFields {
		c.Required = append(c.Required, reviewSchema.names[f])
	}
	c.DidYouMean = func(name string) string {
		if meant, ok := reviewSchema.also[diagnostic.Squash(name)]; ok && slices.Contains(c.Names, meant) {
			return meant
		}
		return diagnostic.Nearest(name, c.Names)
	}
	return c
}()

func newPart(name string) *part { return &part{List: diagnostic.List{File: name}} }

// take decodes one review and keeps it.
func (p *part) take(d *decoder, n *syntax.Node) {
	w, ok := d.review(n)
	if !ok {
		p.incomplete = true
		if w.At.Line > 0 {
			p.nameless = append(p.nameless, w)
		}
		return
	}
	p.drafts = append(p.drafts, w)
}

// fail notes that nothing more can be read.
func (p *part) fail(problem diagnostic.Problem) {
	p.Put(problem)
	p.incomplete = true
}

// parseYAML reads a file of reviews: a list or one review in each document.
func (p *part) parseYAML(data []byte) {
	d := newDecoder(&p.List, nil)
	complete := syntax.ReadYAMLItems(data, isField, &p.List, func(n *syntax.Node) {
		switch n.Kind {
		case syntax.Null: // an empty file or document
		case syntax.List:
			for i := range n.Items {
				p.take(d, &n.Items[i])
			}
		default:
			p.take(d, n)
		}
	})
	if !complete {
		p.incomplete = true
	}
}

// parseCSV reads a file of reviews, one a row.
func (p *part) parseCSV(data []byte) {
	c := syntax.NewCSVReader(&p.List, csvColumns)
	d := newDecoder(&p.List, c.Locate)
	d.absent = c.Absent
	if !c.Read(data, func(n *syntax.Node) { p.take(d, n) }) {
		p.incomplete = true
	}
}

// parseJSONL reads whole lines of a file, one review each.
func (p *part) parseJSONL(ctx context.Context, data []byte, line int) error {
	j := syntax.NewJSONReader(&p.List)
	d := newDecoder(&p.List, j.Locate)
	d.strict = true
	// A review can't be told in less than 50 bytes; blank lines can.
	lines, reviews := bytes.Count(data, []byte{'\n'})+1, len(data)/50+1
	p.drafts = make([]draft, 0, min(lines, reviews))
	if p.unmarked = lines > reviews; !p.unmarked {
		p.marks = make([]lineMark, 0, lines)
	}
	for ; len(data) > 0; line++ {
		if line%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var row []byte
		before := len(data)
		row, data, _ = bytes.Cut(data, []byte{'\n'})
		if !p.unmarked {
			p.marks = append(p.marks, markOf(row, before-len(data)))
		}
		row = bytes.TrimSuffix(row, []byte{'\r'})
		switch {
		case len(row) > syntax.MaxLine:
			p.tooLong(line)
			continue
		case len(bytes.TrimLeft(row, " \t")) == 0:
			continue
		}
		n, ok := j.Read(row, line)
		if !ok {
			p.incomplete = true
			continue
		}
		p.take(d, n)
	}
	return nil
}

func (p *part) tooLong(line int) {
	p.Add(diagnostic.Error, line, 1, "too-long", fmt.Sprintf("the line is longer than %d bytes", syntax.MaxLine), "write one review a line")
	p.incomplete = true
}

// block is how much of a JSONL file one worker gets at a time, in bytes: enough
// to make handing over cheap, little enough for both cores to end together.
const block = 1 << 20

// cutJSONL reads a file in blocks of whole lines and hands each on, with the
// number of its first line. The blocks' slices belong to the receiver. skipped is
// told of lines that are too long to be held.
func cutJSONL(r io.Reader, hand func(data []byte, line int) error, skipped func(line int)) error {
	line, skipping := 1, false
	var carry []byte
	for {
		buf := make([]byte, len(carry)+block)
		copy(buf, carry)
		n, err := io.ReadFull(r, buf[len(carry):])
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		data := buf[:len(carry)+n]
		if skipping {
			i := bytes.IndexByte(data, '\n')
			if i < 0 {
				if last {
					return nil
				}
				carry = nil
				continue
			}
			data = data[i+1:]
			line++
			skipping = false
		}
		cut := len(data)
		if !last {
			cut = bytes.LastIndexByte(data, '\n') + 1
		}
		if cut > 0 {
			if err := hand(data[:cut:cut], line); err != nil {
				return err
			}
			line += bytes.Count(data[:cut], []byte{'\n'})
		}
		if last {
			return nil
		}
		carry = data[cut:]
		if len(carry) > syntax.MaxLine+1 { // + 1: it may end in a carriage return
			skipped(line)
			carry, skipping = nil, true
		}
	}
}
