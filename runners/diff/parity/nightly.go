package parity

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// nightlyFile has one line for each part of make nightly. It says on which day, and at which
// commit, the part last passed. Writing the page does not run any of them.
const nightlyFile = "vectors/scope/nightly.txt"

const nightlyTitle = "Nightly"

// nightlyPart is a line of nightlyFile.
type nightlyPart struct{ name, day, commit, reason string }

// readNightly reads nightlyFile. If the file is missing, it returns no parts.
func readNightly(sources fs.FS) (parts []nightlyPart, err error) {
	text, err := fs.ReadFile(sources, nightlyFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("sources: %w", err)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s:%d: found %d fields, want part | day | commit | reason", nightlyFile, number, len(fields))
		}
		parts = append(parts, nightlyPart{fields[0], fields[1], fields[2], fields[3]})
	}
	return parts, nil
}

func (p *evidence) writeNightly(b *bytes.Buffer) {
	if len(p.nightly) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\nWhat `make nightly` runs, for it is too long for `make check`. Kept in %s.\n\n| part | passed last | at commit | why not in check |\n|---|---|---|---|\n",
		nightlyTitle, toFile(nightlyFile))
	for _, part := range p.nightly {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", part.name, part.day, part.commit, cell(part.reason))
	}
}
