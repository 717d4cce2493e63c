package generator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// pingTimeout bounds one ping, which a hub answers before it does anything about it.
const pingTimeout = 10 * time.Second

// Ping informs a WebSub hub that topics have changed, one publish request for each, which every hub understands
// (PubSubHubbub 0.4, section 7.1). manifest is the hash of the published manifest: an edge that follows the site
// waits until that version is deployed, and other hubs ignore it.
func Ping(ctx context.Context, hub, baseURL, manifest string, topics []string) error {
	client := &http.Client{Timeout: pingTimeout}
	var errs []error
	for _, topic := range topics {
		form := url.Values{"hub.mode": {"publish"}, "hub.url": {baseURL + topic}, "manifest": {manifest}}
		if err := ping(ctx, client, hub, form); err != nil {
			errs = append(errs, fmt.Errorf("ping the hub about %s: %w", topic, err))
		}
	}
	return errors.Join(errs...)
}

func ping(ctx context.Context, client *http.Client, hub string, form url.Values) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, hub, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
	if resp.StatusCode/100 != 2 {
		line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n") // a hub's page of HTML helps nobody
		return fmt.Errorf("%s answered %s: %s", hub, resp.Status, line)
	}
	return nil
}
