//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"reviewcast/cmd/reviewcast/terminal"
)

// screen is the real program on a terminal of its own.
type screen struct {
	t   *testing.T
	cmd *exec.Cmd
	tty *os.File

	mu   sync.Mutex
	seen bytes.Buffer // everything that was printed
	from int          // what expect has found ends here
	more chan struct{}
	done chan struct{} // closed when nothing more is printed
	left chan struct{} // closed when the program is
}

// onScreen starts reviewcast in a folder, on a terminal of so many columns.
func onScreen(t *testing.T, dir string, columns int, args ...string) *screen {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Dir = dir
	return onTerminal(t, columns, cmd)
}

// onTerminal starts any program so. The kind of terminal is xterm, unless the test
// has made it dumb.
func onTerminal(t *testing.T, columns int, cmd *exec.Cmd) *screen {
	t.Helper()
	cmd.Env = append(os.Environ(), "COLUMNS=", "NO_COLOR=", "CLICOLOR_FORCE=", "HOME="+cmd.Dir)
	if os.Getenv("TERM") != "dumb" {
		cmd.Env = append(cmd.Env, "TERM=xterm")
	}
	tty, program, err := pty.Open()
	if err != nil {
		t.Skip("no terminal to be had here: ", err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 40, Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, cmd: cmd, tty: tty, more: make(chan struct{}, 1), done: make(chan struct{}), left: make(chan struct{})}
	go s.read()
	go func() {
		_ = cmd.Wait() // ended asks for the code
		close(s.left)
		// The program's end of the terminal is open here, too, so that nothing of what
		// it printed gets lost; this mark is what comes last.
		_, _ = program.WriteString(endMark)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-s.done
		_, _ = program.Close(), tty.Close()
	})
	return s
}

// endMark is what no program prints.
const endMark = "\x00\x00the end"

// read takes what is printed until the mark.
func (s *screen) read() {
	defer close(s.done)
	chunk := make([]byte, 4<<10)
	for {
		n, err := s.tty.Read(chunk)
		s.mu.Lock()
		s.seen.Write(chunk[:n])
		over := err != nil || bytes.HasSuffix(s.seen.Bytes(), []byte(endMark))
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if over {
			return
		}
	}
}

func (s *screen) printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// expect waits until the text is printed, behind what the last one found.
func (s *screen) expect(text string) {
	s.t.Helper()
	patience := time.After(patience)
	for {
		printed := s.printed()
		if i := strings.Index(printed[s.from:], text); i >= 0 {
			s.from += i + len(text)
			return
		}
		select {
		case <-s.more:
		case <-s.done:
			if printed = s.printed(); !strings.Contains(printed[s.from:], text) {
				s.t.Fatalf("it ended without %q:\n%q", text, printed)
			}
		case <-patience:
			s.t.Fatalf("%q never came; there is\n%q", text, printed)
		}
	}
}

// answer waits for a question and types.
func (s *screen) answer(question, keys string) {
	s.t.Helper()
	s.expect(question)
	if _, err := s.tty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ended waits for the end and gives the exit code.
func (s *screen) ended() int {
	<-s.left
	<-s.done
	return s.cmd.ProcessState.ExitCode()
}

// deskWith is a content folder with people and services to complete.
func deskWith(t *testing.T) string {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "content", "business.yaml"), `id: acme
name: Acme
technicians: [{id: ana-lima, name: Ana Lima}, {id: anders-berg, name: Anders Berg}]
services: [{id: drain-cleaning, name: Drain cleaning}, {id: drain-repair, name: Unblocking}]
`)
	return dir
}

const (
	enter = "\r"
	tab   = "\t"
	ctrlC = "\x03"
	ctrlD = "\x04"
)

// TestNewReviewOnATerminal writes a review as people do: mistakes, beginnings of names, a text pasted from elsewhere.
func TestNewReviewOnATerminal(t *testing.T) {
	for _, columns := range []int{40, 132} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			dir := deskWith(t)
			s := onScreen(t, dir, columns, "new", "review", "--today", "2026-11-01", "--id", "mine")
			s.answer("Author", "Maria K."+enter)
			s.answer("Stars", "9"+enter)
			s.answer("whole number", "5"+enter)
			s.answer("Date [2026-11-01]", enter)
			s.answer("Title", enter)
			s.answer("Text", "They came at nine.\r\rIt was \"only\" a seal: £40 – fair.\r\xff"+enter+"."+enter)
			s.answer("Language [en]", enter)
			s.answer("Source [direct]", enter)
			s.answer("Verification", "jo"+enter)
			s.answer("Reference", "J-17"+enter)
			s.answer("Technicians", "?"+enter)
			s.answer("anders-berg (Anders Berg)", "ana, ber"+enter)
			s.answer("not a technician of", "Ana, Anders"+enter)
			s.answer("Services", "drain-c"+enter)
			s.expect("content/reviews/2026/mine.yaml")
			if code := s.ended(); code != 0 {
				t.Errorf("it ended with %d (%v), having printed\n%q", code, s.cmd.ProcessState, s.printed())
			}
			got, err := os.ReadFile(filepath.Join(dir, "content", "reviews", "2026", "mine.yaml"))
			const want = `# yaml-language-server: $schema=../../.schemas/review.schema.json
- id: "mine"
  author: "Maria K."
  rating: 5
  date: 2026-11-01
  text: |-
    They came at nine.

    It was "only" a seal: £40 – fair.
    ?
  verification:
    method: "job"
    reference: "J-17"
  technicians: [ana-lima, anders-berg]
  services: [drain-cleaning]
`
			if err != nil || string(got) != want {
				t.Errorf("%v\n%s\nwant\n%s\nscreen\n%q", err, got, want, s.printed())
			}
		})
	}
}

// TestNewReviewOnADumbTerminal: no colours, but questions and answers, and a
// way out.
func TestNewReviewOnADumbTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	dir := deskWith(t)
	given := []string{"new", "review", "--today", "2026-11-01", "--author", "Maria K.", "--rating", "5", "--title", "Quick", "--text", "Kind."}
	s := onScreen(t, dir, 80, given...)
	for _, question := range []string{"Date", "Language", "Source", "Verification"} {
		s.answer(question, "\n")
	}
	s.answer("Technicians", "ana\n")
	s.answer("Services", "\n")
	s.expect("content/reviews/2026/2026-11-01-")
	if code := s.ended(); code != 0 || strings.Contains(s.printed(), "\x1b") {
		t.Errorf("it ended with %d:\n%q", code, s.printed())
	}
	s = onScreen(t, dir, 80, append(given, "--id", "left")...)
	s.answer("Date", ctrlC)
	s.expect("stopped; no file was changed")
	if code := s.ended(); code != exitProblem {
		t.Errorf("it ended with %d (%v), having printed\n%q", code, s.cmd.ProcessState, s.printed())
	}
	if _, err := os.Stat(filepath.Join(dir, "content", "reviews", "2026", "left.yaml")); err == nil {
		t.Error("it left something behind")
	}
}

// TestNewReviewIsLeft leaves at each question in each way: nothing is written, and
// the terminal is as it was.
func TestNewReviewIsLeft(t *testing.T) {
	for name, leave := range map[string]func(*screen){
		"Ctrl-C":        func(s *screen) { s.answer("Date", ctrlC) },
		"Ctrl-C midway": func(s *screen) { s.answer("Date", "2026"+ctrlC) },
		"Ctrl-D":        func(s *screen) { s.answer("Date", ctrlD) },
		"in the text":   func(s *screen) { s.answer("Date", enter); s.answer("Title", enter); s.answer("Text", "Half a"+ctrlC) },
		"terminated": func(s *screen) {
			s.expect("Date")
			if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := deskWith(t)
			s := onScreen(t, dir, 80, "new", "review", "--today", "2026-11-01", "--author", "Maria K.")
			s.answer("Stars", "5"+enter)
			leave(s)
			s.expect("stopped; no file was changed")
			if code := s.ended(); code != exitProblem {
				t.Errorf("it ended with %d (%v), having printed\n%q", code, s.cmd.ProcessState, s.printed())
			}
			if _, err := os.Stat(filepath.Join(dir, "content", "reviews")); err == nil {
				t.Error("it left a folder behind")
			}
		})
	}
}

// TestImportOnATerminal: the report of an import fits the width of the terminal.
func TestImportOnATerminal(t *testing.T) {
	dir := deskWith(t)
	var export strings.Builder
	export.WriteString("Stars,Day,Words\n")
	for i := range 1000 {
		fmt.Fprintf(&export, "%d,2026-01-%02d,%d %s\n", 1+i%5, 1+i%28, i, strings.Repeat("kind words ", 60))
	}
	writeFile(t, filepath.Join(dir, "long.csv"), export.String())
	args := []string{"import", "csv", "long.csv", "--map", "rating=Stars,date=Day,text=Words", "--source", "cards", "--today", "2026-11-01", "--dry-run"}
	const width = 44
	s := onScreen(t, dir, width, args...)
	s.expect("dry run: no file was changed")
	if code := s.ended(); code != 0 {
		t.Errorf("it ended with %d (%v), having printed\n%q", code, s.cmd.ProcessState, s.printed())
	}
	for line := range strings.Lines(strings.TrimSuffix(s.printed(), endMark)) {
		if n := terminal.Width(strings.TrimRight(line, "\r\n")); n > width {
			t.Errorf("%q has %d columns", line, n)
		}
	}
	cmd := exec.Command(binary(t), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || bytes.ContainsAny(out, "\r\x1b") {
		t.Errorf("without a terminal: %v\n%.300s", err, out)
	}
}

// TestCheckOnATerminal: colours, and lines that fit, with wide characters in them;
// a dumb terminal gets plain text.
func TestCheckOnATerminal(t *testing.T) {
	dir := deskWith(t)
	writeFile(t, filepath.Join(dir, "content", "reviews", "a.yaml"), `- {id: a, author: Jo K., ratng: 5, date: 2026-01-01, text: 名前がとても長いので端末の幅に収まりません, verification: {metod: job}}
`)
	const width = 44
	for _, kind := range []string{"xterm", "dumb"} {
		t.Setenv("TERM", kind)
		s := onScreen(t, dir, width, "check", "--today", "2026-11-01")
		s.expect("content:")
		if code := s.ended(); code != exitProblem {
			t.Errorf("it ended with %d (%v), having printed\n%q", code, s.cmd.ProcessState, s.printed())
		}
		for line := range strings.Lines(strings.TrimSuffix(s.printed(), endMark)) {
			if line = strings.TrimRight(line, "\r\n"); terminal.Width(line) > width {
				t.Errorf("%q has %d columns", line, terminal.Width(line))
			}
		}
		if colours := strings.Contains(s.printed(), "\x1b[1;31m"); colours != (kind != "dumb") {
			t.Errorf("on %s:\n%s", kind, s.printed())
		}
	}
}

// TestZshCompletion types into zsh itself. Ctrl-X shows the line and empties it.
func TestZshCompletion(t *testing.T) {
	zsh, dir := completionFor(t, "zsh")
	writeFile(t, filepath.Join(dir, ".setup"), `PS1='ready> '
setopt no_beep
autoload -U compinit && compinit -u -D
source ./.completion
show() { print -r -- "<$BUFFER>"; BUFFER=; zle redisplay }
zle -N show && bindkey '^X' show
`)
	cmd := exec.Command(zsh, "-f", "-i")
	cmd.Dir = dir
	s := onTerminal(t, 120, cmd)
	s.answer("", "source ./.setup"+enter)
	s.expect("ready> ")
	for words, want := range completions {
		const ctrlX = "\x18"
		if _, err := s.tty.WriteString(words + tab + ctrlX); err != nil {
			t.Fatal(err)
		}
		before := words[:strings.LastIndex(words, " ")+1]
		s.expect("<" + before + want) // and a blank, when the word is whole
	}
}

// TestImportIsLeft stops an import that waits for the rest of its export: at once,
// and nothing is written.
func TestImportIsLeft(t *testing.T) {
	dir := deskWith(t)
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no pipes with names here: ", err)
	}
	s := onScreen(t, dir, 80, "import", "csv", "fifo", "--map", "rating=Stars,date=Day", "--source", "cards")
	export, err := os.OpenFile(fifo, os.O_WRONLY, 0) // when the import has opened it, too
	if err != nil {
		t.Fatal(err)
	}
	defer export.Close()
	if _, err := export.WriteString("Stars,Day\n5,2026-01-02\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.tty.WriteString(ctrlC); err != nil {
		t.Fatal(err)
	}
	s.expect("stopped; no file was changed")
	if code := s.ended(); code != exitProblem {
		t.Errorf("it ended with %d (%v), having printed\n%q", code, s.cmd.ProcessState, s.printed())
	}
	if _, err := os.Stat(filepath.Join(dir, "content", "reviews")); err == nil {
		t.Error("it left something behind")
	}
}

// alone returns an empty folder with none beside it, where dev would find other content.
func alone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "here")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDevInAnEmptyFolder: dev offers a starter, writes it and shows it, also beside the manual of an unpacked release.
func TestDevInAnEmptyFolder(t *testing.T) {
	for _, content := range []string{"content", ".", "manual"} {
		dir, args := alone(t), []string{"dev"}
		if content != "content" {
			args = append(args, "--content", content)
		}
		if content == "manual" {
			writeFile(t, filepath.Join(dir, content, "README.md"), "the manual")
		}
		s := onScreen(t, dir, 80, append(args, "--listen", "localhost:0")...)
		s.answer("[Y/n]", "maybe"+enter)
		s.answer("write y or n", enter)
		s.expect("open http://localhost:")
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := s.ended(); code != 0 {
			t.Errorf("it ended with %d:\n%q", code, s.printed())
		}
		if _, err := os.Stat(filepath.Join(dir, content, "business.yaml")); err != nil {
			t.Error(err)
		}
	}
	dir := alone(t)
	s := onScreen(t, dir, 80, "dev", "--listen", "localhost:0")
	s.answer("[Y/n]", "n"+enter)
	s.expect("`reviewcast init content`")
	if code := s.ended(); code != exitUsage {
		t.Errorf("it ended with %d:\n%q", code, s.printed())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("it left %v, %v", entries, err)
	}
}
