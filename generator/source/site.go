package source

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

var (
	siteSchema     = newSchema("the site", "", "", "base_url title feed_title description language license author links policies")
	authorSchema   = newSchema("author", "author.", "{name: %t}", "name url email")
	authorNames    = []string{"initials", "full"}
	policiesSchema = newSchema("policies", "policies.", "{author_names: initials}", "author_names")
)

// site reads site.yaml.
func (d *decoder) site(n *syntax.Node, c *Content) {
	r, ok := d.fields(n, siteSchema)
	if !ok {
		return
	}
	s := &c.Site
	if base := r.nonBlank("base_url"); base != "" {
		c.BaseURLAt = d.position(r.placeOf("base_url"))
		parsed, err := reviewcast.ParseBaseURL(base)
		at := r.value("base_url")
		switch {
		case forms("profiles").MatchString(base):
			d.fail(at, "bad-url", "base_url is a page at another company; it is your own address, to which you upload public/", "write yours, such as https://reviews.huber-plumbing.com; this page belongs under same_as in "+BusinessFile)
		case err != nil:
			plain := forms("markdownLink").ReplaceAllString(base, "$1")
			message, suggestion, host := err.Error(), "", forms("schemeForm").ReplaceAllString(plain, "")
			if plain != base {
				message = "base_url is a link as chat programs write one"
			}
			if !strings.Contains(message, "write ") {
				suggestion = "write the address on the web to which you upload public/, such as https://reviews.example.com"
			}
			if forms("hostForm").MatchString(host) {
				host, path, _ := strings.Cut(host, "/")
				if ascii, err := idna.Lookup.ToASCII(host); err == nil && strings.ToLower(host) != ascii {
					message, suggestion, host = "base_url has letters that links write in another form", ascii, ascii
				}
				if path != "" {
					message = fmt.Sprintf("base_url has %q behind the host: the reviews need an address of their own, with nothing behind it", "/"+path)
				}
				if suggestion != "" || path != "" {
					suggestion = "write https://" + host
				}
				if !forms("pageForm").MatchString(path) && !forms("reviewsHost").MatchString(host) {
					suggestion = fmt.Sprintf("ask your web host for an address such as %s, and write https://%[1]s; if the reviews are published already, keep the address that they have", "reviews."+strings.TrimPrefix(host, "www."))
				}
			}
			d.fail(at, "bad-url", message, suggestion)
		case strings.HasPrefix(parsed, "http:") && !IsLocal(parsed):
			r.warn("base_url", "http-url", "base_url begins with http://, and browsers call such pages not secure", "write https"+strings.TrimPrefix(parsed, "http")+" if the pages open there")
		case IsLocal(parsed):
			r.warn("base_url", "local-url", "base_url is this computer, which nobody else can reach", "write the address to which you upload public/; dev needs none")
		}
		s.BaseURL = parsed
	}
	s.Title = r.nonBlank("title")
	s.FeedTitle = r.nonBlank("feed_title")
	s.Description = r.text("description")
	s.Language = r.language("language", "")
	s.License = r.license()
	if a, ok := r.inner("author", authorSchema); ok {
		s.Author = Author{Name: a.nonBlank("name"), URL: a.url("url"), Email: a.email("email")}
	}
	for _, e := range r.entriesOf("links", linksOf(r.value("links"))) {
		if to := r.webAddress(&e.Value, "links."+e.Key.Text); to != "" {
			s.Links = append(s.Links, struct{ Text, URL string }{e.Key.Text, to})
		}
	}
	if p, ok := r.inner("policies", policiesSchema); ok {
		s.AuthorNames = p.choice("author_names", authorNames, "initials publishes \"Maria K.\", full \"Maria Kovacs\"; for no name at all, write author: Anonymous in the review")
	}
}

// linksOf returns links as they are written: those of a list, with the names of the hosts as their words, or of a text.
func linksOf(n *syntax.Node) string {
	var links []string
	for i := 0; n != nil && i < len(n.Items); i++ {
		if m := forms("addressForm").FindStringSubmatch(n.Items[i].Text); m != nil {
			links = append(links, fmt.Sprintf("%q: %q", labelOf(n.Items[i].Text, m[1]), n.Items[i].Text))
		}
		for _, e := range n.Items[i].Entries {
			links = append(links, fmt.Sprintf("%q: %q", e.Key.Text, e.Value.Text))
		}
	}
	switch {
	case links != nil:
		return "{" + strings.Join(links, ", ") + "}" + diagnostic.When(n.Items[0].Entries == nil, ", each with the words to click before its colon")
	case n != nil && strings.Contains(n.Text, ": http"):
		return "{" + n.Text + "}"
	case n != nil && forms("addressForm").MatchString(n.Text):
		return fmt.Sprintf("{%s: %q}, with the words to click before its colon", labelOf(n.Text, "Imprint"), n.Text)
	}
	return "{Imprint: URL}, with the address in place of URL"
}

// labelOf returns the name of the page at an address, with a capital letter, or other words.
func labelOf(address, other string) string {
	if m := forms("pageName").FindStringSubmatch(address); m != nil {
		return strings.ToUpper(m[1][:1]) + m[1][1:]
	}
	return other
}

// license reads an identifier of SPDX or an address.
func (r *fields) license() string {
	license := r.nonBlank("license")
	known := licenses[diagnostic.Squash(license)]
	if known != license && (known != "" || strings.ContainsAny(license, " \n©") || forms("noLicense").MatchString(license)) {
		meant := cmp.Or(known, "all-rights-reserved if nobody may copy the reviews, CC-BY-4.0 if everybody may who names you, or the address of your terms")
		if m := forms("creativeCommons").FindStringSubmatch(license); m != nil {
			meant = "CC-" + strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(m[1]), " ", "-")) + "-" + cmp.Or(m[2], "4.0")
		} else if strings.Contains(license, "©") {
			meant = "all-rights-reserved, which is what © means"
		}
		r.fail(r.value("license"), "bad-license", fmt.Sprintf("license %s is not the short name of a license", diagnostic.Quote(license)), "write "+meant)
	}
	return license
}

// email reads an e-mail address and checks its form.
func (r *fields) email(f string) string {
	s := r.text(f)
	if forms("emailForm").FindString(s) != s || strings.Contains(s, "..") {
		suggestion := "write one such as office@example.com, or leave the field out"
		if found := forms("emailForm").FindString(strings.NewReplacer("(at)", "@", " at ", "@", " @", "@", "@ ", "@", ",", ".", "..", ".").Replace(s)); found != "" {
			suggestion = "write " + found
		}
		r.fail(r.value(f), "bad-email", fmt.Sprintf("%s %s is not an e-mail address", r.name(f), diagnostic.Quote(s)), suggestion)
		return ""
	}
	return s
}

// url reads an absolute http(s) address.
func (r *fields) url(f string) string {
	if n := r.value(f); n != nil {
		return r.webAddress(n, r.name(f))
	}
	return ""
}

// licenses are the short names of what people write for them.
var licenses = meanings("licenses")

// IsLocal reports whether an origin is this computer.
func IsLocal(baseURL string) bool {
	return forms("localForm").MatchString(strings.TrimRight(baseURL, "/"))
}

func (d *decoder) webAddress(n *syntax.Node, name string) string {
	s, ok := d.plainText(n, name)
	if !ok {
		return ""
	}
	u, err := url.Parse(s)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.Hostname() != "http" && u.Hostname() != "https" && !strings.ContainsFunc(s, unicode.IsSpace) {
		return s
	}
	suggestion := "write a whole address, such as https://example.com/page, or leave the field out"
	plain := forms("schemeForm").ReplaceAllString(strings.Trim(forms("markdownLink").ReplaceAllString(s, "$1"), "<>()[] "), "")
	switch link := strings.TrimRight(forms("linkForm").FindString(s), ",;."); {
	case forms("hostForm").MatchString(plain) && !forms("fileForm").MatchString(plain):
		suggestion = "write https://" + plain
	case err == nil && link != "" && strings.HasPrefix(s, link) && !strings.ContainsAny(s, "\n,"):
		suggestion = "write " + strings.ReplaceAll(s, " ", "%20")
	case strings.Contains(link, "."):
		suggestion = "write " + link
	case name == "logo":
		suggestion = "put the picture into this folder as logo.png, logo.svg or logo.webp, and delete this line; or write its address on the web"
	}
	d.fail(n, "bad-url", fmt.Sprintf("%s %s is not a web address", name, diagnostic.Quote(s)), suggestion)
	return ""
}
