package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFilesThatCannotBeRead(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA)
	memory := d.file(".import-shop.json")
	const line = `{"id":"shop-a1","rating":5,"date":"2026-01-03"}` + "\n"
	for _, tt := range []struct{ name, data, memory, want string }{
		{"not JSON", line + "{\"id\": shop}\n", memory, "read reviews/import-shop.jsonl: line 2: "},
		{"not an object", "[1]\n", memory, "read reviews/import-shop.jsonl: line 1: "},
		{"no id", line + "\n{\"rating\":5}\n", memory, "read reviews/import-shop.jsonl: line 3: the review has no valid id; run `reviewcast check`, which says how to correct it, and then import again"},
		{"id twice", line + "\n" + strings.ToUpper(line[:15]) + line[15:], memory, `read reviews/import-shop.jsonl: line 3: `},
		{"old encoding", line + "\n{\"id\":\"shop-a2\",\"text\":\"torner\xf2\"}\n", memory, "read reviews/import-shop.jsonl: line 3: a character is saved in an old encoding, so save the file as UTF-8 (in Notepad with File, Save as, Encoding); run `reviewcast check`"},
		{"member twice", `{"id":"shop-a1","rating":5,"rating":4}`, memory, "read reviews/import-shop.jsonl: line 1: the line can't be read; run `reviewcast check`"},
		{"memory is not JSON", line, "{", "read reviews/.import-shop.json: "},
		{"memory of tomorrow", line, `{"version":2}`, "read reviews/.import-shop.json: version 2 is not supported, only version 1; import with the program that wrote it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d.write("import-shop.jsonl", tt.data)
			d.write(".import-shop.json", tt.memory)
			_, err := d.try(header + rowA + rowB)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s…", err, tt.want)
			}
			wantEqual(t, "data", d.data(), tt.data)
			wantEqual(t, "memory", d.file(".import-shop.json"), tt.memory)
		})
	}
}

// An editor's program may save with a byte order mark and CRLF, and may write any
// JSON; what isn't the import's is kept as it is.
func TestWhatEditorsSave(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB)
	d.write("import-shop.jsonl", "\xEF\xBB\xBF"+strings.ReplaceAll(d.data(), "\n", "\r\n")+`{"services":[ "drains" ],"id":"by-hand","rating":5.0,"title":null,"date":20260101}`)
	report := d.load(header + rowA + rowB)
	wantEqual(t, "counts", counts(report), [4]int{0, 0, 2, 0})
	wantEqual(t, "vanished", report.Vanished, []string(nil))
	lines := strings.SplitAfter(written, "\n")
	wantEqual(t, "file", d.data(), lines[0]+lines[1]+`{"id":"by-hand","rating":5.0,"date":20260101,"services":["drains"]}`+"\n")
}

// A stop between the two renames leaves new reviews with the older memory. The
// next import heals it, and an import after that follows the export.
func TestStopBetweenTheRenames(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA)
	older := d.file(".import-shop.json")
	newer := header + strings.Replace(rowA, "nine", "ten", 1) + rowB
	d.load(newer)
	data, memory := d.data(), d.file(".import-shop.json")

	d.write(".import-shop.json", older)
	wantEqual(t, "counts", counts(d.load(newer)), [4]int{0, 0, 2, 0})
	wantEqual(t, "data", d.data(), data)
	wantEqual(t, "memory", d.file(".import-shop.json"), memory)
	wantEqual(t, "counts", counts(d.load(header+rowA+rowB)), [4]int{0, 1, 1, 0})
}

func TestChangedMeanwhile(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA)
	saved := strings.Replace(d.data(), "On time", "Punctual", 1)
	d.cfg.Taken = func(string) string { // asked when the file has been read
		d.write("import-shop.jsonl", saved)
		return ""
	}
	_, err := d.try(header + rowA + rowB)
	if !errors.Is(err, errMeanwhile) {
		t.Errorf("got %v, want %v", err, errMeanwhile)
	}
	wantEqual(t, "data", d.data(), saved)
	wantEqual(t, "names", d.names(), []string{".import-shop.json", "import-shop.jsonl"})
}

// What a killed import left goes with the next one; other sources' files stay.
func TestStaleFiles(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA)
	d.write(".import-shop~0.tmp", "half")
	d.write(".import-shop-2~0.tmp", "another's")
	d.load(header + rowA + rowB)
	wantEqual(t, "names", d.names(), []string{".import-shop-2~0.tmp", ".import-shop.json", "import-shop.jsonl"})
}

func TestFilesKeepTheirPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	d := newDesk(t)
	d.load(header + rowA)
	if err := os.Chmod(d.path("import-shop.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.load(header + rowA + rowB)
	info, err := os.Stat(d.path("import-shop.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "mode", info.Mode(), fs.FileMode(0o600))
}

func TestContentFolder(t *testing.T) {
	d := newDesk(t)
	dir := d.cfg.ContentDir
	d.cfg.ContentDir = filepath.Join(dir, "nowhere")
	if _, err := d.try(header + rowA); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "open content folder: ") {
		t.Errorf("no folder: %v", err)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "reviews")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	d.cfg.ContentDir = dir
	if _, err := d.try(header + rowA); err == nil {
		t.Error("a link led the import out of the content folder")
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("written outside: %v", entries)
	}
}

// TestOwnMembers: members that imports don't know stay as the editor wrote them.
func TestOwnMembers(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA)
	d.edit(`"rating":5`, `"rating":5, "note" : {"by": "Ann"}`)
	d.load(header + rowA + rowB)
	if !strings.Contains(d.data(), `"note":{"by":"Ann"}}`) {
		t.Errorf("the note is lost:\n%s", d.data())
	}
}
