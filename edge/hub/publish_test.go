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
			if _, err := r.state.Publish(t.Context(), time.Now(), store.Publication{Topic: atom, SHA256: reviewcast.SHA256([]byte(fmt.Sprint(sequence))), Sequence: sequence}); err != nil {
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

// Two builds of one second can have one sequence and the same times. The hub that had the
// first announces the second that takes its place; a hub that never had it doesn't.
func TestSameSecond(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, _ *pipes) {
		version := func() string {
			rows, err := r.state.Topics(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return rows[atom].SHA256
		}
		hash := func(body string) string { return reviewcast.SHA256([]byte(body)) }
		built := time.Now()
		for _, body := range []string{"first", "second", "first"} {
			r.files.Swap(filesOf(t, 7, body, built, reviewcast.PathAtom))
			time.Sleep(2 * DefaultPollInterval)
			if got := version(); got != hash(body) {
				t.Errorf("%s of sequence 7 is not announced", body)
			}
		}
		if _, err := r.state.Publish(t.Context(), time.Now(), store.Publication{Topic: atom, SHA256: hash("of another"), Sequence: 8}); err != nil {
			t.Fatal(err)
		}
		r.publish(8, "never notified")
		time.Sleep(2 * DefaultPollInterval)
		if got := version(); got != hash("of another") {
			t.Error("a hub that didn't have what was notified has announced its own")
		}
	})
}
