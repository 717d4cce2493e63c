package edge

import (
	"regexp"
	"strconv"
	"strings"
)

// identity is the coding of a body that is not encoded.
const identity = "identity"

// unset is the weight of a coding that Accept-Encoding doesn't name.
const unset = -1

// negotiate chooses the content coding for a request with these Accept-Encoding lines from offers, best first, and
// identity (RFC 9110, section 12.5.3). The highest weight wins, then the order of offers. identity comes last unless
// its weight is higher; only a weight of zero, its own or that of the star, excludes it. ok is false when no coding is
// acceptable.
func negotiate(accept []string, offers ...string) (coding string, ok bool) {
	best, highest := "", 0.0
	for _, offer := range offers {
		if w := weight(accept, offer); w > highest {
			best, highest = offer, w
		}
	}
	w := weight(accept, identity)
	if w > highest || best == "" && w == unset {
		return identity, true
	}
	return best, best != ""
}

var qvalue = regexp.MustCompile(`^[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*$`)

// weight returns the weight of a name in Accept or Accept-Encoding: its own, or that of the star, or unset.
// Members with invalid syntax are ignored; of two with one name the later counts.
func weight(accept []string, name string) float64 {
	own, star := float64(unset), float64(unset)
	for _, line := range accept {
		for member := range strings.SplitSeq(line, ",") {
			member, parameter, weighted := strings.Cut(member, ";")
			member = strings.Trim(member, " \t")
			found := strings.EqualFold(member, name) || name == "gzip" && strings.EqualFold(member, "x-gzip")
			if !found && member != "*" {
				continue
			}
			weight := 1.0
			if weighted {
				q := qvalue.FindStringSubmatch(parameter)
				if q == nil {
					continue
				}
				weight, _ = strconv.ParseFloat(q[1], 64) // the expression allows numbers only
			}
			if found {
				own = weight
			} else {
				star = weight
			}
		}
	}
	if own != unset {
		return own
	}
	return star
}
