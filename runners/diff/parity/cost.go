package parity

import (
	"regexp"
	"strings"
)

// A note on cost has one form, in a comment of a file that ports the module:
//
// 	Cost: what is done grows with what there is of ..., how often.
//
// or "does not grow" in place of "grows with ...".

var (
	costNote  = regexp.MustCompile(`(?m)^\s*// Cost: .*(?:\n\s*// \S.*)*`)
	costGrows = regexp.MustCompile(`^Cost: .+ (?:grows? with .+|(?:does|do) not grow\b.*)`)
	commented = regexp.MustCompile(`\s*\n?\s*// `)
)

// costNotes returns the comments about cost in a text, each on one line.
func costNotes(text string) (notes []string) {
	for _, found := range costNote.FindAllString(text, -1) {
		note := strings.TrimSpace(commented.ReplaceAllString(found, " "))
		if costGrows.MatchString(note) {
			notes = append(notes, note)
		}
	}
	return notes
}
