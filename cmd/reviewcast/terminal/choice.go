package terminal

import (
	"fmt"
	"strings"
)

// Choice is a possible answer: an id, and the name that people know it by.
type Choice struct{ ID, Name string }

// HasPrefix reports whether the id or the name begins with a lower-case prefix.
func (c Choice) HasPrefix(prefix string) bool {
	return strings.HasPrefix(strings.ToLower(c.ID), prefix) || strings.HasPrefix(strings.ToLower(c.Name), prefix)
}

func (c Choice) String() string {
	if c.Name == "" {
		return c.ID
	}
	return c.ID + " (" + c.Name + ")"
}

// maxListed is the number of choices that Tab lists.
const maxListed = 20

// completeAnswer completes the word before pos, the last of a comma-separated list:
// to the id of the only choice that matches, otherwise to the common prefix of
// those that match, which are then listed, too.
func completeAnswer(line string, pos int, choices []Choice) (string, int, []string) {
	start := strings.LastIndexByte(line[:pos], ',') + 1
	start += len(line[start:pos]) - len(strings.TrimLeft(line[start:pos], " "))
	word := strings.ToLower(strings.TrimSpace(line[start:pos]))
	var found []Choice
	for _, k := range choices {
		if k.HasPrefix(word) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return line, pos, nil
	case 1:
		return line[:start] + found[0].ID + line[pos:], start + len(found[0].ID), nil
	}
	common := found[0].ID
	var several []string
	for i, k := range found {
		for !strings.HasPrefix(k.ID, common) {
			common = common[:len(common)-1]
		}
		if i < maxListed {
			several = append(several, k.String())
		} else if i == maxListed {
			several = append(several, fmt.Sprintf("… and %d more", len(found)-i))
		}
	}
	if len(common) > len(word) && strings.HasPrefix(common, word) {
		return line[:start] + common + line[pos:], start + len(common), nil
	}
	return line, pos, several
}
