package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// serveSimulated serves the simulated ZooKeeper, which stands in for a real server, and returns its
// address.
func serveSimulated(t *testing.T, profile string) string {
	t.Helper()
	version, err := wire.ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	served, err := diff.ServeMachine(version)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := served.Close(); err != nil {
			t.Error(err)
		}
	})
	return served.Addr()
}

func TestCheckOfServersThatAgree(t *testing.T) {
	addr := serveSimulated(t, "zookeeper-3.8")
	out, code, err := runMonosim("", "zookeeper", "check", "--server", addr, "--ops", "500", "--json")
	var result diff.Result
	if code != 0 || json.Unmarshal([]byte(out), &result) != nil {
		t.Fatalf("got exit code %d, %v and\n%s", code, err, out)
	}
	if result.Operations < 500 || len(result.Servers) != 3 || len(result.Differences) != 0 || result.Answered["create"]["OK"] == 0 {
		t.Errorf("got %+v, want 500 operations on 3 servers without a difference", result)
	}
}

func TestCheckOfServersThatDiffer(t *testing.T) {
	addr := serveSimulated(t, "zookeeper-3.9")
	out, code, err := runMonosim("", "zookeeper", "check", "--server", addr, "--ops", "20000")
	if code != command.ExitFailed || !strings.Contains(out, "the script, as small as it goes:\n{") {
		t.Fatalf("got exit code %d, %v and\n%s", code, err, out)
	}
	// The printed script shows the same difference when it is played again.
	_, script, _ := strings.Cut(out, "as small as it goes:\n")
	script, _, _ = strings.Cut(script, "\n\n")
	script, _, _ = strings.Cut(script, "\nseed ")
	file := filepath.Join(t.TempDir(), "script.jsonl")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code, err := runMonosim("", "zookeeper", "check", "--server", addr, "--script", file); code != command.ExitFailed || !strings.Contains(out, "machine: ") && !strings.Contains(out, "machine:\n") {
		t.Errorf("the script again: got exit code %d, %v and\n%s", code, err, out)
	}
	if out, code, err := runMonosim("", "zookeeper", "check", "--server", addr, "--profile", "zookeeper-3.9", "--script", file); code != 0 || strings.Count(out, "the same") != 2 {
		t.Errorf("the script on servers of one version: got exit code %d, %v and\n%s", code, err, out)
	}
}

func TestCheckRefusesWhatMakesNoSense(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.jsonl")
	if err := os.WriteFile(file, []byte("{\"kind\":\"drop\"}\n{\"kind\":"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--ops", "0"}, "--ops: found 0, want 1 or more"},
		{[]string{"--script", file}, "line 2: found no step"},
		{[]string{"--script", file + ".none"}, "no such file"},
		{[]string{"--profile", "zookeeper-3.9"}, "found zookeeper-3.9 without --server"},
		{[]string{"--profile", "x"}, "want one of"},
	} {
		_, code, err := runMonosim("", append([]string{"zookeeper", "check"}, c.args...)...)
		if code != command.ExitBadInput || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got exit code %d and %v, want %d and %q", c.args, code, err, command.ExitBadInput, c.want)
		}
	}
}

func TestCheckInterruptedLeavesNothing(t *testing.T) {
	real, err := server.New(server.Config{})
	if err != nil {
		t.Skip(err)
	}
	if err := real.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		// the signal comes while the server starts, or while a script is played on it
		for _, when := range []string{"zkserver*", "zkserver*/data/version-2/log.*"} {
			cmd := program(t, "zookeeper", "check", "--ops", "100000000")
			cmd.Env = append(os.Environ(), "TMPDIR="+dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			awaitFile(t, filepath.Join(dir, when))
			cmd.Process.Signal(s)
			cmd.Wait()
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			if code := cmd.ProcessState.ExitCode(); code != command.ExitFailed || err != nil || len(left) > 0 {
				t.Errorf("%v at %s: got exit code %d and %v left, %v, want %d and nothing", s, when, code, left, err, command.ExitFailed)
			}
			if out, err := exec.Command("pgrep", "-f", dir).Output(); err == nil {
				t.Errorf("%v at %s: got processes %q left, want none", s, when, out)
			}
		}
	}
}

// awaitFile waits until a file matches the pattern.
func awaitFile(t *testing.T, pattern string) {
	t.Helper()
	await(t, pattern, func() bool {
		found, err := filepath.Glob(pattern)
		return err != nil || len(found) > 0
	})
}

// await waits until the function so returns true, for a minute at most.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	limit, again := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
	defer again.Stop()
	for !so() {
		select {
		case <-limit:
			t.Fatalf("found no %s", what)
		case <-again.C:
		}
	}
}
