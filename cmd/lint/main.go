// Command lint checks the repository against rules that a compiler cannot see.
//
// Run it as `go run ./cmd/lint ./...`. It prints a line for each finding, as file:line: rule: what
// was found and what to do instead. It exits with 0 when there is none, 1 when there is one, and 2
// when it could not look (a package that does not load, a wrong argument). With -house it prints
// the sizes of packages and functions instead, and which are over the limits. With -system it
// prints instead what of the packages does not compile for another operating system.
//
// Two things to read first: [rules], the analyzers that check one package each, and [directions],
// the table of who may import whom.
//
// To change:
//
//   - what deterministic packages may use: hidden.go
//   - which loops over maps pass: maporder.go
//   - package comments: pkgdoc.go
//   - what they say on how stable a package is: stability.go
//   - doc comments that name something else: docnames.go
//   - what the port may not know: port.go
//   - links and file names in comments: doclinks.go
//   - sleeping tests: testsleep.go
//   - what tracked text must not say: speech.go
//   - which documents have rules that are cited by number: citations.go
//   - how their rules are marked: citations_spec.go
//   - the import directions: directions.go
//   - which packages need an Example: examples.go
//   - which packages a rule covers: rooms.go
//   - the limits of -house: house.go
//   - what -system looks at: systems.go
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"golang.org/x/tools/go/analysis"
)

// Exit codes of the command.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailed   = 2
)

// rules lists the analyzers, each of which checks one package at a time.
var rules = []*analysis.Analyzer{hidden, mapOrder, pkgDoc, stability, docNames, docLinks, testSleep}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run checks the packages that the patterns in args name. Import directions, the port, tracked
// text, citations and examples are always checked for the whole module.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("lint", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { usage(flags.Output()) }
	inHouse := flags.Bool("house", false, "")
	system := flags.String("system", "", "")
	if err := flags.Parse(args); err != nil {
		return exitFailed
	}
	if *inHouse {
		return runHouse(stdout, stderr)
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if *system != "" {
		found, err := checkSystem(*system, patterns)
		return tell(found, err, stdout, stderr)
	}
	found, err := lint(patterns)
	return tell(found, err, stdout, stderr)
}

// tell prints the findings, and the error for what could not be checked. It returns the exit code.
func tell[T any](found []T, err error, stdout, stderr io.Writer) int {
	for _, f := range found {
		fmt.Fprintln(stdout, f)
	}
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "lint: %v\n", err)
		return exitFailed
	case len(found) > 0:
		fmt.Fprintf(stderr, "lint: %d findings\n", len(found))
		return exitFindings
	}
	return exitClean
}

// runHouse prints the sizes of all packages. A size that exceeds its limit is a finding.
func runHouse(stdout, stderr io.Writer) int {
	h, err := measureHouse()
	if err != nil {
		fmt.Fprintf(stderr, "lint: %v\n", err)
		return exitFailed
	}
	h.write(stdout)
	if len(h.over()) > 0 {
		return exitFindings
	}
	return exitClean
}

func usage(w io.Writer) {
	fmt.Fprint(w, "usage: lint [packages]\n       lint -house\n       lint -system windows [packages]\n\nRules:\n")
	for _, rule := range rules {
		fmt.Fprintf(w, "  %-11s %s\n", rule.Name, rule.Doc)
	}
	fmt.Fprintf(w, "  %-11s %s\n", directionsRule, directionsDoc)
	fmt.Fprintf(w, "  %-11s %s\n", portRule, portDoc)
	fmt.Fprintf(w, "  %-11s %s\n", speechRule, speechDoc)
	fmt.Fprintf(w, "  %-11s %s\n", citationsRule, citationsDoc)
	fmt.Fprintf(w, "  %-11s %s\n", examplesRule, examplesDoc)
}
