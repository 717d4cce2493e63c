// Package schema makes JSON Schemas of the content files, with which text editors
// complete and check fields while somebody types.
//
// The schemas are made from the tables of fields of package source. A field that is
// missing here or there panics, so a test that calls [All] keeps both equal. A schema
// checks less than a load: what it refuses, a load refuses too.
package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/source"
)

// Folder is the folder of the schemas in a content folder. The loader ignores it, as
// all names that begin with a dot.
const Folder = ".schemas"

// All returns a JSON Schema (draft-07, which editors understand) for each kind of
// content file, by the name of its file: "business.schema.json".
func All() map[string][]byte {
	out := map[string][]byte{}
	for name, root := range map[string]map[string]any{
		"business": business(),
		"site":     site(),
		"insights": vocabulary(),
		"faq": arrayOf(object("question", []string{"question", "answer"}, descriptions{
			"question": textOf("What customers ask."), "answer": textOf("Your answer."),
			"evidence_review_ids": idsOf("Published reviews that support the answer."),
			"evidence_aspects":    idsOf("Aspects that support the answer."), "claims": claimsSchema(),
		})),
		"withdrawn": arrayOf(object("withdrawal", []string{"id", "reason", "date"}, descriptions{
			"id": idOf("The review's id."), "reason": oneOfWords("Why it is gone.", string(source.Withdrawn), string(source.Legal)), "date": dateOf("Since when."),
			"month": textOf("The month of the review, YYYY-MM. It is known without this when the review was published before."),
		})),
		"review": reviewsSchema(),
	} {
		root["$schema"] = "http://json-schema.org/draft-07/schema#"
		root["title"] = "reviewcast: " + name + ".yaml"
		if name == "review" {
			root["title"] = "reviewcast: a file of reviews"
		}
		data, err := json.MarshalIndent(root, "", "  ")
		if err != nil {
			panic(err) // it is made of maps, lists and words
		}
		out[name+".schema.json"] = append(data, '\n')
	}
	return out
}

// descriptions are the schemas of the fields of a table, by name.
type descriptions map[string]map[string]any

// object returns the schema of a table of fields.
func object(table string, required []string, describe descriptions) map[string]any {
	properties := map[string]any{}
	names := source.Fields(table)
	for _, name := range names {
		d, ok := describe[name]
		if !ok {
			panic(fmt.Sprintf("schema: %s: the field %s is not described", table, name))
		}
		properties[name] = d
	}
	if len(describe) != len(names) {
		panic(fmt.Sprintf("schema: %s: a field is described that does not exist", table))
	}
	// Editors show the title.
	o := map[string]any{"title": table, "type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func describedAs(words string, members map[string]any) map[string]any {
	members["description"] = words
	return members
}

// textOf is the schema of a text; a number without quotes is one, too.
func textOf(words string) map[string]any {
	return describedAs(words, map[string]any{"type": []string{"string", "number", "null"}})
}

func idOf(words string) map[string]any {
	return describedAs(words, map[string]any{"type": []string{"string", "number"}, "pattern": fmt.Sprintf("^[A-Za-z0-9][A-Za-z0-9._-]{0,%d}$", reviewcast.MaxIDLength-1)})
}

func dateOf(words string) map[string]any {
	return describedAs(words+" YYYY-MM-DD.", map[string]any{"type": []string{"string", "null"}, "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`})
}

func urlOf(words string) map[string]any {
	return describedAs(words, map[string]any{"type": []string{"string", "null"}, "pattern": "^https?://"})
}

func oneOfWords(words string, choices ...string) map[string]any {
	return describedAs(words, map[string]any{"enum": choices})
}

func textsOf(words string) map[string]any {
	return describedAs(words, map[string]any{"type": []string{"array", "null"}, "items": map[string]any{"type": []string{"string", "number"}}})
}

func idsOf(words string) map[string]any {
	return describedAs(words, map[string]any{"type": []string{"array", "null"}, "items": idOf("")})
}

func listOf(words string, item map[string]any) map[string]any {
	return describedAs(words, map[string]any{"type": []string{"array", "null"}, "items": item})
}

// arrayOf is the schema of a file that is one list.
func arrayOf(item map[string]any) map[string]any {
	return map[string]any{"type": []string{"array", "null"}, "items": item}
}

func reviewsSchema() map[string]any {
	review := object("review", []string{"id", "author", "rating", "date"}, descriptions{
		"id": idOf("Yours to choose; never change it later."), "author": textOf("First name and initial."),
		"rating": describedAs("Stars.", map[string]any{"type": "integer", "minimum": reviewcast.MinRating, "maximum": reviewcast.MaxRating}),
		"date":   dateOf("When it was posted."), "title": textOf("May be left out."), "text": textOf("The customer's own words, as they are. May be left out."),
		"language": textOf("BCP 47 tag, such as en; default: that of site.yaml."), "source": textOf("Where it was posted, such as google; default: direct."),
		"source_url": urlOf("Where it can be read."), "author_avatar_url": urlOf("A picture of the author."),
		"owner_reply": describedAs("Your public answer.", object("owner_reply", []string{"text", "date"}, descriptions{
			"text": textOf("What you answer."), "date": dateOf("When you did."),
		})),
		"verification": describedAs("How you know that the author was a customer. Without it the review isn't published.", object("verification", []string{"method"}, descriptions{
			"method":      oneOfWords("How you know.", reviewcast.VerificationMethods...),
			"verified_on": dateOf("Default: the review's date."), "reference": textOf("Your proof, such as a job number. It is never published."),
		})),
		"technicians": idsOf("Who did the work: ids of business.yaml."), "services": idsOf("What was done: ids of business.yaml."),
		"service_areas": idsOf("Where: ids of business.yaml."),
	})
	return map[string]any{
		"definitions": map[string]any{"review": review},
		"if":          map[string]any{"type": "array"},
		"then":        map[string]any{"items": map[string]any{"$ref": "#/definitions/review"}},
		"else":        map[string]any{"if": map[string]any{"type": "null"}, "else": map[string]any{"$ref": "#/definitions/review"}},
	}
}

func business() map[string]any {
	lists := map[string]map[string]any{}
	for name, one := range map[string]string{"technicians": "technician", "services": "service", "service_areas": "service area"} {
		lists[name] = listOf("The "+strings.ReplaceAll(name, "_", " ")+".", object(one, []string{"id", "name"}, descriptions{
			"id": idOf("A short name; never change it later."), "name": textOf("As customers know it."), "aliases": textsOf("Other names that customers use."),
		}))
	}
	return object("business", []string{"id", "name"}, descriptions{
		"id": idOf("A short name without blanks; never change it later."), "name": textOf("As customers know you."), "legal_name": textOf("The registered name."),
		"description": textOf("A sentence or two."), "category": describedAs("A schema.org type, such as Plumber.", map[string]any{"enum": source.Categories}),
		"url": urlOf("Your own site."), "telephone": textOf("With the country's code."), "email": textOf("For customers."),
		"address": object("address", nil, descriptions{
			"street_address": textOf("Street and number."), "address_locality": textOf("Town."), "address_region": textOf("Region."), "postal_code": textOf("Postal code."),
			"address_country": describedAs("Two capital letters of ISO 3166.", map[string]any{"type": "string", "pattern": source.CountryPattern}),
		}),
		"geo": object("geo", []string{"latitude", "longitude"}, descriptions{
			"latitude":  describedAs("Degrees.", map[string]any{"type": "number", "minimum": -90, "maximum": 90}),
			"longitude": describedAs("Degrees.", map[string]any{"type": "number", "minimum": -180, "maximum": 180}),
		}),
		"hours": textsOf("Such as Mo-Fr 08:00-18:00."), "time_zone": textOf("An IANA name, such as Europe/Rome."), "language": textOf("BCP 47 tag."),
		"same_as": listOf("Your pages elsewhere.", urlOf("")), "logo": urlOf("A picture."),
		"services": lists["services"], "technicians": lists["technicians"], "service_areas": lists["service_areas"],
	})
}

func site() map[string]any {
	return object("site", nil, descriptions{
		"base_url": urlOf("The address of your reviews, nothing after the host."), "title": textOf("Of the page."), "feed_title": textOf("Of the feeds."),
		"description": textOf("A sentence."), "language": textOf("BCP 47 tag; the language of a review that names none."),
		"license": textOf("What others may do with the data: an SPDX identifier or an address."),
		"author":  describedAs("The author of the feeds.", object("author", nil, descriptions{"name": textOf("Name."), "url": urlOf("Page."), "email": textOf("E-mail.")})),
		"policies": describedAs("Your rules for what is published.", object("policies", nil, descriptions{
			"author_names": oneOfWords("Maria K., or the full name.", "initials", "full"),
		})),
	})
}

func vocabulary() map[string]any {
	words := map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []string{"string", "number"}}}
	merged := map[string]any{"type": "object", "additionalProperties": textsOf("Phrases.")}
	return object("vocabulary", nil, descriptions{
		"aspects": listOf("What customers judge. Yours replace the built-in ones.", object("aspect", []string{"id", "label"}, descriptions{
			"id": idOf("A short name."), "label": textOf("For people."),
			"extends":  oneOfWords("A shipped aspect whose phrases it has, too. An id alone brings none.", source.ShippedAspects...),
			"terms":    textsOf("Words that name it, in all regular forms; in quotation marks (\"boarding\") as written. The words around them say whether it is praised."),
			"positive": textsOf("Phrases that praise it, before everything that is shipped."), "negative": textsOf("Phrases that blame it."), "neutral": textsOf("Phrases that do neither."),
		})),
		"problems": listOf("What was broken.", object("problem", []string{"id", "label", "terms"}, descriptions{
			"id": idOf("A short name."), "label": textOf("For people."), "terms": textsOf("Words that name it."),
		})),
		"pull_quote": object("pull_quote", []string{"review_id", "text"}, descriptions{"review_id": idOf("A published review."), "text": textOf("An exact part of its text.")}),
		"ignore":     textsOf("Phrases that look like an aspect or a problem and are none."),
		"topics": object("topics", nil, descriptions{
			"pin": textsOf("Topics that are always shown."), "hide": textsOf("Topics that never are."),
			"rename": describedAs("Better labels.", words), "merge": describedAs("Phrases that are one topic.", merged),
		}),
		"claims": claimsSchema(),
	})
}

func claimsSchema() map[string]any {
	number := func(words string) map[string]any {
		return describedAs(words, map[string]any{"type": "number", "minimum": 0})
	}
	return listOf("Numbers that your texts rely on; a build checks them.", object("claim", nil, descriptions{
		"aspect": textOf("An aspect's id."), "positive_pct": number("Share of praise."), "mention_count": number("How many mention it."),
		"average_rating": number("Mean of the stars."), "review_count": number("Number of reviews."),
	}))
}

// For returns the path of the schema of a content file; "" if it has none. Both paths
// are relative to the content folder.
func For(file string) string {
	name, isYAML := strings.CutSuffix(file, ".yaml")
	switch {
	case isYAML && slices.Contains([]string{"business", "site", "insights", "faq", "withdrawn"}, name):
		return Folder + "/" + name + ".schema.json"
	case strings.HasPrefix(file, "reviews/") && source.IsYAML(file):
		return Folder + "/review.schema.json"
	}
	return ""
}

// Line returns the comment that names the schema of a file to editors, for the first
// line of the file; "" if there is none.
func Line(file string) string {
	s := For(file)
	if s == "" {
		return ""
	}
	return "# yaml-language-server: $schema=" + strings.Repeat("../", strings.Count(file, "/")) + s
}
