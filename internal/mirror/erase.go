package mirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"reviewcast"
)

// checkErased returns an error for a set that mentions, outside its lists, a review that the set at hand lists as
// legally withdrawn, and for any if that list is damaged. Refusing one set too many only delays a copy.
func checkErased(have, next *Set) error {
	listed, ok := have.Manifest.File(reviewcast.PathWithdrawn)
	list, whole := have.Files[reviewcast.PathWithdrawn]
	if !whole {
		list, whole = next.byHash[listed.SHA256]
	}
	if ok && !whole {
		return fmt.Errorf("%w: without the copy's %s nothing says which text was erased; a newer version puts that right, and to take this one, delete the copy", ErrDamaged, reviewcast.PathWithdrawn)
	}
	var known reviewcast.Withdrawals
	_ = json.Unmarshal(list, &known) // what is no list names nothing
	for _, w := range known.Withdrawn {
		if w.Reason != reviewcast.ReasonLegal {
			continue
		}
		quoted := []byte(`"` + w.ID + `"`)
		escaped := []byte(`\"` + w.ID + `\"`) // in the lines of a change document
		for path, body := range next.Files {
			switch {
			case strings.HasPrefix(path, reviewcast.PathChanges) && bytes.Contains(body, escaped),
				(path == reviewcast.PathReviews || path == reviewcast.PathInsights) && bytes.Contains(body, quoted):
				return fmt.Errorf("review %s: %w", w.ID, ErrErased)
			}
		}
	}
	return nil
}
