package generator

import (
	"context"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/insights"
	"reviewcast/generator/sentiment"
	"reviewcast/generator/source"
)

// InsightsInput converts the editors' content to the input of the insights: source
// and insights don't import each other.
func InsightsInput(content *source.Content) insights.Input {
	in := insights.Input{
		Config: vocabulary(content),
		FAQ:    content.FAQ, Summary: content.Summary, PullQuote: content.Vocabulary.PullQuote,
	}
	for _, r := range content.Reviews {
		if r.Published {
			in.Reviews = append(in.Reviews, insights.Review{Review: &r.Review, Job: r.Job})
		}
	}
	return in
}

// vocabulary converts what the editors look for in texts.
func vocabulary(content *source.Content) sentiment.Config {
	v := &content.Vocabulary
	return sentiment.Config{
		Business:       content.Business,
		ServiceAliases: content.ServiceAliases,
		AreaAliases:    content.AreaAliases,
		Aspects:        vocabularyTerms(v.Aspects),
		Problems:       vocabularyTerms(v.Problems),
		Ignore:         v.Ignore,
		Topics:         sentiment.TopicRules(v.Topics),
	}
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

// Insights loads the content and returns the input of its insights, for the commands
// that show or draft them. What is wrong with the content is returned as a
// *[ProblemsError]. A Builder that is asked for Insights must not build afterwards: the
// load takes the Delta that a build would apply.
func (b *Builder) Insights(ctx context.Context) (insights.Input, error) {
	content, _, problems, err := b.loader.Load(ctx, nil)
	if err != nil {
		return insights.Input{}, err
	}
	if content == nil || diagnostic.HasErrors(problems) {
		return insights.Input{}, &ProblemsError{problems}
	}
	return InsightsInput(content), nil
}

// claimProblems compares what the editors claim with the counts. A claim about
// nothing is an error, one whose number has changed a warning.
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
