package corpus

import (
	_ "embed"
	"strings"

	"reviewcast"
)

var technicians = []reviewcast.Technician{
	{ID: "marcus", Name: "Marcus Webb", Aliases: []string{"Marc"}},
	{ID: "elena", Name: "Elena Petrova", Aliases: []string{"Lena"}},
	{ID: "jose", Name: "José Álvarez", Aliases: []string{"Pepe"}},
	{ID: "dana-k", Name: "Dana Kim", Aliases: []string{}},
	{ID: "dana-r", Name: "Dana Ruiz", Aliases: []string{"DR"}},
	{ID: "tobias", Name: "Tobias Groß", Aliases: []string{"Toby"}},
	{ID: "priya", Name: "Priya Nair", Aliases: []string{}},
	{ID: "sam", Name: "Samuel O’Connor", Aliases: []string{"Sam"}},
}

var services = []reviewcast.Named{
	{ID: "drain-cleaning", Name: "Drain Cleaning"},
	{ID: "water-heater", Name: "Water Heater Replacement"},
	{ID: "leak-repair", Name: "Leak Repair"},
	{ID: "boiler-service", Name: "Boiler Service"},
	{ID: "bathroom", Name: "Bathroom Remodel"},
	{ID: "sump-pump", Name: "Sump Pump Installation"},
	{ID: "repiping", Name: "Repiping"},
}

var areas = []reviewcast.Named{
	{ID: "fairhaven", Name: "Fairhaven"}, {ID: "north-bay", Name: "North Bay"}, {ID: "old-town", Name: "Old Town"},
	{ID: "river-bend", Name: "River Bend"}, {ID: "lakeside", Name: "Lakeside"}, {ID: "st-remy", Name: "Saint-Rémy"},
}

//go:embed words.txt
var wordsFile string

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
