package parity

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// These are the folders and files that define commands: for cobra, and the Makefile.
const (
	commandRoom = "cmd/monosim"
	programRoom = "cmd/monosim/programs"
	modelRoom   = "cmd/monosim/model"
	makefile    = "Makefile"
)

var (
	commandUse = regexp.MustCompile(`(?m)^\s*Use:\s+"([\w-]+)`)
	makeTarget = regexp.MustCompile(`(?m)^([\w-]+):`)
)

// addCommands adds the commands in a file of cmd/monosim, or the targets of the Makefile. The name
// of a subcommand's file begins with its parent's name, such as cmd/monosim/vectors_verify.go for
// "vectors verify".
func (t *sourceTree) addCommands(name, text string) {
	if name == makefile {
		for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
			t.commands = append(t.commands, "make "+m[1])
		}
		return
	}
	if strings.HasSuffix(name, "_test.go") {
		return
	}
	file := strings.TrimSuffix(path.Base(name), ".go")
	for _, m := range commandUse.FindAllStringSubmatch(text, -1) {
		above, _, below := strings.Cut(file, "_")
		if below && above != m[1] {
			t.commands = append(t.commands, "monosim "+above+" "+m[1])
			continue
		}
		t.commands = append(t.commands, "monosim "+m[1])
	}
}

// hasCommand reports whether a command exists, such as "monosim vectors verify" or "make
// check-contract".
func (t *sourceTree) hasCommand(command string) bool { return slices.Contains(t.commands, command) }
