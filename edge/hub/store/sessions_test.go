package store_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSessions(t *testing.T) {
	each(t, func(b rig) {
		key, err := b.SessionKey(b.Context())
		b.must(err)
		again, err := b.SessionKey(b.Context())
		b.must(err)
		if len(key) != 32 || !bytes.Equal(key, again) {
			b.Errorf("the key is %x, then %x", key, again)
		}
		b.must(b.EndSession(b.Context(), "short", noon, noon.Add(time.Hour)))
		b.must(b.EndSession(b.Context(), "long", noon, noon.Add(48*time.Hour)))
		b.must(b.EndSession(b.Context(), "long", noon, noon.Add(72*time.Hour)))
		for _, tt := range []struct {
			at   time.Time
			want map[string]time.Time
		}{
			{noon, map[string]time.Time{"short": noon.Add(time.Hour), "long": noon.Add(48 * time.Hour)}},
			{noon.Add(24 * time.Hour), map[string]time.Time{"long": noon.Add(48 * time.Hour)}},
		} {
			got, err := b.EndedSessions(b.Context(), tt.at)
			b.must(err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				b.Error(diff)
			}
		}
		b.must(b.EndSession(b.Context(), "other", noon.Add(100*time.Hour), noon.Add(200*time.Hour)))
		got, err := b.EndedSessions(b.Context(), noon)
		b.must(err)
		if len(got) != 1 {
			b.Errorf("expired records stay: %v", got)
		}
	})
}
