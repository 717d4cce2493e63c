package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reviewcast/generator/sentiment"
)

const semeval = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<sentences>
  <sentence id="1"><text>The crème brûlée was delicious but the waiter was rude.</text>
    <aspectTerms>
      <aspectTerm term="crème brûlée" polarity="positive" from="4" to="16"/>
      <aspectTerm term="waiter" polarity="negative" from="39" to="45"/>
    </aspectTerms>
    <aspectCategories>
      <aspectCategory category="food" polarity="positive"/>
      <aspectCategory category="service" polarity="negative"/>
    </aspectCategories>
  </sentence>
  <sentence id="2"><text>We sat at a table.</text>
    <aspectTerms>
      <aspectTerm term="table" polarity="neutral" from="12" to="17"/>
      <aspectTerm term="We" polarity="conflict" from="0" to="2"/>
    </aspectTerms>
  </sentence>
</sentences>`

// TestRun reads both corpora's form, code points and conflicts included.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.xml")
	gold := filepath.Join(dir, "g.jsonl")
	vocabulary := filepath.Join(dir, "v.yaml")
	for name, body := range map[string]string{
		file:       semeval,
		gold:       `{"id":"a","text":"They were on time.","labels":[{"aspect":"punctuality","polarity":"positive"}]}` + "\n",
		vocabulary: "aspects:\n  - {id: food, label: Food, terms: [crème brûlée]}\n  - {id: service, label: Service, terms: [waiter]}\n",
	} {
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := run(&out, vocabulary, false, []string{file, gold}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"gold terms: 3 (positive 1, negative 1, neutral 1)",
		"accuracy 100.0   macro-F1 100.0   two-class 100.0",
		"categories: 2   F1 100.0", "polarity of those found 100.0",
		"labels right 100.0 %",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if err := run(&out, "", false, nil); err == nil {
		t.Error("no file is no mistake")
	}
}

func TestMacroF1(t *testing.T) {
	var m confusion
	for range 3 {
		m.add(0, "positive", 1)
	}
	m.add(1, "positive", 1)
	if got := m.accuracy(); got != 0.75 {
		t.Errorf("accuracy %v", got)
	}
	if got, want := m.macroF1(), (6.0/7)/3; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("macro-F1 %v, want %v", got, want)
	}
	if m.twoClass() != 0.75 || m.strict() != 0.75 {
		t.Errorf("two-class %v, strict %v", m.twoClass(), m.strict())
	}
}

// TestReal joins labels with texts by hash, scores votes against both passes, shows
// no errors of the judging part, and says when the texts are missing.
func TestReal(t *testing.T) {
	dir := t.TempDir()
	write := func(name, body string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	texts := []string{"Friendly staff. The food was awful.", "The food was great."}
	sum := func(i int) string { s := sha256.Sum256([]byte(texts[i])); return hex.EncodeToString(s[:8]) }
	data := write("d.csv", "overall_rating,content\n3,"+texts[0]+"\n4,"+texts[1]+"\n")
	labels := write("l.jsonl",
		`{"sha256":"`+sum(0)+`","part":"steer","first":{"staff":"positive","food":"negative"},"second":{"staff":"positive"}}`+"\n"+
			`{"sha256":"`+sum(1)+`","part":"judge","first":{"food":"negative"},"second":{"food":"negative"}}`+"\n")
	c := sentiment.Config{Aspects: []sentiment.Term{{ID: "staff", Label: "Staff", Terms: []string{"staff"}}, {ID: "food", Label: "Food", Terms: []string{"food"}}}}
	var out strings.Builder
	if err := evalReal(&out, labels, data, "steer", c, true, false); err != nil {
		t.Fatal(err)
	}
	if want := "1 reviews: precision 100.0 (2 of 2)   recall 100.0 (1 of 1)"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in:\n%s", want, &out)
	}
	out.Reset()
	if err := evalReal(&out, labels, data, "", c, false, false); err != nil {
		t.Fatal(err)
	}
	if want := "2 reviews: precision  66.7 (2 of 3)   recall  50.0 (1 of 2)"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in:\n%s", want, &out)
	}
	if err := evalReal(&out, labels, data, "judge", c, true, false); err == nil {
		t.Error("errors of the judging part are shown")
	}
	if err := evalReal(&out, labels, data, "judge", c, false, true); err == nil {
		t.Error("another accuracy than the published one is taken for it")
	}
	out.Reset()
	if err := evalReal(&out, labels, filepath.Join(dir, "none.csv"), "", c, false, true); err != nil || !strings.Contains(out.String(), "not measured") {
		t.Errorf("without texts: %v, %q", err, out.String())
	}
}
