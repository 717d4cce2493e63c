package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrStopped is the error of a question that was not answered: Ctrl-C, a signal, or the end of the input.
var ErrStopped = errors.New("stopped; no file was changed")

// maxAnswer is the length of a line beyond which systems lose what is typed or pasted.
const maxAnswer = 4095

// Prompter asks questions, line by line.
type Prompter struct {
	out  io.Writer
	read func(prompt string) (line string, err error)
}

// NewPrompter returns a Prompter that reads lines.
func NewPrompter(ctx context.Context, in io.Reader, out io.Writer) *Prompter {
	lines := bufio.NewReader(in)
	return &Prompter{out: out, read: func(prompt string) (string, error) {
		answered := make(chan string, 1)
		go func() { // stays, if ctx ends, until the program does, which is at once
			fmt.Fprint(out, prompt)
			if line, err := lines.ReadString('\n'); err == nil {
				answered <- strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "?")
			}
			close(answered)
		}()
		select {
		case line, ok := <-answered:
			switch {
			case len(line) >= maxAnswer:
				return "", fmt.Errorf("a line cannot have more than %d characters here; leave the text empty and add it to the file afterwards", maxAnswer-1)
			case ok:
				return line, nil
			}
		case <-ctx.Done():
		}
		return "", ErrStopped
	}}
}

// Line asks a question until take accepts the answer.
func (p *Prompter) Line(question string, take func(answer string) error) error {
	prompt := question + ": "
	for {
		answer, err := p.read(prompt)
		if err == nil {
			err = take(strings.TrimSpace(answer))
		}
		if err == nil || errors.Is(err, ErrStopped) {
			return err
		}
		fmt.Fprintln(p.out, foldTo("  "+err.Error(), Columns(os.Stdout), 2))
	}
}

// Text asks for paragraphs, which a line with nothing but a point ends: those that are pasted have empty lines. There is
// no text if the first line is empty.
func (p *Prompter) Text(question string) (string, error) {
	prompt := question + ": "
	var lines []string
	for {
		line, err := p.read(prompt)
		if err != nil {
			return "", err
		}
		if words := strings.TrimSpace(line); words == "." || words == "" && len(lines) == 0 {
			return strings.TrimSpace(strings.Join(lines, "\n")), nil
		}
		lines = append(lines, strings.TrimRight(line, " \t"))
		prompt = "  "
	}
}

// Choice is a possible answer: an id, and the name that people know it by.
type Choice struct{ ID, Name string }

func (c Choice) String() string { return strings.TrimSuffix(c.ID+" ("+c.Name+")", " ()") }
