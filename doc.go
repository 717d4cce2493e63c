// Package reviewcast is the published contract: paths, media types, members, search
// parameters and the codes of errors, each declared once.
//
// The generator (reviewcast/generator) turns an editor's content folder into a directory of files; the edge
// (reviewcast/edge) serves that directory and answers the few questions that a file can't. They share this package and
// that directory, nothing else. The package imports the standard library only.
package reviewcast

// Version is that of the published API: minor for a new member, major for a broken promise.
const Version = "1.0.0"
