package main

import (
	"bytes"
	"cmp"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

// TestHubCommands runs the operators' commands on a state.
func TestHubCommands(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		s := storetest.Open(t, state)
		ctx := t.Context()
		now := time.Now()
		const topic = "https://example.com/feed.xml"
		var first int64
		for i, callback := range []string{"https://a.example/cb?x=<1>", "https://c.example:8443/", "https://b.example/"} {
			u, err := url.Parse(callback)
			if err != nil {
				t.Fatal(err)
			}
			r := store.Request{Topic: topic, Callback: callback, Mode: store.ModeSubscribe, Lease: time.Hour, Secret: []byte("hunter2")}
			r.Endpoint, r.Host = store.Endpoint(u)
			if err := s.Request(ctx, now, r, store.Publication{}, store.Caps{PendingPerHost: 10}); err != nil {
				t.Fatal(err)
			}
			if i == 2 {
				break // stays pending
			}
			claimed, err := s.ClaimVerifications(ctx, now, "me", nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			id, err := s.Settle(ctx, now, claimed[0], true, "")
			if err != nil {
				t.Fatal(err)
			}
			first = cmp.Or(first, id)
		}
		for _, step := range []struct {
			args string
			fail bool
			want []string
		}{
			{"list", false, []string{"up to date", "https://a.example/cb?x=<1>", "pending: subscribe", "https://b.example/"}},
			{"list --json", false, []string{`"callback":"https://a.example/cb?x=<1>"`, `"secret":true`}},
			{"list --failing --json", false, nil},
			{"remove --host C.example.", false, []string{"1 subscription removed"}},
			{"show 1", false, []string{"callback           https://a.example/cb?x=<1>", "signed             true", "lease              1h0m0s"}},
			{"show https://a.example/cb?x=<1>", false, []string{"id                 1"}},
			{"show 99", true, []string{"no subscription 99"}},
			{"show https://b.example/", false, []string{"what happened", "waits for its verification", "pending: subscribe"}},
			{"retry", true, []string{"--failing"}},
			{"retry 1", false, []string{"1 subscription due at once"}},
			{"retry 1 99", true, []string{"1 subscription due at once\n", "no subscription 99"}},
			{"retry 99", true, []string{"0 subscriptions due at once\n", "no subscription 99"}},
			{"retry --failing", false, []string{"0 subscriptions due at once"}},
			{"retry 1 1", false, []string{"1 subscription due at once"}},
			{"remove 1 99 98", true, []string{"1 subscription removed\n", "no subscription 98, 99"}},
			{"list --json", false, nil},
			{"show https://a.example/cb?x=<1>", false, []string{"An operator of the hub removed", "departed: removed"}},
			{"show https://a.example/cb", true, []string{"no subscription"}},
			{"remove", true, []string{"--host"}},
			{"remove --host a.example", true, []string{"0 subscriptions removed", "no subscription of host a.example"}},
		} {
			var out, errs bytes.Buffer
			args := append([]string{"hub"}, strings.Fields(step.args)...)
			err := run(ctx, append(args, "--state", state), nil, &out, &errs)
			text := out.String()
			if err != nil {
				text += err.Error()
			}
			if (err != nil) != step.fail {
				t.Errorf("%s: %v", step.args, err)
			}
			for _, want := range step.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %q in:\n%s", step.args, want, text)
				}
			}
			if step.want == nil && text != "" || strings.Contains(text, "hunter2") {
				t.Errorf("%s says:\n%s", step.args, text)
			}
		}
		if first != 1 {
			t.Errorf("the first subscription is %d", first)
		}
	})
}

func TestStatePath(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("LocalAppData", home)
	public := filepath.Join(home, "public")
	if err := os.MkdirAll(public, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(public, filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	for name, base := range map[string]string{"hub-example.com.sqlite": "https://example.com", "hub-localhost_8080.sqlite": "http://localhost:8080", "hub-__1_80.sqlite": "http://[::1]:80"} {
		got, err := (&stateFlag{}).path(base, public)
		if err != nil || filepath.Base(got) != name || !strings.HasPrefix(got, home) {
			t.Errorf("state of %s: %s, %v", base, got, err)
		}
	}
	for state, ok := range map[string]bool{
		filepath.Join(home, "s"): true, filepath.Join(home, "public-s"): true, "postgres://x/y": true,
		"mysql://u:p@h/db": false, "Postgres://x/y": false, "sqlite:///x": false, "host=127.0.0.1 user=root": false, "None": false,
		filepath.Join(home, "a=b"): true,
		filepath.Join(public, "s"): false, filepath.Join(home, "link", "new", "s"): false, filepath.Join(public, "..", "public", "s"): false,
	} {
		if _, err := (&stateFlag{State: state}).path("https://example.com", public); (err == nil) != ok {
			t.Errorf("--state %s: %v", state, err)
		}
	}
}

// The environment of a server names the state of its edge, which dev must not open. A
// flag may name any state.
func TestDevLeavesTheEdgesState(t *testing.T) {
	dir := t.TempDir()
	edges, named := filepath.Join(dir, "real.sqlite"), filepath.Join(dir, "named.sqlite")
	t.Setenv("REVIEWCAST_STATE", edges)
	for _, state := range []string{edges, named} {
		got, remove, err := (&stateFlag{State: state}).devState("http://localhost:8080", filepath.Join(dir, "public"))
		if err = errors.Join(err, remove()); err != nil || (got == state) != (state == named) {
			t.Errorf("%s: %s, %v", state, got, err)
		}
	}
}
