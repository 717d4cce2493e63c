package source

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// The files of a content folder.
const (
	BusinessFile  = "business.yaml"
	SiteFile      = "site.yaml"
	InsightsFile  = "insights.yaml"
	FAQFile       = "faq.yaml"
	SummaryFile   = "summary.md"
	WithdrawnFile = "withdrawn.yaml"
	reviewsFolder = "reviews"
)

// smallFiles are all but those with reviews.
var smallFiles = []string{BusinessFile, SiteFile, InsightsFile, FAQFile, SummaryFile, WithdrawnFile}

var knownFiles = slices.Concat(smallFiles, []string{reviewsFolder})

// ThemeFiles change the look of the pages; package generator/pages reads them.
var ThemeFiles = []string{"theme.css", "wording.txt", "templates", "logo.svg", "logo.png", "logo.webp"}

// walker finds the review files below a root. No link leads out of it, and links to folders below reviews/ are
// refused, so that no folder is read twice.
type walker struct {
	files  []*job
	notes  []diagnostic.Problem
	linked bool
	root   *os.Root
	output string // the name of the output folder; "" when it is elsewhere
}

// walk finds the review files and what should not be in the folder. output is the slash-separated name of the output
// folder if it is inside, "" if not. An error means that the folder itself can't be read.
func walk(root *os.Root, output string) (*walker, error) {
	w := &walker{root: root, output: output}
	entries, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case w.isOutput(name):
		case name == reviewsFolder:
			if info, ok := w.follow(name, e); ok && info.IsDir() {
				w.folder(name)
			} else if ok {
				w.note(diagnostic.Error, name, "not-a-folder", "it is a file", "make it a folder for the files with reviews")
			}
		case !w.isElsewhere(name) && !Ignored(name):
			w.beside(e, entries)
		}
	}
	slices.SortFunc(w.files, func(a, b *job) int { return strings.Compare(a.path, b.path) })
	return w, nil
}

// beside looks at what stands beside reviews/.
func (w *walker) beside(e fs.DirEntry, entries []fs.DirEntry) {
	name, ext, all := e.Name(), strings.ToLower(path.Ext(e.Name())), slices.Concat(knownFiles, ThemeFiles)
	meant := intended(name, e.IsDir())
	inside, _ := fs.ReadDir(w.root.FS(), name) // nothing, unless it is a folder
	switch {
	case slices.Contains(all, name):
	case e.IsDir() && !slices.ContainsFunc(inside, func(e fs.DirEntry) bool { return !Ignored(e.Name()) }): // it hides nothing
	case meant != "":
		remedy := "rename it to " + meant
		taken := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == meant })
		switch {
		case strings.Contains(instead(name), "as plain text"), strings.Contains(instead(name), "shortcut"):
			remedy = strings.Replace(instead(name), "a name that ends in .yaml", "the name "+meant, 1)
		case meant == reviewsFolder && !e.IsDir():
			remedy = "if it has reviews in YAML, move it to " + path.Join(meant, strings.TrimSuffix(name, path.Ext(name))+".yaml")
		case taken && e.IsDir():
			remedy = "if it is a copy of " + meant + ", move it out of the content folder; if not, move what is in it to " + meant + ", and delete the empty folder"
		case taken:
			remedy = "it is a second version of " + meant + ": keep the right words of both there, and delete this one"
		}
		w.wrongName(name, remedy)
	case formatOf(name) != "":
		w.note(diagnostic.Error, name, "wrong-name", "reviews beside "+reviewsFolder+"/ are not read", "move it to "+reviewsFolder+"/"+name+"; if it has no reviews, move it out of the content folder")
	case w.there(path.Join(name, BusinessFile)):
		remedy := diagnostic.Pick(w.there(BusinessFile), "move it out of this folder; if it is the newer one, or a backup that you want back, put it in the place of this folder then",
			"move its files up into this folder, or add --content and the name of that folder to the command")
		w.note(diagnostic.Error, name, "wrong-name", "it is a content folder inside the content folder", remedy)
	default:
		other := cmp.Or(pictures[ext], instead(name))
		if ext == ".txt" || remedies[ext] == "" && pictures[ext] == "" {
			other = "the folder holds " + strings.Join(all, ", ") + " and README.md; move this one out of the content folder"
		}
		if ext == ".md" && !w.there(SummaryFile) && !forms("noSummary").MatchString(name) {
			other = "if it is your summary, rename it to " + SummaryFile + "; " + other
		}
		if i := slices.IndexFunc(inside, func(e fs.DirEntry) bool { return slices.Contains(ThemeFiles, e.Name()) }); i >= 0 {
			other = "move " + inside[i].Name() + " up, beside business.yaml"
		}
		published := w.there(path.Join(name, strings.TrimPrefix(reviewcast.PathManifest, "/")))
		if e.IsDir() && !published && slices.ContainsFunc(inside, func(e fs.DirEntry) bool { return e.IsDir() || formatOf(e.Name()) != "" }) {
			if other = "if reviews are in it that are to be published, move it into the folder reviews; if not, move it out of the content folder"; !w.there(reviewsFolder) {
				w.wrongName(name, "if the reviews are in it, rename it to "+reviewsFolder)
				return
			}
		}
		if published {
			other = "these are pages that build has written; if they are your published ones, move the folder back beside the content folder, in place of the one that is there now, and build again"
		}
		near := slices.DeleteFunc(all, func(known string) bool { return path.Ext(known) != ext })
		w.note(diagnostic.Warning, name, "unknown-file", "unknown file; it is ignored", diagnostic.DidYouMean(name, near, other))
	}
}

// folder reads one folder of reviews and those below it.
func (w *walker) folder(dir string) {
	entries, err := fs.ReadDir(w.root.FS(), dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be gone since it was found
		w.notes = append(w.notes, openProblem("the folder", dir, err))
	}
	if _, draft := drafts[diagnostic.Squash(path.Base(dir))]; draft || path.Base(dir)[0] == '_' {
		w.note(diagnostic.Warning, dir, "draft-folder", "the reviews in it are published like all others, whatever the name of the folder", "before you build, move the folder out of "+reviewsFolder+", or leave the verification out, without which a review is not published; if one was built and not uploaded, build then with --previous and the address of your reviews")
	}
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); !w.isElsewhere(name) && !Ignored(e.Name()) && !w.isOutput(name) {
			w.entry(name, e)
		}
	}
}

// entry looks at one entry of a folder.
func (w *walker) entry(name string, e fs.DirEntry) {
	info, ok := w.follow(name, e)
	backup := slices.Contains([]string{".bak", ".old"}, strings.ToLower(path.Ext(name)))
	switch meant := hidden(name); {
	case !ok:
	case info.IsDir() && e.Type()&fs.ModeSymlink != 0:
		w.note(diagnostic.Error, name, "symlink-folder", "the link points to a folder; only links to files are followed", "put the folder itself here, or delete the link")
	case info.IsDir():
		w.folder(name)
	case meant != "" && !(backup && (w.there(meant) || strings.Contains(strings.TrimSuffix(name, path.Ext(name)), ".yaml."))):
		w.wrongName(name, "rename it to "+path.Base(meant))
	case slices.Contains(knownFiles, path.Base(name)):
		remedy := diagnostic.Pick(w.there(path.Base(name)), "there is one beside "+reviewsFolder+"/ already: move its lines there, and delete it here", "move it up, beside "+reviewsFolder+"/")
		w.note(diagnostic.Error, name, "wrong-name", "in "+reviewsFolder+"/ it would be read as reviews", remedy)
	case path.Ext(name) == "" && info.Mode().IsRegular(), formatOf(name) == "" && !backup && (formatOf(strings.TrimSuffix(name, path.Ext(name))) != "" || w.hasReviews(name) || strings.Contains(instead(name), "as plain text in UTF-8") && !w.there(strings.TrimSuffix(name, path.Ext(name))+".yaml")):
		w.wrongName(name, instead(name))
	case formatOf(name) == "":
		w.note(diagnostic.Warning, name, "unknown-file", "unknown file; it is ignored", instead(name))
	case !info.Mode().IsRegular():
		// Opening a pipe would block.
		w.note(diagnostic.Error, name, "unreadable", "it is not a regular file", "replace it by a regular file")
	default:
		w.files = append(w.files, &job{path: name, info: info})
	}
}

// hasReviews reports whether a file has reviews as YAML has them, whatever its name.
func (w *walker) hasReviews(name string) bool {
	data, _, problem := read(w.root, name, syntax.MaxYAMLFile)
	return problem == nil && forms("reviewForm").Match(data)
}

// there reports whether something has a name.
func (w *walker) there(name string) bool {
	_, err := w.root.Stat(name)
	return err == nil
}

// follow returns what an entry is, through links.
func (w *walker) follow(name string, e fs.DirEntry) (fs.FileInfo, bool) {
	link := e.Type()&fs.ModeSymlink != 0
	w.linked = w.linked || link
	info, err := e.Info()
	if link {
		info, err = w.root.Stat(name)
	}
	// Editors save by renaming: a file that is gone now comes back with a new event.
	if err != nil && (link || !errors.Is(err, fs.ErrNotExist)) {
		w.notes = append(w.notes, openProblem("the file", name, err))
	}
	return info, err == nil
}

// isElsewhere reports whether name stands for a file that is in iCloud only.
func (w *walker) isElsewhere(name string) bool {
	original, cloud := strings.CutSuffix(path.Base(name), ".icloud")
	if cloud = cloud && strings.HasPrefix(original, "."); cloud {
		w.note(diagnostic.Error, name, "unreadable", original[1:]+" is in iCloud only, not on this computer", "in the Finder, right-click it and choose Download Now")
	}
	return cloud
}

// instead returns what to do with a file that is not read, by its extension; words.txt has the remedies.
func instead(name string) string {
	ext := strings.ToLower(path.Ext(name))
	remedy := cmp.Or(remedies[cmp.Or(ext, ".")], remedies["*"])
	return strings.NewReplacer("NAME", strings.TrimSuffix(path.Base(name), path.Ext(name)), "FROM", cmp.Or(diagnostic.SourceOf(path.Base(name)), "direct")).Replace(remedy)
}

// What words.txt says of the names of files, by their extension, and of folders.
var (
	remedies = meanings("files")
	pictures = meanings("pictures")
	misspelt = meanings("misspelt extensions") // of files of reviews
	drafts   = meanings("folders of drafts")   // whose reviews people think left out
)

// isOutput reports whether name is the output folder, which is never read as content, or what a build writes beside it.
func (w *walker) isOutput(name string) bool {
	if w.output != "" && name == w.output {
		w.note(diagnostic.Warning, name, "output-inside", "the output folder is inside the content folder; nothing in it is read as content", "name one elsewhere, such as --public ../public")
	}
	return w.output != "" && slices.Contains([]string{w.output, w.output + ".staging", w.output + ".lock"}, name)
}

// hidden returns the name of a review file without the .txt, .bak or .yamll at its end that keeps it from being read; ""
// for any other file.
func hidden(name string) string {
	stem := strings.TrimSuffix(name, path.Ext(name))
	switch ext, wrong := misspelt[strings.ToLower(path.Ext(name))]; {
	case wrong && formatOf(stem) != "":
		return stem
	case ext != "":
		return stem + ext
	}
	return ""
}

// intended returns the name that an entry of the content folder should have, if it is misspelt, or has a .txt at the
// end, which Notepad adds; "" if not. dir reports whether it is a folder.
func intended(name string, dir bool) string {
	plain := strings.TrimSuffix(strings.ToLower(name), ".txt")
	if original := forms("copyForm").ReplaceAllString(plain, ""); slices.Contains(knownFiles, original) {
		plain = original
	}
	if slices.Contains(knownFiles, plain) || slices.Contains(ThemeFiles, plain) {
		return plain
	}
	stem := strings.TrimSuffix(plain, path.Ext(plain))
	if known := fileNames[stem]; known != "" && (path.Ext(known) == "") == (path.Ext(plain) == "") {
		return known
	}
	if formatOf(plain) != "" && slices.Contains(ThemeFiles, stem+".txt") {
		return stem + ".txt"
	}
	for _, known := range knownFiles {
		base := strings.TrimSuffix(known, path.Ext(known))
		if (path.Ext(name) == "") != (path.Ext(known) == "") && (dir || path.Ext(name) != "") {
			continue
		}
		if near := diagnostic.Nearest(stem, []string{base}); near != "" && (stem == base || len(stem) > 4) || stem == base+"s" || strings.HasPrefix(stem, base+"-") {
			return known
		}
	}
	return ""
}

// wrongName is an error, since what the editor wrote would silently be left out.
func (w *walker) wrongName(name, remedy string) {
	message := "under this name it is not read"
	if strings.EqualFold(path.Ext(name), ".txt") {
		message = "its name ends in .txt, which Windows and macOS hide, so that it is not read"
		remedy = strings.Replace(remedy, "rename it", "show the ends of names (Explorer: View, Show, File name extensions; Finder: Settings, Advanced), and rename it", 1)
	}
	w.note(diagnostic.Error, name, "wrong-name", message, remedy)
}

func (w *walker) note(sev diagnostic.Severity, name, code, message, suggestion string) {
	w.notes = append(w.notes, diagnostic.Problem{Severity: sev, File: name, Code: code, Message: message, Suggestion: suggestion})
}

// Ignored reports whether a file or folder is skipped without a warning: hidden ones, temporary files of editors and
// of the system, manuals and schemas.
func Ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".swp") ||
		strings.HasPrefix(name, "~$") || strings.Contains(name, ".ffs_") || slices.Contains([]string{"README.md", "Thumbs.db", "desktop.ini", "__MACOSX", "@eaDir", "#recycle", "$RECYCLE.BIN", "Icon\r"}, name) || strings.HasSuffix(name, ".schema.json")
}

// openProblem returns the problem of a file or folder that can't be opened; what says which of them.
func openProblem(what, name string, err error) diagnostic.Problem {
	at := diagnostic.Position{File: name}
	if errors.Is(err, fs.ErrNotExist) {
		return at.Error("symlink-broken", "the target of the link does not exist", "delete it, or put the file here")
	}
	// os does not export the error of os.Root for a path that leads out of it.
	if strings.HasSuffix(err.Error(), "path escapes from parent") {
		return at.Error("symlink-outside", "the link points outside the content folder", "put the file itself here")
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // without the path
	}
	return at.Error("unreadable", what+" can't be read: "+err.Error(), "if it is yours, make it readable (in the content folder, chmod u+rw "+at.File+"); if not, ask whoever made it, or put a copy of your own in its place")
}
