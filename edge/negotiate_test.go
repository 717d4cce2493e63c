package edge

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestNegotiate(t *testing.T) {
	all := []string{"br", "zstd", "gzip"}
	for _, tt := range []struct {
		accept string
		offers []string
		want   string // "" for none
	}{
		{"gzip", all, "gzip"},
		{"gzip, br, zstd", all, "br"},
		{"zstd;q=0.9, br;q=0.8", all, "zstd"},
		{"x-gzip", all, "gzip"},
		{"GZip ; q=1.000", all, "gzip"},
		{"", all, "identity"},
		{"identity", all, "identity"},
		{"identity;q=0.5, gzip;q=0.4", all, "identity"},
		{"identity;q=0.5, gzip;q=0.5", all, "gzip"},
		{"gzip;q=0", all, "identity"},
		{"*", all, "br"},
		{"*", nil, "identity"},
		{"*;q=0", all, ""},
		{"*;q=0, identity", all, "identity"},
		{"*;q=0, gzip", all, "gzip"},
		{"identity;q=0", all, ""},
		{"identity;q=0, *;q=0.001", all, "br"},
		{"identity;q=0.000, gzip", []string{"br"}, ""},
		{"deflate, compress", all, "identity"},
		{"gzip;q=1.001", all, "identity"},
		{"gzip;q=2", all, "identity"},
		{"gzip;q=0.0001", all, "identity"},
		{"gzip;q=", all, "identity"},
		{"gzip;level=9", all, "identity"},
		{", ,gzip,,", all, "gzip"},
		{"gzip;q=0, gzip", all, "gzip"},
		{"br;q=0.001, gzip;q=0.002", all, "gzip"},
	} {
		got, ok := negotiate([]string{tt.accept}, tt.offers...)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("negotiate(%q, %q) = %q, %v; want %q", tt.accept, tt.offers, got, ok, tt.want)
		}
	}
	if got, ok := negotiate(nil, all...); got != identity || !ok {
		t.Errorf("without the field: %q, %v", got, ok)
	}
}

// FuzzNegotiate compares with the rules written down plainly.
func FuzzNegotiate(f *testing.F) {
	f.Add("gzip, br;q=0.5", "*;q=0")
	f.Add("identity;q=0", "")
	f.Add("gzip;q=1.0000,;q=1,x-gzip;Q=0.1", "\t* ; q=0.999")
	f.Fuzz(func(t *testing.T, first, second string) {
		lines, offers := []string{first, second}, []string{"br", "zstd", "gzip"}
		weights := map[string]float64{}
		for _, member := range strings.Split(first+","+second, ",") {
			name, parameter, weighted := strings.Cut(member, ";")
			name, weight := strings.ToLower(strings.Trim(name, " \t")), 1.0
			if weighted {
				value, ok := strings.CutPrefix(strings.ToLower(strings.Trim(parameter, " \t")), "q=")
				w, err := strconv.ParseFloat(value, 64)
				plain := strings.Trim(value, "0123456789.") == "" && len(value) <= len("0.000") && strings.Index(value, ".") <= 1 &&
					value != "" && (value[0] == '0' || value[0] == '1') && (len(value) == 1 || value[1] == '.')
				if !ok || err != nil || !plain || w > 1 {
					continue
				}
				weight = w
			}
			if name == "x-gzip" {
				name = "gzip"
			}
			if name != "" {
				weights[name] = weight
			}
		}
		weight := func(coding string, otherwise float64) float64 {
			if w, ok := weights[coding]; ok {
				return w
			}
			if w, ok := weights["*"]; ok {
				return w
			}
			return otherwise
		}
		want, best := "", 0.0
		for _, offer := range offers {
			if w := weight(offer, 0); w > best {
				want, best = offer, w
			}
		}
		if w := weight(identity, 0.0001); w > best {
			want = identity
		}
		got, ok := negotiate(lines, offers...)
		if got != want || ok != (want != "") {
			t.Errorf("negotiate(%q) = %q, %v; want %q", lines, got, ok, want)
		}
		if ok && got != identity && !slices.Contains(offers, got) {
			t.Errorf("negotiate(%q) = %q, which is not on offer", lines, got)
		}
	})
}
