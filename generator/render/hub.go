package render

import (
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// hub describes the WebSub hub, and as callbacks what it sends to a subscriber.
func hub(c Channel, ex *examples) *operation {
	var topics []string
	for _, path := range reviewcast.Topics {
		topics = append(topics, c.BaseURL+path)
	}
	refused := func(description, sentence string) response {
		return response{Description: description, Content: map[string]mediaType{"text/plain": {Schema: text, Example: sentence}}}
	}
	return &operation{
		OperationID: "askHub", Summary: "Subscribe to changes", Tags: []string{tagPush},
		Description: "The WebSub hub (W3C, 23 January 2018). `subscribe` and `unsubscribe` are taken at once and count as soon as the callback has confirmed them. " +
			"A subscription is a topic and a callback; to subscribe again renews it. It ends with its lease, or after three failed deliveries in a row. " +
			"`publish` is a hint to look for changes: anybody may send it, and content that hasn't changed notifies nobody.",
		RequestBody: &requestBody{Required: true, Description: "What is asked; other fields are ignored.", Content: map[string]mediaType{
			"application/x-www-form-urlencoded": {
				Schema: object([]string{"hub.mode"}, map[string]*jsonschema.Schema{
					"hub.mode":          {Type: "string", Enum: values("subscribe", "unsubscribe", "publish")},
					"hub.callback":      {Type: "string", Format: "uri", Pattern: "^https://", MaxLength: jsonschema.Ptr(2048), Description: "where verification and notifications go: https, without userinfo or fragment. Needed to subscribe and unsubscribe"},
					"hub.topic":         {Type: "string", Format: "uri", Enum: values(topics...), Description: "what to be told about"},
					"hub.url":           {Type: "string", Format: "uri", Description: "with publish: another name of hub.topic; both may be repeated"},
					"hub.lease_seconds": {Type: "integer", Minimum: jsonschema.Ptr(1.0), Default: []byte("864000"), Description: "how long to subscribe for. What is granted, 300 to 2592000, stands in the verification"},
					"hub.secret":        {Type: "string", MaxLength: jsonschema.Ptr(199), Description: "under 200 bytes; notifications are then signed with it"},
				}),
				Example: map[string]any{
					"hub.mode": "subscribe", "hub.callback": "https://subscriber.example/inbox?id=7",
					"hub.topic": c.BaseURL + reviewcast.PathReviews, "hub.secret": "correct horse battery staple",
				},
			},
		}},
		Responses: map[string]response{
			"202": {Description: "Taken. To subscribe or unsubscribe, the callback is asked to confirm."},
			"400": refused("The request is refused, with the reason in one sentence.", "hub.callback must be an https URL."),
			"404": {Description: "There is no hub here.", Content: map[string]mediaType{
				reviewcast.MediaJSON: {Schema: ref("Error"), Example: reviewcast.NewError(http.StatusNotFound, "There is no hub here.")},
			}},
			"413": refused("The form is longer than 64 KiB.", "The form is too long."),
			"415": refused("The body is not a form.", "Send application/x-www-form-urlencoded."),
			"429": {Description: "More requests than one address may send.", Headers: headers("Retry-After"), Content: map[string]mediaType{"text/plain": {Schema: text, Example: "Wait for the seconds in Retry-After."}}},
			"503": {Description: "The hub can't take requests at the moment.", Headers: headers("Retry-After"), Content: map[string]mediaType{"text/plain": {Schema: text, Example: "Try again in a moment."}}},
		},
		Callbacks: map[string]map[string]pathItem{
			"subscriber": {"{$request.body#/hub.callback}": {Get: verification(topics), Post: notification(ex)}},
		},
	}
}

// verification is the request by which the hub asks whether a callback wants what
// was asked in its name.
func verification(topics []string) *operation {
	query := func(name, description string, required bool, s *jsonschema.Schema) parameter {
		return parameter{Name: name, In: "query", Description: description, Required: required, Schema: s}
	}
	return &operation{
		OperationID: "verifyIntent", Summary: "Verification of intent", Tags: []string{tagPush},
		Description: "Confirm by echoing the challenge. The callback's own query is kept as it is, and these parameters are appended. " +
			"With the mode `denied` it is no question: the subscription has ended, and `hub.reason` says why.",
		Parameters: []parameter{
			query("hub.mode", "What was asked.", true, &jsonschema.Schema{Type: "string", Enum: values("subscribe", "unsubscribe", "denied")}),
			query("hub.topic", "The topic.", true, &jsonschema.Schema{Type: "string", Format: "uri", Enum: values(topics...)}),
			query("hub.challenge", "A random string, used once.", false, text),
			query("hub.lease_seconds", "The lease that is granted.", false, &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(300.0), Maximum: jsonschema.Ptr(2592000.0)}),
			query("hub.reason", "Why the subscription has ended.", false, text),
		},
		Responses: map[string]response{
			"200": {Description: "Yes: the body is exactly the challenge. Any 2xx status will do.", Content: map[string]mediaType{"text/plain": {Schema: text, Example: "pYkT7VgrNNhKQcLMzcFTGA"}}},
			"404": {Description: "No: as any other status or body."},
		},
	}
}

// notification is the request that carries a topic's new content.
func notification(ex *examples) *operation {
	return &operation{
		OperationID: "notifySubscriber", Summary: "A topic has changed", Tags: []string{tagPush},
		Description: "The whole topic as it is now, with the content type that it is served with. A failed delivery is tried again, with the newest content.",
		Parameters: []parameter{
			{Name: "Link", In: "header", Required: true, Description: "The hub and the topic, with rel=hub and rel=self.", Schema: text},
			{Name: "X-Hub-Signature", In: "header", Description: "`sha256=` and the hex HMAC-SHA256 of the body under the secret; there if and only if a secret was given.", Schema: &jsonschema.Schema{Type: "string", Pattern: "^sha256=[0-9a-f]{64}$"}},
		},
		RequestBody: &requestBody{Required: true, Description: "The topic's content.", Content: map[string]mediaType{
			reviewcast.MediaJSON: {Schema: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{ref("Dataset"), ref("JSONFeed")}}, Example: ex.dataset},
			reviewcast.MediaAtom: {Schema: text, Example: ex.atom},
		}},
		Responses: map[string]response{
			"204": {Description: "Received. Any 2xx status will do."},
			"410": {Description: "The subscription is to be removed."},
		},
	}
}
