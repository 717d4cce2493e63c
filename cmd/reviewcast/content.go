package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
)

// folderFlags name the content folder.
type folderFlags struct {
	Content string `help:"The content folder." default:"content" placeholder:"DIR"`
	Today   string `help:"Today's date, which no review may be after (default: that of the business's time zone)." placeholder:"YYYY-MM-DD"`
}

// contentFlags name the content folder and what it is compared with.
type contentFlags struct {
	folderFlags
	Public   string `help:"The output folder, whose published reviews must not vanish." default:"public" placeholder:"DIR"`
	BaseURL  string `name:"base-url" help:"The origin to publish under, instead of site.yaml's base_url." placeholder:"URL"`
	Previous string `help:"The last published set: a folder or a URL (default: the output folder)." placeholder:"DIR|URL"`
}

// config checks the flags and returns the configuration of a build.
func (f *contentFlags) config() (generator.Config, error) {
	if err := f.check(); err != nil {
		return generator.Config{}, err
	}
	if strings.Contains(f.Public, "://") {
		return generator.Config{}, usageError{fmt.Errorf("--public: %s is an address, and a build uploads nothing; leave --public out, "+
			"and upload everything in the folder public with your program for that", f.Public)}
	}
	if f.Public != "" && within(f.Content, f.Public) {
		return generator.Config{}, usageError{fmt.Errorf("--public: %s %s the content folder, and the pages need a folder of their own; "+
			"leave --public out, or name another, such as public", f.Public, diagnostic.Pick(isContent(f.Public), "is", "holds"))}
	}
	baseURL, err := reviewcast.ParseBaseURL(f.BaseURL)
	if f.BaseURL != "" && err != nil {
		if host, _, _ := strings.Cut(f.BaseURL, "/"); !strings.Contains(f.BaseURL, ":/") && !strings.Contains(err.Error(), "; write http") {
			err = fmt.Errorf("%w; write %s", err, strings.Replace("https://"+host, "https://localhost", "http://localhost", 1))
		}
		return generator.Config{}, usageError{fmt.Errorf("--base-url: %w; without --base-url, the address is base_url in site.yaml", err)}
	}
	if err := checkPublished(f.Previous); f.Previous != "" && err != nil {
		return generator.Config{}, usageError{fmt.Errorf("--previous: %w", err)}
	}
	return generator.Config{
		ContentDir: f.Content, PublicDir: f.Public, BaseURL: baseURL, Previous: f.Previous, Today: reviewcast.Date(f.Today),
	}, nil
}

// check refuses a content folder that does not exist or is another one, and a day that is none.
func (f *folderFlags) check() error {
	f.Content = cmp.Or(f.Content, "content") // --content= of a script
	kind, other := f.absent()
	if info, err := os.Stat(f.Content); err == nil {
		kind, other = f.wrong(info.IsDir())
	}
	switch {
	case kind != "":
		return wrongFolder(kind, f.Content, other)
	case f.Today != "" && !reviewcast.Date(f.Today).Valid():
		message, remedy := diagnostic.ExplainDate("--today:", f.Today)
		return usageError{fmt.Errorf("%s; %s", message, remedy)}
	}
	return nil
}

// wrongFolder returns what meant.txt says of a content folder.
func wrongFolder(kind, content, other string) error {
	if kind == "above" || kind == "below" {
		program, err := filepath.Rel(other, os.Args[0])
		program = diagnostic.When(program == filepath.Base(program), "."+string(filepath.Separator)) + program
		byPath := err == nil && strings.ContainsRune(os.Args[0], filepath.Separator)
		other = commandLine(other) + "\n" + diagnostic.When(byPath, ", where the program is "+commandLine(program))
	}
	return usageError{explain("folders", kind+"\n"+content+"\n"+other)}
}

// wrong returns why what is there is no content folder, and a folder or file that it has to do with; "" if it may be one.
func (f *folderFlags) wrong(isDir bool) (kind, other string) {
	above, inside := contentAbove(f.Content), filepath.Join(f.Content, "content")
	switch {
	case above != "" && (exists(f.Content, source.SiteFile) || exists(f.Content, "reviews")):
		return "without business", above
	case above != "":
		return "part", above
	case !isContent(f.Content) && isContent(inside):
		return "inside", inside
	case isPublished(f.Content) && !isContent(f.Content):
		return "published", ""
	case !isDir:
		return "file", ""
	}
	return "", ""
}

// absent returns what to do about a content folder that isn't there, and another one: people start in the wrong folder.
func (f *folderFlags) absent() (kind, other string) {
	const quotes = "“”„‘’\"'"
	packed, _ := filepath.Glob("*" + filepath.Base(f.Content) + "*.[zZrR7][iIaAzZ]*")
	near, _ := filepath.Glob("*/" + source.BusinessFile)
	below, _ := filepath.Glob("*/*/" + source.BusinessFile)
	beside, _ := filepath.Glob("../*/*/" + source.BusinessFile)
	near = slices.Concat(near, below, beside)
	here, _ := os.Getwd()
	switch {
	case strings.ContainsAny(f.Content, quotes):
		return "quotes", strings.Trim(f.Content, quotes)
	case stepsUp(f.Content) != "":
		return "above", stepsUp(f.Content)
	case contentAbove(source.BusinessFile) != "":
		return "in it", commandLine(filepath.Base(here))
	case len(near) > 0:
		up, name := filepath.Split(filepath.Dir(near[0]))
		if up != "" && name == f.Content {
			return "below", filepath.Clean(up)
		}
		return "near", filepath.Dir(near[0])
	case len(packed) > 0:
		return "packed", packed[0]
	case isPublished("public"):
		return "lost", "public"
	}
	return "nowhere", here
}

// stepsUp returns the way to the nearest folder above this one that holds a content folder of this name; "" if none near does.
func stepsUp(content string) string {
	for _, up := range []string{"..", "../..", "../../.."} {
		if isContent(filepath.Join(up, content)) && !filepath.IsAbs(content) {
			return up
		}
	}
	return ""
}

// contentAbove returns the content folder that a file or folder is in; "" if it is in none or is one.
func contentAbove(name string) string {
	dir := filepath.Clean(name)
	for !isContent(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return diagnostic.When(isContent(dir) && dir != filepath.Clean(name), dir)
}

// checkPublished refuses a host without https://, which would be the name of a folder.
func checkPublished(where string) error {
	host, _, _ := strings.Cut(where, "/")
	scheme := "https://"
	if _, port, ok := strings.Cut(host, ":"); ok && isPort(port) {
		scheme = "http://"
	}
	switch here := exists(where); {
	case explain("published", where) != nil:
		return usageError{explain("published", where)}
	case isContent(where):
		return usageError{fmt.Errorf("%s is the content folder, whose files reviewcast check looks at; for what a build has written, name that folder, such as public", where)}
	case !isPublished(where) && isPublished(filepath.Join(where, "public")):
		contents, _ := filepath.Glob(filepath.Join(where, "*", source.BusinessFile))
		uploaded := diagnostic.When(len(contents) == 0, fmt.Sprintf("if %s is what you have uploaded, everything in public belongs directly into it, and not the folder itself; if not, ", where))
		return usageError{fmt.Errorf("the published folder is inside %s; %swrite %s", where, uploaded, filepath.Join(where, "public"))}
	case here && !isFolder(where):
		return usageError{fmt.Errorf("%s is a file; name the folder that a build has written, such as %s", where, cmp.Or(diagnostic.When(isPublished(filepath.Dir(where)), filepath.Dir(where)), "public"))}
	case !here && (forms("hostForm").MatchString(where) || scheme == "http://"):
		return usageError{fmt.Errorf("%s: there is no such folder here; for a published site, write %s%s", where, scheme, host)}
	case !here && !strings.Contains(where, "://"):
		beside, _ := filepath.Glob(filepath.Join(filepath.Dir(where), "*"))
		if meant := diagnostic.Nearest(filepath.Clean(where), slices.DeleteFunc(beside, func(name string) bool { return !isPublished(name) })); meant != "" {
			return usageError{fmt.Errorf("%s: there is no such folder here; did you mean %s?", where, meant)}
		}
	}
	return nil
}

// isPublished and isContent report whether a folder is one that a build writes, or one that editors do.
func isPublished(dir string) bool { return exists(dir, reviewcast.PathManifest) }
func isContent(dir string) bool   { return exists(dir, source.BusinessFile) }

func exists(elem ...string) bool {
	_, err := os.Stat(filepath.Join(elem...))
	return err == nil
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// within reports whether a file is below a directory, after resolving links. Neither need exist.
func within(file, dir string) bool {
	file, ferr := filepath.Abs(file)
	dir, derr := filepath.Abs(dir)
	rel, err := filepath.Rel(resolve(dir), resolve(file)) // fails on another volume
	return ferr == nil && derr == nil && err == nil && filepath.IsLocal(rel)
}

// resolve resolves the symbolic links in the existing part of a path.
func resolve(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolve(parent), filepath.Base(path))
	}
	return path
}

// maxErrorLines is the number of errors that commands other than check list.
const maxErrorLines = 10

// load reads the folder for a command that writes to it, and returns today's date where the business is. Every id
// and withdrawal must be known, or a withdrawn text could come back. Other errors don't matter.
func (f *folderFlags) load(ctx context.Context) (*source.Content, *time.Location, reviewcast.Date, error) {
	if kind, other := f.absent(); (kind == "above" || kind == "below") && !isFolder(f.Content) {
		return nil, nil, "", wrongFolder("name it", f.Content, commandLine(filepath.Join(other, f.Content)))
	}
	if err := f.check(); err != nil {
		return nil, nil, "", err
	}
	content, problems, err := source.NewLoader(f.Content, source.Config{Today: reviewcast.Date(f.Today)}).LoadPartial(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	problems = slices.DeleteFunc(problems, func(p diagnostic.Problem) bool {
		settings := p.File == source.SiteFile || p.File == source.BusinessFile || p.File == source.WithdrawnFile
		return p.Severity != diagnostic.Error || content.Complete && !settings && p.Code != "duplicate-id"
	})
	if len(problems) > 0 {
		lines := fmt.Sprintf("%s has errors; fix them first, so that names, ids and withdrawals are known:", f.Content)
		for _, p := range problems[:min(len(problems), maxErrorLines)] {
			lines += "\n  " + terminal.Line(f.Content, p)
		}
		if len(problems) > maxErrorLines {
			lines += "\n  … and more; `reviewcast check" + diagnostic.When(f.Content != "content", " --content "+commandLine(f.Content)) + "` lists all"
		}
		return nil, nil, "", errors.New(lines)
	}
	zone, _ := time.LoadLocation(content.Business.TimeZone) // one that isn't known is an error of business.yaml
	return content.Content, zone, cmp.Or(reviewcast.Date(f.Today), reviewcast.Date(time.Now().In(zone).Format(time.DateOnly))), nil
}
