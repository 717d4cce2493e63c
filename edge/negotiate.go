package edge

import "strings"

// identity is the coding of a body that is not encoded.
const identity = "identity"

// unset is the weight of a coding that Accept-Encoding doesn't name.
const unset = -1

// negotiate chooses the content coding for a request with these Accept-Encoding lines
// from offers, best first, and identity (RFC 9110, section 12.5.3). The highest weight
// wins, then the order of offers. identity comes last unless its weight is higher; only
// a weight of zero, its own or that of the star, excludes it. ok is false when no
// coding is acceptable. Members with invalid syntax are ignored; of two members for
// one coding the later counts.
func negotiate(accept []string, offers ...string) (coding string, ok bool) {
	best, weight := "", 0
	for _, offer := range offers {
		if w := weightOf(accept, offer); w > weight {
			best, weight = offer, w
		}
	}
	w := weightOf(accept, identity)
	if w > weight || best == "" && w == unset {
		return identity, true
	}
	return best, best != ""
}

// weightOf is the weight of a coding in thousandths, from its own member or from the
// star.
func weightOf(accept []string, coding string) int {
	own, star := unset, unset
	for _, line := range accept {
		for len(line) > 0 {
			var member string
			member, line, _ = strings.Cut(line, ",")
			name, weight, ok := parseMember(member)
			switch {
			case !ok:
			case name == "*":
				star = weight
			case strings.EqualFold(name, coding), coding == "gzip" && strings.EqualFold(name, "x-gzip"):
				own = weight
			}
		}
	}
	if own != unset {
		return own
	}
	return star
}

// parseMember parses a coding and its weight.
func parseMember(s string) (name string, weight int, ok bool) {
	name, parameter, weighted := strings.Cut(s, ";")
	name = strings.Trim(name, " \t")
	if !weighted {
		return name, 1000, name != ""
	}
	parameter = strings.Trim(parameter, " \t")
	if len(parameter) < len("q=0") || parameter[0]|0x20 != 'q' || parameter[1] != '=' {
		return "", 0, false
	}
	weight, ok = parseWeight(parameter[len("q="):])
	return name, weight, ok && name != ""
}

// parseWeight parses a qvalue: 0 to 1 with up to three decimals.
func parseWeight(s string) (thousandths int, ok bool) {
	whole, decimals, _ := strings.Cut(s, ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0, false
	}
	for i := range 3 {
		digit := 0
		if i < len(decimals) {
			if decimals[i] < '0' || decimals[i] > '9' {
				return 0, false
			}
			digit = int(decimals[i] - '0')
		}
		thousandths = 10*thousandths + digit
	}
	thousandths += 1000 * int(whole[0]-'0')
	return thousandths, thousandths <= 1000
}
