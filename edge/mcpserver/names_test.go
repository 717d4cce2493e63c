package mcpserver

import (
	"slices"
	"testing"
)

func TestFindNames(t *testing.T) {
	var l namedList
	l.add("marcus-okafor", "Marcus Okafor", "Marcus")
	l.add("helene-thibodeau", "Hélène Thibodeau")
	l.add("daniel-roy", "Daniel Roy", "Big Dan")
	l.add("daniel-kowalczyk", "Daniel Kowalczyk", "Danny K.")
	l.add("pricing", "Pricing")
	l.add("water-heater", "Water heater")
	l.add("heating", "Furnace and boiler")
	for name, want := range map[string][]string{
		"HELENE":              {"helene-thibodeau"},
		"okafor":              {"marcus-okafor"},
		"Mr. Okafor":          {},
		"Kowal":               {"daniel-kowalczyk"},
		"daniel":              {"daniel-roy", "daniel-kowalczyk"},
		"danny k":             {"daniel-kowalczyk"},
		"big":                 {"daniel-roy"},
		"prices":              {"pricing"},
		"price":               {"pricing"},
		"water heaters":       {"water-heater"},
		"furnace":             {"heating"},
		"the water heater":    {"water-heater"},
		"a new water heater!": {"water-heater"},
		"":                    {},
		"ma":                  {},
		"smell":               {},
	} {
		if got := l.find(name); !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%q finds %q, want %q", name, got, want)
		}
	}
	if got := l.sorted("Markus Okafor")[0]; got != "Marcus Okafor" {
		t.Errorf("most similar is %s", got)
	}
}
