// Package mirror reads, checks and follows a published set of files.
//
// A [Source] is where a set is: a directory or an http(s) origin. [Read] returns the set in it. A [Follower]
// brings a local set up to date: by the change documents where they reach, else by whole files, and ends with
// the bytes of the source or an error that leaves the set as it was. A [Copy] keeps a set in a directory.
//
// Nothing is used whose hash is not the expected one, so that caches, truncated responses and publications in progress
// can delay a copy but not corrupt it. Files are requested with their hash in the query, and the manifest with a
// query of its own, which bypasses caches that serve older responses.
//
// A set is the manifest, its files, and the numbered change documents with their patches from changes_from on.
// Encoded variants (reviews.json.gz) are not part of it.
package mirror

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"reviewcast"
)

// Errors of reading and following. Each is wrapped with the address, the cause and what to do.
var (
	// ErrNeverPublished reports a source without a manifest.
	ErrNeverPublished = errors.New("there are no reviews there, or not all of them (is it the address in base_url, and not that of another website? If so, upload everything in the folder public, and not the folder itself)")
	// ErrStale reports files that don't match the manifest, or a manifest too long in a cache.
	ErrStale = errors.New("a cache is behind, or a publication is in progress; try again in a minute; if it stays so, the site was not uploaded whole and unchanged: put all of public in place of the folder there, in binary mode")
	// ErrBaseURL reports a set that was rendered for another origin than the one at hand.
	ErrBaseURL = errors.New("the set was rendered for another base URL")
	// ErrOlder reports a source that serves an older version than the one at hand.
	ErrOlder = errors.New("the source serves an older version: a cache is behind, or the site was rolled back")
	// ErrForked reports a source whose history is not that of the set at hand.
	ErrForked = errors.New("the source has another history than the copy: its versions were rewritten, or it is another site")
	// ErrErased reports a history that publishes again what was withdrawn for legal reasons.
	ErrErased = errors.New("the source publishes text that was withdrawn for legal reasons")
	// ErrHistory reports change documents and versions that contradict each other.
	ErrHistory = errors.New("the change documents, versions.txt and the manifest contradict each other")
	// ErrTooLarge reports a set that is larger than the limit.
	ErrTooLarge = errors.New("the set has more than 1 GiB, which is the limit")
	// ErrDamaged reports a directory whose files don't match its manifest.
	ErrDamaged = errors.New("the files do not match their manifest")
)

// Limits on what a source can make its reader hold, besides the sizes in the manifest.
const (
	maxManifest = 16 << 20
	maxDocument = 64 << 20 // a change document or a patch
	// maxSet is for all files of a set in scope, and again for what is fetched: the data of a million reviews
	// are 700 MB. Up to parallel documents may come on top.
	maxSet = 1 << 30
)

// Scope says which files of a set are wanted.
type Scope string

// The scopes.
const (
	All  Scope = ""
	Data Scope = "data" // what programs read: everything but pages and exports
	// Record is what the next version is built on: the datasets, the withdrawals, the changes and the manifest.
	Record Scope = "record"
)

// Holds reports whether the file at a path belongs to the scope.
func (s Scope) Holds(path string) bool {
	if s == All || strings.HasPrefix(path, reviewcast.PathChanges) {
		return true
	}
	switch path {
	case reviewcast.PathManifest, reviewcast.PathReviews, reviewcast.PathInsights, reviewcast.PathWithdrawn:
		return true
	case reviewcast.PathJSONFeed, reviewcast.PathAtom, reviewcast.PathOpenAPI:
		return s == Data
	}
	return false
}

// Set is a published set with the hashes that it names. It is not changed after it was made.
type Set struct {
	Scope    Scope
	Manifest *reviewcast.Manifest
	// Versions are the lines of /changes/versions.txt. It is empty, as Changes is, in a set of a program that knew no
	// changes. Where a directory holds that file wrong, they are the newest ones, as far as the documents tell.
	Versions []reviewcast.VersionLine
	Changes  []*reviewcast.Change // the change documents of the set, oldest first
	// Files are all bodies by path: the files of the manifest that the scope holds,
	// the manifest, and the numbered change documents and patches.
	Files map[string][]byte

	byHash  map[string][]byte
	damaged []string // paths that a directory lacks or holds wrong
}

// Read returns the set that a source publishes. It returns an error that wraps ErrNeverPublished when there is none.
func Read(ctx context.Context, source Source, scope Scope) (*Set, error) {
	set, _, err := (&Follower{Source: source, Scope: scope}).update(ctx, nil)
	return set, err
}

// Leftover reports whether a source still has one of the newest change documents that its set has removed.
func Leftover(ctx context.Context, source Source, set *Set) bool {
	const maxLeftover = 16 // documents are asked for
	removed := slices.DeleteFunc(slices.Clone(set.Versions), func(v reviewcast.VersionLine) bool { return v.Sequence >= set.Manifest.ChangesFrom })
	return slices.ContainsFunc(removed[max(0, len(removed)-maxLeftover):], func(v reviewcast.VersionLine) bool {
		_, err := source.file(ctx, reviewcast.ChangePath(v.Sequence), v.SHA256, maxDocument)
		return err == nil
	})
}

// Limits on what publish pings, which anybody may send, can make Run do.
const (
	minLook = time.Second // the least time between two looks
	// MaxAwaited is how many versions are waited for at once, and maxWait for how long.
	MaxAwaited = 16
	maxWait    = 10 * time.Minute
)

// Run keeps the copy up to date until ctx is done: it calls look, which calls Update, regularly, sooner after an
// error, and when pinged. It looks a little more often than every says, so that copies started together spread out.
//
// A ping is a list of manifests, named by hash, which may be empty. Each is looked for with growing pauses until the
// copy has had it or ten minutes are over. Without pings the channel is nil.
func (c *Copy) Run(ctx context.Context, every time.Duration, pings <-chan []string, look func(context.Context) error) {
	awaited := map[string]time.Time{} // until when, by hash of the manifest
	pause := minLook                  // after an error, or while a version is awaited
	for {
		started := time.Now()
		err := look(ctx)
		if c.current != nil {
			delete(awaited, reviewcast.SHA256(c.current.Files[reviewcast.PathManifest]))
		}
		maps.DeleteFunc(awaited, func(_ string, until time.Time) bool { return started.After(until) })
		wait := every - rand.N(every/10)
		if err != nil || len(awaited) > 0 {
			wait = min(wait, pause)
			pause = min(2*pause, every)
		} else {
			pause = minLook
		}
		timer := time.NewTimer(wait)
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
				waiting = false
			case named := <-pings:
				for _, manifest := range named {
					if _, known := awaited[manifest]; !known && len(awaited) < MaxAwaited {
						awaited[manifest] = time.Now().Add(maxWait)
					}
				}
				pause = minLook
				timer.Reset(time.Until(started.Add(min(minLook, every))))
			}
		}
	}
}
