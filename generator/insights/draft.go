package insights

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// minDraftMentions is how many reviews must mention an aspect before a sentence
// about it is drafted: fewer are no basis for one.
const minDraftMentions = 3

// Draft writes what an editor may want to say, as YAML to cut from: FAQ answers and a summary in which every
// number is the counts', with the claims that let a later build tell when it has moved. It is a file for a person
// to read, change and accept; nothing publishes it.
func Draft(in *reviewcast.Insights, business string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Drafted by `reviewcast insights suggest` from the counts of %s. Nothing here is", plural(in.ReviewCount, "review"))
	line("# published: copy what is true and well said into faq.yaml and summary.md, in your")
	line("# own words. The claims make a later build warn when a number has moved by more")
	line("# than %d %%.", int(MaxDrift*100))
	line("")
	list := slices.Clone(in.Aspects)
	slices.SortStableFunc(list, func(x, y reviewcast.Aspect) int { return cmp.Compare(y.MentionCount, x.MentionCount) })
	list = slices.DeleteFunc(list, func(a reviewcast.Aspect) bool { return a.MentionCount < minDraftMentions })
	line("# For faq.yaml:")
	for _, a := range list {
		line("- question: %q", "What do customers say about "+strings.ToLower(a.Label)+"?")
		line("  answer: %q", sentence(a))
		ids := []string{}
		for _, e := range a.Evidence {
			if !slices.Contains(ids, e.ReviewID) {
				ids = append(ids, e.ReviewID)
			}
		}
		line("  evidence_review_ids: [%s]", strings.Join(ids, ", "))
		line("  evidence_aspects: [%s]", a.ID)
		line("  claims:")
		line("    - {aspect: %s, positive_pct: %g, mention_count: %d}", a.ID, a.PositivePct, a.MentionCount)
	}
	if len(list) == 0 {
		line("# (no aspect is mentioned in %d reviews or more)", minDraftMentions)
	}
	line("")
	line("# For summary.md (its claims go into insights.yaml):")
	for _, s := range summary(in, list, business) {
		line("#   %s", s)
	}
	line("# claims:")
	line("#   - {review_count: %d}", in.ReviewCount)
	for _, a := range list[:min(3, len(list))] {
		line("#   - {aspect: %s, positive_pct: %g}", a.ID, a.PositivePct)
	}
	return b.String()
}

// sentence summarizes an aspect, dissent included, with a quote of each kind.
func sentence(a reviewcast.Aspect) string {
	s := fmt.Sprintf("%s mention it: %d praise it, %d criticize it", plural(a.MentionCount, "review"), a.PositiveCount, a.NegativeCount)
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

func summary(in *reviewcast.Insights, list []reviewcast.Aspect, business string) []string {
	lines := []string{fmt.Sprintf("%s of %s, %g %% of them positive, %g %% negative.", plural(in.ReviewCount, "review"), business,
		in.OverallSentiment.PositivePct, in.OverallSentiment.NegativePct)}
	best := slices.Clone(list)
	slices.SortStableFunc(best, func(x, y reviewcast.Aspect) int { return cmp.Compare(y.Score, x.Score) })
	if len(best) > 0 {
		lines = append(lines, fmt.Sprintf("Customers are happiest about **%s** (%d of %d praise it).",
			strings.ToLower(best[0].Label), best[0].PositiveCount, best[0].MentionCount))
	}
	if n := len(best); n > 1 {
		lines = append(lines, fmt.Sprintf("They are least happy about **%s** (%d of %d criticize it).",
			strings.ToLower(best[n-1].Label), best[n-1].NegativeCount, best[n-1].MentionCount))
	}
	return lines
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
