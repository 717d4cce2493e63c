package sentiment

import (
	"slices"
	"strings"
	"testing"

	"reviewcast"
)

// TestCueTable holds the shipped table against the aspects that it is for.
func TestCueTable(t *testing.T) {
	table := shipped().cues
	for _, a := range DefaultAspects {
		if !slices.Contains(table.aspects, a.ID) {
			t.Errorf("the table knows nothing of %s", a.ID)
		}
	}
	for at := 1; at < len(table.starts)-1; at++ {
		if len(table.row(int32(at))) == 0 {
			t.Errorf("row %d has no weights", at)
		}
	}
}

// TestCueLines reads lines of a table.
func TestCueLines(t *testing.T) {
	table := newCueTable()
	for _, s := range []string{"aspects\tpricing value", "bias\tpricing -3, : 0.5", "rang ~ bell\tvalue 0.5, value: -1.25, ? 0.2"} {
		if err := table.line(s); err != nil {
			t.Fatal(err)
		}
	}
	key, err := table.words.key("rang ~ bell")
	if err != nil {
		t.Fatal(err)
	}
	at, _ := table.rows.get(uint64(key))
	if got, want := table.row(at), []cueWeight{{slotAspect + 1, 0.5}, {slotTone + 1, -1.25}, {slotAnyPlain, 0.2}}; !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
	if table.words.name(key) != "rang ~ bell" {
		t.Errorf("the cue is called %q", table.words.name(key))
	}
	if table.bias[slotAspect] != -3 || table.bias[slotAnyTone] != 0.5 {
		t.Errorf("bias %v", table.bias)
	}
	if table.words.mayBe(adjacent, table.words.id("rang"), table.words.id("bell")) {
		t.Error("a pair of words apart is taken for one side by side")
	}
	for line, want := range map[string]string{
		"no tab":                        "a tab",
		"rang ~ bell\tvalue 1":          "twice",
		"bell\tpunctuality 1":           `there is no "punctuality"`,
		"bell\tvalue much":              "much",
		"a b c d\tvalue 1":              "is no cue",
		"bell\tvalue:: 1":               `there is no "value::"`,
		"aspects\t" + many(17, "a"):     "at most 16",
		"bell tower\tvalue 1, value? x": "invalid syntax",
	} {
		if err := newTable(t).line(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func many(n int, s string) string { return strings.Repeat(s+" ", n) }

func newTable(t *testing.T) *cueTable {
	table := newCueTable()
	for _, s := range []string{"aspects\tpricing value", "rang ~ bell\tvalue 0.5"} {
		if err := table.line(s); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

// TestUnits cuts a sentence without an end, and no other.
func TestUnits(t *testing.T) {
	r := NewCueReader()
	if n := len(r.Read("They came, they saw, and it was dear. Nothing else.")); n != 2 {
		t.Errorf("%d units of two sentences", n)
	}
	units := r.Read(strings.Repeat("word ", 1000))
	if len(units) != 1+999/maxUnit {
		t.Errorf("%d units of a thousand words", len(units))
	}
	units = r.Read(strings.Repeat("he came late, ", 100))
	if want := 8; len(units) != want { // of 42 words: the first clause that ends after longUnit
		t.Errorf("%d units of a hundred clauses, want %d", len(units), want)
	}
}

// TestVotes settles what sentences say against each other: the surer one counts,
// equals make it mixed, and their order doesn't matter.
func TestVotes(t *testing.T) {
	praise := func(certainty float32) AspectMention {
		return AspectMention{Polarity: Positive, Origin: FromCues, certainty: certainty}
	}
	blame := func(certainty float32) AspectMention {
		return AspectMention{Polarity: Negative, Origin: FromCues, certainty: certainty}
	}
	fact := AspectMention{Polarity: Neutral, Origin: FromCues, certainty: 9}
	stars := AspectMention{Polarity: Positive, Origin: FromStars, certainty: 9}
	for _, c := range []struct {
		mentions []AspectMention
		want     reviewcast.Polarity
	}{
		{[]AspectMention{praise(2), blame(1.5)}, reviewcast.Mixed},
		{[]AspectMention{praise(2), blame(0.5)}, reviewcast.Positive},
		{[]AspectMention{praise(0.5), blame(2)}, reviewcast.Negative},
		{[]AspectMention{praise(phraseCertainty), blame(phraseCertainty)}, reviewcast.Mixed},
		{[]AspectMention{praise(editorCertainty), blame(phraseCertainty)}, reviewcast.Positive},
		{[]AspectMention{praise(1), praise(6), blame(3)}, reviewcast.Positive},
		{[]AspectMention{praise(3), blame(2.5), blame(6)}, reviewcast.Negative},
		{[]AspectMention{fact, blame(-1)}, reviewcast.Negative},
		{[]AspectMention{stars, blame(-1), fact}, reviewcast.Negative},
		{[]AspectMention{stars, fact}, reviewcast.Positive},
		{[]AspectMention{fact}, reviewcast.Neutral},
	} {
		for range len(c.mentions) {
			c.mentions = append(c.mentions[1:], c.mentions[0])
			votes := votesOf(c.mentions)
			if len(votes) != 1 || votes[0].Polarity != c.want {
				t.Errorf("%+v: %+v, want %s", c.mentions, votes, c.want)
			} else if m := c.mentions[votes[0].Mention].Polarity; c.want != reviewcast.Mixed && m.Published() != c.want || c.want == reviewcast.Mixed && m != Negative {
				t.Errorf("%+v: %s is proved by a mention that is %s", c.mentions, c.want, m.Published())
			}
		}
	}
}
