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
	weight := weights(accept)
	best, highest := "", 0.0
	for _, offer := range offers {
		if w := weight(offer); w > highest {
			best, highest = offer, w
		}
	}
	w := weight(identity)
	if w > highest || best == "" && w == unset {
		return identity, true
	}
	return best, best != ""
}

var qvalue = regexp.MustCompile(`^[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*$`)

// weights parses Accept or Accept-Encoding. A name has its own weight, or that of the
// star. Members with invalid syntax are ignored; of two with one name the later counts.
func weights(accept []string) func(name string) float64 {
	named := map[string]float64{"*": unset}
	for member := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, parameter, weighted := strings.Cut(member, ";")
		weight := 1.0
		if weighted {
			q := qvalue.FindStringSubmatch(parameter)
			if q == nil {
				continue
			}
			weight, _ = strconv.ParseFloat(q[1], 64) // the expression allows numbers only
		}
		if name = strings.ToLower(strings.Trim(name, " \t")); name == "x-gzip" {
			name = "gzip"
		}
		named[name] = weight
	}
	return func(name string) float64 {
		if w, ok := named[name]; ok {
			return w
		}
		return named["*"]
	}
}
