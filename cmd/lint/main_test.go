package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Goal: the command prints each finding, and its exit code says whether there are any. Method: a
// repository with one small module that breaks each rule once.

const cleanFile = `// Package agent is small. It has three sentences. This is the last.
package agent
`

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		args   []string
		code   int
		stdout []string // lines
		stderr string   // a part
	}{
		{
			name:  "clean",
			files: map[string]string{"engine/agent/agent.go": cleanFile},
			code:  exitClean,
		},
		{
			name: "findings",
			files: map[string]string{
				"engine/agent/agent.go": cleanFile + "\nimport \"" + module + "/sim\"\n\nfunc run() { go sim.Run(nil) }\n",
				"sim/sim.go":            "// Package sim is short.\npackage sim\n\nfunc Run(m map[string]int) {\n\tfor k := range m {\n\t\tprintln(k)\n\t}\n}\n",
				"notes.txt":             "in /" + "root/notes\nas Z" + "K-1.2 says\n",
			},
			args: []string{"./..."},
			code: exitFindings,
			stdout: []string{
				"engine/agent: directions: imports sim; ",
				"engine/agent/agent.go:6: hidden: go statement in deterministic room engine/agent: ",
				"notes.txt:1: speech: a path of one machine ",
				"notes.txt:2: citations: Z" + "K-1.2 is no rule of sim/zookeeper/SPEC.md: ",
				"sim/sim.go:2: pkgdoc: package comment of 1 sentences ",
				"sim/sim.go:5: maporder: order of a map can be seen: ",
			},
			stderr: "lint: 6 findings",
		},
		{
			name:  "right for another system",
			files: map[string]string{"sim/sim.go": "package sim\n\nvar _ = there\n", "sim/there_windows.go": "package sim\n\nconst there = 1\n"},
			args:  []string{"-system", "windows", "./..."},
			code:  exitClean,
		},
		{
			name:   "wrong for another system",
			files:  map[string]string{"sim/sim.go": "package sim\n\nimport \"syscall\"\n\nvar _ = syscall.Kill\n"},
			args:   []string{"-system", "windows", "./..."},
			code:   exitFindings,
			stdout: []string{"sim/sim.go:5:17: undefined: syscall.Kill"},
		},
		{
			name:   "no such system",
			files:  map[string]string{"sim/sim.go": "package sim\n"},
			args:   []string{"-system", "nosuch", "./..."},
			code:   exitFailed,
			stderr: "unsupported GOOS/GOARCH pair nosuch",
		},
		{
			name: "sound packages are looked at beside broken ones",
			files: map[string]string{
				"engine/agent/agent.go": cleanFile + "\nfunc run() { undefined() }\n",
				"sim/sim.go":            "package sim\n",
			},
			code:   exitFailed,
			stdout: []string{"sim/sim.go:1: pkgdoc: no package comment"},
			stderr: "engine/agent/agent.go:4:14: undefined: undefined",
		},
		{
			name:   "nothing to look at",
			files:  map[string]string{"engine/agent/agent.go": cleanFile},
			args:   []string{"./sim"},
			code:   exitFailed,
			stderr: "lint: ",
		},
		{
			name:   "unknown flag",
			files:  map[string]string{"engine/agent/agent.go": cleanFile},
			args:   []string{"-loud"},
			code:   exitFailed,
			stderr: "usage: lint [packages]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(repository(t, c.files))
			var stdout, stderr bytes.Buffer
			code := run(c.args, &stdout, &stderr)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, &stdout, &stderr)
			}
			lines := strings.FieldsFunc(stdout.String(), func(r rune) bool { return r == '\n' })
			if len(lines) != len(c.stdout) {
				t.Fatalf("%d lines, want %d:\n%s%s", len(lines), len(c.stdout), &stdout, &stderr)
			}
			for i, want := range c.stdout {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("line %d is %q, want it to begin %q", i, lines[i], want)
				}
			}
			if !strings.Contains(stderr.String(), c.stderr) {
				t.Errorf("stderr is %q, want %q in it", &stderr, c.stderr)
			}
		})
	}
}

// repository makes a git repository of a module with the given files. It adds the specifications
// that the linter expects, with no rules in them.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	for _, d := range documents {
		writeFile(t, filepath.Join(dir, d.path), "# "+d.prefix+"\n")
	}
	writeFile(t, filepath.Join(dir, "STABILITY.md"), "| packages for Go tests | `engine/agent`, `sim` |\n")
	writeFile(t, filepath.Join(dir, "go.mod"), "module "+module+"\n\ngo 1.26\n")
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return dir
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
