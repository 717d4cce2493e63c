package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"reviewcast/edge/hub/store"
)

// stateFlag is where the hub keeps its state.
type stateFlag struct {
	State string `help:"Where subscriptions are kept: a SQLite file, or a PostgreSQL address that several edges share (default: a file in the user's state directory, named by the base URL; in dev a temporary one). With none there is no hub." placeholder:"FILE|postgres://…|none" env:"REVIEWCAST_STATE"`
}

// noState runs an edge without a hub.
const noState = "none"

// path returns the state of a base URL. It rejects files within public: a state holds subscribers' secrets.
func (f *stateFlag) path(baseURL, public string) (string, error) {
	if store.IsPostgres(f.State) || f.State == noState {
		return f.State, nil
	}
	if err := f.mistyped(); err != nil {
		return "", err
	}
	file := f.State
	if file == "" {
		dir, err := stateDir()
		if err != nil {
			return "", usageError{fmt.Errorf("--state: %w; name a file, or use --state none to run without a hub", err)}
		}
		_, host, _ := strings.Cut(baseURL, "://")
		file = filepath.Join(dir, "hub-"+strings.NewReplacer(":", "_", "[", "", "]", "").Replace(host)+".sqlite")
	}
	if within(file, public) {
		return "", usageError{fmt.Errorf("--state: %s is within %s, which is published; the state holds subscribers' secrets", file, public)}
	}
	return file, nil
}

// devState returns the state of dev's hub and what to call at the end. Unless a flag names one, it is a temporary
// one: what an editor tries out reaches no real subscriber.
func (f *stateFlag) devState(baseURL, public string) (state string, remove func() error, err error) {
	// The environment variable names the state of the published site; kong doesn't say where a value is from.
	if f.State != "" && f.State != os.Getenv("REVIEWCAST_STATE") {
		state, err = f.path(baseURL, public)
		return state, func() error { return nil }, err
	}
	dir, err := os.MkdirTemp("", "reviewcast-dev-")
	return filepath.Join(dir, "hub.sqlite"), func() error { return os.RemoveAll(dir) }, err
}

// mistyped rejects what looks like a database: as a file it would be a new, empty state. The error doesn't repeat
// the value, which may hold a password.
func (f *stateFlag) mistyped() error {
	scheme, _, isURL := strings.Cut(f.State, "://")
	key, _, isPair := strings.Cut(f.State, "=")
	switch {
	case isURL:
		return usageError{fmt.Errorf("--state: an address that begins with %s:// is neither a file nor postgres://… in lower case", scheme)}
	case isPair && !strings.ContainsAny(key, `/\`):
		return usageError{fmt.Errorf("--state: %s=… looks like database settings; write them as postgres://USER@HOST/DATABASE", key)}
	case strings.EqualFold(f.State, noState):
		return usageError{fmt.Errorf("--state: write %s in lower case to run without a hub, or ./%s for a file of that name", noState, f.State)}
	}
	return nil
}

// stateSource returns a state for the log, without a password.
func stateSource(state string) string {
	if !store.IsPostgres(state) {
		return state
	}
	u, err := url.Parse(state)
	if err != nil {
		return "postgres"
	}
	return "postgres://" + u.Host + u.Path
}

// stateDir returns the system's directory for the state of programs.
func stateDir() (dir string, err error) {
	switch runtime.GOOS {
	case "windows":
		dir, err = os.UserCacheDir() // %LocalAppData%
	case "darwin":
		dir, err = os.UserConfigDir() // Library/Application Support
	default:
		if dir = os.Getenv("XDG_STATE_HOME"); !filepath.IsAbs(dir) {
			dir, err = os.UserHomeDir()
			dir = filepath.Join(dir, ".local", "state")
		}
	}
	return filepath.Join(dir, "reviewcast"), err
}

// within reports whether a file is below a directory, after resolving links. Neither need exist.
func within(file, dir string) bool {
	file, ferr := filepath.Abs(file)
	dir, derr := filepath.Abs(dir)
	rel, err := filepath.Rel(resolve(dir), resolve(file)) // fails on another volume
	return ferr == nil && derr == nil && err == nil && filepath.IsLocal(rel)
}

// resolve resolves the symbolic links in the existing part of a path.
func resolve(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolve(parent), filepath.Base(path))
	}
	return path
}

// edgeEnvironment names an environment variable for every flag of edge, for services.
func edgeEnvironment(k *kong.Kong) error {
	i := slices.IndexFunc(k.Model.Children, func(command *kong.Node) bool { return command.Name == "edge" })
	for _, f := range k.Model.Children[i].Flags {
		if f.Name != "print-config" && len(f.Envs) == 0 {
			f.Envs = []string{"REVIEWCAST_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))}
			f.Tag.Envs = f.Envs
		}
	}
	return nil
}

// printConfig prints the flags with their values, without passwords, and where each is from.
func printConfig(std streams, k *kong.Context) {
	for _, f := range k.Selected().Flags {
		if f.Name == "print-config" {
			continue
		}
		source := "default"
		for _, env := range f.Envs {
			if _, set := os.LookupEnv(env); set {
				source = env
			}
		}
		if slices.ContainsFunc(k.Path, func(p *kong.Path) bool { return p.Flag == f }) {
			source = "flag"
		}
		value := fmt.Sprint(f.Target.Interface())
		if f.IsSlice() {
			value = strings.Join(strings.Fields(strings.Trim(value, "[]")), ",")
		}
		value = withoutPassword(value)
		if strings.HasSuffix(f.Name, "-secret") && value != "" {
			value = "xxxxx"
		}
		fmt.Fprintf(std.out, "--%s=%s\t(%s)\n", f.Name, value, source)
	}
}

// withoutPassword hides values that may have a password, in an address or in a
// database's settings, also those that would be refused.
func withoutPassword(value string) string {
	switch {
	case store.IsPostgres(value):
		return stateSource(value)
	case strings.Contains(value, "@") || strings.Contains(strings.ToLower(value), "password="):
		return "xxxxx"
	}
	return value
}
