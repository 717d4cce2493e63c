package sentiment

// DefaultAspects are the aspects that home-services customers judge. Their terms
// and phrases are in lexicon/phrases.txt. Editors replace them in insights.yaml.
var DefaultAspects = []Term{
	{ID: "punctuality", Label: "Punctuality", Extends: "punctuality"},
	{ID: "pricing", Label: "Pricing", Extends: "pricing"},
	{ID: "communication", Label: "Communication", Extends: "communication"},
	{ID: "workmanship", Label: "Workmanship", Extends: "workmanship"},
	{ID: "cleanliness", Label: "Cleanliness", Extends: "cleanliness"},
	{ID: "professionalism", Label: "Professionalism", Extends: "professionalism"},
	{ID: "technical_knowledge", Label: "Technical knowledge", Extends: "technical_knowledge"},
	{ID: "responsiveness", Label: "Responsiveness", Extends: "responsiveness"},
	{ID: "scheduling", Label: "Scheduling", Extends: "scheduling"},
	{ID: "value", Label: "Value", Extends: "value"},
	{ID: "warranty", Label: "Warranty", Extends: "warranty"},
}
