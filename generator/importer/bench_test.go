package importer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// manyRows is an export of n reviews of some 600 bytes.
func manyRows(n int) []byte {
	words := strings.Repeat("The technician came on time, and the price was as quoted. ", 9)
	var b bytes.Buffer
	b.WriteString(header)
	for i := range n {
		fmt.Fprintf(&b, "r%d,%d,20%02d-%02d-%02d,Maria Kowalska,Visit %d,\"%s%d\",Thank you!,2026-01-01\n", i, i%5+1, i%26, i%12+1, i%28+1, i, words, i)
	}
	return b.Bytes()
}

func BenchmarkCSV(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		export := manyRows(n)
		for _, again := range []bool{false, true} {
			name := "dry"
			if again {
				name = "again"
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				cfg := shop()
				cfg.ContentDir = b.TempDir()
				load := func() {
					report, err := CSV(b.Context(), bytes.NewReader(export), cfg)
					if err != nil || report.Rows != n || len(report.Skipped) > 0 {
						b.Fatal(err, report)
					}
				}
				if cfg.DryRun = !again; again {
					load()
				}
				b.SetBytes(int64(len(export)))
				b.ReportAllocs()
				for b.Loop() {
					load()
				}
			})
		}
	}
}
