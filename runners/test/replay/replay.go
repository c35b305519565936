// Package replay tells a Go test with which seed to run, and whoever reads its
// failure with which command it runs so again. Package simtest and the function Run
// of features/steps use it; a test that builds clusters by itself can do so too.
//
// Two things to use first:
//
//   - [Seed]: the seed of a test, from what it asks for or from the environment.
//   - [Command]: the command line for a shell that repeats it.
//
// To change what a command looks like look in this file; there is no other.
package replay

import (
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// Variable is the environment variable with the seed of tests that ask for none: a
// number from 1 to 2^64-1.
const Variable = "MONOSIM_SEED"

// Seed is the seed to run with: given, when that is not 0; else what Variable says;
// else 1. A value of Variable that is no seed ends the test.
func Seed(t testing.TB, given uint64) uint64 {
	t.Helper()
	text := os.Getenv(Variable)
	if given != 0 {
		return given
	}
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || seed == 0 {
		t.Fatalf("%s: found %q, want a number from 1 to 18446744073709551615", Variable, text)
	}
	return seed
}

// Command is the command line for a shell that runs the test or subtest t again with
// a seed; it works anywhere in the module that the test belongs to. A test that asks
// for a seed of its own has that one again, whatever the command says.
func Command(t testing.TB, seed uint64) string {
	var pattern strings.Builder
	for i, name := range strings.Split(t.Name(), "/") {
		if i > 0 {
			pattern.WriteByte('/')
		}
		pattern.WriteString("^" + regexp.QuoteMeta(name) + "$")
	}
	return Variable + "=" + strconv.FormatUint(seed, 10) + " go test " + testedPackage() + " -run " + quoted(pattern.String())
}

// quoted makes one word of a text for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// testedPackage is the import path of the package whose test binary runs, or the
// folder where go test runs it if the binary does not know.
func testedPackage() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if path, ok := strings.CutSuffix(info.Path, ".test"); ok {
			return path
		}
	}
	return "."
}
