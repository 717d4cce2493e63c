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

	"reviewcast"
	"reviewcast/generator/source"
)

// Folder is the folder of the schemas in a content folder. The loader ignores it, as all names that begin with a dot.
const Folder = ".schemas"

// ReviewLine is the first line of a file in a folder of reviews/. It names the schema to text editors.
const ReviewLine = "# yaml-language-server: $schema=../../" + Folder + "/review.schema.json"

// All returns a JSON Schema (draft-07, which editors understand) for each kind of content file, by the name of its
// file: "business.schema.json".
func All() map[string][]byte {
	out := map[string][]byte{}
	for name, root := range map[string]schema{
		"business":  object("business"),
		"site":      object("site"),
		"insights":  object("vocabulary"),
		"faq":       list(object("question")),
		"withdrawn": list(object("withdrawal")),
		"review": {
			"definitions": schema{"review": object("review")},
			"if":          schema{"type": "array"},
			"then":        schema{"items": schema{"$ref": "#/definitions/review"}},
			"else":        schema{"if": schema{"type": "null"}, "else": schema{"$ref": "#/definitions/review"}},
		},
	} {
		root["$schema"] = "http://json-schema.org/draft-07/schema#"
		root["title"] = "reviewcast: " + name + ".yaml"
		if name == "review" {
			root["title"] = "reviewcast: a file of reviews"
		}
		data, _ := json.MarshalIndent(root, "", "  ") // it is made of maps, lists and words
		out[name+".schema.json"] = append(data, '\n')
	}
	return out
}

type schema = map[string]any

func list(items schema) schema { return schema{"type": []string{"array", "null"}, "items": items} }

var (
	text = schema{"type": []string{"string", "number", "null"}} // a number without quotes is one, too
	word = schema{"type": []string{"string", "number"}}
	id   = schema{"type": []string{"string", "number"}, "pattern": fmt.Sprintf("^[A-Za-z0-9][A-Za-z0-9._-]{0,%d}$", reviewcast.MaxIDLength-1)}
	url  = schema{"type": []string{"string", "null"}, "pattern": "^https?://"}
)

// forms are the values that a field may have.
var forms = map[string]schema{
	"text": text, "id": id, "url": url,
	"texts": list(word), "ids": list(described(id, "")), "urls": list(described(url, "")),
	"date":     {"type": []string{"string", "null"}, "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`},
	"stars":    {"type": "integer", "minimum": reviewcast.MinRating, "maximum": reviewcast.MaxRating},
	"method":   {"enum": reviewcast.VerificationMethods},
	"reason":   {"enum": []source.Hidden{source.Withdrawn, source.Legal}},
	"category": {"enum": source.Categories},
	"shipped":  {"enum": source.ShippedAspects},
	"naming":   {"enum": []string{"initials", "full"}},
	"country":  {"type": "string", "pattern": source.CountryPattern},
	"lat":      {"type": "number", "minimum": -90, "maximum": 90},
	"lng":      {"type": "number", "minimum": -180, "maximum": 180},
	"count":    {"type": "number", "minimum": 0},
	"labels":   {"type": "object", "additionalProperties": word},
	"merged":   {"type": "object", "additionalProperties": described(list(word), "Phrases.")},
}

func described(s schema, words string) schema {
	s = maps.Clone(s)
	s["description"] = words
	return s
}

// tables has for each table its required fields, and for each field its form and what editors show. A form is one of
// forms, or names a table: [geo] is one, [claim]* a list.
//
//go:embed fields.txt
var tables string

// object returns the schema of a table.
func object(table string) schema {
	properties := schema{}
	// Editors show the title.
	o := schema{"title": strings.ReplaceAll(table, "service_area", "service area"), "type": "object", "properties": properties, "additionalProperties": false}
	within := false
	for line := range strings.Lines(tables) {
		words := strings.Fields(line)
		if line[0] != '\t' {
			names, required, _ := strings.Cut(line, ":")
			if within = slices.Contains(strings.Fields(names), table); within && strings.TrimSpace(required) != "" {
				o["required"] = strings.Fields(required)
			}
		} else if within {
			f := forms[words[1]]
			if inner, isList := strings.CutSuffix(words[1], "*"); inner[0] == '[' {
				if f = object(strings.Trim(inner, "[]")); isList {
					f = list(f)
				}
			}
			if len(words) > 2 {
				f = described(f, strings.Join(words[2:], " "))
			}
			properties[words[0]] = f
		}
	}
	if described := slices.Sorted(maps.Keys(properties)); !slices.Equal(described, slices.Sorted(slices.Values(source.Fields(o["title"].(string))))) {
		panic(fmt.Sprintf("schema: %s: the described fields %q are not those of package source", table, described))
	}
	return o
}
