package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"reviewcast/generator/diagnostic"
)

// WriteJSON writes problems for programs. Every member is always present; files are
// named relative to the content folder.
func WriteJSON(w io.Writer, problems []diagnostic.Problem) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(map[string][]diagnostic.Problem{"problems": append([]diagnostic.Problem{}, problems...)})
}

// WriteGitHub writes problems as GitHub workflow commands, which GitHub shows beside
// the lines of a pull request.
func WriteGitHub(w io.Writer, content string, problems []diagnostic.Problem) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "::%s file=%s", p.Severity, property.Replace(filepath.ToSlash(filepath.Join(content, p.File))))
		if p.Line > 0 {
			fmt.Fprintf(&b, ",line=%d", p.Line)
		}
		if p.Col > 0 {
			fmt.Fprintf(&b, ",col=%d", p.Col)
		}
		message := p.Message
		if p.Suggestion != "" {
			message += "\n" + p.Suggestion
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property.Replace(p.Code), data.Replace(message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
