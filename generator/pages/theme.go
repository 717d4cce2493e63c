package pages

import (
	"embed"
	"errors"
	"fmt"
	"hash/maphash"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"reviewcast"
)

// Theme is how the editors change the look of the pages. The zero value is ours.
type Theme struct {
	CSS       []byte            // added to the stylesheet: theme.css
	Logo      []byte            // shown in the header: logo.svg, logo.png or logo.webp
	LogoName  string            // such as logo.svg; it says the type
	Templates map[string][]byte // in place of ours, by name: templates/footer.html
}

// ThemeFiles are the names in the content folder that [ReadTheme] reads.
var ThemeFiles = []string{themeCSS, templatesFolder, "logo.svg", "logo.png", "logo.webp"}

const (
	themeCSS        = "theme.css"
	templatesFolder = "templates"
)

// logoTypes are the media types of logos, by the end of their names.
var logoTypes = map[string]string{".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp"}

// ReadTheme reads the theme from a content folder, in which nothing of it needs to
// be.
func ReadTheme(content fs.FS) (Theme, error) {
	var t Theme
	read := func(name string) ([]byte, error) {
		b, err := fs.ReadFile(content, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return b, err
	}
	var err error
	if t.CSS, err = read(themeCSS); err != nil {
		return t, fmt.Errorf("read the theme: %w", err)
	}
	for _, name := range ThemeFiles {
		if t.Logo == nil && logoTypes[path.Ext(name)] != "" {
			if t.Logo, err = read(name); err != nil {
				return t, fmt.Errorf("read the theme: %w", err)
			}
			t.LogoName = name
		}
	}
	names, err := fs.Glob(content, templatesFolder+"/*.html")
	if err != nil {
		return t, fmt.Errorf("read the theme: %w", err)
	}
	for _, name := range names {
		b, err := read(name)
		if err != nil {
			return t, fmt.Errorf("read the theme: %w", err)
		}
		if t.Templates == nil {
			t.Templates = map[string][]byte{}
		}
		t.Templates[path.Base(name)] = b
	}
	return t, nil
}

// sum sums the theme up.
func (t Theme) sum(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	maphash.WriteComparable(&h, string(t.CSS))
	maphash.WriteComparable(&h, string(t.Logo)+t.LogoName)
	for _, name := range slices.Sorted(maps.Keys(t.Templates)) {
		maphash.WriteComparable(&h, name)
		maphash.WriteComparable(&h, string(t.Templates[name]))
	}
	return h.Sum64()
}

//go:embed site
var siteFiles embed.FS

func siteFile(name string) []byte {
	b, err := siteFiles.ReadFile("site/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}

var templateFuncs = template.FuncMap{
	"day": longDay, "shortday": shortDay, "month": monthName, "host": hostOf, "mean": mean, "plural": plural, "grouped": grouped,
	"percent": percent, "interval": interval, "stars": stars, "method": methodWords, "reason": reasonWords,
}

// ourTemplates are parsed once. They are never executed, only copied: a template
// that has been executed can't be changed.
var ourTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("pages").Funcs(templateFuncs).ParseFS(siteFiles, "site/*.html"))
})

// templates are ours, with the editors' in the place of those that they replace.
func (t Theme) templates(memo *Memo, seed maphash.Seed) (*template.Template, error) {
	sum := t.sum(seed)
	if memo != nil && memo.templates != nil && memo.theme == sum {
		return memo.templates, nil
	}
	set, err := ourTemplates().Clone()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(t.Templates)) {
		where := templatesFolder + "/" + name
		if set.Lookup(name) == nil {
			return nil, fmt.Errorf("%s replaces no template; the names are %s", where, strings.Join(templateNames(), ", "))
		}
		if _, err := set.New(name).Parse(string(t.Templates[name])); err != nil {
			return nil, fmt.Errorf("parse %s: %w", where, err)
		}
	}
	if memo != nil {
		memo.templates, memo.theme = set, sum
	}
	return set, nil
}

// templateNames are the templates that a theme may replace.
func templateNames() []string {
	names, err := fs.Glob(siteFiles, "site/*.html")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i := range names {
		names[i] = path.Base(names[i])
	}
	return names
}

// assets are the files that pages load. Their addresses carry a part of the hash, so
// that no cache gives an older one; a path is served whatever its query.
type assets struct {
	Style, Script, Icon, Card string
	Logo                      string // "" without one
}

// Paths of the files that pages load.
const (
	pathStyle  = "/style.css"
	pathScript = "/search.js"
	pathIcon   = "/icon.svg"
	pathCard   = "/card.png"
)

func newAssets(t Theme) assets {
	a := assets{Style: versioned(pathStyle, t.style()), Script: versioned(pathScript, siteFile("search.js")), Icon: pathIcon, Card: pathCard}
	if t.Logo != nil {
		a.Logo = versioned("/"+t.LogoName, t.Logo)
	}
	return a
}

func versioned(path string, body []byte) string { return path + "?v=" + reviewcast.SHA256(body)[:8] }

// style is the stylesheet: ours, then the editors'.
func (t Theme) style() []byte {
	return append(siteFile("style.css"), t.CSS...)
}
