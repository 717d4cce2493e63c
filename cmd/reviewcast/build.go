package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"reviewcast"
	"reviewcast/generator"
)

// buildFlags are what a build can be told, alone or within dev.
type buildFlags struct {
	Content  string `help:"The editors' folder." default:"content" placeholder:"DIR"`
	Public   string `help:"The output folder." default:"public" placeholder:"DIR"`
	BaseURL  string `name:"base-url" help:"The origin to publish under, instead of site.yaml's base_url." placeholder:"URL"`
	Hub      string `help:"The WebSub hub to ping about changed topics; without it none is pinged." placeholder:"URL"`
	Previous string `help:"Where the last published set is: a folder or a URL (default: the output folder)." placeholder:"DIR|URL"`
	Today    string `help:"The day that no review may be dated after (default: today, where the business is)." placeholder:"YYYY-MM-DD"`
}

// mustBeFolder finds out early that the editors' folder isn't where it was looked
// for: people start the program in the wrong place.
func mustBeFolder(dir string) error {
	if isFolder(dir) {
		return nil
	}
	return usageError{fmt.Errorf("--content: there is no folder %s here; name yours, or have `reviewcast init %s` write one to start from", dir, dir)}
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

func (f *buildFlags) buildConfig(encodings string) (generator.Config, error) {
	if err := mustBeFolder(f.Content); err != nil {
		return generator.Config{}, err
	}
	if f.Today != "" && !reviewcast.Date(f.Today).Valid() {
		return generator.Config{}, usageError{fmt.Errorf("--today: %q is not a calendar date YYYY-MM-DD", f.Today)}
	}
	if f.BaseURL != "" {
		if _, err := reviewcast.ParseBaseURL(f.BaseURL); err != nil {
			return generator.Config{}, usageError{fmt.Errorf("--base-url: %w", err)}
		}
	}
	if u, err := url.Parse(f.Hub); f.Hub != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return generator.Config{}, usageError{fmt.Errorf("--hub: %q is not an address; write one such as https://reviews.example.com/api/websub/hub", f.Hub)}
	}
	return generator.Config{
		ContentDir: f.Content, PublicDir: f.Public, BaseURL: f.BaseURL, Previous: f.Previous,
		Encodings: generator.Encodings(encodings), Today: reviewcast.Date(f.Today),
	}, nil
}

type buildCmd struct {
	buildFlags
	Encodings string `help:"Encoded variants to write beside each file: none, gzip, or all (gzip, brotli, zstd)." enum:"none,gzip,all" default:"gzip" placeholder:"WHICH"`
	Quiet     bool   `short:"q" xor:"volume" help:"Print nothing but problems."`
	Verbose   bool   `short:"v" xor:"volume" help:"List every file that changed."`
}

// Help is what --help says beside the flags.
func (c *buildCmd) Help() string {
	return `Reads everything, reports every problem at once with its place, and writes the
files whole or not at all. A hub that can't be reached is a warning. On a build
machine that starts empty, --previous says where the last published set is.

Examples:
  reviewcast build
  reviewcast build --base-url https://reviews.example.com --hub https://reviews.example.com/api/websub/hub
  reviewcast build --previous https://reviews.example.com --encodings none`
}

// Run builds once.
func (c *buildCmd) Run(ctx context.Context, std streams) error {
	start := time.Now()
	cfg, err := c.buildConfig(c.Encodings)
	if err != nil {
		return err
	}
	res, err := generator.NewBuilder(cfg).Build(ctx)
	if err != nil {
		return std.buildError(c.Content, err)
	}
	std.problems(c.Content, res.Problems)
	if c.Quiet {
		std.out = io.Discard
	}
	if c.Verbose {
		std.files(res)
	}
	fmt.Fprintf(std.out, "%s, %s\n", summary(res), took(start))
	std.ping(ctx, c.Hub, res.BaseURL, res.ChangedTopics())
	return nil
}

// files lists what changed.
func (std streams) files(res *generator.Result) {
	for _, path := range res.Changed {
		fmt.Fprintf(std.out, "changed %s\n", path)
	}
	for _, path := range res.Removed {
		fmt.Fprintf(std.out, "removed %s\n", path)
	}
}

// summary is the one line that a build prints, but for the time.
func summary(res *generator.Result) string {
	changed := len(res.Changed) + len(res.Removed)
	return fmt.Sprintf("%s, %s changed", plural(len(res.Dataset.Reviews), "review"), plural(changed, "file"))
}

func took(start time.Time) string {
	d := time.Since(start)
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ping tells the hub, if there is one. The files are published by then, so a hub
// that is down is worth a warning and no more; ours finds out by itself.
func (std streams) ping(ctx context.Context, hub, baseURL string, topics []string) {
	if hub == "" || len(topics) == 0 {
		return
	}
	if err := generator.Ping(ctx, hub, baseURL, topics); err != nil {
		fmt.Fprintf(std.err, "warning: %s\n", err)
	}
}
