package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// versions is the table in which goose keeps the schema version.
const versions = "hub_schema"

//go:embed migrations
var migrations embed.FS

// migrate migrates the tables or, without up, only checks their version. Tables of a newer program are rejected: their
// meaning may have changed. Callers ensure that only one of several processes runs it at a time. Without up, hasTables
// is asked first: goose would create its own table in a database that belongs to another program.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, dir string, up bool, hasTables func(context.Context) (bool, error)) error {
	files, err := fs.Sub(migrations, "migrations/"+dir)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, files, goose.WithTableName(versions))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	exist := up
	if !up {
		if exist, err = hasTables(ctx); err != nil {
			return fmt.Errorf("find the tables: %w", err)
		}
	}
	var current int64
	if exist {
		current, err = p.GetDBVersion(ctx)
	}
	if err != nil {
		return fmt.Errorf("read the version of the tables: %w", err)
	}
	sources := p.ListSources()
	switch known := sources[len(sources)-1].Version; {
	case current > known:
		return fmt.Errorf("%w: %d, which is newer than %d; use the newer reviewcast", ErrSchema, current, known)
	case current < known && !up:
		return fmt.Errorf("%w: %d, which is older than %d; an edge of this version migrates them", ErrSchema, current, known)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
