package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/webpage"
)

// Goal: after an interrupted run each output file is complete, holds the results so far, and no
// other file is left. Method: end the program by a signal after its first output.
func TestFilesOfAnInterruptedRunAreWhole(t *testing.T) {
	conf, models := filepath.Join("testdata", "unified.conf"), filepath.Join("testdata", "exported")
	for _, c := range []struct {
		args  []string
		files map[string]func(content []byte) error
	}{
		{
			[]string{"test", "builtin:features/sessions.feature", "--seeds", "1000000", "--trace", "t.jsonl", "--format", "html:r.html"},
			map[string]func([]byte) error{"t.jsonl": wholeLines, "r.html": wholePage},
		},
		{
			[]string{"test", "builtin:features/sessions.feature", "--seeds", "1000000", "--trace", "t.json"},
			map[string]func([]byte) error{"t.json": wholeJSON},
		},
		{
			[]string{"sim", "--conf", conf, "--models", models, "--shards", "2", "--for", "100000h", "--trace", "t.jsonl"},
			map[string]func([]byte) error{"t.jsonl": wholeLines},
		},
	} {
		t.Run(strings.Join(c.args[:2], " "), func(t *testing.T) {
			dir := t.TempDir()
			args := append([]string{}, c.args...)
			for i, a := range args {
				kind, file, ok := strings.Cut(a, ":")
				switch {
				case c.files[a] != nil:
					args[i] = filepath.Join(dir, a)
				case ok && c.files[file] != nil:
					args[i] = kind + ":" + filepath.Join(dir, file)
				}
			}
			cmd := program(t, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "trace that grows", func() bool { return sizeOf(dir) > 1<<18 })
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if cmd.Wait(); cmd.ProcessState.ExitCode() != command.ExitInterrupted+int(syscall.SIGTERM) {
				t.Errorf("exit code: want %d, got %v", command.ExitInterrupted+int(syscall.SIGTERM), cmd.ProcessState)
			}
			left, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]bool{}
			for _, entry := range left {
				names[entry.Name()] = true
			}
			want := map[string]bool{}
			for name, whole := range c.files {
				want[name] = true
				content, err := os.ReadFile(filepath.Join(dir, name))
				if err == nil {
					err = whole(content)
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("files (-want +left):\n%s", diff)
			}
		})
	}
}

// sizeOf returns the size in bytes of the largest file in a directory.
func sizeOf(dir string) (largest int64) {
	list, _ := os.ReadDir(dir)
	for _, entry := range list {
		if info, err := entry.Info(); err == nil {
			largest = max(largest, info.Size())
		}
	}
	return largest
}

func wholeJSON(content []byte) error {
	var v any
	return json.Unmarshal(content, &v)
}

func wholeLines(content []byte) error {
	for line := range bytes.Lines(content) {
		if err := wholeJSON(line); err != nil {
			return err
		}
	}
	return nil
}

func wholePage(content []byte) error {
	lines, err := webpage.Data(string(content))
	if err != nil {
		return err
	}
	var totals struct{ Kind, Remark string }
	if err := json.Unmarshal(lines[len(lines)-1], &totals); err != nil {
		return err
	}
	if totals.Kind != "totals" || !strings.HasPrefix(totals.Remark, "interrupted after ") {
		return fmt.Errorf("last line: found %s, want totals that say it was interrupted", lines[len(lines)-1])
	}
	return nil
}
