package main

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/edgetest"
	"reviewcast/bench/mirrortest"
	"reviewcast/generator"
)

// chain is everything from an editor to a subscriber: content, builds on machines that
// start empty, a site with its edge and hub, a cache in front of it that keeps any
// answer, a mirror that pulls through the cache, and a subscriber.
type chain struct {
	*testing.T
	dir, public, copy string
	edge, cache       string // addresses
	reviews           map[string]string
	withdrawn         string // YAML
	builds            int

	mu  sync.Mutex
	got map[string]string // topic to the hash of what was delivered last
}

func newChain(t *testing.T) *chain {
	if testing.Short() {
		t.Skip("it waits for deliveries of a real edge")
	}
	t.Parallel()
	dir := t.TempDir()
	c := &chain{T: t, dir: dir, public: filepath.Join(dir, "public"), copy: filepath.Join(dir, "copy"), got: map[string]string{}, reviews: map[string]string{}}
	for i := range 40 {
		c.reviews[fmt.Sprintf("r-%d", i)] = "They came on time."
	}
	c.deploy(c.build("--public", c.public))
	c.start()
	u, err := url.Parse(c.edge)
	if err != nil {
		t.Fatal(err)
	}
	cache := httptest.NewServer(&mirrortest.Cache{Origin: httputil.NewSingleHostReverseProxy(u), Rand: rand.New(rand.NewPCG(1, 2))})
	t.Cleanup(cache.Close)
	c.cache = cache.URL
	return c
}

// start starts the edge, and subscribes to two topics.
func (c *chain) start() {
	callback := httptest.NewTLSServer(http.HandlerFunc(c.receive))
	c.Cleanup(callback.Close)
	roots := filepath.Join(c.dir, "roots.pem")
	writeFile(c.T, roots, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: callback.Certificate().Raw})))
	edge, err := edgetest.Start(edgetest.Config{Program: binary(c.T), Env: []string{"SSL_CERT_FILE=" + roots},
		Args: []string{"--public", c.public, "--base-url", origin, "--state", filepath.Join(c.dir, "hub.sqlite"), "--hub-allow-cidr", "127.0.0.0/8"}})
	if err != nil {
		c.Fatal(err)
	}
	c.edge = edge.URL
	c.Cleanup(func() {
		_ = edge.Stop(os.Kill)
		if c.Failed() {
			c.Log(edge.Log())
		}
	})
	for _, topic := range []string{reviewcast.PathReviews, reviewcast.PathLatestChange} {
		form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {origin + topic}, "hub.callback": {callback.URL + topic}}
		c.until("a subscription of "+topic, func() bool {
			resp, err := http.PostForm(c.edge+reviewcast.PathHub, form)
			if err != nil {
				return false
			}
			defer resp.Body.Close()
			return resp.StatusCode == http.StatusAccepted
		})
		c.until("a verified subscription of "+topic, func() bool { return c.received(topic) != "" })
	}
}

// receive is the subscriber's callback.
func (c *chain) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Method == http.MethodGet {
		c.got[r.URL.Path] = "verified"
		fmt.Fprint(w, r.URL.Query().Get("hub.challenge"))
		return
	}
	c.got[r.URL.Path] = reviewcast.SHA256(body)
}

func (c *chain) received(topic string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got[topic]
}

func (c *chain) until(what string, happens func() bool) {
	c.Helper()
	for start := time.Now(); !happens(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > patience {
			c.Fatalf("waited in vain for %s", what)
		}
	}
}

// command runs reviewcast, and returns what it printed as the error if it fails.
func (c *chain) command(args ...string) error {
	out, err := exec.Command(binary(c.T), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// content writes the reviews as a content folder.
func (c *chain) content() string {
	c.builds++
	dir := filepath.Join(c.dir, fmt.Sprintf("content-%d", c.builds))
	writeFile(c.T, filepath.Join(dir, "business.yaml"), "id: acme\nname: Acme\n")
	var lines strings.Builder
	for _, id := range slices.Sorted(maps.Keys(c.reviews)) {
		line, err := json.Marshal(map[string]any{"id": id, "author": "Ada L.", "rating": 5, "date": "2026-03-04", "text": c.reviews[id], "verification": map[string]string{"method": "job"}})
		if err != nil {
			c.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	writeFile(c.T, filepath.Join(dir, "reviews", "all.jsonl"), lines.String())
	writeFile(c.T, filepath.Join(dir, "withdrawn.yaml"), c.withdrawn)
	return dir
}

// build builds the reviews on an empty machine, or in --public, and returns the folder.
func (c *chain) build(args ...string) string {
	c.Helper()
	public, err := c.tryBuild(args...)
	if err != nil {
		c.Fatal(err)
	}
	return public
}

func (c *chain) tryBuild(args ...string) (public string, err error) {
	dir := c.content()
	public = dir + "-public"
	return public, c.command(slices.Concat([]string{"build", "--content", dir, "--public", public, "--base-url", origin, "--today", "2026-11-21"}, args)...)
}

// deploy makes a folder the site, as a host does that keeps old deploys.
func (c *chain) deploy(public string) {
	c.Helper()
	if _, err := os.Stat(public); err != nil {
		return // built in place
	}
	staged, old := filepath.Join(c.dir, "staged"), filepath.Join(c.dir, "old")
	for _, err := range []error{os.CopyFS(staged, os.DirFS(public)), os.Rename(c.public, old), os.Rename(staged, c.public), os.RemoveAll(old)} {
		if err != nil {
			c.Fatal(err)
		}
	}
}

// publish adds a review, builds on what the cache has, and deploys.
func (c *chain) publish(id string) (public string) {
	c.Helper()
	c.reviews[id] = "A fair price."
	public = c.build("--previous", c.cache)
	c.deploy(public)
	return public
}

// arrived checks that everybody ends with the site's bytes and every review.
func (c *chain) arrived(pull ...string) {
	c.Helper()
	want := filesOf(c.T, c.public)
	for _, topic := range []string{reviewcast.PathReviews, reviewcast.PathLatestChange} {
		hash := reviewcast.SHA256([]byte(want[strings.TrimPrefix(topic, "/")]))
		c.until("the newest "+topic+" at the subscriber", func() bool { return c.received(topic) == hash })
	}
	if err := c.command(append([]string{"pull", c.cache, c.copy, "--quiet"}, pull...)...); err != nil {
		c.Fatal(err)
	}
	maps.DeleteFunc(want, func(name, _ string) bool { return slices.Contains([]string{".gz", ".br", ".zst"}, filepath.Ext(name)) })
	if diff := difference(filesOf(c.T, c.copy), want); diff != "" {
		c.Fatalf("the mirror differs: %s", diff)
	}
	for id := range c.reviews {
		if !strings.Contains(want["reviews.json"], `"id":"`+id+`"`) {
			c.Fatalf("review %s is not published", id)
		}
	}
	if err := c.command("verify", c.copy, "--quiet"); err != nil {
		c.Fatal(err)
	}
}

// TestChainRollback: after the host goes back to an old deploy, the next publications
// reach everybody.
func TestChainRollback(t *testing.T) {
	inCI(t)
	c := newChain(t)
	old := c.publish("old")
	c.arrived()
	for _, id := range []string{"lost-1", "lost-2"} {
		c.publish(id)
		c.arrived()
	}
	c.deploy(old)
	delete(c.reviews, "lost-1")
	delete(c.reviews, "lost-2")
	c.until("the old deploy at the edge", func() bool { return served(c.edge+reviewcast.PathReviews, filesOf(t, old)["reviews.json"]) })
	if err := c.command("pull", c.cache, c.copy); err == nil || !strings.Contains(err.Error(), "rolled back") {
		t.Fatalf("pull from a site that was rolled back: %v", err)
	}
	c.elevenMinutesLater()
	for _, id := range []string{"new-1", "new-2", "new-3"} {
		if err := c.command("pull", c.cache, c.copy, "--quiet"); err != nil {
			t.Fatal(err)
		}
		c.publish(id)
		c.arrived()
	}
}

// elevenMinutesLater makes the copy have waited for so long.
func (c *chain) elevenMinutesLater() {
	name := c.copy + ".waiting"
	data, err := os.ReadFile(name)
	if err != nil {
		c.Fatal(err)
	}
	var waiting map[string]any
	if err := json.Unmarshal(data, &waiting); err != nil {
		c.Fatal(err)
	}
	waiting["since"] = time.Now().Add(-11 * time.Minute)
	if data, err = json.Marshal(waiting); err != nil {
		c.Fatal(err)
	}
	writeFile(c.T, name, string(data))
}

func served(address, want string) bool {
	resp, err := http.Get(address)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return err == nil && string(body) == want
}

// TestChainOldManifest: a build that gets an old manifest from a cache refuses it, and
// says what to do.
func TestChainOldManifest(t *testing.T) {
	c := newChain(t)
	c.publish("old")
	stale := filesOf(t, c.public)
	c.publish("new")
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Age", "60")
		fmt.Fprint(w, stale[strings.TrimPrefix(r.URL.Path, "/")])
	}))
	defer behind.Close()
	c.reviews["newer"] = "Fine."
	if _, err := c.tryBuild("--previous", behind.URL); err == nil || !strings.Contains(err.Error(), "a cache is behind") || !strings.Contains(err.Error(), "try again") {
		t.Fatalf("a build on an old manifest: %v", err)
	}
	c.deploy(c.build("--previous", c.cache))
	c.arrived()
}

// TestChainTwoBuilders: two machines build different content on the same version. Both
// deploys reach the subscriber; the mirror reports that a version vanished, and keeps
// its copy until somebody accepts that.
func TestChainTwoBuilders(t *testing.T) {
	inCI(t)
	c := newChain(t)
	c.publish("base")
	c.arrived()
	c.reviews["of-a"] = "Fine."
	a := c.build("--previous", c.cache)
	second := time.Now().Unix()
	c.until("another second", func() bool { return time.Now().Unix() > second })
	delete(c.reviews, "of-a")
	c.reviews["of-b"] = "Fine, too."
	b := c.build("--previous", c.cache)
	c.deploy(a)
	delete(c.reviews, "of-b")
	c.reviews["of-a"] = "Fine."
	c.arrived()
	kept := filesOf(t, c.copy)
	c.deploy(b)
	hash := reviewcast.SHA256([]byte(filesOf(t, b)["reviews.json"]))
	c.until("the second deploy at the subscriber", func() bool { return c.received(reviewcast.PathReviews) == hash })
	if err := c.command("pull", c.cache, c.copy); err == nil || !strings.Contains(err.Error(), "another history") {
		t.Fatalf("pull from a site with another history: %v", err)
	}
	if diff := difference(filesOf(t, c.copy), kept); diff != "" {
		t.Fatalf("the copy has changed: %s", diff)
	}
	c.reviews["of-b"] = "Fine, too."
	c.publish("after")
	c.arrived("--accept-rewrite")
	c.publish("last")
	c.arrived()
}

// TestChainClockAhead: one machine's clock is an hour ahead, and the others' are right.
func TestChainClockAhead(t *testing.T) {
	inCI(t)
	c := newChain(t)
	c.reviews["ahead"] = "Fine."
	public := filepath.Join(c.dir, "ahead")
	builder := generator.NewBuilder(generator.Config{ContentDir: c.content(), PublicDir: public, Previous: c.cache, BaseURL: origin,
		Today: "2026-11-21", Now: func() time.Time { return time.Now().Add(time.Hour) }})
	if _, err := builder.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.deploy(public)
	c.arrived()
	for _, id := range []string{"right-1", "right-2"} {
		c.publish(id)
		c.arrived()
	}
}
