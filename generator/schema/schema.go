// Package schema makes JSON Schemas of the content files, with which text editors complete and check fields while
// somebody types.
//
// A field that is missing here or in the tables of package source panics, so a test that calls [All] keeps both equal.
// A schema checks less than a load: what it refuses, a load refuses too.
package schema

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"reviewcast"
	"reviewcast/generator/source"
)

// Folder is the folder of the schemas in a content folder. The loader ignores it, as all names that begin with a dot.
const Folder = ".schemas"

// ReviewLine is the first line of a file in a folder of reviews/. It names the schema to text editors.
const ReviewLine = "# yaml-language-server: $schema=../../" + Folder + "/review.schema.json"

// values are what schemas.yaml takes from the code.
var values = map[string]any{
	"id":        fmt.Sprintf("^[A-Za-z0-9][A-Za-z0-9._-]{0,%d}$", reviewcast.MaxIDLength-1),
	"minRating": reviewcast.MinRating, "maxRating": reviewcast.MaxRating,
	"methods": reviewcast.VerificationMethods, "reasons": []source.Hidden{source.Withdrawn, source.Legal},
	"categories": source.Categories, "shippedAspects": source.ShippedAspects,
}

//go:embed schemas.yaml
var schemasFile string

// All returns a JSON Schema (draft-07, which editors understand) for each kind of content file, by the name of its
// file: "business.schema.json".
func All() map[string][]byte {
	var pairs []string
	for name, value := range values {
		data, _ := json.Marshal(value) // it is made of lists, words and numbers
		pairs = append(pairs, "${"+name+"}", string(data))
	}
	var s struct{ Tables, Files map[string]map[string]any }
	if err := yaml.Unmarshal([]byte(strings.NewReplacer(pairs...).Replace(schemasFile)), &s); err != nil {
		panic(fmt.Sprintf("schemas.yaml: %s", err))
	}
	for _, table := range s.Tables {
		described := slices.Sorted(maps.Keys(table["properties"].(map[string]any)))
		if title := table["title"].(string); !slices.Equal(described, slices.Sorted(slices.Values(source.Fields(title)))) {
			panic(fmt.Sprintf("schemas.yaml: %s: the described fields %q are not those of package source", title, described))
		}
	}
	out := map[string][]byte{}
	for name, root := range s.Files {
		root["$schema"] = "http://json-schema.org/draft-07/schema#"
		data, _ := json.MarshalIndent(root, "", "  ") // it is made of maps, lists and words
		out[name+".schema.json"] = append(data, '\n')
	}
	return out
}
