package pages

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
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

// logoTypes are the media types of logos, by their names.
var logoTypes = map[string]string{"logo.svg": "image/svg+xml", "logo.png": "image/png", "logo.webp": "image/webp"}

// ReadTheme reads the theme from a content folder, in which nothing of it needs to be, and out of which no link leads.
func ReadTheme(dir string) (t Theme, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return t, err
	}
	defer root.Close()
	read := func(name string) []byte { // nil without it
		b, failed := root.ReadFile(name)
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = fmt.Errorf("read the theme: %w", failed)
		}
		return b
	}
	t = Theme{CSS: read("theme.css"), Wording: read("wording.txt"), Templates: map[string][]byte{}}
	for _, name := range []string{"logo.svg", "logo.png", "logo.webp"} {
		if b := read(name); b != nil && t.Logo == nil {
			t.Logo, t.LogoName = b, name
		}
	}
	templates, _ := fs.Glob(root.FS(), "templates/*.htm*") // the pattern is a constant
	for _, name := range templates {
		t.Templates[path.Base(name)] = read(name)
	}
	return t, err
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

// ours are the locales without anything of the editors', by the language of the site.
var ours sync.Map

// locale returns the locale of a site with its templates.
func (t Theme) locale(site string) (l *locale, err error) {
	plain := len(t.Templates) == 0 && len(t.Wording) == 0
	if made, ok := ours.Load(site); ok && plain {
		return made.(*locale), nil
	}
	l = newLocale(site, t.Wording)
	if l.page, l.twins, err = t.templates(l); err == nil && plain {
		ours.Store(site, l)
	}
	return l, err
}

// templates parses ours for a locale, and the editors' in the place of those that they replace.
func (t Theme) templates(l *locale) (pages *template.Template, twins *texttemplate.Template, err error) {
	funcs := template.FuncMap{
		"day": l.longDay, "month": l.monthName, "mean": l.mean, "plural": l.plural, "grouped": l.grouped, "percent": l.percent,
		"interval": l.interval, "method": l.name, "reason": l.name, "value": l.value, "hours": l.hours, "text": l.text,
		"host": hostOf, "place": place, "upper": strings.ToUpper, "markdown": markdownHTML, "withoutLinks": withoutLinks, "balance": newBalance, "units": units,
		"tel": func(number string) string { return notDialled.ReplaceAllString(number, "") },
		"time": func(d reviewcast.Date) template.HTML {
			return template.HTML(`<time datetime="` + string(d) + `">` + prose(l.longDay(d)) + `</time>`)
		},
		"bdi":     func(name string) template.HTML { return template.HTML("<bdi>" + prose(name) + "</bdi>") },
		"neutral": func(c reviewcast.SentimentCounts) int { return c.NeutralCount + c.MixedCount },
	}
	twins = texttemplate.Must(texttemplate.New("twins").Funcs(funcs).Funcs(twinFuncs).ParseFS(siteFiles, "site/*.md", "site/*.xml", "site/*.txt", "site/*.json"))
	funcs["text"] = l.html
	pages = template.Must(template.New("pages").Funcs(funcs).ParseFS(siteFiles, "site/*.html"))
	for _, name := range slices.Sorted(maps.Keys(t.Templates)) {
		if pages.Lookup(name) == nil {
			ours, _ := fs.Glob(siteFiles, "site/*.html") // the pattern is a constant
			return nil, nil, fmt.Errorf("templates/%s replaces no template; the names are %s", name, strings.ReplaceAll(strings.Join(ours, ", "), "site/", ""))
		}
		if _, err := pages.New(name).Parse(string(t.Templates[name])); err != nil {
			return nil, nil, fmt.Errorf("parse templates/%s: %w", name, err)
		}
	}
	return pages, twins, nil
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
