package generator

import (
	"context"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/insights"
	"reviewcast/generator/sentiment"
	"reviewcast/generator/source"
)

// InsightsInput brings the editors' content into the words of the insights: source
// and insights don't know each other.
func InsightsInput(content *source.Content) insights.Input {
	v := &content.Vocabulary
	in := insights.Input{
		Config: sentiment.Config{
			Business:       content.Business,
			ServiceAliases: content.ServiceAliases,
			AreaAliases:    content.AreaAliases,
			Aspects:        vocabularyTerms(v.Aspects),
			Problems:       vocabularyTerms(v.Problems),
			Ignore:         v.Ignore,
			Topics:         sentiment.TopicRules(v.Topics),
		},
		FAQ:       content.FAQ,
		Summary:   content.Summary,
		PullQuote: v.PullQuote,
	}
	for i := range content.Reviews {
		if r := &content.Reviews[i]; r.Published {
			in.Reviews = append(in.Reviews, insights.Review{Review: &r.Review, Job: r.Job})
		}
	}
	return in
}

func vocabularyTerms(in []source.Term) []sentiment.Term {
	if in == nil {
		return nil
	}
	out := make([]sentiment.Term, 0, len(in))
	for _, t := range in {
		out = append(out, sentiment.Term(t))
	}
	return out
}

// count makes the dataset and the insights.
func count(content *source.Content, baseURL string) (*reviewcast.Dataset, *reviewcast.Insights) {
	counted := insights.Compute(InsightsInput(content))
	return dataset(content, baseURL, counted.Reviews), counted.Insights
}

// Insights reads the content and gives what its insights rest on, for the commands
// that show or draft them; nothing is rendered. What is wrong with the content
// comes as a *ProblemsError.
func (b *Builder) Insights(ctx context.Context) (insights.Input, error) {
	content, problems, err := b.loader.Load(ctx)
	if err != nil {
		return insights.Input{}, err
	}
	if content == nil || diagnostic.HasErrors(problems) {
		return insights.Input{}, &ProblemsError{problems}
	}
	return InsightsInput(content), nil
}

// claimProblems holds what the editors claim against the counts. A claim about
// nothing is a mistake; one whose number has moved is a warning.
func claimProblems(content *source.Content, counted *reviewcast.Insights) []diagnostic.Problem {
	var out []diagnostic.Problem
	for _, c := range content.Vocabulary.Claims {
		f := insights.CheckClaim(counted, insights.Claim{Aspect: c.Aspect, Measure: c.Measure, Value: c.Value})
		if f == nil {
			continue
		}
		p := diagnostic.Problem{Severity: diagnostic.Warning, File: c.At.File, Line: c.At.Line, Col: c.At.Col, Code: "claim-moved", Message: f.Message, Suggestion: f.Suggest}
		if f.Unknown {
			p.Severity, p.Code = diagnostic.Error, "claim-unknown"
		}
		out = append(out, p)
	}
	return out
}
