package snapshot

import "io/fs"

// Fold is fold, for the test that goes through all of Unicode.
var Fold = fold

// Forget drops the remembered results of scans.
func (s *Snapshot) Forget() {
	s.scans.mu.Lock()
	defer s.scans.mu.Unlock()
	s.scans.results = nil
}

// The limits of remembering.
const (
	Remembered = remembered
	FewTexts   = fewTexts
)

// Scans returns how many results are remembered.
func (s *Snapshot) Scans() int {
	s.scans.mu.Lock()
	defer s.scans.mu.Unlock()
	return len(s.scans.results)
}

// Open opens a published directory with indexes.
func Open(fsys fs.FS, c Config) (*Snapshot, error) { return indexed(OpenFiles(fsys, c)) }

// FromArtifacts is FilesOf with indexes.
func FromArtifacts(manifest []byte, bodies map[string][]byte, c Config) (*Snapshot, error) {
	return indexed(FilesOf(manifest, bodies, c))
}

func indexed(f *Files, err error) (*Snapshot, error) {
	if err != nil {
		return nil, err
	}
	return f.Index()
}
