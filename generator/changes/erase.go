package changes

import (
	"bytes"
	"regexp"
	"strings"

	"reviewcast"
)

// legal are the ids, in lower case, of the reviews that were withdrawn for legal
// reasons: no text of theirs may remain anywhere.
func legal(withdrawn []reviewcast.Withdrawal) map[string]bool {
	ids := map[string]bool{}
	for _, w := range withdrawn {
		if w.Reason == reviewcast.ReasonLegal {
			ids[strings.ToLower(w.ID)] = true
		}
	}
	return ids
}

// quotedID matches an id in the JSON of a line, which is a string within the JSON of
// a document: its quotation marks are escaped there. The lists of a document name
// ids without the escapes, and hold no text.
var quotedID = regexp.MustCompile(`\\"([A-Za-z0-9][A-Za-z0-9._-]{0,63})\\"`)

// names reports whether a line in a document or a patch names one of the ids.
func names(document []byte, ids map[string]bool) bool {
	if len(ids) == 0 {
		return false
	}
	for rest := document; ; {
		at := quotedID.FindSubmatchIndex(rest)
		if at == nil {
			return false
		}
		if ids[string(bytes.ToLower(rest[at[2]:at[3]]))] {
			return true
		}
		rest = rest[at[3]:] // the closing mark may open the next
	}
}
