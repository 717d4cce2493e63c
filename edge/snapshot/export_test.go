package snapshot

// Fold is fold, for the test that goes through all of Unicode.
var Fold = fold
