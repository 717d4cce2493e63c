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
	barWidth = 40 // columns, at most
)

// bar shows how much of a long file has been read, when a terminal watches.
type bar struct {
	w     io.Writer // nil: nobody watches
	total int64
	last  time.Time
}

func newBar(w io.Writer, f *os.File) *bar {
	info, err := f.Stat()
	if err != nil || info.Size() < barFile || !isTerminal(w) || dumb() {
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
	fmt.Fprint(b.w, "\r"+drawBar(done, b.total, columns(b.w)))
}

// drawBar leaves the last column free: a terminal whose line is full goes on in the
// next one, and the next bar would stand below.
func drawBar(done, total int64, columns int) string {
	done = min(done, total)
	figures := fmt.Sprintf(" %3d %% of %d MiB", done*100/max(total, 1), total>>20)
	width := int64(max(0, min(barWidth, columns-len("[]")-len(figures)-1)))
	full := int(done * width / max(total, 1))
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", int(width)-full) + "]" + figures
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.w != nil {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
