package parity

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// The places where commands are made: cobra's, and make's targets.
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

// addCommands notes what a file of the commands, or the Makefile, has. A command below
// another lies in a file whose name begins with that of the other, as that of "vectors
// verify" in cmd/monosim/vectors_verify.go.
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

// hasCommand reports whether there is a command, as "monosim vectors verify" or "make
// check-contract".
func (t *sourceTree) hasCommand(command string) bool { return slices.Contains(t.commands, command) }
