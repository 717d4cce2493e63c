package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// toneOf says of words whether they are praise, blame, or leave a doubt about the words beside them.
var toneOf = diagnostic.Lines(wordsFile, "tone")

// ownStars match the stars that a text gives itself, numbers are the words for them.
var ownStars, numbers = remarksOf("stars"), diagnostic.Lines(wordsFile, "numbers")

// A text is praise if it has no word of blame or doubt, and for each wordsPerPraise of its words another one of praise. It
// is blame if it has minBlame words of blame, and none of praise.
const wordsPerPraise, minBlame = 12, 3

// counted reports an average or a number of reviews in the summary that the published ones contradict.
func (in *inspector) counted(summary string) {
	n, sum := 0, 0
	for _, r := range source.Published(in.content.Reviews) {
		n, sum = n+1, sum+r.Rating
	}
	if n == 0 || forms("elsewhere").MatchString(summary) {
		return
	}
	wrong := func(found, is string) {
		found = strings.Trim(found, " \t\n(*")
		in.add(top(source.SummaryFile), found, "other-rating", fmt.Sprintf("the summary has %q, and the pages show %s", found, is),
			"leave such numbers out: the pages show them above the summary, and they change with each review; or correct it")
	}
	for _, found := range forms("averageForm").FindAllStringSubmatch(summary, -1) {
		said := strings.Replace(cmp.Or(found[2], found[3], found[4]), ",", ".", 1)
		if is := strconv.FormatFloat(reviewcast.Quotient(sum, n, len(said)-len("4.")), 'f', len(said)-len("4."), 64); is != said && found[1] == "" {
			wrong(found[0], fmt.Sprintf("an average of %.2f", reviewcast.Quotient(sum, n, 2)))
		}
	}
	for _, found := range forms("countForm").FindAllStringSubmatch(summary, -1) {
		if said, _ := strconv.Atoi(found[1]); said > n {
			wrong(found[0], diagnostic.Plural(n, "review"))
		}
	}
}

// otherRating reports a rating that the text contradicts: of the grades that schools in some countries give, 1 is the best.
func (in *inspector) otherRating(r *source.Review, at diagnostic.Position) {
	const remedy = "if it is mistyped, belongs to another review, or is a grade, of which 1 is the best, write rating: %d; if the customer has chosen it, leave it"
	said := *cmp.Or(r.Title, new(string)) + "\n" + *r.Text
	for _, found := range slices.Concat(ownStars[0].find(said), ownStars[1].find(said)) {
		named := strings.ToLower(found)
		stars, _ := strconv.Atoi(cmp.Or(numbers[named], named))
		if apart := max(stars-r.Rating, r.Rating-stars); stars > 0 && apart > 1 {
			in.add(at, "rating", ownStars[0].code, fmt.Sprintf(ownStars[0].message, r.Rating, found), fmt.Sprintf(remedy, stars))
			return
		}
	}
	if off := forms("starsOff").FindStringSubmatch(said); off != nil && r.Rating == reviewcast.MaxRating {
		in.add(at, "rating", ownStars[0].code, fmt.Sprintf("rating is %d, and the text takes stars away: %s", r.Rating, diagnostic.Quote(off[1])), fmt.Sprintf(remedy, r.Rating-1))
		return
	}
	if r.Rating != reviewcast.MinRating && r.Rating != reviewcast.MaxRating {
		return
	}
	words := wordsOf(strings.ToLower(strings.ReplaceAll(*r.Text, "’", "'")))
	tones := map[string]int{}
	for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) { // each once
		tones[toneOf[w]]++
	}
	switch praise, blame := tones["praise"], tones["blame"]; {
	case r.Rating == reviewcast.MinRating && praise > len(words)/wordsPerPraise && blame+tones["doubt"] == 0:
		in.add(at, "rating", ownStars[0].code, fmt.Sprintf("rating is %d, and the text is nothing but praise", r.Rating), fmt.Sprintf(remedy, reviewcast.MaxRating))
	case r.Rating == reviewcast.MaxRating && blame >= minBlame && praise == 0:
		in.add(at, "rating", ownStars[0].code, fmt.Sprintf("rating is %d, and the text has words of blame and none of praise", r.Rating), fmt.Sprintf(remedy, reviewcast.MinRating))
	}
}
