package sentiment_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

func people() sentiment.Config {
	return sentiment.Config{
		Business: reviewcast.Business{
			Technicians: []reviewcast.Technician{
				{ID: "marcus", Name: "Marcus Okafor", Aliases: []string{"Marcus"}},
				{ID: "grace", Name: "Grace Lachance", Aliases: []string{"Grace"}},
				{ID: "dan-r", Name: "Daniel Roy", Aliases: []string{"Big Dan", "Daniel R."}},
				{ID: "dan-k", Name: "Daniel Kowalczyk", Aliases: []string{"Danny K."}},
				{ID: "helene", Name: "Hélène Thibodeau", Aliases: []string{"Hélène"}},
				{ID: "giuseppe", Name: "Giuseppe Ferrante"},
				{ID: "will", Name: "Will Stone", Aliases: []string{"Will"}},
				{ID: "art", Name: "Art Dune", Aliases: []string{"Art"}},
				{ID: "may", Name: "May Ling", Aliases: []string{"May"}},
			},
			ServiceAreas: []reviewcast.Named{{ID: "ndg", Name: "Notre-Dame-de-Grâce"}, {ID: "plateau", Name: "Plateau"}},
			Services:     []reviewcast.Named{{ID: "water-heater", Name: "Water heater"}, {ID: "drain", Name: "Drain cleaning"}},
		},
		AreaAliases:    map[string][]string{"plateau": {"the Plateau"}},
		ServiceAliases: map[string][]string{"water-heater": {"hot water tank", "chauffe-eau"}},
	}
}

// TestNames holds the rules for people, and what they must not take for people.
func TestNames(t *testing.T) {
	a := sentiment.NewAnalyzer(people())
	for _, c := range []struct {
		text string
		want []string // technicians, then areas and services
	}{
		{"Marcus was great.", []string{"marcus"}},
		{"Marcus's van, and Marcus again.", []string{"marcus"}},
		{"marcus was great", nil}, // names keep their case
		{"MARCUS WAS GREAT", []string{"marcus"}},
		{"Merci à Helene !", []string{"helene"}},
		{"L’eau d’Hélène.", []string{"helene"}},
		{"Big Dan came.", []string{"dan-r"}},
		{"Daniel came.", nil}, // two bear it
		{"Daniel R. came, not Daniel Kowalczyk.", []string{"dan-k", "dan-r"}},
		{"Giusepe fixed it.", []string{"giuseppe"}}, // six letters or more: one slip is forgiven
		{"Marcos fixed it.", []string{"marcus"}},
		{"Marc fixed it.", nil},
		{"Giuseppe Verdi was on the radio.", nil}, // somebody else's surname
		{"Will they come? Will do.", nil},
		{"Our technician Will was kind.", []string{"will"}},
		{"Will fixed it.", []string{"will"}},
		{"Will mowed the lawn. Art hung on the wall.", []string{"will"}},
		{"Will Stone came.", []string{"will"}},
		{"WILL THEY EVER COME", nil},
		{"Art by Monet. Thanks to Art!", []string{"art"}},
		{"In May they came; May was wet.", nil},
		{"Ask for May.", []string{"may"}},
		{"Grace Kelly lived in Notre-Dame-de-Grâce.", []string{"ndg"}},
		{"By the grace of God. Grace period.", nil},
		{"We live on the Plateau. HOT WATER TANKS!", []string{"plateau", "water-heater"}},
		{"Le chauffe-eau de Marcus", []string{"marcus", "water-heater"}},
	} {
		m := a.Analyze(review(5, c.text), reviewcast.Mentions{}).Mentions
		got := slices.Concat(m.Technicians, m.ServiceAreas, m.Services)
		if diff := cmp.Diff(c.want, got, cmp.Transformer("set", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
	}
}

// TestPeopleAsSubjects shows that praise and blame of a technician, or of somebody
// with a usual first name, is about the people of the business.
func TestPeopleAsSubjects(t *testing.T) {
	a := sentiment.NewAnalyzer(people())
	for text, want := range map[string]reviewcast.Polarity{
		"Giuseppe was wonderful.":          "positive",
		"Marcus Okafor is so nice.":        "positive",
		"Our technician Will was awesome.": "positive",
		"Mike is great.":                   "positive",
		"The furnace is great.":            "",
		"The grace period was great.":      "",
	} {
		if p := a.Analyze(review(3, text), reviewcast.Mentions{}).Insight.Aspects["professionalism"]; p != want {
			t.Errorf("%q: %q, want %q", text, p, want)
		}
	}
}

// TestExplain shows a mention with its words, origin and phrase.
func TestExplain(t *testing.T) {
	e := sentiment.NewAnalyzer(people()).Explain(review(5, "é They weren’t ever late, thanks Marcus."))
	want := []sentiment.Mention{
		{Kind: "aspect", ID: "punctuality", Start: 20, End: 24, Words: "late", Polarity: "positive", Origin: sentiment.FromTrade, Label: "Punctuality",
			Phrase: "=late", Rule: "a negation before it reverses it"},
		{Kind: "technician", ID: "marcus", Start: 33, End: 39, Words: "Marcus", Rule: "named as the business's files name it"},
	}
	if diff := cmp.Diff(want, e.Mentions); diff != "" {
		t.Error(diff)
	}
}

// TestExplainOffsets compares the offsets of every mention, in code points, with its
// words, in the title and in the text.
func TestExplainOffsets(t *testing.T) {
	r := review(5, "Hélène was late — très tard. Then Marcus fixed the hot water tank on the Plateau, naïve price.")
	title := "Déjà vu: Hélène, Marcus and the hot water tank"
	r.Title = &title
	e := sentiment.NewAnalyzer(people()).Explain(r)
	in := map[bool]int{}
	for _, m := range e.Mentions {
		text := []rune(*r.Text)
		if m.Title {
			text = []rune(title)
		}
		if got := string(text[m.Start:m.End]); got != m.Words {
			t.Errorf("%d to %d is %q, not %q", m.Start, m.End, got, m.Words)
		}
		in[m.Title]++
	}
	if in[true] != 3 || in[false] < 5 {
		t.Errorf("%d mentions in the title, %d in the text", in[true], in[false])
	}
}
