//go:build !windows

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestBurst changes a thousand files at once: the last of them is shown, in few
// builds, and nothing is written. dev is stopped meanwhile, so that it sees all of them
// at once on a busy machine, too.
func TestBurst(t *testing.T) {
	t.Parallel()
	content := newContent(t)
	d := startDeskOf(t, binary(t), content)
	d.shows("The first one.")
	d.must(d.process.Signal(syscall.SIGSTOP))
	for i := range 1000 {
		d.write(fmt.Sprintf("reviews/%d/r%d.yaml", i%10, i), oneReview(fmt.Sprintf("r%d", i), "One of many."))
	}
	d.must(d.process.Signal(syscall.SIGCONT))
	d.until("all of a thousand", func(s string) bool { return strings.Count(s, "One of many.") == 1000 })
	if n := strings.Count(d.out.String(), " added "); n > 20 {
		t.Errorf("a thousand files take %d builds:\n%s", n, d.out)
	}
	entries, err := os.ReadDir(filepath.Dir(content))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the content folder there is %v, %v", entries, err)
	}
}
