package syntax

import (
	"bytes"
	"fmt"

	"reviewcast/generator/diagnostic"
)

// MaxRecords is how many lines or rows of one file are read: a folder holds no more records than that.
const MaxRecords = 1_000_000

// ReadLines calls each with every line that is not blank, without its line end, and with what follows; each returns
// how many lines it has read, or 0 to stop. complete is false if some lines were not read, which is reported: the file
// is not text, a line is longer than [MaxLine], there are more than [MaxRecords].
func ReadLines(data []byte, p *diagnostic.List, each func(line int, text, rest []byte) (read int)) (complete bool) {
	data, complete = checkStart(data, p)
	line, next := 0, 1
	for text := range bytes.Lines(data) {
		data = data[len(text):]
		if line++; line > MaxRecords {
			p.Add(diagnostic.Error, line, 1, "too-many-reviews", fmt.Sprintf("the file has more than %d lines", MaxRecords), "a folder can hold no more reviews than that")
			return false
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\r'})
		switch {
		case len(text) > MaxLine:
			p.Add(diagnostic.Error, line, 1, "too-long", fmt.Sprintf("the line is longer than %d bytes", MaxLine), "write one review per line")
			complete = false
		case line >= next && len(bytes.TrimLeft(text, " \t")) > 0:
			if next = line + each(line, text, data); next == line {
				return false
			}
		}
	}
	return complete
}
