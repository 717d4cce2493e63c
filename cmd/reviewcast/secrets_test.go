package main

import (
	"strings"
	"testing"
)

// TestWithoutPassword: what --print-config shows has no password, also of values that
// would be refused.
func TestWithoutPassword(t *testing.T) {
	for _, value := range []string{
		"host=db user=u password=sekret", "POSTGRES://u:x@h/d?password=sekret", "mysql://h/d?password=sekret&a=b", "u:sekret@h:5432/db",
		"postgres:/u:sekret@h/db", "Postgres://u:sekret%zz@h/d", "https://sekret@h/", "https://u:sek%ret16@h/", "postgres://u:sekret@h/d",
		"https://a.example,https://u:sekret@h", "https://u:sek/ret@h/",
	} {
		if got := withoutPassword("state", value); strings.Contains(got, "sekret") || strings.Contains(got, "sek%") || strings.Contains(got, "sek/") {
			t.Errorf("%s is shown as %s", value, got)
		}
	}
	for _, value := range []string{"", "localhost:8080", "/var/lib/reviewcast/hub.db", "https://reviews.example.com", "10.0.0.0/8,::1/128", "30s,1h0m0s", "X-Forwarded-For"} {
		if got := withoutPassword("state", value); got != value {
			t.Errorf("%q is shown as %q", value, got)
		}
	}
}
