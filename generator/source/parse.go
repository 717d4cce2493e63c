package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
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

// part is what was read from a file or from a piece of one.
type part struct {
	problems
	drafts []draft
	// nameless are reviews without a usable id, kept for what else is wrong with them.
	nameless []draft
	// incomplete tells that there may be reviews that weren't understood.
	incomplete bool
	marks      []lineMark // of JSONL
	unmarked   bool       // there are too many lines to mark them
}

func newPart(name string) *part { return &part{problems: problems{file: name}} }

// take decodes one review and keeps it.
func (p *part) take(d *decoder, n *node) {
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
func (p *part) fail(problem Problem) {
	p.put(problem)
	p.incomplete = true
}

// parseYAML reads a file of reviews: a list or one review in each document.
func (p *part) parseYAML(data []byte) {
	newYAMLParser().parse(p, data)
}

// yamlParser parses one file after another, in memory that it keeps.
type yamlParser struct {
	decoder *decoder
	root    node
}

func newYAMLParser() *yamlParser { return &yamlParser{decoder: newDecoder(nil, nil)} }

func (y *yamlParser) parse(p *part, data []byte) {
	d := y.decoder
	d.problems = &p.problems
	complete := readReviews(data, &p.problems, &y.root, func(n *node) {
		switch n.kind {
		case null: // an empty file or document
		case list:
			for i := range n.items {
				p.take(d, &n.items[i])
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
	c := newCSVReader(&p.problems)
	d := newDecoder(&p.problems, c.locate)
	d.absent = c.absent
	if !c.read(data, func(n *node) { p.take(d, n) }) {
		p.incomplete = true
	}
}

// parseJSONL reads whole lines of a file, one review each.
func (p *part) parseJSONL(ctx context.Context, data []byte, line int) error {
	j := newJSONLine(&p.problems)
	d := newDecoder(&p.problems, j.locate)
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
		case len(row) > MaxLine:
			p.tooLong(line)
			continue
		case len(bytes.TrimLeft(row, " \t")) == 0:
			continue
		}
		n, ok := j.read(row, line)
		if !ok {
			p.incomplete = true
			continue
		}
		p.take(d, n)
	}
	return nil
}

func (p *part) tooLong(line int) {
	p.add(Error, line, 1, "too-long", fmt.Sprintf("the line is longer than %d bytes", MaxLine), "write one review a line")
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
		if len(carry) > MaxLine+1 { // + 1: it may end in a carriage return
			skipped(line)
			carry, skipping = nil, true
		}
	}
}
