// Package lint warns about what reviews say: what may be right and is worth a second look before it is published. A
// warning never stops a build, and no text is changed.
//
//	email-in-text phone-in-text address-in-text card-in-text birth-in-text vehicle-in-text   personal data
//	full-surname          a full surname although site.yaml says initials
//	markup                HTML, BBCode or Markdown
//	near-duplicate        two reviews with nearly the same text
//	unlisted-technician   a text names a technician whom business.yaml does not list
//	joined-list           a list in a text without a bar, of which YAML makes one line
//	placeholder           TODO, lorem ipsum; a name such as n/a or that of an account
//	mojibake              characters that a wrong encoding has garbled
//	note-in-text          a note of the editor, which begins with #, inside a text
//	mail-in-text          the head or the end of a mail, or its line ends
//	name-in-text other-name   a name of the customer that is not published otherwise; a greeting to another customer,
//	                      or to a technician who did another job
//	chat-in-text reply-in-text   what a chat program says around a text that it wrote, and the business's reply
//	reference-in-text     the reference of a verification, which is not published
//	other-rating          a rating that the text contradicts
//	language              a text in another language than it is published as
//	curly-quotes          a text in quotation marks that YAML does not remove
//
// The business's own address, telephone number and e-mail address are not personal data. [Check] looks at every review
// that could be read, so that an error in one place hides no warning about another, and reads the files again to find
// the place of what it found.
package lint

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// Check returns Warnings about the reviews of a folder. known are the problems that were found in loading it: what may
// only follow from an Error in site.yaml or business.yaml is not reported.
func Check(ctx context.Context, dir string, content *source.Partial, known []diagnostic.Problem) (_ []diagnostic.Problem, err error) {
	in := newInspector(content.Content)
	for _, p := range known {
		in.notUTF8[p.File] = in.notUTF8[p.File] || p.Code == "not-utf8" || p.Code == "bad-character"
		in.mixed[p.File] = in.mixed[p.File] || p.Code == "duplicate-field"
		in.noNames = in.noNames || p.Severity == diagnostic.Error && p.File == source.SiteFile
		in.noBusiness = in.noBusiness || p.Severity == diagnostic.Error && p.File == source.BusinessFile
	}
	for i, r := range slices.Concat(content.Reviews, content.Unidentified) {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		in.review(r)
	}
	in.siteLanguage()
	in.fileLanguages()
	in.small()
	if in.content.Summary != nil && !diagnostic.HasErrors(known) {
		in.counted(*in.content.Summary)
	}
	in.duplicates(content.Reviews)
	if in.root, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("open content folder: %w", err)
	}
	defer in.root.Close()
	in.joinedLists()
	warnings := in.place()
	diagnostic.Sort(warnings)
	return warnings, nil
}

// finding is a warning whose place in the file is not yet known: that is the place of the review.
type finding struct {
	diagnostic.Problem
	snippet string // of the text, as it is in the file
}

type inspector struct {
	content  *source.Content
	findings []finding
	people   map[string]bool
	authors  map[string]string // by first name, one of each
	ids      map[string]bool   // in lower case
	// The contact data that the business publishes.
	email, phone, street string
	// noNames and noBusiness skip what depends on site.yaml or business.yaml, which has errors.
	noNames, noBusiness bool
	mixed               map[string]bool   // files in which fields of two reviews are in one
	notUTF8             map[string]bool   // files in which U+FFFD stands for a byte or a control character
	fits                bool              // a text is in the language of the site
	texts               int               // without a language of their own
	looks               map[string]string // codes of languages by the messages on texts in them
	root                *os.Root
}

func newInspector(c *source.Content) *inspector {
	b := &c.Business
	authors, ids := map[string]string{}, map[string]bool{}
	for _, r := range c.Reviews {
		ids[strings.ToLower(r.ID)] = true
		authors[strings.Split(r.Author, " ")[0]] = r.Author
	}
	return &inspector{content: c, looks: map[string]string{}, people: newPeople(c), authors: authors, ids: ids, mixed: map[string]bool{}, notUTF8: map[string]bool{},
		email: strings.ToLower(b.Email), phone: digits(b.Telephone), street: strings.ToLower(b.Address.StreetAddress)}
}

func (in *inspector) add(at diagnostic.Position, snippet, code, message, suggestion string) {
	in.findings = append(in.findings, finding{at.Warning(code, message, suggestion), snippet})
}

// top is the place of what concerns a whole file.
func top(file string) diagnostic.Position { return diagnostic.Position{File: file, Line: 1, Col: 1} }

func (in *inspector) review(r *source.Review) {
	at := in.content.Position(r)
	in.author(r, at)
	var answer *string // of the business
	if r.OwnerReply != nil {
		answer = &r.OwnerReply.Text
	}
	for _, t := range []struct {
		name string
		text *string
	}{{"author", &r.Author}, {"title", r.Title}, {"text", r.Text}, {"owner_reply.text", answer}} {
		if t.text == nil {
			continue
		}
		plain, author, reply := *t.text, t.name == "author", t.name == "owner_reply.text"
		if !author {
			plain = in.remarked(at, t.name, plain, "", r)
		}
		if plain == *t.text {
			in.garbled(at, t.name, plain)
		}
		if _, was := diagnostic.TrimCurlyQuotes(*t.text); was && !reply {
			in.add(at, firstLine(*t.text), "curly-quotes", t.name+" is in curly quotation marks, which are published with it",
				"write none, or straight ones (\") if they are the customer's own")
		}
		if i := strings.Index(*t.text, r.Reference); i >= 0 && forms("referenceForm").MatchString(r.Reference) {
			line := (*t.text)[strings.LastIndexByte((*t.text)[:i], '\n')+1:] // the first of them may be its field
			in.add(at, firstLine(line), "reference-in-text", fmt.Sprintf("%s has %s, the reference of the verification, which is not to be published", t.name, r.Reference), "write it without the reference"+forget)
		}
		if reply && r.Text != nil && *r.Text == *t.text {
			in.add(at, "owner_reply:", "near-duplicate", "the reply is the customer's text", "write your own words, or delete owner_reply")
		}
		if !reply || !in.noBusiness { // its own telephone isn't known then
			in.personal(r, at, t.name, plain)
		}
		if author || reply {
			continue
		}
		if strings.ContainsAny(*t.text, "<[*&") {
			in.markup(at, t.name, *t.text)
		}
		if t.name == "text" && !in.noNames && r.Source != "example" && !in.mixed[at.File] && diagnostic.CountryCodes[r.Language] == "" { // this code has its own warning
			in.otherLanguage(r, at)
		}
		if t.name == "text" {
			in.otherRating(r, at)
		}
		if !in.noBusiness && !in.mixed[at.File] {
			in.unlisted(at, t.name, *t.text)
			in.others(r, at, *t.text)
		}
	}
}

func (in *inspector) markup(at diagnostic.Position, name, text string) {
	found := forms("markupForm").FindStringIndex(text)
	if found == nil {
		return
	}
	s := text[found[0]:found[1]]
	remedy := "if it came with an export, write what it stands for: & for &amp;, a space or a new line for <br>; leave it if these are the customer's own words"
	if line := firstLine(text[strings.LastIndexByte(text[:found[0]], '\n')+1:]); (s[0] == '&' || s[0] == '<') && len(line) <= diagnostic.MaxPasted {
		remedy = "write " + html.UnescapeString(strings.Join(strings.Fields(forms("tags").ReplaceAllString(forms("lineBreaks").ReplaceAllString(line, " "), "")), " "))
	}
	in.add(at, s, "markup", fmt.Sprintf("%s contains the markup %s, which is published as plain characters", name, diagnostic.Quote(s)), remedy)
}

func (in *inspector) author(r *source.Review, at diagnostic.Position) {
	author, _ := diagnostic.TrimCurlyQuotes(r.Author)
	if firm := in.content.Business.Name; strings.Contains(firm, " ") && strings.Contains(strings.ToLower(author), strings.ToLower(firm)) && !in.noBusiness {
		in.add(at, r.Author, "placeholder", fmt.Sprintf("author %s is the business itself", diagnostic.Quote(r.Author)), "write the name of the customer; a reply of yours stands in owner_reply of the review that it answers")
		return
	}
	if id, known := in.content.Named("technicians", author); known && !in.noBusiness && strings.Contains(author, " ") && !strings.Contains(author, ".") {
		in.add(at, r.Author, "other-name", fmt.Sprintf("author %s is the technician %s", diagnostic.Quote(r.Author), id), "write the name of the customer, unless it is a namesake")
		return
	}
	anonymous := slices.ContainsFunc(notAuthors, func(no remark) bool { return no.code == "full-surname" && no.form().MatchString(author) })
	short, full := Initials(author)
	if !in.beside(r, at) && full && in.content.Site.AuthorNames == "initials" && !in.noNames && !anonymous && !diagnostic.Nobody(author) {
		remedy := fmt.Sprintf("write %q, ", short)
		if title, rest, _ := strings.Cut(short, " "); isTitle(title) && !strings.Contains(rest, " ") {
			remedy = fmt.Sprintf("write the first name in place of %s, with the initial %s, or %q if you don't know it, ", title, rest, short)
		}
		last, first, comma := strings.Cut(author, ", ")
		if !comma {
			last, first, _ = strings.Cut(author, " ")
		}
		kept := diagnostic.SurnameLast(author)
		other, may := Initials(first + " " + strings.Fields(last + " ?")[0])
		if may && (kept == author || kept == last) && !strings.ContainsAny(first, " .") && !isTitle(first) && !isTitle(last) {
			turned := comma || slices.Contains(firstNames, first) && !slices.Contains(firstNames, last)
			remedy = fmt.Sprintf(diagnostic.Pick(turned, "write %[2]q, or %[1]q if the first name stands first, ", "write %[1]q, or %[2]q if the surname stands first, "), short, other)
		}
		in.add(at, r.Author, "full-surname", fmt.Sprintf("author %s has a full surname, but the policy in site.yaml is initials", diagnostic.Quote(r.Author)),
			remedy+"or set author_names: full in site.yaml if the authors agreed"+forget)
	}
	id, whole := strings.ToLower(r.ID), strings.ToLower(diagnostic.Latin(author))
	first, initial, _ := strings.Cut(strings.ToLower(strings.TrimSuffix(diagnostic.Unaccented(short), ".")), " ")
	nameless, rest, _ := strings.Cut(id, "-"+first+"-")
	surname, _, _ := strings.Cut(rest, "-")
	if named := len(initial) == 1 && len(surname) > 2 && strings.HasPrefix(surname, initial); named {
		nameless += "-" + first
	} else if nameless, named = strings.CutSuffix(id, "-"+whole[strings.LastIndex(whole, " ")+1:]); !named || !full {
		nameless = ""
	}
	if in.content.Site.AuthorNames == "initials" && nameless != "" {
		nameless += diagnostic.When(in.ids[nameless], "-2")
		in.add(at, r.ID, "name-in-text", fmt.Sprintf("id %s seems to have the customer's surname, and the author is published as %s", r.ID, diagnostic.Quote(short)),
			fmt.Sprintf("if it does, write id: %s before you build; if it has been built, but not uploaded, delete the folder public and run `reviewcast pull %s public` first; an id that is uploaded must stay", nameless, cmp.Or(in.content.Site.BaseURL, "URL")))
	}
	for _, no := range notAuthors {
		if no.mayBeIn(r.Author) && no.form().MatchString(r.Author) {
			in.add(at, r.Author, no.code, fmt.Sprintf(no.message, diagnostic.Quote(r.Author)), no.form().ReplaceAllString(r.Author, no.remedy))
			break
		}
	}
	if diagnostic.Nobody(r.Author) {
		in.add(at, r.Author, "placeholder", fmt.Sprintf("author is %s, which is no name and is published as it is", diagnostic.Quote(r.Author)), "write Anonymous")
	}
}

// garbled reports placeholders, and characters that a wrong encoding has changed or lost.
func (in *inspector) garbled(at diagnostic.Position, name, text string) {
	if garbled, meant := diagnostic.Mojibake(text); garbled != "" {
		in.add(at, garbled, "mojibake", fmt.Sprintf("%s has %s where %s was meant: a program has read UTF-8 as Windows-1252", name, diagnostic.Quote(garbled), diagnostic.Quote(meant)),
			"copy the text again from where it was given, or correct it")
	} else if i := slices.IndexFunc(placeholders, func(m remark) bool { return m.mayBeIn(text) && m.form().MatchString(text) }); i >= 0 {
		m := placeholders[i]
		word := strings.Trim(m.form().FindString(text), " \n\t,;")
		ours := name == "owner_reply.text" && strings.Contains(m.remedy, "customer")
		in.add(at, word, m.code, fmt.Sprintf(m.message, name, diagnostic.Quote(word)), diagnostic.Pick(ours, "write your own words, or delete owner_reply", m.remedy))
	} else if strings.ContainsRune(text, utf8.RuneError) && !in.notUTF8[at.File] {
		in.add(at, string(utf8.RuneError), "mojibake", name+" has \ufffd, which stands for a character that a program has lost", "copy the text again from where it was given, or correct it")
	}
}

// small looks for garbled characters in the texts of the other files.
func (in *inspector) small() {
	c := in.content
	look := func(file string, texts ...string) {
		for _, s := range texts {
			if _, quoted := diagnostic.TrimCurlyQuotes(s); quoted {
				in.add(top(file), firstLine(s), "curly-quotes", "a text is in curly quotation marks, which are published with it", "write none, or straight ones (\")")
			}
			for i, words := 1, strings.Fields(s); i < len(words) && c.Site.AuthorNames == "initials" && file != source.BusinessFile; i++ {
				name := strings.Trim(words[i], ".,;:!?")
				initial, found := strings.CutPrefix(strings.TrimSuffix(in.authors[words[i-1]], "."), words[i-1]+" ")
				if found && len(initial) < 3 && strings.HasPrefix(name, initial) && len(name) > len(initial)+1 && !in.people[strings.ToLower(name)] {
					in.add(top(file), words[i-1]+" "+name, "name-in-text", fmt.Sprintf("%s may be the customer %s with the surname", diagnostic.Quote(words[i-1]+" "+name), in.authors[words[i-1]]), "if so, write "+in.authors[words[i-1]])
				}
			}
			if in.garbled(top(file), "a text", in.remarked(top(file), "a text", in.remarked(top(file), "a text", s, "mail-in-text", &source.Review{}), "chat-in-text", &source.Review{})); strings.ContainsAny(s, "<&") && file != source.SummaryFile {
				in.markup(top(file), "a text", s)
			}
		}
	}
	b := &c.Business
	look(source.BusinessFile, b.Name, b.LegalName, b.Description, b.Telephone, b.Address.StreetAddress, b.Address.AddressLocality, b.Address.AddressRegion)
	for _, t := range b.Technicians {
		look(source.BusinessFile, t.Name)
	}
	for _, n := range slices.Concat(b.Services, b.ServiceAreas) {
		look(source.BusinessFile, n.Name)
	}
	look(source.SiteFile, c.Site.Title, c.Site.FeedTitle, c.Site.Description)
	for _, title := range []string{c.Site.Title, c.Site.FeedTitle, c.Site.Author.Name} {
		in.title(title)
	}
	if fictional := strings.HasSuffix(b.URL, ".example") || slices.Contains(source.ExampleBusinesses, b.ID); !fictional && forms("exampleHost").MatchString(c.Site.BaseURL) {
		in.add(top(source.SiteFile), c.Site.BaseURL, "placeholder", "base_url is an address for examples, which nobody can have", "write the address to which you upload public/")
	}
	if forms("exampleHost").MatchString(strings.TrimSuffix(b.URL, "/")) {
		in.add(top(source.BusinessFile), b.URL, "placeholder", "url is an address for examples, which nobody can have", "write the address of your website")
	}
	_, mail, _ := strings.Cut(strings.ToLower(b.Email), "@")
	address, _ := url.Parse(strings.ToLower(b.URL))
	host := strings.TrimPrefix(cmp.Or(address, &url.URL{}).Hostname(), "www.")
	if mistypedDomain(mail, host) {
		in.add(top(source.BusinessFile), b.Email, "other-name", fmt.Sprintf("email is at %s, and url at %s, which differ in a letter", mail, host), "if one of them is mistyped, correct it")
	}
	for _, q := range c.FAQ {
		look(source.FAQFile, q.Question, q.Answer)
	}
	if c.Summary != nil {
		look(source.SummaryFile, *c.Summary)
	}
}

// mistypedDomain reports whether two domains differ in a letter that is neither that of a plural nor an accent.
func mistypedDomain(a, b string) bool {
	x, end, _ := strings.Cut(a, ".")
	y, other, _ := strings.Cut(b, ".")
	same := diagnostic.Unaccented(x) == diagnostic.Unaccented(y) || x+"s" == y || y+"s" == x || strings.ContainsAny(x+y, "-")
	return end == other && len(x) > 5 && !same && (levenshtein.ComputeDistance(x, y) == 1 || diagnostic.Mistyped(x, y))
}

// title reports a word that is that of the business's name but for a letter, before the same word as there.
func (in *inspector) title(title string) {
	words, name := wordsOf(title), wordsOf(in.content.Business.Name)
	for i := 1; i < len(words) && !in.noBusiness; i++ {
		for k := 1; k < len(name); k++ {
			word, meant := words[i-1], name[k-1]
			if words[i] == name[k] && len(word) > 4 && diagnostic.Mistyped(word, meant) && diagnostic.Unaccented(word) != diagnostic.Unaccented(meant) {
				in.add(top(source.SiteFile), word, "other-name", fmt.Sprintf("%s is not %s, as in the name of the business in business.yaml", diagnostic.Quote(word), diagnostic.Quote(meant)), "if it is mistyped, write "+meant)
			}
		}
	}
}

// place finds the place of each finding in its file: the first occurrence of its words after the beginning of the
// review, or else the review.
func (in *inspector) place() (problems []diagnostic.Problem) {
	slices.SortStableFunc(in.findings, func(a, b finding) int { return strings.Compare(a.File, b.File) })
	var data []byte
	file := ""
	for _, f := range in.findings {
		if f.File != file {
			file = f.File
			data, _ = in.root.ReadFile(file) // a file that is gone has no other places
		}
		f.locate(data)
		problems = append(problems, f.Problem)
	}
	return problems
}

// maxSeek is how many bytes after the beginning of a review its words are searched: the longest review is shorter.
const maxSeek = 1 << 20

// locate finds the words in the file at or after the place. Words that are folded or escaped in the file are not found;
// then the review is the place.
func (f *finding) locate(data []byte) {
	for line := 1; line < f.Line; line++ {
		_, data, _ = bytes.Cut(data, []byte{'\n'})
	}
	before, _, found := bytes.Cut(data[:min(len(data), maxSeek)], []byte(f.snippet))
	if found && f.snippet != "" {
		f.Line += bytes.Count(before, []byte{'\n'})
		f.Col = utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	}
}
