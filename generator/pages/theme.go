package pages

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"

	"reviewcast"
)

// Theme is how the editors change the look of the pages. The zero value is ours.
type Theme struct {
	CSS       []byte            // added to the stylesheet: theme.css
	Logo      []byte            // shown in the header: logo.svg, logo.png or logo.webp
	LogoName  string            // such as logo.svg; it says the type
	Templates map[string][]byte // in place of ours, by name: templates/footer.html
	Wording   []byte            // in place of ours: wording.txt, see [ReadWording]
}

const (
	themeCSS        = "theme.css"
	themeWording    = "wording.txt"
	templatesFolder = "templates"
)

// logoTypes are the media types of logos, by the end of their names.
var logoTypes = map[string]string{".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp"}

// ReadTheme reads the theme from a content folder, in which nothing of it needs to be.
func ReadTheme(content fs.FS) (Theme, error) {
	t := Theme{Templates: map[string][]byte{}}
	templates, _ := fs.Glob(content, templatesFolder+"/*.htm*") // the pattern is a constant
	for _, name := range slices.Concat([]string{themeCSS, themeWording, "logo.svg", "logo.png", "logo.webp"}, templates) {
		b, err := fs.ReadFile(content, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return t, fmt.Errorf("read the theme: %w", err)
		case name == themeCSS:
			t.CSS = b
		case name == themeWording:
			t.Wording = b
		case path.Dir(name) == templatesFolder:
			t.Templates[path.Base(name)] = b
		case t.Logo == nil:
			t.Logo, t.LogoName = b, name
		}
	}
	return t, nil
}

//go:embed site
var siteFiles embed.FS

func siteFile(name string) []byte {
	b, _ := siteFiles.ReadFile("site/" + name) // it is embedded
	return b
}

// notDialled are the signs in telephone numbers for readers that a tel: address has not (RFC 3966); the 0 in brackets is
// dialled within the country only.
var notDialled = regexp.MustCompile(`\(0\)|[^0-9A-Za-z+]`)

// templates are parsed for one locale.
type templates struct {
	pages *template.Template
	twins *texttemplate.Template // in Markdown, and the files that crawlers and agents look for
}

// ourTemplates are those without anything of the editors', by language.
var ourTemplates sync.Map

func (t Theme) templates(l *locale) (*templates, error) {
	if len(t.Templates) > 0 || len(t.Wording) > 0 {
		return t.parse(l)
	}
	if ours, ok := ourTemplates.Load(l.tag); ok {
		return ours.(*templates), nil
	}
	ours, err := t.parse(l)
	ourTemplates.Store(l.tag, ours)
	return ours, err
}

// parse parses ours, and the editors' in the place of those that they replace.
func (t Theme) parse(l *locale) (*templates, error) {
	funcs := template.FuncMap{
		"day": l.longDay, "time": l.time, "month": l.monthName, "mean": l.mean, "plural": l.plural, "grouped": l.grouped, "percent": l.percent,
		"interval": l.interval, "method": l.method, "reason": l.reason, "hours": l.hours, "text": l.text,
		"host": hostOf, "place": place, "upper": strings.ToUpper, "markdown": markdownHTML, "withoutLinks": withoutLinks, "balance": newBalance, "units": units,
		"tel":     func(number string) string { return notDialled.ReplaceAllString(number, "") },
		"bdi":     func(name string) template.HTML { return template.HTML("<bdi>" + prose(name) + "</bdi>") },
		"neutral": func(c reviewcast.SentimentCounts) int { return c.NeutralCount + c.MixedCount },
	}
	twins := texttemplate.Must(texttemplate.New("twins").Funcs(funcs).Funcs(twinFuncs).ParseFS(siteFiles, "site/*.md", "site/*.xml", "site/*.txt", "site/*.json"))
	funcs["text"] = l.html
	set := template.Must(template.New("pages").Funcs(funcs).ParseFS(siteFiles, "site/*.html"))
	for _, name := range slices.Sorted(maps.Keys(t.Templates)) {
		where := templatesFolder + "/" + name
		if set.Lookup(name) == nil {
			ours, _ := fs.Glob(siteFiles, "site/*.html") // the pattern is a constant
			return nil, fmt.Errorf("%s replaces no template; the names are %s", where, strings.ReplaceAll(strings.Join(ours, ", "), "site/", ""))
		}
		if _, err := set.New(name).Parse(string(t.Templates[name])); err != nil {
			return nil, fmt.Errorf("parse %s: %w", where, err)
		}
	}
	return &templates{set, twins}, nil
}

// assets are the addresses of the files that pages load; Logo is "" without one.
type assets struct{ Style, Script, Icon, Card, Logo string }

// Paths of the files that pages load.
const (
	pathStyle  = "/style.css"
	pathScript = "/search.js"
	pathIcon   = "/icon.svg"
	pathCard   = "/card.png"
)

// versioned adds a part of the hash, so that no cache gives an older file; a path is served whatever its query.
func versioned(path string, body []byte) string { return path + "?v=" + reviewcast.SHA256(body)[:8] }

// StyleVariables returns the names of the variables that our stylesheet has.
func StyleVariables() []string {
	return regexp.MustCompile(`--[a-z]+`).FindAllString(string(siteFile("style.css")), -1)
}

// style is the stylesheet: ours, then the editors'.
func (t Theme) style() []byte { return append(siteFile("style.css"), t.CSS...) }
