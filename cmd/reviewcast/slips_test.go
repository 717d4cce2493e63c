package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// slips are command lines as people get them wrong, in a folder with the starter in
// content and public, and a few other files. TAKEN is an address in use; after "cd FOLDER; "
// the line is written in that folder.
const slips = `
chek
CHECK
import
import help
import google
import csv
import --source words csv words.csv
insights
build public
dev 8080
check first-reviews.yaml
check reviewcast build
build --public ftp://ftp.acme.test/reviews
new review --author A --rating 5 --technicians rosa theo
mcp
serve
publish
build --out dist
build --dry-run
check -content content
check –content content
check --content content/reviews
check content/reviews
check reviews/first-reviews.yaml
pull https://reviews.acme.test
build --force
verify public --since 76
init My Business
new review --author Jo P.
new review --author A --stars 5
import csv nowhere.csv --source words
import csv words.csv --source words --map star=rating,moment=date
import csv words.csv --source words --map rating=a star
frob
help frob
--verison
version 2
check --fomat json
check --format xml
build -q -v
check --today soon
check --today 2026-02-30
check --content nowhere
check --content content/business.yaml
check content
check --content
check --conten content
check --Content content
build
build --content nowhere
build --base-url example.com
build --base-url https://reviews.example.com/reviews
build --base-url http://localhost --hub nonsense
build --base-url http://localhost --encodings zip
build --base-url http://localhost --public content
build --base-url http://localhost --public words.csv
build --base-url http://localhost --previous nowhere
build --base-url http://localhost --forget yes
diff
diff words.csv
diff http://127.0.0.1:9
diff public public
build --base-url https:/reviews.example.com
build --base-url ftp://ftp.example.com/reviews
build --public = site
build --ouput site
check --content .\content
check # look for errors
init
dev --listen 9000
dev --listen localhost
dev --listen :htpt
dev --listen http://localhost:9000
dev --listen localhost:99999
dev --listen TAKEN
dev --port 9000
dev -p 9000
dev --poll 5
dev --content nowhere --listen localhost:0
dev --content words.csv --listen localhost:0
edge --port=9000
edge --public nowhere
edge --listen TAKEN
edge --listen localhost:0 --state public/hub.sqlite
edge --listen localhost:0 --state mysql://u:hunter2@h/db
edge --listen localhost:0 --hub-retry 1s
edge --listen localhost:0 --hub-per-host 0
edge --listen localhost:0 --base-url reviews.example.com
pull
pull nowhere copy
pull http://127.0.0.1:9 copy
pull https://reviews.example.com copy --every 1s
verify
verify public --since yesterday
hub
hub list
hub lsit
hub show
hub retry
hub remove
hub remove acme.example
new
new review
new review --author A --rating 11 --id mine --today 2026-11-21
new review --author A --rating five
new review --author A --rating 5 --date 2/11/2026
new review --author A --rating 5 --id a/b
new review --author A --rating 5 --id 2025-02-drain-maria
new review --author A --rating 5 --technicians nobody
new review --author A --rating 5 --verification trust --id mine --today 2026-11-21
import
import words.csv
import xlsx words.csv
import google
import google nothing.json
import google words.csv
import csv words.csv
import csv words.csv --source words
import csv words.csv --source words --map rating
import csv words.csv --source words --map rating=star,date=moment
import csv words.csv --source words --partial --verification trust
import csv words.csv --source words --encoding latin1
insights
insights explain
insights explain maria
insights explain 2025-02-drain-mary
insights coverage --aspect punctualty
insights suggest -o content/reviews/draft.yaml
insights suggest -o words.csv
schema --dir nowhere/.schemas
completion
completion tcsh
init
init content
init words.csv
verify reviews.example.com
diff reviews.example.com
pull reviews.example.com copy
import csv words.csv --source words --map stars=
import csv words.csv --source words --map stars
import csv words.csv --source words --map rating:stars,date:moment
import csv words.csv --source words --map rating=stars;date=moment
import csv words.csv --source words --map stars=stars,date=moment
import csv words.csv --source Google
import csv words --source words
import csv word.csv --source words
import csv content --source words
import google content/reviews/first-reviews.yaml
import trustpilot words.csv
dev content/reviews
check reviews
check content/business.yaml
build --base-url localhost:8080
build --base-url www.example.com/
build \
build public
Init my-content
reviewcast dev
./reviewcast dev
reviewcast.exe check
withdraw 2025-02-drain-maria
delete 2025-02-drain-maria
reply 2025-02-drain-maria
upload
open
edit content/business.yaml
undo
new reveiw
new review --author A --rating 5 --date yesterday
new review --author A --rating 5 --date 2027-01-02 --id mine --today 2026-11-21
new review --author A --rating 4,5
new review --author A --rating 5/5
new review --author A --rating ⭐⭐⭐⭐⭐
new review --author “Jo P.” --rating 5
new review --author A --rating 5 --service drains
dev --listen 8080:localhost
dev --port=abc
dev --open
insight coverage
insights suggest --out draft.yaml
update
import excel words.csv --source words
import csv words.csv --source words --date-format DD/MM/YYYY
import csv words.csv --source words --dryrun
import csv words.csv --source words --map rating=stars,date=moment --date-layout dd.mm
import csv words.csv --source words --map rating=stars,date=moment --rating-scale ten
import csv words.csv --source words --map rating=stars,date=moment --round up
import csv words.csv --source words --map rating=stars,date=moment --language Elvish
import csv words.csv words.csv --source words
edge --public content
import yelp. words.csv
import tripadvisor words.csv
import google .
cd content; check
cd content; build
cd content; build --content . --base-url http://localhost
build --public .
pull copy https://reviews.willow.test
verify https://reviews.example.com
schema content
schema --content content
diff --public public
import csv FILE --source=NAME
build --base-url http://localhost --forget 2025-02-drain-maria
build --base-url http://localhost --previous content
build --base-url http://localhost --previous publci
--content nowhere check
–content content check
import csv words.csv –source survey –verification receipt
import google google.csv
new review --author “Maria K.” --text “Quick and kind work.” --rating 5
new-review
dev public
dev public/index.html
check public
cd content; import csv words.csv --source words
insights explain
import csv words.csv --source words --map
diff content public
diff content
diff publick
verify publick
verify localhost:8080
-check
--check --content content
dev --host 0.0.0.0
dev --addr localhost:9000
dev --ip 9000
dev --hots 0.0.0.0
review ""
status
check --fix
content
new bewertung
neue bewertung
new review --name Jo --rating 5
new review --rating 5 stars
new review --author A --rating 5 --date 2026-11-01 --text words.csv
new review --author A --rating 5 --date 2026-11-01 --technicians "Jan und Momme"
import facebook words.csv
import trustpilot words.csv
/?
-?
-V
hilfe
bauen
prüfen
cd content
quit
check -c content
check --content= content
--content content
build --all
build --prod
build --new-business-id huber
build --public C:\Users\Jo\public"
insights explian
insights 2025-02-drain-maria
insights suggest draft.yaml
insights coverage pricing
new technician Jo
new faq
new review Maria 5 Good
new review mine.yaml --author A --rating 5
new review --author 'Maria K.' --rating 5
new review --author A --rating 5 --reply Thanks
new review --author A --rating 5 --reference A-17
new review --author A --rating 5 --services Theodore
schema review
import words.csv csv --source words
import csv words.csv words
import csv words.csv source=words
import csv words.csv /source words
import csv --source words
import --dry-run csv words.csv --source words
import csv words.csv --source words --test
import csv words.csv --source words --ignore-errors
import csv words.csv --source words --output x.jsonl
import csv words.csv --source words --stars 10
import csv words.csv --source words --technicians theo
import csv words.csv --source words --map stars->rating
import undo
verify .
verify server
edge --listen localhost:0 --state none --base-url http://localhost:8080
import csv words-new.csv
check --content=~/content
reviewcast.exe build
ping https://reviews.harbourmat.ca
ping
edge --public content --base-url https://reviews.example.com
edge --public publci
cd lost; build --content texts
cd packed; check --content texts
`

// runIn runs the program in a folder and returns what it printed and its exit code. It
// is no process of its own: starting one costs more than most commands do.
func runIn(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Chdir(dir)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	code = report(run(ctx, args, strings.NewReader(""), &out, &errs), &errs)
	return out.String(), errs.String(), code
}

// TestSlips compares the whole output of each slip, and its exit code, with a golden
// file. Nothing that a slip prints is on stdout.
func TestSlips(t *testing.T) {
	golden, err := filepath.Abs("testdata/slips.golden")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, value := range map[string]string{"HOME": dir, "XDG_STATE_HOME": dir, "REVIEWCAST_STATE": ""} {
		t.Setenv(name, value)
	}
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	run := func(line string) (stdout, stderr string, code int) {
		in := dir
		if to, command, inside := strings.Cut(line, "; "); inside && strings.HasPrefix(to, "cd ") {
			in, line = filepath.Join(dir, to[3:]), command
		}
		return runIn(t, in, strings.Fields(strings.ReplaceAll(line, "TAKEN", "localhost:"+port))...)
	}
	for _, line := range []string{"init content", "build --base-url http://localhost --today 2026-11-21"} {
		if _, stderr, code := run(line); code != 0 {
			t.Fatal(stderr)
		}
	}
	writeFile(t, filepath.Join(dir, "words.csv"), "stars,moment,words\n5,2026-01-02,Good.\n")
	writeFile(t, filepath.Join(dir, "google.csv"), "reviewer,rating,date,comment\nJo K.,5,2026-01-02,Good.\n")
	writeFile(t, filepath.Join(dir, "words-new.csv"), "stars,moment,words\n5,2026-01-02,Good.\n")
	writeFile(t, filepath.Join(dir, "server", "reviews", "import-words.jsonl"), "")
	for _, name := range []string{"server", "lost", "packed"} {
		if err := os.CopyFS(filepath.Join(dir, name, "public"), os.DirFS(filepath.Join(dir, "public"))); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, "packed", "texts-2026.zip"), "PK")
	var got strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(slips, "\n")) {
		line = strings.TrimSuffix(line, "\n")
		stdout, stderr, code := run(line)
		stderr = strings.NewReplacer(dir, "DIR", "localhost:"+port, "TAKEN", "127.0.0.1:"+port, "TAKEN").Replace(stderr)
		if at := strings.Index(stderr, "--listen localhost:"); strings.Contains(stderr, "already in use") && at > 0 {
			stderr = stderr[:at] + "--listen FREE\n"
		}
		if stdout != "" || code == 0 {
			t.Errorf("%s: exit %d, stdout has\n%s", line, code, stdout)
		}
		fmt.Fprintf(&got, "$ %s\n%s[%d]\n", line, stderr, code)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

// TestExplainError: errors of the system that any command can have come with a remedy.
func TestExplainError(t *testing.T) {
	for err, want := range map[error]string{
		syscall.EROFS:   "choose a folder elsewhere",
		syscall.ENOTDIR: "name a folder",
		syscall.ENOSPC:  "delete something",
	} {
		got := explainError(t.Context(), &fs.PathError{Op: "open", Path: "public", Err: err}).Error()
		if !strings.HasPrefix(got, "open public: ") || !strings.HasSuffix(strings.TrimSuffix(got, ", and run the command again"), want) {
			t.Errorf("%v: %s", err, got)
		}
	}
	for path, want := range map[string]string{"nowhere/public.lock": "the folder nowhere", ".": "."} {
		err := &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
		want = "this user may not use " + want + "; ask for the right to read and write there, or choose another folder: open " + path + ": permission denied"
		if got := explainError(t.Context(), err).Error(); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
