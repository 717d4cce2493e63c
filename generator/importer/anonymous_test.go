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
			if forms["showsName"].MatchString(plain) {
				got = "show"
			} else if forms["hidesName"].MatchString(plain) {
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
