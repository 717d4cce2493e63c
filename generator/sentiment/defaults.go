package sentiment

import "strings"

// DefaultAspects are the aspects that home-services customers judge. Their terms
// and phrases are in lexicon/phrases.txt. Editors replace them in insights.yaml.
var DefaultAspects = func() (aspects []Term) {
	for id := range strings.FieldsSeq("punctuality pricing communication workmanship cleanliness professionalism technical_knowledge responsiveness scheduling value warranty") {
		aspects = append(aspects, Term{ID: id, Label: strings.ToUpper(id[:1]) + strings.ReplaceAll(id[1:], "_", " "), Extends: id})
	}
	return aspects
}()
