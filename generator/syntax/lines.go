package syntax

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"reviewcast/generator/diagnostic"
)

// lineBuffer is how much of a file ReadLines reads at a time, in bytes: little enough
// to stay in the processor's cache.
const lineBuffer = 256 << 10

// MaxRecords is how many lines or rows of one file are read: a folder holds no more
// records than that.
const MaxRecords = 1_000_000

// ReadLines calls each with every line of r that is not blank, without its line end. The bytes are
// valid until each returns. complete is false if p was told that some lines were not
// read: the file is not UTF-8 text, a line is longer than [MaxLine], there are more
// than [MaxRecords] lines.
func ReadLines(r io.Reader, p *diagnostic.List, each func(line int, text []byte) error) (complete bool, _ error) {
	in := bufio.NewReaderSize(r, lineBuffer)
	head, _ := in.Peek(startLength) // an error comes back with the first line
	rest, ok := checkStart(head, p)
	if !ok {
		return false, nil
	}
	if _, err := in.Discard(len(head) - len(rest)); err != nil {
		return false, err
	}
	complete = true
	var long []byte // a line that the buffer can't hold
	for line := 1; ; line++ {
		text, err := in.ReadSlice('\n')
		for long = long[:0]; errors.Is(err, bufio.ErrBufferFull); text, err = in.ReadSlice('\n') {
			if len(long) <= MaxLine {
				long = append(long, text...)
			}
		}
		if len(long) > 0 {
			long = append(long, text...)
			text = long
		}
		last := errors.Is(err, io.EOF)
		switch {
		case err != nil && !last:
			return false, err
		case last && len(text) == 0:
			return complete, nil
		case line > MaxRecords:
			p.Add(diagnostic.Error, line, 1, "too-many-reviews", fmt.Sprintf("the file has more than %d lines", MaxRecords), "a folder can hold no more reviews than that")
			return false, nil
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\r'})
		if len(text) > MaxLine {
			p.Add(diagnostic.Error, line, 1, "too-long", fmt.Sprintf("the line is longer than %d bytes", MaxLine), "write one review per line")
			complete = false
		} else if len(bytes.TrimLeft(text, " \t")) > 0 {
			if err := each(line, text); err != nil {
				return false, err
			}
		}
		if last {
			return complete, nil
		}
	}
}
