package hub

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

// counter is a log that counts lines with a text.
type counter struct {
	words string
	n     atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n.Add(int64(strings.Count(string(p), c.words)))
	return len(p), nil
}

// With several edges one is always the first to have new files. The others log a warning
// only if their files stay older.
func TestBehindForAMoment(t *testing.T) {
	warnings := &counter{words: "older than what subscribers were notified of"}
	log := func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(warnings, nil)) }
	bubbleWith(t, log, func(t *testing.T, r *rig, _ *pipes) {
		time.Sleep(time.Minute)
		for sequence := int64(2); sequence < 5; sequence++ {
			if _, err := r.state.Publish(t.Context(), time.Now(), store.Publication{Topic: atom, SHA256: content(reviewcast.PathAtom, fmt.Sprint(sequence)).SHA256, Sequence: sequence}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(behindFor - 2*DefaultPollInterval)
			r.publish(sequence, fmt.Sprint(sequence)) // the files have come here, too
			time.Sleep(2 * DefaultPollInterval)
		}
		if n := warnings.n.Load(); n != 0 {
			t.Errorf("%d warnings of files that came within %s", n, behindFor)
		}
		if _, err := r.state.Publish(t.Context(), time.Now(), store.Publication{Topic: atom, SHA256: "never here", Sequence: 9}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := warnings.n.Load(); n != 1 {
			t.Errorf("%d warnings of files that stay behind, want one", n)
		}
	})
}
