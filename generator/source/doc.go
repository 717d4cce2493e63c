// Package source reads an editors' folder into the contract's types and tells
// everything that is wrong in it, each problem with file, line and column.
//
// # The folder
//
// business.yaml is required, the rest may be missing: site.yaml, insights.yaml,
// faq.yaml, withdrawn.yaml, summary.md, and below reviews/, at any depth, files
// that end in .yaml, .yml, .jsonl or .csv. README.md, *.schema.json, names that
// begin with a dot or end in ~, .tmp or .swp are passed over; any other file is a
// Warning. Links are followed as long as they stay in the folder.
//
// A review has the same fields in every format:
//
//	id, author, rating, date                     required
//	title, text, source_url, author_avatar_url   default: none
//	language                                     default: that of site.yaml
//	source                                       default: direct
//	owner_reply {text, date}                     both required if there is one
//	verification {method, verified_on, reference}
//	technicians, services, service_areas         lists of ids of business.yaml
//
// In YAML a file is one review, a list of them, or several such documents. In
// JSONL each line is a review. In CSV each row is one; the header names the
// fields, those in a field with a dot (owner_reply.text); an empty cell is an
// absent field; a list's values are separated by semicolons.
//
// # Words
//
// Texts are taken as written: nothing is trimmed, folded or normalised. A text
// of white space only is none. Three things belong to the format and not to the
// customer: the quotes and escapes around a text; the line ends of the file, so
// that CR LF is read as a line feed; and the last line break of a YAML block
// (| or >), which every block has whether its writer wants it or not. A block
// that is written |+ or >+ keeps all its line breaks.
//
// A number or date without quotes is text wherever YAML finds text: "title: 2024"
// is the title 2024. Whatever may be misread is refused: true and false where
// text belongs, a rating in quotes, anchors, aliases, merge keys and tags,
// control characters, bytes that aren't UTF-8.
//
// # Problems
//
// Load never stops at the first problem. What can't be read on after a syntax
// error is the rest of that CSV file, or of that review in YAML: in a list each item
// is then read by itself; in JSONL each line stands for itself anyway. Where one mistake would cause others (a technician whose entry is
// broken, a review whose file can't be read), those aren't reported. Of one file
// the first 1,000 problems are listed and the others counted.
//
// The codes, which stay as they are:
//
//	bad-character bad-date bad-email bad-hours bad-id bad-language bad-quote
//	bad-rating bad-time-zone bad-url bad-value blank cell-count csv-separator
//	csv-syntax duplicate-field duplicate-id future-date json-syntax
//	missing-field missing-file not-a-folder not-text not-utf8 out-of-range
//	reply-before-review second-document source-case symlink-again
//	symlink-broken symlink-outside too-big too-deep too-long too-many-links
//	too-many-problems too-many-reviews unknown-column unknown-field
//	unknown-file unknown-review unknown-service unknown-service-area
//	unknown-technician unpublished-review unreadable wrong-type yaml-alias
//	yaml-anchor yaml-merge yaml-syntax yaml-tag
//
// # How it is read
//
// The walk, the cutting of JSONL files into blocks and the joining are done by
// the caller's goroutine, the parsing by as many workers as there are processors.
// What comes out doesn't depend on how many there are. Of a file with reviews the
// Loader keeps the reviews and the places that later checks may have to name, and
// no trees.
//
// Two things are done in a quick way and a thorough one, and tests compare the two: of
// a JSONL file that has changed, only the new lines are parsed; and a Loader that is
// told which files changed (LoadChanged) looks at the reviews in them only.
package source
