package mirror

import (
	"bytes"
	"encoding/json"
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
