// Package reviewcast holds the published contract: the words that the generator
// writes into public/, that the edge serves, and that people who download the
// dataset read.
//
// The generator (reviewcast/generator) turns an editor's content folder into a
// directory of files; the edge (reviewcast/edge) serves that directory and
// answers the few questions that a file can't. They share this package and that
// directory, nothing else. Every published name stands here once: paths, media
// types, members, search parameters and the codes of errors.
//
// The package needs the standard library only and imports no other of ours.
package reviewcast

// Version is the version of the published API. It changes with a new member
// (minor) or a broken promise (major), never with a new build.
const Version = "1.0.0"
