package insights

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// minDraftMentions is how many reviews must mention an aspect before a sentence
// about it is drafted: fewer are no basis for one.
const minDraftMentions = 3

//go:embed draft.txt
var draftText string

var draft = template.Must(template.New("draft").Funcs(template.FuncMap{"lower": strings.ToLower, "join": strings.Join, "answer": answer}).Parse(draftText))

// Draft writes what an editor may want to say, as YAML to cut from: FAQ answers and a summary in which every
// number is the counts', with the claims that let a later build tell when it has moved. It is a file for a person
// to read, change and accept; nothing publishes it.
func Draft(of Result, business string) string {
	in := of.Insights
	list := slices.DeleteFunc(slices.Clone(in.Aspects), func(a reviewcast.Aspect) bool { return a.MentionCount < minDraftMentions })
	slices.SortStableFunc(list, func(x, y reviewcast.Aspect) int { return cmp.Compare(y.MentionCount, x.MentionCount) })
	best := slices.SortedStableFunc(slices.Values(list), func(x, y reviewcast.Aspect) int { return cmp.Compare(y.Score, x.Score) })
	others := best[min(1, len(best)):]
	var b strings.Builder
	err := draft.Execute(&b, struct {
		*reviewcast.Insights
		Business     string
		Drift, Least int
		Aspects, Top []reviewcast.Aspect
		Best, Worst  []reviewcast.Aspect // at most one
		Ambiguous    []*AmbiguousName
	}{in, business, int(MaxDrift * 100), minDraftMentions, list, list[:min(3, len(list))], best[:min(1, len(best))], others[max(0, len(others)-1):], of.Ambiguous})
	if err != nil {
		panic(err) // the template is embedded
	}
	return b.String()
}

// answer summarizes an aspect, dissent included, with a quote of each kind.
func answer(a reviewcast.Aspect) string {
	s := fmt.Sprintf("%d reviews mention it: %d praise it, %d criticize it", a.MentionCount, a.PositiveCount, a.NegativeCount)
	if rest := a.NeutralCount + a.MixedCount; rest > 0 {
		s += fmt.Sprintf(", %d do both or neither", rest)
	}
	s += "."
	for _, p := range []reviewcast.Polarity{reviewcast.Positive, reviewcast.Negative} {
		// Words are quoted only where a phrase decided: those quotes are right more often.
		i := slices.IndexFunc(a.Evidence, func(e reviewcast.Evidence) bool {
			return e.Polarity == p && e.Source != sentiment.FromLexicon.String()
		})
		if i >= 0 {
			s += " “" + strings.Join(strings.Fields(a.Evidence[i].Quote), " ") + "”"
		}
	}
	return s
}

// MaxDrift is the share by which a claim's number may have moved since it was written before the editor is told.
const MaxDrift = 0.10
