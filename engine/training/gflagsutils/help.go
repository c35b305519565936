package gflagsutils

import (
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// Help is the documentation of one field.
type Help struct{ Name, Text string }

// parameter matches a line that starts the documentation of a field.
var parameter = regexp.MustCompile(`^:param\s+([a-zA-Z0-9._-]+)\s*:\s*(.*)`)

// ExtractHelpInfo parses ":param name: text" in the documentation of classes, base classes first.
// The lines that follow belong to the preceding name (gflags_utils.py:90). A class without
// documentation or a name documented twice in a row raises an AssertionError.
func ExtractHelpInfo(docs ...string) ([]Help, error) {
	var help []Help
	for _, doc := range docs {
		var err error
		if help, err = helpOf(doc, help); err != nil {
			return nil, err
		}
	}
	return help, nil
}

// helpOf adds the fields that one documentation text describes to help.
func helpOf(doc string, help []Help) ([]Help, error) {
	var lines []string
	for line := range strings.SplitSeq(doc, "\n") {
		if words := pysem.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	if len(lines) == 0 {
		return nil, pysem.Raise("AssertionError", "")
	}
	at, open := 0, false
	for _, line := range lines {
		found := parameter.FindStringSubmatch(line)
		switch {
		case found != nil && open && help[at].Name == found[1]:
			return nil, pysem.Raise("AssertionError", "")
		case found != nil:
			help, at = withHelp(help, found[1], found[2])
			open = true
		case open:
			help[at].Text += " " + line
		}
	}
	return help, nil
}

// withHelp sets the text for a name and returns the list and the name's index in it.
func withHelp(help []Help, name, text string) ([]Help, int) {
	at := slices.IndexFunc(help, func(h Help) bool { return h.Name == name })
	if at < 0 {
		return append(help, Help{name, text}), len(help)
	}
	help[at].Text = text
	return help, at
}
