package reviewcast

import "testing"

func TestParseBaseURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://reviews.example.com":      "https://reviews.example.com",
		"HTTPS://Reviews.Example.com/":     "https://reviews.example.com",
		"https://reviews.example.com:443":  "https://reviews.example.com",
		"https://reviews.example.com:8443": "https://reviews.example.com:8443",
		"http://localhost:8080":            "http://localhost:8080",
		"http://localhost:80/":             "http://localhost",
		"http://127.0.0.1:8080":            "http://127.0.0.1:8080",
		"http://[::1]:8080":                "http://[::1]:8080",
		"https://xn--bcher-kva.example":    "https://xn--bcher-kva.example",
	} {
		if got, err := ParseBaseURL(in); err != nil || got != want {
			t.Errorf("ParseBaseURL(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", "reviews.example.com", "ftp://example.com", "https://", "https:///x", "https://example.com/reviews",
		"https://u:p@example.com", "https://example.com?x", "https://example.com#", "https://bücher.example",
		"https://a>b.example", `https://a"b.example`, "https://e..example", "https://-", "https://example.com:",
		"https://example.com:0", "https://example.com:99999", "https://example.com:080", "https://[fe80::1%25eth0]", "https://exa mple.com",
	} {
		if got, err := ParseBaseURL(in); err == nil {
			t.Errorf("ParseBaseURL(%q) = %q, want an error", in, got)
		}
	}
}
