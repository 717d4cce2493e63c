package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// contentFlags name the content folder and what it is compared with.
type contentFlags struct {
	Content  string `help:"The content folder." default:"content" placeholder:"DIR"`
	Public   string `help:"The output folder." default:"public" placeholder:"DIR"`
	BaseURL  string `name:"base-url" help:"The origin to publish under, instead of site.yaml's base_url." placeholder:"URL"`
	Previous string `help:"The last published set: a folder or a URL (default: the output folder)." placeholder:"DIR|URL"`
	Today    string `help:"Today's date, which no review may be after (default: that of the business's time zone)." placeholder:"YYYY-MM-DD"`
}

// config checks the flags and returns the configuration of a build.
func (f *contentFlags) config() (generator.Config, error) {
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
	return generator.Config{
		ContentDir: f.Content, PublicDir: f.Public, BaseURL: f.BaseURL, Previous: f.Previous, Today: reviewcast.Date(f.Today),
	}, nil
}

// mustBeFolder refuses a content folder that does not exist: people start the
// program in the wrong directory.
func mustBeFolder(dir string) error {
	if isFolder(dir) {
		return nil
	}
	return usageError{fmt.Errorf("--content: there is no folder %s here; name yours, or run `reviewcast init %s` to create one", dir, dir)}
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// todayOf returns the date in the business's time zone, unless a flag gives it.
func todayOf(content *source.Content, flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	zone, err := time.LoadLocation(content.Business.TimeZone)
	if err != nil {
		return "", err
	}
	return time.Now().In(zone).Format(time.DateOnly), nil
}

// maxErrorLines is the number of errors of a folder that commands other than check
// list.
const maxErrorLines = 10

// errorLines lists the errors of a content folder, as part of an error message.
func errorLines(content string, problems []diagnostic.Problem) string {
	var b strings.Builder
	n := 0
	for _, p := range problems {
		if p.Severity != diagnostic.Error {
			continue
		}
		if n++; n > maxErrorLines {
			b.WriteString("  … and more; `reviewcast check` lists all\n")
			break
		}
		fmt.Fprintf(&b, "  %s\n", terminal.Line(content, p))
	}
	return strings.TrimRight(b.String(), "\n")
}
