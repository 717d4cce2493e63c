package mcpserver

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"reviewcast"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// TestServerJSON holds /server.json, which the MCP Registry reads, against what the
// server says of itself and against the limits of the registry's schema.
func TestServerJSON(t *testing.T) {
	raw, err := os.ReadFile("../../server.json")
	if err != nil {
		t.Fatal(err)
	}
	var listed struct {
		Schema                                        string `json:"$schema"`
		Name, Title, Description, Version, WebsiteURL string
		Remotes                                       []struct{ Type, URL string }
	}
	if err := json.Unmarshal(raw, &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Remotes) != 1 || listed.Remotes[0].Type != "streamable-http" {
		t.Fatalf("remotes %v, want one by streamable-http", listed.Remotes)
	}
	origin, ok := strings.CutSuffix(listed.Remotes[0].URL, reviewcast.PathMCP)
	if !ok || listed.Name != RegistryName(origin) || listed.WebsiteURL != origin+"/" {
		t.Errorf("name %s, website %s, remote %s don't belong together", listed.Name, listed.WebsiteURL, listed.Remotes[0].URL)
	}
	if listed.Version != reviewcast.Version || listed.Description != description {
		t.Errorf("version %s and description %q, the server says %s and %q", listed.Version, listed.Description, reviewcast.Version, description)
	}
	if n := utf8.RuneCountInString(listed.Description); n > 100 {
		t.Errorf("description has %d characters, the registry takes 100", n)
	}
	if n := utf8.RuneCountInString(listed.Title); n == 0 || n > 100 {
		t.Errorf("title has %d characters, the registry takes 1 to 100", n)
	}
	if listed.Schema != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" {
		t.Errorf("schema %s", listed.Schema)
	}
}

func TestRegistryName(t *testing.T) {
	form := regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
	for origin, want := range map[string]string{
		"https://reviews.example.com": "com.example.reviews/reviewcast",
		"http://localhost:8080":       "localhost/reviewcast",
		"http://[::1]:8080":           "--1/reviewcast",
	} {
		if got := RegistryName(origin); got != want || !form.MatchString(got) {
			t.Errorf("RegistryName(%s) = %s, want %s", origin, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := Config{Snapshots: &snapshot.Holder{}, BaseURL: snapshottest.BaseURL}
	for want, change := range map[string]func(*Config){
		"allow origin": func(c *Config) { c.AllowOrigins = []string{"*", "chat.example.com/x"} },
		"negative":     func(c *Config) { c.MaxSessions = -1 },
	} {
		c := good
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestAllowOrigins: the star lets every page in, and the answer names the page.
func TestAllowOrigins(t *testing.T) {
	s, _ := serve(t, sample(t), Config{AllowOrigins: []string{"*"}})
	if !s.allows("https://anything.example.com") || !s.allows("null") {
		t.Error("the star doesn't allow all")
	}
	s, _ = serve(t, sample(t), Config{AllowOrigins: []string{"https://Chat.example.com/"}})
	if !s.allows("https://chat.example.com") || s.allows("http://chat.example.com") || s.allows("https://chat.example.com.evil.example") {
		t.Error("origins are compared by something else than scheme, host and port")
	}
}
