package pages

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"reviewcast"
)

func TestTheme(t *testing.T) {
	dir := t.TempDir()
	err := os.CopyFS(dir, fstest.MapFS{
		"theme.css":             {Data: []byte(":root { --accent: #a03; }\n")},
		"logo.svg":              {Data: []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")},
		"templates/footer.html": {Data: []byte("<footer>Own words, {{.Business.Name}}</footer>\n")},
		"templates/notes.txt":   {Data: []byte("not a template")},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := sampleContent()
	if c.Theme, err = ReadTheme(dir); err != nil {
		t.Fatal(err)
	}
	files := renderAll(t, c)
	if css := string(files[pathStyle]); !strings.HasSuffix(css, "--accent: #a03; }\n") || !strings.Contains(css, ".s5") {
		t.Error("the stylesheet isn't ours with the editors' behind it")
	}
	front := string(files[reviewcast.PathIndex])
	for _, want := range []string{"<footer>Own words, Pipes &amp; Co</footer>", `src="/logo.svg?v=`} {
		if !strings.Contains(front, want) {
			t.Errorf("no %s", want)
		}
	}
	if files["/logo.svg"] == nil {
		t.Error("the logo isn't published")
	}
	if string(renderOnce(t, "sample")[reviewcast.PathIndex]) == front {
		t.Error("the theme changed nothing")
	}
	if empty, err := ReadTheme(t.TempDir()); err != nil || empty.CSS != nil || len(empty.Templates) > 0 {
		t.Errorf("no theme: %+v, %v", empty, err)
	}
}

// TestThemeErrors: an error of a template names the file and what to do.
func TestThemeErrors(t *testing.T) {
	for name, tt := range map[string]struct{ file, text, want string }{
		"unknown name": {"foot.html", "x", "templates/foot.html replaces no template; the names are "},
		"syntax":       {"footer.html", "\n{{if}}", "footer.html:2"},
		"member":       {"footer.html", "{{.Nothing}}", "footer.html:1"},
	} {
		c := sampleContent()
		c.Theme.Templates = map[string][]byte{tt.file: []byte(tt.text)}
		if err := renderError(t, c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// renderError renders a site and gives its error.
func renderError(t *testing.T, c Content) error {
	s, err := New(withLines(t, c))
	if err == nil {
		_, err = s.All()
	}
	return err
}
