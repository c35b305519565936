// Command pack writes the recorded cases as the archive from which release builds take
// them, so that a program is 5 MB smaller:
//
//	go run ./cmd/pack vectors/golden/suites.zip
//
// It exits with 0, or with 2 when the file cannot be written.
//
// Two things to read first: golden.Pack makes the archive, and .ci/release.sh builds with
// it. To change
//   - what is in the archive look in vectors/golden/embed.go,
//   - which builds take it, in .ci/release.sh.
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/vectors/golden"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack: "+err.Error())
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("found %d arguments, want the name of a file", len(args))
	}
	var archive bytes.Buffer
	if err := golden.Pack(&archive, golden.FS()); err != nil {
		return err
	}
	return wholefile.Write(args[0], archive.Bytes())
}
