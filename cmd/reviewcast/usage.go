package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"reviewcast/generator/diagnostic"
	sources "reviewcast/generator/source"
)

// Mistakes in the command line, and what to write.

//go:embed meant.txt
var meantFile string

// forms are the regular expressions of meant.txt, which says what each matches.
var forms = diagnostic.Forms(meantFile, "forms")

// meantWords are the words of other programs for our commands and flags, and what to write.
var meantWords = diagnostic.Lines(meantFile, "words")

// explain returns what a section of meant.txt says of a text, with lines of a regular expression and a message; nil if
// none matches.
func explain(section, text string) error {
	for _, row := range diagnostic.Rows(meantFile, section) {
		if form := regexp.MustCompile("(?s)" + row[0]); form.MatchString(text) {
			return errors.New(form.ReplaceAllString(text, row[1]))
		}
	}
	return nil
}

// retyped returns the arguments with hyphens, spaces and quotation marks that a terminal knows.
func retyped(args []string) []string {
	one := forms("wordProcessed").ReplaceAllStringFunc(strings.ReplaceAll(strings.Join(args, "\x00"), "\u00a0", "\x00"), func(s string) string {
		return strings.ReplaceAll(forms("wordProcessed").ReplaceAllString(s, "$1"), "\x00", " ")
	})
	plain := strings.Split(one, "\x00")
	for i, arg := range plain {
		if name := strings.TrimLeft(arg, "-–—"); strings.ContainsAny(strings.TrimSuffix(arg, name), "–—") {
			plain[i] = "--" + name
		}
	}
	return plain
}

// commandLine writes words of a command for pasting.
func commandLine(words ...string) string {
	words = slices.Clone(words)
	for i, word := range words {
		if strings.ContainsAny(word, " &;()<>|*$#!\"") {
			words[i] = quoteWord(word)
		}
	}
	return strings.Join(words, " ")
}

// quoteWord quotes a word for pasting. In double quotes zsh and bash replace $ and !.
func quoteWord(word string) string {
	single := strings.ContainsAny(word, "$!`") && !strings.Contains(word, "'") && runtime.GOOS != "windows"
	return diagnostic.Pick(single, "'"+word+"'", strconv.Quote(word))
}

func untilFlag(args []string) []string {
	if end := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }); end >= 0 {
		return args[:end]
	}
	return args
}

// together returns the arguments with the words behind each flag as one.
func together(args []string) (words []string) {
	for len(args) > 0 {
		value := untilFlag(args[1:])
		words = append(words, args[0])
		if joined := strings.Trim(strings.Join(value, " "), "'"); strings.Contains(args[0], "=") {
			words[len(words)-1] += diagnostic.When(joined != "", " "+joined)
		} else if strings.HasPrefix(args[0], "-") && joined != "" {
			words = append(words, joined)
		} else {
			words = append(words, value...)
		}
		args = args[1+len(value):]
	}
	return words
}

// argumentError returns what is wrong with an argument that the parser doesn't accept; nil if nothing is known.
func argumentError(args []string, message string) error {
	if plain := retyped(args); !slices.Equal(plain, args) {
		return fmt.Errorf("%s; a word processor has changed hyphens, spaces or quotation marks; write: reviewcast %s", message, commandLine(plain...))
	}
	for i, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		plain := strings.TrimLeft(name, "-–—")
		long := len(plain) > 1 && !strings.HasPrefix(name, "--")
		meant := cmp.Or(meantWords[args[0]+name], meantWords[name])
		elsewhere := i > 0 && strings.HasPrefix(meant, "reviewcast ") && !strings.HasPrefix(name, "-") // it may be a word of another command
		switch {
		case i > 1 && args[i-2] == "--map" && message == "unexpected argument "+arg && strings.Contains(args[i-1], "="):
			together := args[i-1]
			for _, word := range untilFlag(args[i:]) {
				first, _, _ := strings.Cut(word, ",") // without =, it is in the name of a column
				together = strings.TrimSuffix(together, ",") + diagnostic.Pick(strings.Contains(first, "="), ",", " ") + word
			}
			return fmt.Errorf("%s; put the pairs of --map in quotation marks, with commas between them: --map %q", message, together)
		case explain("arguments", arg) != nil:
			return explain("arguments", arg)
		case meant != "" && !elsewhere && (strings.HasPrefix(message+",", "unexpected argument "+name+",") || strings.HasPrefix(message+",", "unknown flag "+name+",")):
			value := cmp.Or(value, append(slices.Clip(args), "ID")[i+1])
			host, port, _ := strings.Cut(diagnostic.When(isPort(value), "localhost:")+value, ":")
			write := strings.NewReplacer("PORT", cmp.Or(port, "8080"), "VALUE", value, "HOST", host).Replace("write " + meant)
			return fmt.Errorf("%s %s; %s", strings.Join(strings.Fields(message)[:2], " "), name, strings.TrimPrefix(write, "write = "))
		case long && plain != name && (strings.Contains(message, name) || strings.HasPrefix(message, "unknown flag -"+plain[:1])):
			return fmt.Errorf("unknown flag %s; write it with two hyphens: --%s", name, plain)
		case message == "unexpected argument "+arg && i > 1 && !strings.HasPrefix(args[i-1], "-") && args[i-1] != "=" && (strings.HasPrefix(args[i-2], "-") || args[0] == "init"):
			words, _ := diagnostic.TrimCurlyQuotes(args[i-1] + " " + arg)
			words = strings.Join(append([]string{words}, untilFlag(args[i+1:])...), " ")
			quoted := diagnostic.Pick(args[0] == "new", "reviewcast "+commandLine(together(args)...), quoteWord(strings.Trim(words, "'")))
			general := fmt.Errorf("%s; put words that belong together in straight double quotes: %s", message, quoted)
			return cmp.Or(explain("values", args[i-2]+" "+words), general)
		}
	}
	return nil
}

func parseError(args []string, err error) error {
	message := err.Error()
	whole := strings.Join(args, " ") + "\n" + message
	if err := cmp.Or(argumentError(args, message), explain("messages", whole)); err != nil {
		return err
	}
	word, unexpected := strings.CutPrefix(message, "unexpected argument ")
	word, _, _ = strings.Cut(word, ", did you mean ")
	export, noExport := strings.CutPrefix(message, "<file>: ")
	isFlag := strings.HasPrefix(message, "unknown flag ")
	p, ok := errors.AsType[*kong.ParseError](err)
	switch {
	case noExport:
		return fmt.Errorf("%s; name the file that you have exported%s", strings.TrimPrefix(export, "stat "), nearFile(args, export))
	case unexpected && wordError(args, word, message) != nil:
		return wordError(args, word, message)
	}
	if err := explain("other messages", whole); err != nil {
		return err
	}
	if unexpected && args[0] == word && !strings.Contains(message, "did you mean") {
		return fmt.Errorf("there is no command %s; editors need init, dev, check, new review, import, diff, build and verify; --help lists all", word)
	}
	if ok && isFlag && p.Context.Selected() != nil {
		for _, leaf := range p.Context.Model.Leaves(true) {
			if slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return strings.HasPrefix(message+",", "unknown flag --"+f.Name+",") }) {
				return fmt.Errorf("%w; it is a flag of %s", err, leaf.FullPath())
			}
		}
		return fmt.Errorf("%w; %s --help lists its flags", err, p.Context.Selected().FullPath())
	}
	return fmt.Errorf("%w; --help lists commands and flags", err)
}

// wordError adds a remedy to the error of a word that has no place in the command line; nil if nothing is known.
func wordError(args []string, word, message string) error {
	switch {
	case args[0] == "import" && exists(word) && len(args) > 2 && !strings.HasPrefix(args[2], "-"):
		return fmt.Errorf("%s; import one file at a time", message)
	case args[0] == "import" && exists(word):
		return fmt.Errorf("%s; say first what the file is, as in: %s", message, importOf(word, "", args[2:]...))
	case args[0] == "import" && len(args) > 2 && forms("workbook").MatchString(args[2]):
		return fmt.Errorf("%s; save the workbook as CSV UTF-8, and import that: %s", message, importOf(forms("workbook").ReplaceAllString(args[2], ".csv"), "", args[3:]...))
	case args[0] == "import" && len(args) > 2 && !strings.HasPrefix(args[2], "-") && !strings.Contains(message, "did you mean"):
		return fmt.Errorf("%s; write: %s", message, importOf(args[2], word, slices.DeleteFunc(slices.Clone(args[3:]), func(arg string) bool { return arg == word })...))
	case args[0] == "import": // one of the other messages
	case args[0] == word && isFolder(word) && len(args) > 1 && slices.Contains([]string{"check", "build", "dev"}, args[1]):
		return fmt.Errorf("the command comes before %s; write: reviewcast %s --content %[1]s", commandLine(word), args[1])
	case args[0] == word && isFolder(word):
		return fmt.Errorf("the command is missing before %s; write reviewcast dev --content %[1]s, or check or build in place of dev", commandLine(word))
	case exists(word) && (args[0] == "diff" || args[0] == "verify"):
		return fmt.Errorf("%[2]s takes one folder or address, the published one; write: reviewcast %[2]s %[3]s", message, args[0], cmp.Or(diagnostic.When(isPublished(word), word), "public"))
	case exists(word) && contentAbove(word) != "" && !isFolder(word):
		return fmt.Errorf("%s; reviewcast %s reads the whole folder: leave the file out, or name its folder, --content %s", message, args[0], contentAbove(word))
	case isPublished(word), isPublished(filepath.Dir(word)):
		built := diagnostic.Pick(isPublished(word), word, filepath.Dir(word))
		return explain("built", args[0]+"\n"+commandLine(filepath.Clean(built))+"\n"+message)
	case exists(word):
		return fmt.Errorf("%s; a folder is given with a flag, such as --content %s; --help lists them", message, cmp.Or(contentAbove(word), word))
	}
	return nil
}

// sourceOf returns the name of a source that a word or, if it is "" or names a kind of file, a file stands for.
func sourceOf(file, from string) string {
	source := cmp.Or(diagnostic.SourceOf(from), diagnostic.SourceOf(filepath.Base(file)), "direct")
	imports, _ := filepath.Glob("*/reviews/import-*.jsonl")
	return cmp.Or(diagnostic.When(from == "", sources.ImportedAs(source, imports)), source)
}

// importOf returns the command that imports a file from a source, with flags; "" is the file's name.
func importOf(file, from string, flags ...string) string {
	source := diagnostic.When(!strings.Contains(strings.Join(flags, " "), "--source"), sourceOf(file, from))
	kind, ext := "csv", strings.ToLower(filepath.Ext(file))
	switch {
	case ext == ".json" && (from == "" || strings.Contains(source, "google")):
		kind, source = "google", ""
	case strings.HasPrefix(ext, ".json"):
		kind = "jsonl"
	}
	from = diagnostic.When(source != "", "--source "+source)
	return commandLine(slices.Concat([]string{"reviewcast", "import", kind, file}, strings.Fields(from), flags)...)
}

// nearFile returns the file of this folder or of another one near that the name of a missing one was meant to be, or how
// to give its path.
func nearFile(args []string, message string) string {
	i := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(message, "/"+filepath.Base(arg)+":") })
	if i < 0 {
		return ""
	}
	home, _ := os.UserHomeDir()
	name, ext := filepath.Base(args[i]), filepath.Ext(args[i])
	for _, near := range []string{".", "*", "..", "../*", filepath.Join(home, "Downloads"), filepath.Join(home, "Desktop"), filepath.Join(home, "Documents")} {
		files, _ := filepath.Glob(filepath.Join(near, name))
		copies, _ := filepath.Glob(filepath.Join(near, strings.TrimSuffix(name, ext)+"[ (]*)"+ext)) // of browsers: reviews (1).csv
		for _, file := range append(files, copies...) {
			if dir := filepath.Dir(file); !isFolder(file) && !isPublished(dir) && !isContent(dir) {
				there := slices.Concat([]string{"reviewcast"}, args[:i], []string{file}, args[i+1:])
				return diagnostic.Pick(dir == ".", "; there is one with a number", "; there is one in another folder") + "; write: " + commandLine(there...)
			}
		}
	}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(args[i]), "*"+filepath.Ext(args[i])))
	if with, _ := filepath.Glob(args[i] + "[. ]*"); len(with) > 0 {
		return fmt.Sprintf(", such as %q (a name with spaces is in quotation marks)", with[0])
	}
	return "; " + diagnostic.DidYouMean(args[i], names, "if it is in another folder, write its path: a file that is dragged into this window writes it")
}
