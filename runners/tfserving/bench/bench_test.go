package bench_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/tfserving/bench"
	"github.com/monosim/monosim/sim/tfserving/serve"
)

// serveHere is the environment variable that makes the test's own binary act as a model
// server.
const serveHere = "TFBENCH_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveHere) == "" {
		os.Exit(m.Run())
	}
	if len(os.Args) == 2 && os.Args[1] == "bare" {
		fmt.Fprintln(os.Stderr, bench.ServeBare(os.Stdout))
		os.Exit(1)
	}
	os.Exit(serve.Main(os.Args[0], os.Args[1:], os.Stdout, os.Stderr, nil))
}

// brief returns options for a benchmark of one or two seconds.
func brief() bench.Options {
	return bench.Options{
		Program: []string{os.Args[0]}, Bare: []string{os.Args[0], "bare"},
		Length: short, Rounds: 1,
		Models: 12, PollFor: 100 * time.Millisecond,
		IdleServers: 3, IdleFor: time.Hour,
	}
}

// Goal: the benchmark measures the real server in a process of its own. Method: Run checks
// all answers. Its short measurements are not compared with the aims.
func TestRun(t *testing.T) {
	t.Setenv(serveHere, "1")
	opt := brief()
	steps := 0
	opt.Progress = func(string) { steps++ }
	r, err := bench.Run(opt)
	if err != nil {
		t.Fatal(err)
	}
	if steps != opt.Steps() {
		t.Errorf("%d steps, want %d", steps, opt.Steps())
	}
	units := map[string]int{}
	for _, row := range r.Rows {
		units[row.Unit]++
		if row.Value <= 0 && row.Unit != "KiB" && row.Unit != "us" && row.Unit != "% of a core" {
			t.Errorf("%s: got %g %s", row.What, row.Value, row.Unit)
		}
	}
	want := map[string]int{"/s": 8, "us": 4, "x": 2, "ms": 4, "KiB": 1, "% of a core": 1, "s": 1}
	if diff := cmp.Diff(want, units); diff != "" {
		t.Errorf("rows by unit (-want +got):\n%s", diff)
	}
}

// Goal: for a program that is not a model server, the error shows the program's output.
func TestStartOfAProgramThatEnds(t *testing.T) {
	_, err := bench.Start([]string{"sh", "-c", "echo no server here; exit 3", "sh"}, 1)
	for _, want := range []string{"exit status 3", "no server here"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if _, err := bench.StartBare([]string{"sh", "-c", "echo no server here >&2; exit 3"}); err == nil || !strings.Contains(err.Error(), "no server here") {
		t.Errorf("got %v, want an error that says what it said", err)
	}
	if _, err := bench.Start([]string{"/nonexistent"}, 1); err == nil {
		t.Error("got no error of a program that is not there")
	}
}

// Goal: Close returns an error if the server ended earlier by itself.
func TestAServerHasToRunUntilItIsClosed(t *testing.T) {
	t.Setenv(serveHere, "1")
	server, err := bench.Start([]string{os.Args[0]}, 1)
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(server.PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	server.Wait()
	if err := server.Close(); err == nil {
		t.Error("got no error of a server that was killed by somebody else")
	}
}

func TestOptionsThatMeasureNothing(t *testing.T) {
	if err := brief().Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*bench.Options){
		"lengths": func(o *bench.Options) { o.PollFor = 0 },
		"rounds":  func(o *bench.Options) { o.Rounds = 0 },
		"models":  func(o *bench.Options) { o.Models = 8 },
		"servers": func(o *bench.Options) { o.IdleServers = 0 },
	} {
		opt := brief()
		change(&opt)
		if err := opt.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %s", err, want)
		}
	}
}
