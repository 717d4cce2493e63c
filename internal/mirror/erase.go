package mirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"reviewcast"
)

// erasedAgain returns a review that the set at hand lists as legally withdrawn and another set mentions outside
// its lists: to refuse a set too many only delays a copy.
func erasedAgain(have, next *Set) (string, bool) {
	for _, id := range legalIDs(have) {
		quoted := []byte(`"` + id + `"`)
		escaped := []byte(`\"` + id + `\"`) // in the lines of a change document
		for path, body := range next.Files {
			switch {
			case strings.HasPrefix(path, reviewcast.PathChanges) && bytes.Contains(body, escaped),
				(path == reviewcast.PathReviews || path == reviewcast.PathInsights) && bytes.Contains(body, quoted):
				return id, true
			}
		}
	}
	return "", false
}

// legalIDs are the reviews that a set lists as withdrawn for legal reasons.
func legalIDs(s *Set) []string {
	var list reviewcast.Withdrawals
	if json.Unmarshal(s.Files[reviewcast.PathWithdrawn], &list) != nil {
		return nil
	}
	var ids []string
	for _, w := range list.Withdrawn {
		if w.Reason == reviewcast.ReasonLegal {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// Evidence returns, by file name, the manifests, versions and change documents of both histories, without
// operations: no text stays that either side erases later.
func (e *ForkError) Evidence() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, set := range map[string]*Set{"mine": e.Mine, "theirs": e.Theirs} {
		files[name+reviewcast.PathManifest] = set.Files[reviewcast.PathManifest]
		if versions, ok := set.Files[reviewcast.PathVersions]; ok {
			files[name+reviewcast.PathVersions] = versions
		}
		for _, c := range set.Changes {
			plain := *c
			plain.Files = make([]reviewcast.FileChange, len(c.Files))
			for i, f := range c.Files {
				f.Ops = nil
				plain.Files[i] = f
			}
			body, err := reviewcast.EncodeJSON(plain)
			if err != nil {
				return nil, fmt.Errorf("encode %s: %w", reviewcast.ChangePath(c.Sequence), err)
			}
			files[name+reviewcast.ChangePath(c.Sequence)] = body
		}
	}
	return files, nil
}
