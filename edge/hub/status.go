package hub

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"net/http"
	"time"

	"reviewcast/edge/hub/store"
)

// statusHour is the format of the hour that a status request is signed for.
const statusHour = "2006-01-02T15Z"

// StatusSignature returns the value of X-Hub-Signature with which a subscriber asks for the status of its subscription.
// Key is store.ProofKey of its secret. The value is valid in the hour of now, and the hours before and after it.
func StatusSignature(key []byte, topic, callback string, now time.Time) string {
	return signature(key, []byte(topic+"\n"+callback+"\n"+now.UTC().Format(statusHour)))
}

// serveStatus answers a subscriber that asks what has happened to its subscription and proves that it knows the secret.
// All answers without a proof are alike, so that nobody learns which callbacks are subscribed.
func (h *Hub) serveStatus(w http.ResponseWriter, r *http.Request) error {
	if err := h.limit(r); err != nil {
		return err
	}
	query := r.URL.Query()
	topic, callback := query.Get("hub.topic"), query.Get("hub.callback")
	now := time.Now()
	var records []store.Record
	if h.isTopic(topic) { // an empty topic would be all
		if err := h.answered(r.Context(), func(ctx context.Context) (err error) {
			records, err = h.Store.History(ctx, now, topic, callback) // read below only if this has ended
			return err
		}); err != nil {
			return err
		}
	}
	list := []Status{}
	for _, record := range records {
		if provesSecret(record.ProofKey, topic, callback, r.Header.Get("X-Hub-Signature"), now) {
			list = append(list, Explain(record, now))
		}
	}
	if len(list) == 0 {
		return &rejection{status: http.StatusForbidden, sentence: "The signature is missing or wrong, or the subscription is not known."}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]any{"topic": topic, "callback": callback, "status": list}) // the client may be gone
	return nil
}

// provesSecret reports whether a signature was made with the key in this hour or a
// neighbouring one. Without a secret there is no proof.
func provesSecret(key []byte, topic, callback, given string, now time.Time) bool {
	ok := false
	for _, at := range []time.Time{now.Add(-time.Hour), now, now.Add(time.Hour)} {
		want := StatusSignature(key, topic, callback, at)
		ok = hmac.Equal([]byte(want), []byte(given)) || ok
	}
	return ok && len(key) > 0
}
