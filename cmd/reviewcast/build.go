package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

type buildCmd struct {
	contentFlags
	Hub       string `help:"The WebSub hub to notify of changed topics (default: none)." placeholder:"URL"`
	Encodings string `help:"Encoded variants to write beside each file: none, gzip, or all (gzip, brotli, zstd)." enum:"none,gzip,all" default:"gzip" placeholder:"WHICH"`
	Forget    bool   `help:"Remove the change documents of all older versions, such as after a sentence was taken out of a review that stays. Followers then fetch whole files once."`
	NewID     bool   `name:"new-business-id" help:"Publish although the business has another id than before. Copies of the reviews then count as another business's."`
	Quiet     bool   `short:"q" xor:"volume" help:"Print problems only."`
	Verbose   bool   `short:"v" xor:"volume" help:"List every review that changed, with old and new words."`
}

// Run builds once.
func (c *buildCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	start := time.Now()
	cfg, err := c.config()
	if err != nil {
		return err
	}
	if u, err := url.Parse(c.Hub); c.Hub != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return usageError{fmt.Errorf("--hub: %q is not an address; write one such as https://reviews.example.com/api/websub/hub", c.Hub)}
	}
	if source.OutputName(c.Content, c.Public) != "" && !isPublished(c.Public) && isPublished(c.beside()) {
		return usageError{fmt.Errorf("--public: %s would be a second published folder, inside the content folder; the first is beside it: --public %s",
			c.Public, c.beside())}
	}
	cfg.Encodings, cfg.Forget, cfg.NewBusinessID = c.Encodings, c.Forget, c.NewID
	res, err := generator.NewBuilder(cfg).Build(ctx)
	if err != nil {
		return std.buildError(c.Content, err)
	}
	warnings, err := res.Lint(ctx, c.Content)
	if err != nil {
		return err
	}
	terminal.Problems(std.err, c.Content, res.Problems)
	terminal.Some(std.err, c.Content, warnings)
	if c.Quiet {
		std.out = io.Discard
	}
	if before := res.Before(); before != nil && !c.Quiet && c.changes(std.out, before, res) {
		fmt.Fprintf(std.out, "former words, also those of withdrawn reviews, stay in the list of changes; if some must go for good, such as a telephone number, or since the customer asks for it, run: reviewcast %s --forget\n", commandLine(k.Args...))
	}
	files := diagnostic.Plural(len(res.Changed)+len(res.Removed), "file")
	fmt.Fprintf(std.out, "%s, %s changed, %s\n", terminal.Reviews(res.Dataset), files, time.Since(start).Round(time.Millisecond))
	fmt.Fprint(std.out, res.Waiting(c.Content))
	c.warn(std.err, res)
	c.upload(std, res)
	if topics := res.ChangedTopics(); c.Hub != "" && len(topics) > 0 {
		// The files are published by now, so a hub that is down is no failure.
		if err := generator.Ping(ctx, c.Hub, res.BaseURL, res.ManifestSHA256, topics); err != nil {
			fmt.Fprintf(std.err, "warning: %s\n", err)
		}
	}
	return nil
}

// beside returns where the output folder should be: beside the content folder.
func (c *buildCmd) beside() string { return filepath.Join(c.Content, "..", "public") }

func (c *buildCmd) warn(w io.Writer, res *generator.Result) {
	if source.IsLocal(c.BaseURL) {
		fmt.Fprintf(w, "warning: the pages have the address %s of this computer, which nobody else can reach; "+
			"build without --base-url before you upload them\n", c.BaseURL)
	}
	for _, name := range res.Edited {
		fmt.Fprintf(w, "warning: %s was changed by hand, and is again as the content says: change files in %s, not in %s; reviews and replies are in reviews, the summary is in summary.md, questions and answers in faq.yaml, titles and the description in site.yaml, names, address, telephone, hours and services in business.yaml; our own words of the pages can be changed in wording.txt\n",
			filepath.Join(c.Public, name), c.Content, c.Public)
	}
	theme := res.Pages.Theme // whose templates may use any file
	for _, name := range source.ThemeFiles {
		_, ours := res.Manifest.File("/" + name)
		other := strings.HasPrefix(name, "logo.") && (theme.Logo != nil || res.Dataset.Business.Logo != "")
		if !ours && !other && len(theme.Templates) == 0 && exists(c.Public, name) {
			fmt.Fprintf(w, "warning: %s is on no page; move it to %s, and build again\n", filepath.Join(c.Public, name), filepath.Join(c.Content, name))
		}
	}
	_ = filepath.WalkDir(c.Public, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && isContent(name) {
			fmt.Fprintf(w, "warning: %s is a copy of a content folder, with what is never published, and would be uploaded; delete it, or move it elsewhere if it is a backup\n", name)
			return fs.SkipDir
		}
		if err == nil && forms("strayForm").MatchString(name) {
			fmt.Fprintf(w, "warning: %s is no page, and would be uploaded with them; move it, to %s if it is a file of reviews\n",
				name, filepath.Join(c.Content, "reviews"))
		}
		return nil
	})
}

// upload writes what to do before and while the pages are uploaded.
func (c *buildCmd) upload(std streams, res *generator.Result) {
	if c.Forget || res.Erased {
		fmt.Fprintln(std.out, "delete the folder changes on your web server before you upload the new one: what is to be forgotten stays there otherwise")
	}
	if n := len(res.Removed); n > 0 && !res.First {
		fmt.Fprintf(std.out, "%s removed, such as %s: remove them from your web server, too, unless it replaces the whole folder\n",
			diagnostic.Plural(n, "file"), res.Removed[0])
	}
	if res.First && source.OutputName(c.Content, c.Public) != "" {
		fmt.Fprintf(std.err, "warning: %s is inside the content folder; better name a folder elsewhere, such as --public %s\n", c.Public, c.beside())
	}
	if res.First && c.Previous != "" {
		fmt.Fprintf(std.err, "warning: nothing of reviewcast is published at %s, so this is the first version; is it the right address?\n", c.Previous)
	} else if res.First {
		update := ""
		beside, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Clean(c.Public)), "*"))
		for _, other := range append(beside, "public") {
			if m, _ := manifestOf(other); m.BaseURL == res.BaseURL && !within(c.Public, other) {
				update = fmt.Sprintf("%s has an older one; to go on from that one, build with --previous %[1]s; ", commandLine(other))
			}
		}
		fmt.Fprintf(std.out, "this is the first version in %s; %sif an older one is online, build again before you upload it: add --previous %s; "+
			"if none is, upload everything in %[1]s to your web server\n", c.Public, update, res.BaseURL)
	}
}

// maxListed is the number of changed reviews that a build lists.
const maxListed = 10

// changes lists what a build has changed in the published reviews: an editor sees whether that is what she meant. It
// reports whether words are gone that the list of changes keeps.
func (c *buildCmd) changes(w io.Writer, before *reviewcast.Dataset, res *generator.Result) (kept bool) {
	lines, delta := changeLines(w, before, res.Dataset, c.Verbose)
	if more := len(lines) - maxListed; more > 0 && !c.Verbose {
		lines = append(lines[:maxListed], fmt.Sprintf("… and %d more, which --verbose lists", more))
	}
	for i, line := range lines {
		if c.Forget { // the former words, too
			lines[i], _, _ = strings.Cut(line, "\n")
		}
	}
	if len(lines) > 0 {
		printDifference(w, lines, delta, before, res.Dataset)
	}
	kept = len(delta.Removed) > 0
	was, is := byID(before), byID(res.Dataset)
	for id := range delta.Fields {
		now := texts(is[id])
		for i, text := range texts(was[id]) {
			kept = kept || !strings.Contains(now[i], text)
		}
	}
	return kept && !c.Forget && !res.Erased
}

func texts(r *reviewcast.Review) []string {
	none := new(string)
	return []string{r.Author, *cmp.Or(r.Title, none), *cmp.Or(r.Text, none), cmp.Or(r.OwnerReply, &reviewcast.OwnerReply{}).Text}
}

// buildError prints the problems of a [generator.ProblemsError] and returns err.
func (std streams) buildError(content string, err error) error {
	if p, ok := errors.AsType[*generator.ProblemsError](err); ok {
		terminal.Problems(std.err, content, p.Problems)
	}
	return err
}
