package generator

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWatchFollowsLinks: a content folder that is a link, and a folder of reviews
// that is one, are watched like any other, links in a circle included.
func TestWatchFollowsLinks(t *testing.T) {
	for name, poll := range map[string]time.Duration{"events": 0, "polling": 5 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			real, shared := filepath.Join(dir, "real"), filepath.Join(dir, "real", "shared")
			put(t, real, map[string]string{"business.yaml": business, "shared/x.yaml": ""})
			put(t, dir, map[string]string{"real/reviews/README.md": ""})
			link := filepath.Join(dir, "content")
			for from, to := range map[string]string{link: real, filepath.Join(real, "reviews", "more"): shared, filepath.Join(shared, "circle"): real} {
				if err := os.Symlink(to, from); err != nil {
					t.Fatal(err)
				}
			}
			changed := make(chan struct{}, 100)
			done := make(chan error, 1)
			go func() {
				done <- Watch(t.Context(), link, poll, slog.New(slog.DiscardHandler), func() { changed <- struct{}{} })
			}()
			for i, file := range []string{"", "real/business.yaml", "real/shared/x.yaml"} {
				if file != "" {
					put(t, dir, map[string]string{file: business + string(rune('a'+i))})
				}
				select {
				case <-changed:
				case err := <-done:
					t.Fatalf("watch ended: %v", err)
				case <-time.After(20 * time.Second):
					t.Fatalf("a change of %q isn't seen", file)
				}
			}
		})
	}
}
