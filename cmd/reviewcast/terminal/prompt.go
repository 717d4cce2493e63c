package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// ErrStopped is the error of a question that was not answered: Ctrl-C, a signal, or the end of the input.
var ErrStopped = errors.New("stopped; no file was changed")

// maxAnswer is the length of a line beyond which the line editor loses what is typed or pasted.
const maxAnswer = 4096

// Prompter asks questions on a terminal.
type Prompter struct {
	out io.Writer
	// read shows a prompt and returns the line; pasted if it was pasted with its end.
	read func(prompt string) (line string, pasted bool, err error)
	// choices are what Tab completes the current answer with.
	choices []Choice
}

// NewPrompter returns a Prompter for a terminal and what restores the terminal's state. A dumb terminal has no Tab
// completion and cannot distinguish pasting from typing.
func NewPrompter(ctx context.Context, terminal *os.File, out io.Writer) (*Prompter, func(), error) {
	if dumb() {
		return NewPlainPrompter(ctx, terminal, out), func() {}, nil
	}
	p := &Prompter{}
	fd := int(terminal.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, nil, fmt.Errorf("set up the terminal: %w", err)
	}
	// The line editor waits forever for the rest of a character that is not UTF-8, and treats U+FFFD as one.
	in := transform.NewReader(terminal, transform.Chain(runes.ReplaceIllFormed(), runes.Map(func(r rune) rune {
		if r == utf8.RuneError {
			return '?'
		}
		return r
	})))
	editor := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "")
	editor.SetBracketedPasteMode(true)
	editor.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		line, pos, several := completeAnswer(line, pos, p.choices)
		if len(several) > 0 {
			fmt.Fprintln(editor, "  "+strings.Join(several, "\n  "))
		}
		return line, pos, true
	}
	p.out = editor
	p.read = readLines(ctx, func(prompt string) (string, bool, error) {
		if w, h, err := term.GetSize(fd); err == nil && w > 0 { // windows are resized
			_ = editor.SetSize(w, h) // if this cannot be written, neither can the prompt
		}
		editor.SetPrompt(prompt)
		line, err := editor.ReadLine()
		pasted := errors.Is(err, term.ErrPasteIndicator)
		if pasted {
			err = nil
		}
		return line, pasted, err
	})
	return p, func() {
		editor.SetBracketedPasteMode(false)
		_ = term.Restore(fd, before) // nothing can be done about an error here
	}, nil
}

// NewPlainPrompter returns a Prompter that reads lines without a line editor.
func NewPlainPrompter(ctx context.Context, in io.Reader, out io.Writer) *Prompter {
	lines := bufio.NewReader(in)
	return &Prompter{out: out, read: readLines(ctx, func(prompt string) (string, bool, error) {
		fmt.Fprint(out, prompt)
		line, err := lines.ReadString('\n')
		return strings.TrimRight(line, "\r\n"), false, err
	})}
}

// readLines makes read return when ctx ends. Its goroutine stays until the program ends, which is at once.
func readLines(ctx context.Context, read func(string) (string, bool, error)) func(string) (string, bool, error) {
	type answer struct {
		line   string
		pasted bool
		err    error
	}
	return func(prompt string) (string, bool, error) {
		answered := make(chan answer, 1)
		go func() {
			line, pasted, err := read(prompt)
			answered <- answer{line, pasted, err}
		}()
		select {
		case <-ctx.Done():
			return "", false, ErrStopped
		case a := <-answered:
			if a.err != nil {
				return "", false, ErrStopped
			}
			return a.line, a.pasted, nil
		}
	}
}

// Line asks a question until take accepts the answer. Tab completes choices.
func (p *Prompter) Line(question string, choices []Choice, take func(answer string) error) error {
	p.choices = choices
	prompt := question + ": "
	for {
		answer, _, err := p.read(prompt)
		if err != nil {
			return err
		}
		if err = tooLong(answer); err == nil {
			err = take(strings.TrimSpace(answer))
		}
		if err == nil {
			return nil
		}
		fmt.Fprintln(p.out, foldTo("  "+err.Error(), Columns(os.Stdout), 2))
	}
}

// Text asks for paragraphs, which a typed empty line ends; one that is pasted belongs to the text.
func (p *Prompter) Text(question string) (string, error) {
	p.choices = nil
	prompt := question + ": "
	var lines []string
	for {
		line, pasted, err := p.read(prompt)
		if err != nil {
			return "", err
		}
		if err := tooLong(line); err != nil {
			return "", err
		}
		if strings.TrimSpace(line) == "" && !pasted {
			return strings.TrimSpace(strings.Join(lines, "\n")), nil
		}
		lines = append(lines, strings.TrimRight(line, " \t"))
		prompt = "  "
	}
}

func tooLong(line string) error {
	if utf8.RuneCountInString(line) >= maxAnswer {
		return fmt.Errorf("a line cannot have more than %d characters here; leave the text empty and add it to the file afterwards", maxAnswer-1)
	}
	return nil
}

// Choice is a possible answer: an id, and the name that people know it by.
type Choice struct{ ID, Name string }

// HasPrefix reports whether the id or the name begins with a lower-case prefix.
func (c Choice) HasPrefix(prefix string) bool {
	return strings.HasPrefix(strings.ToLower(c.ID), prefix) || strings.HasPrefix(strings.ToLower(c.Name), prefix)
}

func (c Choice) String() string {
	if c.Name == "" {
		return c.ID
	}
	return c.ID + " (" + c.Name + ")"
}

// maxListed is the number of choices that Tab lists.
const maxListed = 20

// completeAnswer completes the word before pos, the last of a list, to the only id that matches, or returns several to
// list.
func completeAnswer(line string, pos int, choices []Choice) (string, int, []string) {
	start := strings.LastIndexByte(line[:pos], ',') + 1
	start += len(line[start:pos]) - len(strings.TrimLeft(line[start:pos], " "))
	word := strings.ToLower(strings.TrimSpace(line[start:pos]))
	var id string
	var found []string
	for _, c := range choices {
		if c.HasPrefix(word) {
			id, found = c.ID, append(found, c.String())
		}
	}
	switch {
	case len(found) == 1:
		return line[:start] + id + line[pos:], start + len(id), nil
	case len(found) > maxListed:
		found = append(found[:maxListed], fmt.Sprintf("… and %d more", len(found)-maxListed))
	}
	return line, pos, found
}
