package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// wall matches a wall time, which differs between any two runs.
var (
	escape = regexp.MustCompile("\x1b\\[[0-9;]*m")
	wall   = regexp.MustCompile(`\S+ wall`)
)

// Goal: coloured output differs from plain output only by the colour codes. Method: print everything
// that can have colours with and without them, strip the codes, and compare.
func TestColoursChangeNoText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	failing := filepath.Join("testdata", "failures", "agent.killed.feature")
	testee := "python3 " + filepath.Join("testdata", "diff", "testee.py") + " value"
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"test", failing}, []string{"\x1b[31mF\x1b[0m", "\x1b[31mFAILED\x1b[0m", "\x1b[31m1 failed\x1b[0m", "\x1b[36mmonosim test "}},
		{[]string{"test", failing, "--format", "pretty"}, []string{"\x1b[32m+\x1b[0m", "\x1b[31m!\x1b[0m", "\x1b[36mmonosim test "}},
		{[]string{"test", "builtin:features/sessions.feature"}, []string{"\x1b[32m"}},
		{[]string{"vectors", "verify", "--suite", "utils.isabs"}, []string{"\x1b[32m"}},
		{[]string{"vectors", "verify", "--suite", "utils.isabs", "--testee", testee}, []string{"failed\x1b[0m", "\x1b[31m", "\x1b[32m"}},
		{[]string{"diff", "--suite", "utils.isabs", "--testee", testee}, []string{"failed\x1b[0m", "\x1b[31m", "\x1b[32m"}},
	} {
		t.Run(strings.Join(c.args[:2], " "), func(t *testing.T) {
			coloured, _ := rootCommand(append(c.args, "--color", "always")...)
			plain, _ := rootCommand(append(c.args, "--color", "never")...)
			if auto, _ := rootCommand(c.args...); escape.MatchString(auto) {
				t.Error("found colours in what goes to no terminal")
			}
			for _, want := range c.want {
				if !strings.Contains(coloured, want) {
					t.Errorf("found no %q in\n%s", want, coloured)
				}
			}
			taken := escape.ReplaceAllString(coloured, "")
			if diff := cmp.Diff(wall.ReplaceAllString(plain, ""), wall.ReplaceAllString(taken, "")); diff != "" {
				t.Errorf("text (-never +always without its colours):\n%s", diff)
			}
		})
	}
	if _, err := rootCommand("test", failing, "--color", "sometimes"); command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), `--color: found "sometimes", want auto, always or never`) {
		t.Errorf("--color sometimes: got %v", err)
	}
}

// Goal: output written to a file has no colours, even if colours are on for the terminal.
func TestFilesHaveNoColours(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pretty.txt")
	if _, err := rootCommand("test", filepath.Join("testdata", "failures", "agent.killed.feature"), "--color", "always", "--format", "pretty:"+name); command.ExitCode(err) != command.ExitFailed {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(content); escape.MatchString(text) || !strings.Contains(text, "replay with: ") {
		t.Errorf("found colours, or no report, in\n%s", text)
	}
}
