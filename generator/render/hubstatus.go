package render

import (
	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// hubStatus describes the request by which a subscriber asks what has happened to its
// subscription.
func hubStatus() *operation {
	date := &jsonschema.Schema{Type: "string", Format: "date-time"}
	status := object([]string{"state", "explanation", "remedy"}, map[string]*jsonschema.Schema{
		"state":        {Type: "string", Enum: values("active", "failing", "waiting", "pending", "rejected", "ended")},
		"explanation":  {Type: "string", Description: "what happened, in one sentence"},
		"remedy":       {Type: "string", Description: "what would help"},
		"at":           date,
		"next_attempt": date,
	})
	sentence := func(description, example string) response {
		return response{Description: description, Content: map[string]mediaType{"text/plain": {Schema: text, Example: example}}}
	}
	return &operation{
		OperationID: "getSubscriptionStatus", Summary: "The status of a subscription", Tags: []string{tagPush},
		Description: "What has happened to a subscription, for its subscriber, who proves that it knows the secret. Without a secret there is no proof. All answers without a proof are alike.",
		Parameters: []parameter{
			{Name: "hub.topic", In: "query", Description: "The topic.", Required: true, Schema: &jsonschema.Schema{Type: "string", Format: "uri"}},
			{Name: "hub.callback", In: "query", Description: "The callback, as it was subscribed.", Required: true, Schema: &jsonschema.Schema{Type: "string", Format: "uri"}},
			{Name: "X-Hub-Signature", In: "header", Required: true,
				Description: "`sha256=` and the hex HMAC-SHA256 of topic, callback and hour, joined by newlines, as in `2026-11-22T14Z`. The key is the HMAC-SHA256 of `reviewcast hub status` under the secret. The hours before and after are accepted.",
				Schema:      &jsonschema.Schema{Type: "string", Pattern: "^sha256=[0-9a-f]{64}$"}},
		},
		Responses: map[string]response{
			"200": {Description: "The status, the newest first.", Content: map[string]mediaType{reviewcast.MediaJSON: {
				Schema: object([]string{"topic", "callback", "status"}, map[string]*jsonschema.Schema{
					"topic": {Type: "string", Format: "uri"}, "callback": {Type: "string", Format: "uri"}, "status": {Type: "array", Items: status},
				}),
				Example: map[string]any{
					"topic": "https://reviews.example.com/feed.xml", "callback": "https://subscriber.example/inbox?id=7",
					"status": []any{map[string]any{"state": "failing", "explanation": "1 consecutive delivery failed, the last with: answered 500 Internal Server Error.",
						"remedy": "Correct the error of the subscriber's server. The hub tries again by itself.", "next_attempt": "2026-11-22T14:00:30Z"}},
				},
			}}},
			"403": sentence("There is no proof, or the subscription isn't known.", "The signature is missing or wrong, or the subscription is not known."),
			"404": {Description: "There is no hub here.", Content: map[string]mediaType{
				reviewcast.MediaJSON: {Schema: ref("Error"), Example: reviewcast.NewError(404, "There is no hub here.")},
			}},
			"429": {Description: "More requests than one address may send.", Headers: headers("Retry-After"), Content: map[string]mediaType{"text/plain": {Schema: text, Example: "Too many requests from this address."}}},
			"503": {Description: "The hub can't accept requests at the moment.", Headers: headers("Retry-After"), Content: map[string]mediaType{"text/plain": {Schema: text, Example: "The hub can't accept requests at the moment."}}},
		},
	}
}
