package corpus

import (
	_ "embed"
	"strings"
)

var (
	//go:embed business.json
	businessFile []byte
	//go:embed words.txt
	wordsFile string
)

// lines returns the lines below a name in brackets.
func lines(name string) []string {
	_, rest, _ := strings.Cut(wordsFile, "["+name+"]\n")
	rest, _, _ = strings.Cut(rest, "\n\n")
	return strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
}

var (
	titles                          = [][]string{lines("titles 1"), lines("titles 2"), lines("titles 3"), lines("titles 4"), lines("titles 5")} // by rating
	firstNames, weekdays, syllables = lines("firstNames"), lines("weekdays"), lines("syllables")
	praise, mixed, blame            = lines("praise"), lines("mixed"), lines("blame")
	facts, replies                  = lines("facts"), lines("replies")
)
