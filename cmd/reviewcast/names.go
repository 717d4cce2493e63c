package main

import (
	"context"
	"fmt"
	"strings"

	"reviewcast/generator/source"
)

// namesCmd is for completion scripts, and hidden from people: the ids that an
// answer may have, a line each, with the name behind a tab.
type namesCmd struct {
	What    string `arg:"" help:"What to list: technicians, services, service-areas or reviews." enum:"technicians,services,service-areas,reviews"`
	Content string `help:"The editors' folder." default:"content" placeholder:"DIR"`
}

// Run lists. A folder with errors has nothing to offer; a shell in the middle of a
// line is no place to say why, and the scripts drop what is said.
func (c *namesCmd) Run(ctx context.Context, std streams) error {
	content, _, _, err := source.NewLoader(c.Content, source.Config{}).Load(ctx, nil)
	if err != nil {
		return err
	} else if content == nil {
		return errProblems
	}
	var list []known
	switch c.What {
	case "technicians":
		list = technicians(&content.Business)
	case "services":
		list = named(content.Business.Services)
	case "service-areas":
		list = named(content.Business.ServiceAreas)
	default:
		for i := range content.Reviews {
			r := content.Reviews[i]
			list = append(list, known{r.ID, fmt.Sprintf("%s, %s", r.Author, r.Date)})
		}
	}
	var b strings.Builder
	for _, k := range list {
		fmt.Fprintf(&b, "%s\t%s\n", k.id, strings.Join(strings.Fields(visible(k.name)), " "))
	}
	_, err = fmt.Fprint(std.out, b.String())
	return err
}

// listed tells what completes a flag or an argument: one of namesCmd's lists, "" for
// none. Flags of this kind take several ids with commas between.
func listed(command, name string) string {
	switch command + " " + name {
	case "new review technicians", "new review services", "new review service-areas":
		return name
	case "insights explain id":
		return "reviews"
	}
	return ""
}
