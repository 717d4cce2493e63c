package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
	"reviewcast/internal/mirror"
	"reviewcast/internal/verify"
)

type pullCmd struct {
	From          string        `arg:"" name:"url" help:"The site to copy." placeholder:"URL"`
	Dir           string        `arg:"" help:"The directory to keep the copy in." placeholder:"DIR"`
	Every         time.Duration `help:"Update the copy this often, at least every 5s, until stopped." placeholder:"1m"`
	Only          string        `help:"Copy only what programs read: data leaves out pages and exports." enum:",data" default:"" placeholder:"data"`
	AcceptRewrite bool          `help:"Take a site whose history was rewritten, or that has moved to another base URL."`
	Quiet         bool          `short:"q" help:"Print nothing but errors."`
}

// minEvery is the shortest time between two updates.
const minEvery = 5 * time.Second

// Run updates the copy once, or until ctx ends.
func (c *pullCmd) Run(ctx context.Context, std streams) error {
	if c.Every != 0 && c.Every < minEvery {
		return usageError{fmt.Errorf("--every: %s is too short; the least is %s", c.Every, minEvery)}
	}
	if mirror.IsURL(c.Dir) {
		return usageError{fmt.Errorf("the address comes first, then the folder; write: reviewcast pull %s %s", c.Dir, c.From)}
	}
	if isContent(c.Dir) {
		return usageError{fmt.Errorf("%s is a content folder, and pull copies published files; nothing was changed; name a new folder, such as copy; if you want files of the content back, take them from a backup, or from the history of a cloud folder: they can't be made from what is published", c.Dir)}
	}
	if err := checkPublished(c.From); err != nil {
		return err
	}
	source, err := mirror.Open(c.From, mirror.Config{})
	if err != nil {
		return usageError{err}
	}
	if c.Quiet {
		std.out = io.Discard
	}
	copied := &mirror.Copy{Dir: c.Dir, Follower: mirror.Follower{Source: source, Scope: mirror.Scope(c.Only), AcceptRewrite: c.AcceptRewrite}}
	if c.Every == 0 {
		report, err := copied.Update(ctx)
		if err == nil {
			fmt.Fprintln(std.out, report)
		}
		return err
	}
	copied.Run(ctx, c.Every, nil, printChanges(std, copied.Update))
	return nil
}

// printChanges prints what an update changed, and each error once.
func printChanges(std streams, update func(context.Context) (mirror.Report, error)) func(context.Context) error {
	reported := ""
	return func(ctx context.Context) error {
		report, err := update(ctx)
		now := time.Now().Format(time.TimeOnly)
		switch {
		case ctx.Err() != nil: // stopped
		case err != nil && err.Error() != reported:
			reported = err.Error()
			fmt.Fprintf(std.err, "%s %s; the last good copy stays\n", now, reported)
		case err == nil && (report.Updated || reported != ""):
			reported = ""
			fmt.Fprintf(std.out, "%s %s\n", now, report)
		}
		return err
	}
}

type verifyCmd struct {
	Published string `arg:"" help:"What to verify: a directory or a URL." placeholder:"DIR|URL"`
	Since     string `help:"The SIZE:HASH that an earlier verification printed." placeholder:"SIZE:HASH"`
	Only      string `help:"Verify only what programs read: data leaves out pages and exports." enum:",data" default:"" placeholder:"data"`
	Quiet     bool   `short:"q" help:"Print only the SIZE:HASH to note, and what is wrong."`
}

// Run verifies once.
func (c *verifyCmd) Run(ctx context.Context, std streams) error {
	since, err := verify.ParseNote(c.Since) // none is the zero value
	if c.Since != "" && err != nil {
		return usageError{fmt.Errorf("--since: %w", err)}
	}
	if err := checkPublished(c.Published); err != nil {
		return err
	}
	published, err := mirror.Open(c.Published, mirror.Config{})
	if err != nil {
		return usageError{err}
	}
	r := verify.Verify(ctx, published, mirror.Scope(c.Only), since)
	if r.Unread != nil {
		part := diagnostic.When(errors.Is(r.Unread, mirror.ErrStale), "not everything has arrived: ")
		r.Unknown = []string{part + explainError(ctx, r.Unread).Error()}
	}
	if mirror.IsURL(c.Published) && contentOnline(ctx, c.Published) {
		r.Contradictions = append(r.Contradictions, "the content folder is at this address, with the references that are never published: remove business.yaml, reviews/*.yaml and the like from the web server at once; what belongs there is what is in public")
	}
	here, _ := manifestOf("public") // a damaged one is none
	if here.BaseURL == r.BaseURL && here.Sequence > r.Sequence && mirror.IsURL(c.Published) {
		r.Contradictions = slices.Insert(r.Contradictions, 0, "the folder public here has a newer version, which has not been uploaded: upload everything in it")
	}
	c.print(std, r)
	if base, err := reviewcast.ParseBaseURL(c.Published); err == nil && r.BaseURL != "" && r.BaseURL != base && !c.Quiet {
		remedy := fmt.Sprintf("; if that is wrong, write base_url: %s into %s, build, and upload everything again", base, source.SiteFile)
		fmt.Fprintf(std.out, "built for %s: links and feeds lead there%s\n", r.BaseURL, diagnostic.When(!source.IsLocal(base), remedy))
	}
	switch {
	case c.Quiet || r.BaseURL == "" || here.BaseURL != r.BaseURL:
	case here.Sequence < r.Sequence:
		fmt.Fprintf(std.out, "the folder public here is older than what is online; before you build, fetch it with: reviewcast pull %s public\n", r.BaseURL)
	case len(r.Contradictions) == 0 && changedSince(ctx, r.BaseURL):
		fmt.Fprintln(std.out, "not built yet: files in content have changed since the last build; run reviewcast build, and upload everything in public")
	}
	switch {
	case len(r.Contradictions) > 0:
		return printed(exitProblem)
	case len(r.Unknown) > 0:
		return printed(exitUnknown)
	}
	return nil
}

// manifestOf returns the manifest of a folder that a build has written; the zero value with an error.
func manifestOf(dir string) (m reviewcast.Manifest, err error) {
	data, err := os.ReadFile(filepath.Join(dir, reviewcast.PathManifest))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("read %s of %s: %w", reviewcast.PathManifest, dir, err)
	}
	return m, nil
}

// changedSince reports whether a build of the default folders would change what they have published.
func changedSince(ctx context.Context, baseURL string) bool {
	flags := contentFlags{folderFlags: folderFlags{Content: "content"}, Public: "public", BaseURL: baseURL}
	cfg, err := flags.config()
	if err != nil {
		return false
	}
	res, err := generator.NewBuilder(cfg).Prepare(ctx, nil)
	_, wrong := errors.AsType[*generator.ProblemsError](err)
	return wrong || err == nil && len(res.Changed)+len(res.Removed) > 0
}

// contentOnline reports whether the editors' files are where the published ones belong.
func contentOnline(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(address, "/")+"/"+source.BusinessFile, nil) // it was opened
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return resp.StatusCode == http.StatusOK && strings.Contains("\n"+string(head), "\nid: ") // a line of every business.yaml
}

func (c *verifyCmd) print(std streams, r *verify.Result) {
	lines := func(what string, list []string) {
		for _, sentence := range list {
			fmt.Fprintln(std.out, terminal.Fold(std.out, what+": "+sentence, 4))
		}
	}
	if len(r.Contradictions)+len(r.Unknown) == 0 && c.Only == "" && !c.Quiet {
		what := diagnostic.Pick(mirror.IsURL(c.Published), "everything has arrived", "everything is there")
		fmt.Fprintf(std.out, "%s: %s, %s\n", what, diagnostic.Plural(r.Files, "file"), diagnostic.Plural(r.Reviews, "review"))
	}
	if r.Sequence > 0 && !c.Quiet {
		fmt.Fprintf(std.out, "%s: version %d, %s, rating %s\n", c.Published, r.Sequence, diagnostic.Plural(r.Reviews, "review"), reviewcast.Stars(r.Rating))
	}
	if r.Leftover {
		lines("still there", []string{"lists of changes that this version has removed, with words that were published before: " +
			"if some are to be forgotten, delete the folder changes on your web server, upload everything again, and empty the cache of your web host if it has one"})
	}
	lines("contradicted", r.Contradictions)
	lines("cannot be decided", r.Unknown)
	if !c.Quiet {
		lines("proven", r.Proven)
	}
	if r.Note == (verify.Note{}) || len(r.Contradictions) > 0 {
		return
	}
	if !c.Quiet {
		fmt.Fprintln(std.out, terminal.Fold(std.out, "not provable: that reviews are genuine, that published edits were right, and what was never published", 4))
		fmt.Fprint(std.out, "to note for the next time: --since ")
	}
	fmt.Fprintln(std.out, r.Note)
}
