package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"net"
	"strings"

	"github.com/pressly/goose/v3"
)

// versions is goose's table.
const versions = "hub_schema"

//go:embed migrations
var migrations embed.FS

// migrate brings the tables up to date, or only checks that they are. Tables of a
// newer program are refused: what they mean may have changed. Of several processes
// that start at once one only may run it at a time: the callers see to that.
// Where it only checks, ours tells first whether there are tables: goose would make
// its own in a database that is somebody else's.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, dir string, up bool, ours func(context.Context) (bool, error)) error {
	files, err := fs.Sub(migrations, "migrations/"+dir)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, files, goose.WithTableName(versions))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	made := up
	if !up {
		if made, err = ours(ctx); err != nil {
			return fmt.Errorf("look for the tables: %w", err)
		}
	}
	var there int64
	if made {
		there, err = p.GetDBVersion(ctx)
	}
	if err != nil {
		return fmt.Errorf("read the version of the tables: %w", err)
	}
	sources := p.ListSources()
	switch known := sources[len(sources)-1].Version; {
	case there > known:
		return fmt.Errorf("%w: %d, which is newer than %d; use the newer reviewcast", ErrSchema, there, known)
	case there < known && !up:
		return fmt.Errorf("%w: %d, which is older than %d; an edge of this version brings them up to date", ErrSchema, there, known)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// hostOf is the host of a host:port.
func hostOf(endpoint string) string {
	host, _, err := net.SplitHostPort(endpoint)
	if err != nil {
		return strings.Trim(endpoint, "[]")
	}
	return host
}
