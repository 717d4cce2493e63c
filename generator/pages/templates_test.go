package pages

import "html/template"

// escapeTemplate and articleTemplate say with html/template what the writer writes by
// hand.
var (
	escapeTemplate  = template.Must(template.New("escape").Parse(`<p title="{{.}}">{{.}}</p><a href="{{.}}">`))
	articleTemplate = template.Must(template.New("article").Funcs(templateFuncs).Parse(
		`<article id="{{.R.ID}}">
{{with .R.Title}}<h2{{if ne $.R.Language "en"}} lang="{{$.R.Language}}"{{end}}>{{.}}</h2>
{{end}}<p class="by"><span class="stars" role="img" aria-label="{{.R.Rating}} of 5 stars">{{stars .R.Rating}}</span> <bdi>{{.R.Author}}</bdi>, <a href="#{{.R.ID}}"><time datetime="{{.R.Date}}">{{day .R.Date}}</time></a> <small>
{{- if .R.SourceURL}}<a href="{{.R.SourceURL}}" rel="nofollow">{{.R.Source}}</a>{{else}}{{.R.Source}}{{end}}, verified by {{method .R.Verification.Method}}</small></p>
{{with .R.Text}}<p class="words"{{if ne $.R.Language "en"}} lang="{{$.R.Language}}"{{end}}>{{.}}</p>
{{end}}{{with .About}}<p class="about">{{range .}}<a href="{{.Path}}">{{.Text}}</a> {{end}}</p>
{{end}}{{with .R.OwnerReply}}<div class="reply"><p class="quiet">Reply from the business, <time datetime="{{.Date}}">{{day .Date}}</time></p><p class="words">{{.Text}}</p></div>
{{end}}</article>
`))
)
