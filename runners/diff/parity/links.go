package parity

import (
	"path"
	"strings"
	"unicode"

	"github.com/monosim/monosim/engine/lists"
)

// anchorOf makes the anchor that Markdown gives a heading: lower case, without punctuation,
// a hyphen for each space.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// toSection makes a link to the section of a heading; text alone where heading is "".
func toSection(text, heading string) string {
	if text == "" {
		return ""
	}
	return "[" + text + "](#" + anchorOf(heading) + ")"
}

// toFile makes a link to a file or a folder of the project, from its root.
func toFile(name string) string { return "[" + name + "](" + name + ")" }

// toShortFile makes a link to a file that shows only its last folder and its name.
func toShortFile(name string) string {
	return "[" + path.Join(path.Base(path.Dir(name)), path.Base(name)) + "](" + name + ")"
}

// toFiles makes links to files, separated by spaces.
func toFiles(names []string) string {
	return strings.Join(lists.Map(names, toFile), " ")
}
