package sentiment

import (
	"fmt"
	"strconv"
	"strings"
)

// The weights of a cue, by slot: how much it speaks for each aspect, for praise and
// against blame of each, for a plain fact about each, and the latter two whatever
// the aspect.
const (
	maxCueAspects = 16
	slotAspect    = 0
	slotTone      = maxCueAspects
	slotPlain     = 2 * maxCueAspects
	slotAnyTone   = 3 * maxCueAspects
	slotAnyPlain  = slotAnyTone + 1
	slots         = slotAnyPlain + 1
)

// cueTable is lexicon/cues.txt. It isn't changed once it is read.
type cueTable struct {
	aspects []string       // their place is their slot
	slots   map[string]int // by name: "pricing", "pricing:", "pricing?", ":", "?"
	words   *cueWords
	bias    [slots]float32
	rows    edges   // by cue, the row: from 1
	starts  []int32 // of the rows in weights
	weights []cueWeight
}

type cueWeight struct {
	slot   uint8
	weight float32
}

func newCueTable() *cueTable {
	return &cueTable{words: newCueWords(), rows: edges{slots: make([]edge, 64)}, starts: []int32{0, 0}}
}

// line reads a line of the table: "aspects" and their ids, or a cue, a tab, and
// its weights: "pricing 0.84, pricing: -0.92, pricing? 0.1, : -0.31, ? 0.2", where ":"
// is for the tone and "?" for a plain fact.
func (t *cueTable) line(s string) error {
	name, weights, ok := strings.Cut(s, "\t")
	if !ok {
		return fmt.Errorf("want a cue, a tab and weights, not %q", s)
	}
	if name == "aspects" {
		t.aspects = strings.Fields(weights)
		if len(t.aspects) > maxCueAspects {
			return fmt.Errorf("%d aspects, at most %d", len(t.aspects), maxCueAspects)
		}
		t.slots = map[string]int{":": slotAnyTone, "?": slotAnyPlain}
		for i, a := range t.aspects {
			t.slots[a], t.slots[a+":"], t.slots[a+"?"] = slotAspect+i, slotTone+i, slotPlain+i
		}
		return nil
	}
	bias := name == "bias"
	if !bias {
		t.words.learn = true
		key, err := t.words.key(name)
		t.words.learn = false
		if err != nil {
			return err
		}
		if _, twice := t.rows.get(uint64(key)); twice {
			return fmt.Errorf("cue %q stands there twice", name)
		}
		t.rows.put(uint64(key), int32(len(t.starts)-1))
		t.words.lead(key)
	}
	for len(weights) > 0 {
		var one string
		one, weights, _ = strings.Cut(weights, ", ")
		what, number, _ := strings.Cut(one, " ")
		w, err := strconv.ParseFloat(number, 32)
		if err != nil {
			return fmt.Errorf("cue %q: %w", name, err)
		}
		slot, ok := t.slots[what]
		if !ok {
			return fmt.Errorf("cue %q: there is no %q", name, what)
		}
		if bias {
			t.bias[slot] = float32(w)
			continue
		}
		t.weights = append(t.weights, cueWeight{uint8(slot), float32(w)})
	}
	if !bias {
		t.starts = append(t.starts, int32(len(t.weights)))
	}
	return nil
}

// row gives the weights of a cue.
func (t *cueTable) row(at int32) []cueWeight { return t.weights[t.starts[at]:t.starts[at+1]] }
