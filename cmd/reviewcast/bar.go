package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Bounds of a progress bar: a file that is read in no time needs none, and a
// terminal can't show more than a few changes a second.
const (
	barFile  = 8 << 20 // bytes
	barEvery = 100 * time.Millisecond
	barWidth = 30
)

// bar shows how much of a long file has been read, when a terminal watches.
type bar struct {
	w     io.Writer // nil: nobody watches
	total int64
	last  time.Time
}

func newBar(w io.Writer, f *os.File) *bar {
	info, err := f.Stat()
	if err != nil || info.Size() < barFile || !isTerminal(w) || os.Getenv("TERM") == "dumb" {
		return &bar{}
	}
	return &bar{w: w, total: info.Size()}
}

// at is told the bytes that were read.
func (b *bar) at(done int64) {
	now := time.Now()
	if b.w == nil || now.Sub(b.last) < barEvery {
		return
	}
	b.last = now
	fmt.Fprint(b.w, "\r"+drawBar(done, b.total))
}

func drawBar(done, total int64) string {
	full := int(min(done, total) * barWidth / max(total, 1))
	return fmt.Sprintf("[%s%s] %3d %% of %d MiB", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), min(done, total)*100/max(total, 1), total>>20)
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.w != nil {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
