package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: output that cannot be written is an error with exit code 2. Method: run the program with a
// full disk as its standard output, and with files in folders that do not exist.

// program returns a command that runs monosim as a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path := builtProgram(t)
	cmd := exec.CommandContext(limited(t), path, args...)
	cmd.Stdin = strings.NewReader(`{"op":"hello"}` + "\n")
	return cmd
}

func TestAFullDiskIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	conf, models := filepath.Join("testdata", "agent.conf"), filepath.Join("testdata", "exported")
	for _, args := range [][]string{
		{"sim", "--conf", conf, "--models", models, "--for", "1m"},
		{"sim", "--conf", conf, "--models", models, "--for", "1m", "--json"},
		{"test", "builtin:features/sessions.feature"},
		{"test", "--sentences"},
		{"test", "--faults"},
		{"diff", "--suite", "utils.isabs"},
		{"vectors", "list"},
		{"vectors", "list", "--ops"},
		{"vectors", "verify", "--suite", "utils.isabs"},
		{"vectors", "show", "utils.isabs/hdfs"},
		{"testee"},
		{"version"},
		{"--help"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var said bytes.Buffer
			cmd := program(t, args...)
			cmd.Stdout, cmd.Stderr = full, &said
			err := cmd.Run()
			if cmd.ProcessState.ExitCode() != command.ExitBadInput || !strings.Contains(said.String(), "no space left on device") {
				t.Errorf("got %v and %q, want exit code %d and no space left on device", err, said.String(), command.ExitBadInput)
			}
		})
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "none", "report")
	for _, args := range [][]string{
		{"test", "builtin:features/sessions.feature", "--format", "junit:" + nowhere},
		{"diff", "--suite", "utils.isabs", "--format", "json:" + nowhere},
		{"zookeeper", "--log-writes", nowhere},
	} {
		code, _, message := monosim(args...)
		if code != command.ExitBadInput || !strings.Contains(message, "open "+nowhere+": no such file or directory") {
			t.Errorf("%v: got exit code %d and %q, want %d and what cannot be opened", args, code, message, command.ExitBadInput)
		}
	}
}

func TestExitCodes(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("x"), command.ExitFailed},
		{command.BadInput(errors.New("x")), command.ExitBadInput},
		{fmt.Errorf("report: %w", missing), command.ExitBadInput},
		{broken(missing), command.ExitFailed}, // the file is one of the simulated cluster
	} {
		if got := command.ExitCode(c.err); got != c.want {
			t.Errorf("%v: got %d, want %d", c.err, got, c.want)
		}
	}
}
