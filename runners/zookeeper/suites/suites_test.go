package suites_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	serverKind = flag.String("server", "simulated", "what the suites run against: simulated or real")
	rounds     = flag.Int("rounds", 1, "how often go-zookeeper's suite, whose tests race with elections, runs")
)

// suiteLimit is how long one suite may take; kazoo's takes two to three minutes.
const suiteLimit = 15 * time.Minute

// checkouts are those that an environment variable names, by what to call them.
// Without any it skips the test.
func checkouts(t *testing.T, variable, of string) map[string]string {
	t.Helper()
	dirs := filepath.SplitList(os.Getenv(variable))
	if len(dirs) == 0 {
		t.Skipf("%s names no checkout of %s", variable, of)
	}
	byName := map[string]string{}
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		byName[filepath.Base(dir)] = dir
	}
	return byName
}

// serverEnvironment is what a suite needs to find its server: the folder of the
// stand-in for zkServer.sh, and the program behind it.
func serverEnvironment(t *testing.T) []string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("testdata", *serverKind))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "zkServer.sh")); err != nil {
		t.Fatalf("-server: %q, want simulated or real", *serverKind)
	}
	environment := append(os.Environ(), "ZOOKEEPER_BIN_PATH="+folder,
		// Tests that are for newer servers ask for it.
		"ZK_VERSION=3.8.0", "ZOOKEEPER_VERSION=3.8.0")
	if *serverKind == "simulated" {
		environment = append(environment, "MONOSIM="+buildMonosim(t), "ENSEMBLES="+ensembles(t))
	}
	return environment
}

// ensembles is a folder with one for each ensemble that zkServer.sh has started. They
// outlive the servers that tests end, and end with the test.
func ensembles(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Cleanup(func() {
		files, err := filepath.Glob(filepath.Join(folder, "*", "pid"))
		if err != nil {
			t.Error(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
				continue
			}
			id, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
				t.Errorf("ensemble of %s, which nobody has ended: %v", file, err)
			}
		}
	})
	return folder
}

func buildMonosim(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "monosim")
	build := exec.Command("go", "build", "-o", program, "../../../cmd/monosim")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	return program
}

// command is a suite's program. When it takes too long it is interrupted, so that
// it can end its servers.
func command(t *testing.T, environment []string, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suiteLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	cmd.Dir, cmd.Env = dir, environment
	return cmd
}
