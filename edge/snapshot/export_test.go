package snapshot

// Fold is fold, for the test that goes through all of Unicode.
var Fold = fold

// Forget drops the remembered results of scans.
func (s *Snapshot) Forget() {
	s.scans.mu.Lock()
	defer s.scans.mu.Unlock()
	s.scans.results, s.scans.order = nil, nil
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
