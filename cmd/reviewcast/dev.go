package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"reviewcast/cmd/reviewcast/devserver"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/edge/snapshot"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/starter"
)

type devCmd struct {
	contentFlags
	Listen     string        `help:"The address to serve on; it is the base URL, unless --base-url says otherwise." default:"localhost:8080" placeholder:"ADDR"`
	Poll       time.Duration `help:"Compare the files at this interval instead of waiting for events of the system; for network folders." placeholder:"1s"`
	Quiet      bool          `short:"q" xor:"volume" help:"Print problems only."`
	Verbose    bool          `short:"v" xor:"volume" help:"Also print what the edge and the hub log."`
	serveFlags `embed:"" group:"operators"`
}

// Run builds and serves until ctx ends.
func (c *devCmd) Run(ctx context.Context, std streams) error {
	if err := c.offerStarter(ctx, std); err != nil {
		return err
	}
	cfg, err := c.config()
	if err != nil {
		return err
	}
	l, err := listen(ctx, "--listen", c.Listen)
	if err != nil {
		return err
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = localURL(l.Addr())
	}
	cfg.Lenient = true
	// Editors read the terminal, not a log: informational messages come with -v.
	log := c.logger(std, diagnostic.Pick(c.Verbose || c.AccessLog, slog.LevelInfo, slog.LevelWarn))
	if c.Quiet {
		std.out = io.Discard
	}
	state, remove, err := c.devState(cfg.BaseURL, c.Public)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	holder := &snapshot.Holder{}
	preview := devserver.New(devserver.Config{
		Builder: generator.NewBuilder(cfg), ContentDir: c.Content, OutputDir: c.Public, Poll: c.Poll, Snapshots: holder,
		BaseURL: cfg.BaseURL, Logger: log, Out: std.out, Err: std.err,
	})
	return errors.Join(c.serve(ctx, service{
		listener: l, holder: holder, baseURL: cfg.BaseURL, state: state, preview: preview.Before, log: log,
		work: []func(context.Context) error{preview.Run},
	}), remove())
}

// offerStarter offers to create a content folder that is missing or empty, if people are there to answer. One beside
// this folder may be another business's; others are refused with what to write.
func (c *devCmd) offerStarter(ctx context.Context, std streams) error {
	kind, other := c.absent()
	elsewhere := kind == "nowhere" || (kind == "near" || kind == "below") && strings.HasPrefix(other, "..")
	if !elsewhere || !starter.Empty(c.Content) {
		return nil
	}
	return std.prompt(ctx, func(p *terminal.Prompter) error {
		create := false
		where, _ := filepath.Abs(c.Content)
		question := fmt.Sprintf("There are no reviews in %s yet. If you have some in another folder, answer n, go to the folder that contains it, and start dev there. Create a folder with examples to start from? [Y/n]", where)
		err := p.Line(question, func(answer string) error {
			answer = strings.ToLower(answer)
			if create = answer == "" || answer == "y" || answer == "yes"; !create && answer != "n" && answer != "no" {
				return errors.New("write y or n")
			}
			return nil
		})
		if err != nil || !create {
			return err
		}
		_, err = createContent(c.Content, false)
		return err
	})
}
