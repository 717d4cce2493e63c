package source

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reviewcast"
)

// SchemaFolder is the folder of the schemas in a content folder. The loader ignores
// it, as all names that begin with a dot.
const SchemaFolder = ".schemas"

// Schemas returns a JSON Schema (draft-07, which editors understand) for each kind of
// content file, by the name of its file: "business.schema.json". They are made from
// the decoder's tables of fields. A field that is missing here or there panics, so a
// test that calls Schemas keeps both equal.
//
// A schema checks what an editor can check while somebody types. Load may refuse what
// it accepts; Load refuses what it refuses.
func Schemas() map[string][]byte {
	out := map[string][]byte{}
	for name, root := range map[string]map[string]any{
		"business": businessSchema.business(),
		"site":     siteSchema.site(),
		"insights": vocabularySchema.insights(),
		"faq": arrayOf(faqSchema.object([]int{0, 1}, descriptions{
			"question": textOf("What customers ask."), "answer": textOf("Your answer."),
			"evidence_review_ids": idsOf("Published reviews that the answer rests on."),
			"evidence_aspects":    idsOf("Aspects that the answer rests on."), "claims": claimsSchema(),
		})),
		"withdrawn": arrayOf(withdrawnSchema.object([]int{0, 1, 2}, descriptions{
			"id": idOf("The review's id."), "reason": oneOfWords("Why it is gone.", string(Withdrawn), string(Legal)), "date": dateOf("Since when."),
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
func (s *schema) object(required []int, describe descriptions) map[string]any {
	properties := map[string]any{}
	for _, name := range s.names {
		d, ok := describe[name]
		if !ok {
			panic(fmt.Sprintf("source: the schema of %s doesn't describe %s", s.what, name))
		}
		properties[name] = d
	}
	if len(describe) != len(s.names) {
		panic(fmt.Sprintf("source: the schema of %s describes fields that aren't there", s.what))
	}
	// Editors show the title.
	o := map[string]any{"title": strings.TrimPrefix(s.what, "the "), "type": "object", "properties": properties, "additionalProperties": false}
	var names []string
	for _, f := range required {
		names = append(names, s.names[f])
	}
	if len(names) > 0 {
		o["required"] = names
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
	review := reviewSchema.object(requiredFields, descriptions{
		"id": idOf("Yours to choose; never change it later."), "author": textOf("First name and initial."),
		"rating": describedAs("Stars.", map[string]any{"type": "integer", "minimum": reviewcast.MinRating, "maximum": reviewcast.MaxRating}),
		"date":   dateOf("When it was given."), "title": textOf("May be left out."), "text": textOf("The customer's own words, as they are. May be left out."),
		"language": textOf("BCP 47 tag, such as en; default: that of site.yaml."), "source": textOf("Where it was given, such as google; default: direct."),
		"source_url": urlOf("Where it can be read."), "author_avatar_url": urlOf("A picture of the author."),
		"owner_reply": describedAs("Your public answer.", replySchema.object([]int{replyText, replyDate}, descriptions{
			"text": textOf("What you answer."), "date": dateOf("When you did."),
		})),
		"verification": describedAs("How you know that the author was a customer. Without it the review isn't published.", verificationSchema.object([]int{verificationMethod}, descriptions{
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

func (s *schema) business() map[string]any {
	lists := map[string]map[string]any{}
	for i, l := range refLists {
		lists[l.name] = listOf("The "+strings.ReplaceAll(l.name, "_", " ")+".", namedSchemas[i].object([]int{0, 1}, descriptions{
			"id": idOf("A short name; never change it later."), "name": textOf("As customers know it."), "aliases": textsOf("Other names that customers use."),
		}))
	}
	return s.object([]int{businessID, businessName}, descriptions{
		"id": idOf("A short name without blanks; never change it later."), "name": textOf("As customers know you."), "legal_name": textOf("The registered name."),
		"description": textOf("A sentence or two."), "category": describedAs("A schema.org type, such as Plumber.", map[string]any{"type": "string", "pattern": categoryForm.String()}),
		"url": urlOf("Your own site."), "telephone": textOf("With the country's code."), "email": textOf("For customers."),
		"address": addressSchema.object(nil, descriptions{
			"street_address": textOf("Street and number."), "address_locality": textOf("Town."), "address_region": textOf("Region."), "postal_code": textOf("Postal code."),
			"address_country": describedAs("Two capital letters of ISO 3166.", map[string]any{"type": "string", "pattern": countryForm.String()}),
		}),
		"geo": geoSchema.object([]int{0, 1}, descriptions{
			"latitude":  describedAs("Degrees.", map[string]any{"type": "number", "minimum": -90, "maximum": 90}),
			"longitude": describedAs("Degrees.", map[string]any{"type": "number", "minimum": -180, "maximum": 180}),
		}),
		"hours": textsOf("Such as Mo-Fr 08:00-18:00."), "time_zone": textOf("An IANA name, such as Europe/Rome."), "language": textOf("BCP 47 tag."),
		"same_as": listOf("Your pages elsewhere.", urlOf("")), "logo": urlOf("A picture."),
		"services": lists["services"], "technicians": lists["technicians"], "service_areas": lists["service_areas"],
	})
}

func (s *schema) site() map[string]any {
	return s.object(nil, descriptions{
		"base_url": urlOf("The address of your reviews, nothing after the host."), "title": textOf("Of the page."), "feed_title": textOf("Of the feeds."),
		"description": textOf("A sentence."), "language": textOf("BCP 47 tag; the language of a review that names none."),
		"license": textOf("What others may do with the data: an SPDX identifier or an address."),
		"author":  describedAs("Who signs the feeds.", authorSchema.object(nil, descriptions{"name": textOf("Name."), "url": urlOf("Page."), "email": textOf("E-mail.")})),
		"policies": describedAs("Your rules for what is published.", policiesSchema.object(nil, descriptions{
			"author_names": oneOfWords("Maria K., or the full name.", "initials", "full"),
		})),
	})
}

func (s *schema) insights() map[string]any {
	words := map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []string{"string", "number"}}}
	merged := map[string]any{"type": "object", "additionalProperties": textsOf("Phrases.")}
	return s.object(nil, descriptions{
		"aspects": listOf("What customers judge. Yours stand instead of those that come with reviewcast.", aspectSchema.object([]int{0, 1}, descriptions{
			"id": idOf("A short name."), "label": textOf("For people."),
			"extends":  oneOfWords("A shipped aspect whose phrases it has, too. An id alone brings none.", ShippedAspects...),
			"terms":    textsOf("Words that name it, in all regular forms; in quotation marks (\"boarding\") as written. The words around them say whether it is praised."),
			"positive": textsOf("Phrases that praise it, before everything that is shipped."), "negative": textsOf("Phrases that blame it."), "neutral": textsOf("Phrases that do neither."),
		})),
		"problems": listOf("What was broken.", problemSchema.object([]int{0, 1, 2}, descriptions{
			"id": idOf("A short name."), "label": textOf("For people."), "terms": textsOf("Words that name it."),
		})),
		"pull_quote": quoteSchema.object([]int{0, 1}, descriptions{"review_id": idOf("A published review."), "text": textOf("A part of its text, character for character.")}),
		"ignore":     textsOf("Phrases that look like an aspect or a problem and are none."),
		"topics": topicsSchema.object(nil, descriptions{
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
	return listOf("Numbers that your words rest on; a build checks them.", claimSchema.object(nil, descriptions{
		"aspect": textOf("An aspect's id."), "positive_pct": number("Share of praise."), "mention_count": number("How many mention it."),
		"average_rating": number("Mean of the stars."), "review_count": number("Number of reviews."),
	}))
}

// SchemaFor returns the path of the schema of a content file; "" if it has none. Both
// paths are relative to the content folder.
func SchemaFor(file string) string {
	switch {
	case slices.Contains([]string{BusinessFile, SiteFile, insightsFile, faqFile, withdrawnFile}, file):
		return SchemaFolder + "/" + strings.TrimSuffix(file, ".yaml") + ".schema.json"
	case strings.HasPrefix(file, reviewsFolder+"/") && formatOf(file) == formatYAML:
		return SchemaFolder + "/review.schema.json"
	}
	return ""
}

// SchemaLine returns the comment that names the schema of a file to editors, for the
// first line of the file; "" if there is none.
func SchemaLine(file string) string {
	s := SchemaFor(file)
	if s == "" {
		return ""
	}
	return "# yaml-language-server: $schema=" + strings.Repeat("../", strings.Count(file, "/")) + s
}
