package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: the example testee at the top of the protocol's page works as the page says. Method:
// extract the program and its expected output from the page, and run it.

const protocolPage = "../../runners/diff/testee/PROTOCOL.md"

// blocks returns the page's code blocks in the given language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	page, err := os.ReadFile(protocolPage)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)```\n").FindAllStringSubmatch(string(page), -1) {
		texts = append(texts, m[1])
	}
	return texts
}

// firstTestee writes the page's program into a file, after a change to it. It returns the command
// that runs the program.
func firstTestee(t *testing.T, change func(program string) string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("no Python: %v", err)
	}
	path := filepath.Join(t.TempDir(), "testee.py")
	if err := os.WriteFile(path, []byte(change(blocks(t, "python")[0])), 0o644); err != nil {
		t.Fatal(err)
	}
	return python + " " + path
}

// withoutNumbers replaces numbers by N, because they change whenever a golden case is added.
func withoutNumbers(text string) string {
	return regexp.MustCompile(` *\d+`).ReplaceAllString(text, " N")
}

func TestTheFirstTesteeOfTheProtocolPasses(t *testing.T) {
	other := firstTestee(t, func(program string) string { return program })
	out, code, err := runMonosim("", "diff", "--testee", other)
	want := blocks(t, "text")[0]
	out = strings.Replace(out, other, "python3 testee.py", 1)
	if diff := cmp.Diff(withoutNumbers(want), withoutNumbers(out)); diff != "" || code != 0 {
		t.Errorf("got exit code %d, %v and (-page +got)\n%s", code, err, diff)
	}
	if !strings.Contains(out, " passed, 0 failed, 0 explained, ") {
		t.Errorf("got %s, want no case that fails", out)
	}
}

func TestTheFirstTesteeOfTheProtocolFailsAsItSays(t *testing.T) {
	other := firstTestee(t, func(program string) string { return strings.Replace(program, `, "hdfs:/"`, `,`, 1) })
	out, code, err := runMonosim("", "diff", "--testee", other, "--suite", "utils.isabs")
	if want := blocks(t, "text")[1]; !strings.Contains(out, "\n"+want) || code != command.ExitFailed {
		t.Errorf("got exit code %d, %v and\n%s\nwant\n%s", code, err, out, want)
	}
}
