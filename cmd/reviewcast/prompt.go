package main

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

// errStopped ends a command that writes at its end: by Ctrl-C or a signal, or when
// no more answers come.
var errStopped = errors.New("stopped; nothing was written")

// maxAnswer is the most characters of a line that the terminal's line editor takes;
// what is typed or pasted beyond it is lost there, and therefore refused.
const maxAnswer = 4096

// prompter asks on a terminal, one question after the other.
type prompter struct {
	out io.Writer
	// read shows a prompt and gives the line that is answered. Pasted tells that the
	// line was pasted as a whole, its end included.
	read func(prompt string) (line string, pasted bool, err error)
	// offered is what Tab completes the present answer with.
	offered []known
}

// newPrompter asks on this terminal until the returned function is called, which
// gives the terminal back. A dumb terminal has no Tab, and there a paste can't be
// told from typing.
func newPrompter(ctx context.Context, out io.Writer) (*prompter, func(), error) {
	p := &prompter{out: out}
	if dumb() {
		p.plain(ctx, os.Stdin)
		return p, func() {}, nil
	}
	fd := int(os.Stdin.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, nil, fmt.Errorf("ask on the terminal: %w", err)
	}
	// The line editor waits for ever for the rest of a character that isn't UTF-8,
	// and takes U+FFFD for one.
	in := transform.NewReader(os.Stdin, transform.Chain(runes.ReplaceIllFormed(), runes.Map(func(r rune) rune {
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
		line, pos, several := completeAnswer(line, pos, p.offered)
		if len(several) > 0 {
			fmt.Fprintln(editor, "  "+strings.Join(several, "\n  "))
		}
		return line, pos, true
	}
	p.out = editor
	p.read = readLines(ctx, func(prompt string) (string, bool, error) {
		if w, h, err := term.GetSize(fd); err == nil && w > 0 { // people pull at windows
			_ = editor.SetSize(w, h) // fails when nothing can be written, and then so does the prompt
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
		_ = term.Restore(fd, before) // there is nothing to do about it but a new window
	}, nil
}

// plain reads lines as they come.
func (p *prompter) plain(ctx context.Context, in io.Reader) {
	lines := bufio.NewReader(in)
	p.read = readLines(ctx, func(prompt string) (string, bool, error) {
		fmt.Fprint(p.out, prompt)
		line, err := lines.ReadString('\n')
		return strings.TrimRight(line, "\r\n"), false, err
	})
}

// readLines lets a signal end a read that nothing else can end. The goroutine
// that waits for the terminal then stays until the program ends, which is at
// once.
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
			return "", false, errStopped
		case a := <-answered:
			if a.err != nil {
				return "", false, errStopped
			}
			return a.line, a.pasted, nil
		}
	}
}

// line asks until take is content with the answer.
func (p *prompter) line(question string, offered []known, take func(answer string) error) error {
	p.offered = offered
	prompt := p.fit(question)
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
		p.complain(err)
	}
}

// text asks for paragraphs. An empty line ends them when it was typed: one in the
// midst of what was pasted is the customer's own.
func (p *prompter) text(question string) (string, error) {
	p.offered = nil
	prompt := p.fit(question)
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

// leastAnswer is how many columns are left for an answer beside its question.
const leastAnswer = 20

// fit makes a prompt of a question. What stands in brackets goes on lines of its
// own where it would leave no room.
func (p *prompter) fit(question string) string {
	if width := columns(os.Stdout); textWidth(question) > width-leastAnswer {
		if name, hint, ok := strings.Cut(question, " ("); ok {
			fmt.Fprintln(p.out, foldTo(name+" ("+hint, width, 2))
			question = name
		}
	}
	return question + ": "
}

func tooLong(line string) error {
	if utf8.RuneCountInString(line) >= maxAnswer {
		return fmt.Errorf("a line of %d characters or more doesn't fit in here; leave the text out and put it into the file", maxAnswer)
	}
	return nil
}

func (p *prompter) complain(err error) {
	fmt.Fprintln(p.out, foldTo("  "+err.Error(), columns(os.Stdout), 2))
}

// maxOffered is how many names a Tab lists.
const maxOffered = 20

// completeAnswer completes the word before pos, the last of a list with commas:
// to the one id that it can only stand for, else as far as the possible ones
// agree; then they are returned, too.
func completeAnswer(line string, pos int, offered []known) (string, int, []string) {
	start := strings.LastIndexByte(line[:pos], ',') + 1
	start += len(line[start:pos]) - len(strings.TrimLeft(line[start:pos], " "))
	word := strings.ToLower(strings.TrimSpace(line[start:pos]))
	var found []known
	for _, k := range offered {
		if k.begins(word) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return line, pos, nil
	case 1:
		return line[:start] + found[0].id + line[pos:], start + len(found[0].id), nil
	}
	common := found[0].id
	var several []string
	for i, k := range found {
		for !strings.HasPrefix(k.id, common) {
			common = common[:len(common)-1]
		}
		if i < maxOffered {
			several = append(several, k.String())
		} else if i == maxOffered {
			several = append(several, fmt.Sprintf("… and %d more", len(found)-i))
		}
	}
	if len(common) > len(word) && strings.HasPrefix(common, word) {
		return line[:start] + common + line[pos:], start + len(common), nil
	}
	return line, pos, several
}
