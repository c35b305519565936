package parity

import (
	"path"
	"strings"
	"unicode"

	"github.com/monosim/monosim/engine/lists"
)

// anchorOf returns the anchor that Markdown gives a heading: lower case, without punctuation, with
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

// toSection returns a link to the section with a heading. If text is "", it returns "".
func toSection(text, heading string) string {
	if text == "" {
		return ""
	}
	return "[" + text + "](#" + anchorOf(heading) + ")"
}

// toFile returns a link to a file or folder, given by its path from the project's root.
func toFile(name string) string { return "[" + name + "](" + name + ")" }

// toShortFile returns a link to a file. It shows only the file's folder and name.
func toShortFile(name string) string {
	return "[" + path.Join(path.Base(path.Dir(name)), path.Base(name)) + "](" + name + ")"
}

// toFiles makes links to files, separated by spaces.
func toFiles(names []string) string {
	return strings.Join(lists.Map(names, toFile), " ")
}
