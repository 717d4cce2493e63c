package syntax

import (
	"bytes"
	"fmt"

	"reviewcast/generator/diagnostic"
)

// MaxRecords is how many lines or rows of one file are read: a folder holds no more
// records than that.
const MaxRecords = 1_000_000

// ReadLines calls each with every line that is not blank, without its line end, until it
// returns false. complete is false if some lines were not read, which is reported: the
// file is not text, a line is longer than [MaxLine], there are more than [MaxRecords].
func ReadLines(data []byte, p *diagnostic.List, each func(line int, text []byte) bool) (complete bool) {
	data, complete = checkStart(data, p)
	line := 0
	for text := range bytes.Lines(data) {
		if line++; line > MaxRecords {
			p.Add(diagnostic.Error, line, 1, "too-many-reviews", fmt.Sprintf("the file has more than %d lines", MaxRecords), "a folder can hold no more reviews than that")
			return false
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\r'})
		switch {
		case len(text) > MaxLine:
			p.Add(diagnostic.Error, line, 1, "too-long", fmt.Sprintf("the line is longer than %d bytes", MaxLine), "write one review per line")
			complete = false
		case len(bytes.TrimLeft(text, " \t")) > 0 && !each(line, text):
			return false
		}
	}
	return complete
}
