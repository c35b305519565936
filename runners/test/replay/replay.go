// Package replay tells a Go test which seed to run with, and says in its failure which
// command runs it again. Package simtest and the function Run of features/steps use it; a
// test that builds clusters by itself can use it too.
//
// Two things to use first:
//
//   - [Seed] returns the seed of a test, from what it asks for or from the environment.
//   - [Command] returns the command line for a shell that repeats it.
//
// To change what a command looks like: replay.go, the only file.
package replay

import (
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// Variable is the environment variable that gives the seed of tests that do not choose one:
// a number from 1 to 2^64-1.
const Variable = "MONOSIM_SEED"

// Seed returns the seed to run a test with: given, unless it is 0, or else the value of
// Variable, or else 1. It fails the test if the value of Variable is not a seed.
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

// Command returns a shell command that runs the test or subtest t again with a seed, from anywhere
// in its module. The seed has no effect on a test that chooses its own.
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

// quoted quotes a text as a single word for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// testedPackage returns the import path of the tested package. If the binary does not know
// it, testedPackage returns the working directory of go test.
func testedPackage() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if path, ok := strings.CutSuffix(info.Path, ".test"); ok {
			return path
		}
	}
	return "."
}
