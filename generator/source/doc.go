// Package source reads an editors' folder into the types of the published contract, and reports everything that is
// wrong in it, each problem with file, line and column.
//
// # The folder
//
// business.yaml is required. site.yaml, insights.yaml, faq.yaml, withdrawn.yaml and summary.md are optional. Below
// reviews/, at any depth, are files that end in .yaml, .yml, .jsonl or .csv. README.md, *.schema.json and names that
// begin with a dot or end in ~, .tmp or .swp are ignored; any other file is a Warning. Links to files are followed as
// long as they stay in the folder, below reviews/ links to folders aren't.
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
// In YAML a file is one review, a list of them, or several such documents. In JSONL each line is a review. In CSV each
// row is one; the header names the fields, those in a field with a dot (owner_reply.text); an empty cell is an absent
// field; the values of a list are separated by semicolons.
//
// Texts are taken as written (see package syntax). A text of white space only is none. A number or date without quotes
// is text where YAML may have text: "title: 2024" is the title 2024. What may be misread is refused: true and false
// where text belongs, a rating in quotes.
//
// # How it is read
//
// A file is a list of records: reviews as the file gives them. A record is immutable and has a key, the hash of what
// it was read from; a file that changed keeps the records whose keys it had before. The [Loader] keeps a sorted list
// of files, and an index of all records with their surroundings: the small files and the day. What records are gone
// and come is applied to the index, which knows the published order, duplicates, unknown references and dates in the
// future. If a small file or the day changed, there is a new index. The [Delta] of a load is the difference to the
// last Content that was returned, whatever loads have failed since.
//
// # Problems
//
// A load never stops at the first problem. Where one error would cause others (a technician whose entry is broken, a
// review whose file can't be read), those aren't reported. Of one file the first 1,000 problems are listed and the
// others counted.
//
// The codes, which stay as they are:
//
//	bad-character bad-date bad-email bad-hours bad-id bad-language bad-license bad-quote bad-rating bad-time-zone
//	bad-url bad-value blank cell-count csv-separator csv-syntax cut-by-comment draft-folder duplicate-field
//	duplicate-id early-verification empty-file escape example field-in-text future-date http-url joined-paragraphs json-syntax
//	legal-text local-url merge-marker missing-field missing-file not-a-folder not-text not-utf8 note out-of-range
//	output-inside reply-before-review same-address same-question second-document shared-name source-case
//	symlink-broken symlink-folder symlink-outside too-big too-deep too-long too-many-problems too-many-reviews
//	two-numbers unknown-column unknown-field unknown-file unknown-review unknown-service unknown-service-area
//	unknown-technician unpublished-review unreadable wildcard withdrawn-text wrong-name wrong-type yaml-alias
//	yaml-anchor yaml-merge yaml-syntax yaml-tag
package source
