package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reviewcast"
)

// A set that could not be read is read again after brokenPause, and later if that took many bytes: at most
// brokenRate bytes a second are spent on it, whatever pings arrive, up to maxBroken.
const (
	brokenPause = 5 * time.Second
	brokenRate  = 2 << 20
	maxBroken   = 5 * time.Minute
)

// Follower brings a set at hand up to date with a source. It is used by one goroutine at a time.
type Follower struct {
	Source Source
	Scope  Scope
	// BaseURL is the base URL that the set must have; empty is that of the local set, and any for the first one.
	BaseURL string
	// AcceptRewrite takes a set of another history and, without BaseURL, of another base URL.
	AcceptRewrite bool
	// Waiting is the older version that the source serves. It is stored beside the copy.
	Waiting *Waiting

	broken broken
}

// broken is a set that could not be read, and until when it isn't read again.
type broken struct {
	manifest string
	err      error
	until    time.Time
}

// Waiting is an older version that is taken when the source has served it for long enough.
type Waiting struct {
	Manifest string    `json:"manifest"` // sha256 of the manifest
	Since    time.Time `json:"since"`
}

// ForkError is the error of a source whose history is not that of the set at hand. It wraps ErrForked.
type ForkError struct {
	Source string
	// Mine is the set at hand; Theirs has only a manifest, versions and changes.
	Mine, Theirs *Set
}

func (e *ForkError) Error() string {
	last := "no version"
	if mine, _, common := compare(e.Mine, e.Theirs); common > 0 {
		last = fmt.Sprintf("version %d", mine[common-1].Sequence)
	}
	return fmt.Sprintf("%s: %v; the copy is at version %d, the source at %d, and they have %s in common; --accept-rewrite takes what the source has",
		e.Source, ErrForked, e.Mine.Manifest.Sequence, e.Theirs.Manifest.Sequence, last)
}

func (e *ForkError) Unwrap() error { return ErrForked }

// update returns the set that the source publishes now and its relation to have, the set at hand (nil without one).
// It returns have when there is nothing else, and with every error. Errors wrap ErrOlder or ErrForked when the
// source's set does not follow from have.
func (f *Follower) update(ctx context.Context, have *Set) (set *Set, relation reviewcast.Relation, err error) {
	ctx, cancel := f.Source.deadline(ctx)
	defer cancel()
	manifest, err := f.Source.manifest(ctx)
	switch {
	case err != nil:
		return have, 0, err
	case have.is(manifest, f.Scope):
		f.Waiting = nil
		return have, reviewcast.Same, nil
	case string(manifest) == f.broken.manifest && time.Now().Before(f.broken.until):
		return have, 0, f.broken.err
	}
	before := f.Source.Received()
	for n := 1; ; n++ {
		set, relation, err = f.take(ctx, manifest, have)
		if !errors.Is(err, ErrStale) && !errors.Is(err, ErrDamaged) || n == attempts {
			break
		}
		again, merr := f.Source.manifest(ctx)
		if merr != nil {
			return have, 0, merr
		}
		if string(again) == string(manifest) {
			break
		}
		manifest = again // the source has published meanwhile
	}
	f.broken = broken{}
	switch {
	case err == nil:
		return set, relation, nil
	case !errors.Is(err, ErrOlder) && !errors.Is(err, ErrForked): // those are waited for
		pause := brokenPause + time.Duration(f.Source.Received()-before)*time.Second/brokenRate
		f.broken = broken{string(manifest), err, time.Now().Add(min(pause, maxBroken))}
	}
	return have, 0, err
}

// is reports whether the set is whole, of a scope, and the one that a manifest describes.
func (s *Set) is(manifest []byte, scope Scope) bool {
	return s != nil && len(s.damaged) == 0 && s.Scope == scope && string(s.Files[reviewcast.PathManifest]) == string(manifest)
}

// take reads the set that a manifest describes, if it follows from the one at hand.
func (f *Follower) take(ctx context.Context, manifest []byte, have *Set) (*Set, reviewcast.Relation, error) {
	next, err := outline(ctx, f.Source, manifest, f.Scope, have)
	if err == nil {
		err = f.checkBaseURL(have, next.set)
	}
	if err != nil {
		return nil, 0, err
	}
	relation := reviewcast.Newer
	if have != nil {
		relation = relate(have, next.set)
	}
	switch {
	case relation == reviewcast.Same && next.set.Manifest.ChangesFrom < have.Manifest.ChangesFrom && len(have.damaged) == 0:
		return have, relation, nil // documents that were erased since are not taken back
	case relation == reviewcast.Older:
		err = f.settle(manifest, have, next.set)
	case relation == reviewcast.Forked && !f.AcceptRewrite:
		err = &ForkError{f.Source.String(), have, next.set}
	}
	if err != nil {
		return nil, 0, err
	}
	set, err := next.fetch(ctx)
	if err != nil {
		return nil, 0, err
	}
	if relation == reviewcast.Older || relation == reviewcast.Forked {
		if err := checkErased(have, set); err != nil {
			return nil, 0, fmt.Errorf("%s: %w; the copy stays as it is", f.Source, err)
		}
	}
	f.Waiting = nil
	return set, relation, nil
}

func (f *Follower) checkBaseURL(have, next *Set) error {
	want, remedy := f.BaseURL, "name its new address with --base-url"
	if want == "" && have != nil {
		want, remedy = have.Manifest.BaseURL, "--accept-rewrite takes it"
	}
	if want == "" || want == next.Manifest.BaseURL || f.AcceptRewrite && f.BaseURL == "" {
		return nil
	}
	return fmt.Errorf("%s: %w: %s, not %s; if the site has moved, %s", f.Source, ErrBaseURL, next.Manifest.BaseURL, want, remedy)
}

// relate compares the histories of two sets.
func relate(have, next *Set) reviewcast.Relation {
	mine, theirs, common := compare(have, next)
	none := len(have.Versions)+len(next.Versions) == 0 // sets of a program that knew no changes
	switch {
	case none && next.Manifest.Sequence < have.Manifest.Sequence:
		return reviewcast.Older
	case none, common == len(mine) && common < len(theirs):
		return reviewcast.Newer
	case common == len(mine):
		return reviewcast.Same
	case common == len(theirs): // also what is too old to be compared: an older version is waited for
		return reviewcast.Older
	}
	return reviewcast.Forked
}

// compare returns the versions of two sets from the first that both know on, and how many of them are the same.
func compare(have, next *Set) (mine, theirs []reviewcast.VersionLine, common int) {
	mine, theirs = have.Versions, next.Versions
	if _, whole := have.Files[reviewcast.PathVersions]; !whole && len(mine) > 0 {
		theirs = slices.DeleteFunc(slices.Clone(theirs), func(v reviewcast.VersionLine) bool { return v.Sequence < mine[0].Sequence })
	}
	for common < min(len(mine), len(theirs)) && mine[common] == theirs[common] {
		common++
	}
	return mine, theirs, common
}

// settle returns an error until the source has served the older version for long enough.
func (f *Follower) settle(manifest []byte, have, next *Set) error {
	now, sha := time.Now(), reviewcast.SHA256(manifest)
	if f.Waiting == nil || f.Waiting.Manifest != sha || f.Waiting.Since.After(now) { // the clock was ahead
		f.Waiting = &Waiting{sha, now}
	}
	const settleTime = 10 * time.Minute // longer than the contract lets caches keep an answer
	until := f.Waiting.Since.Add(settleTime)
	if !now.Before(until) {
		return nil
	}
	return fmt.Errorf("%s: %w; the copy stays at version %d, and goes back to %d if that is still there at %s and has no text that was withdrawn for legal reasons since",
		f.Source, ErrOlder, have.Manifest.Sequence, next.Manifest.Sequence, until.UTC().Format("15:04:05 UTC"))
}
