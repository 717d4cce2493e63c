package sentiment

// DefaultAspects are the aspects that home-services customers judge. Their terms
// and phrases are in lexicon/phrases.txt. Editors replace them in insights.yaml.
var DefaultAspects = []Term{
	{ID: "punctuality", Label: "Punctuality"},
	{ID: pricing, Label: "Pricing"},
	{ID: "communication", Label: "Communication"},
	{ID: "workmanship", Label: "Workmanship"},
	{ID: "cleanliness", Label: "Cleanliness"},
	{ID: "professionalism", Label: "Professionalism"},
	{ID: "technical_knowledge", Label: "Technical knowledge"},
	{ID: "responsiveness", Label: "Responsiveness"},
	{ID: "scheduling", Label: "Scheduling"},
	{ID: "value", Label: "Value"},
	{ID: "warranty", Label: "Warranty"},
}
