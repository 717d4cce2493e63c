package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// Patterns of personal data. Package regexp takes linear time; each pattern is only run over texts that have what it
// needs.
var (
	emailForm = regexp.MustCompile(`[\pL0-9][\pL0-9._%+-]*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)
	// phoneForm matches groups of digits; their number is checked afterwards.
	phoneForm = regexp.MustCompile(`\+[0-9]{1,3}(?:[ .\-/][(]?[0-9]{2,9}[)]?){1,4}\b|\b0[0-9]{2,5}[ .\-/][0-9]{5,8}\b|(?:\+|\(0?|\b00?|\b)[0-9]{1,4}[)]?(?:[ .\-/][(]?[0-9]{2,4}[)]?){1,5}\b|\+[0-9]{8,15}\b|\b0[0-9]{8,11}\b|\b[0-9]{10}\b`)
	// addressForm matches a number and a street, or a street and a number.
	addressForm = regexp.MustCompile(`\b[0-9]{1,5}[A-Za-z]? (?:[A-Z][a-zé'’]+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Terrace|Way|Crescent|Place|Pl)\b` +
		`|\b[0-9]{1,4},? (?:rue|avenue|boulevard|chemin|place) [a-zé'’ ]{0,12}[A-ZÉ][\pL'’-]+` +
		`|\b(?:[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|[Cc]alle|[Rr]ua) (?:[A-Z][\pL'’]+ ?){1,3},? [0-9]{1,4}\b` +
		`|\b[A-ZÄÖÜ][\pL-]*(?:[Ss]tra(?:ß|ss)e|[Ss]tr\.|gasse|[Ww]eg|[Aa]llee|platz) [0-9]{1,4}[a-z]?\b`)
	cardForm = regexp.MustCompile(`\b[0-9](?:[ -]?[0-9]){12,18}\b`)
	dateForm = regexp.MustCompile(`^[0-9]{4}[-./ ][0-9]{1,2}[-./ ][0-9]{1,2}$|^[0-9]{1,2}[-./ ][0-9]{1,2}[-./ ][0-9]{2,4}$|^[0-9]{4}[-/][0-9]{2,4}$` +
		`|^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{1,2}$|^[0-9]{1,2}[.:][0-9]{2} ?- ?[0-9]{1,2}[.:][0-9]{2}$`)
)

// Limits of the digits of a telephone number: E.164 allows 15; fewer than 8 are a part number, a price or a year.
const minPhoneDigits, maxPhoneDigits = 8, 15

// ownData is the contact data that the business publishes.
type ownData struct{ email, phone, street string }

func newOwnData(c *source.Content) ownData {
	return ownData{strings.ToLower(c.Business.Email), digits(c.Business.Telephone), strings.ToLower(c.Business.Address.StreetAddress)}
}

// personal reports personal data in a text.
func (in *inspector) personal(r *source.Review, field, text string) {
	remedy := "ask the customer to edit the review where it was posted, or withdraw it"
	if field == "author" {
		remedy = "write the first name and an initial, or Anonymous"
	}
	if strings.Contains(text, "@") {
		for _, s := range emailForm.FindAllString(text, -1) {
			if strings.ToLower(s) != in.own.email {
				in.add(r, s, "email-in-text", fmt.Sprintf("%s contains the e-mail address %s", field, diagnostic.Quote(s)), remedy)
			}
		}
	}
	if !strings.ContainsAny(text, "0123456789") {
		return
	}
	var cards []string
	for _, s := range cardForm.FindAllString(text, -1) {
		if luhn(digits(s)) {
			cards = append(cards, s)
			in.add(r, s, "card-in-text", fmt.Sprintf("%s contains a possible card number ending in %s", field, digits(s)[len(digits(s))-4:]), "withdraw the review until the customer has changed it")
		}
	}
	for _, s := range phoneForm.FindAllString(text, -1) {
		d := digits(s)
		if len(d) < minPhoneDigits || len(d) > maxPhoneDigits || dateForm.MatchString(s) || in.own.phone != "" && strings.HasSuffix(in.own.phone, strings.TrimLeft(d, "0")) ||
			slices.ContainsFunc(cards, func(card string) bool { return strings.Contains(card, s) || strings.Contains(s, card) }) {
			continue
		}
		in.add(r, s, "phone-in-text", fmt.Sprintf("%s contains the telephone number %s", field, diagnostic.Quote(s)), remedy)
	}
	for _, s := range addressForm.FindAllString(text, -1) {
		if in.own.street == "" || !strings.Contains(in.own.street, strings.ToLower(s)) {
			in.add(r, s, "address-in-text", fmt.Sprintf("%s contains the street address %s", field, diagnostic.Quote(s)), remedy)
		}
	}
}

var noDigits = regexp.MustCompile(`[^0-9]+`)

func digits(s string) string { return noDigits.ReplaceAllString(s, "") }

// luhn reports whether the check digit of a card number is right (ISO/IEC 7812-1).
func luhn(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0 && strings.Trim(number, "0") != ""
}
