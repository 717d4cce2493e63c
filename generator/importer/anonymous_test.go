package importer

import (
	"strings"
	"testing"
)

// TestNamelessColumns says what names of columns ask of a customer's name.
func TestNamelessColumns(t *testing.T) {
	t.Parallel()
	for want, names := range map[string]string{
		"hide": "Anonymous,Anonym,Anoniem,Anoniem blijven?,Anonym bleiben,isAnonymous,hide_my_name,Keep my name private,Stay anonymous?,Anonyme,Anonimo,Anonimowo",
		"show": "Not anonymous,Nicht anonym,Non anonyme,Name veröffentlichen?,Name öffentlich zeigen,Show name publicly,May we share your name?,Display my name publicly,Mag uw naam vermeld worden?",
		"":     "Name,Reviewer name,Anonymous ID,anonymous_id,Anonymized text,Anonymous user number,Customer,Full name,First name,Company name",
	} {
		for name := range strings.SplitSeq(names, ",") {
			plain, got := plainName(name), ""
			if forms("showsName").MatchString(plain) {
				got = "show"
			} else if forms("hidesName").MatchString(plain) {
				got = "hide"
			}
			if got != want {
				t.Errorf("%s (%s): %q, want %q", name, plain, got, want)
			}
		}
	}
}

// TestNamelessCells: in doubt, no name is published.
func TestNamelessCells(t *testing.T) {
	t.Parallel()
	for column, cells := range map[string]map[string]bool{
		"Anonymous":            {"yes": true, "Yes please": true, "anonym": true, "x": true, "2": true, "Please don't publish my name": true, "no": false, "No, thanks": false, "-": false, "": false, "false": false},
		"Name veröffentlichen": {"ja": false, "Ja, gerne": false, "Nein, bitte nicht": true, "lieber nicht": true, "": true},
	} {
		for cell, hidden := range cells {
			d := newDesk(t)
			d.load("id,stars,day,who,title,words,answer,answered," + column + "\na1,5,2025-03-01,Maria Kowalska,,Very good work and on time.,,,\"" + cell + "\"\n")
			if out := d.data(); strings.Contains(out, `"Anonymous"`) != hidden || strings.Contains(out, "Maria") == hidden {
				t.Errorf("%s, %q: %s", column, cell, out)
			}
		}
	}
}

// TestNamelessIDs: an id that is published confirms no guess of the author's whole name, and differs for two authors of
// the same words.
func TestNamelessIDs(t *testing.T) {
	t.Parallel()
	load := func(authors ...string) string {
		d, rows := newDesk(t).without("id"), ""
		for _, author := range authors {
			rows += ",5,2025-03-01," + author + ",,Very good work and on time.,,\n"
		}
		d.load("id,stars,day,who,title,words,answer,answered\n" + rows)
		return d.data()
	}
	one := load("Maria Kowalska")
	if other := load("Maria Klein"); one != other {
		t.Errorf("the surname is in the id: %s%s", one, other)
	}
	two, id := load("Maria Kowalska", "Ana Silva"), one[:strings.Index(one, `","`)]
	if strings.Count(two, id+`"`) != 1 || strings.Count(two, id+`-2"`) != 1 {
		t.Errorf("two authors of the same words: %s", two)
	}
}
