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

// checkouts returns the folders that an environment variable lists, by a name for each. It skips
// the test if the variable is empty. of says in the message what they are checkouts of.
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

// serverEnvironment returns the environment with which a suite finds its server. It names the
// folder of a substitute for zkServer.sh and the program that the substitute starts.
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
		// The suites read the server's version here and skip tests that need a newer one.
		"ZK_VERSION=3.8.0", "ZOOKEEPER_VERSION=3.8.0")
	if *serverKind == "simulated" {
		environment = append(environment, "MONOSIM="+buildMonosim(t), "ENSEMBLES="+ensembles(t))
	}
	return environment
}

// ensembles returns a folder in which zkServer.sh keeps a subfolder for each ensemble it starts.
// The ensembles outlive the servers that single tests stop. They are killed when the test ends.
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

// command returns the command that runs a suite. After suiteLimit the program is interrupted, not
// killed, so that it can end its servers.
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
