package servers

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/tfserving/bench"
)

// Goal: each bench refuses flags with which it would measure nothing, before it builds or starts
// anything.
func TestBenchesRefuseFlags(t *testing.T) {
	for _, c := range []struct {
		bench       *cobra.Command
		flags, want string
	}{
		{NewTFServing(), "--rounds=0", "rounds: found 0"},
		{NewAgent(), "--rounds=0", "rounds: found 0, want at least 1"},
		{NewTFServing(), "--for=0s", "lengths: found 0s"},
		{NewTFServing(), "--models=8", "want more than the 8"},
		{NewTFServing(), "--servers=-1", "servers: found -1"},
		{NewTFServing(), "--port=8500", "unknown flag: --port"},
		{NewZooKeeper(), "--batch=15", "want at least 16 and 1"},
		{NewZooKeeper(), "--rounds=0", "want at least 16 and 1"},
		{NewZooKeeper(), "--sessions=-1", "--sessions: found -1"},
		{NewAgent(), "--replicas=0", "replicas: found 0"},
	} {
		c.bench.SetArgs([]string{c.flags})
		c.bench.SetOut(io.Discard)
		c.bench.SetErr(io.Discard)
		c.bench.SetFlagErrorFunc(command.FlagError)
		err := c.bench.Execute()
		if code := command.ExitCode(err); code != command.ExitBadInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got exit code %d and %v, want %d and %q", c.bench.Name(), c.flags, code, err, command.ExitBadInput, c.want)
		}
	}
}

// Goal: a missed aim is an error only with --check. The table is printed with and without it.
func TestAMissedAimIsAnErrorWithCheck(t *testing.T) {
	report := &bench.Report{Rows: []bench.Row{
		{What: "without", Value: 1, Unit: "ms"}, {What: "good", Value: 2, Unit: "/s", Aim: 1}, {What: "bad", Value: 2, Unit: "s", Aim: 1, AtMost: true},
	}}
	for _, check := range []bool{false, true} {
		for _, asJSON := range []bool{false, true} {
			var out strings.Builder
			err := printReport(&out, report, asJSON, check)
			if !strings.Contains(out.String(), "bad") {
				t.Errorf("printed %q, want all rows", out.String())
			}
			want := 0
			if check {
				want = command.ExitFailed
			}
			if got := command.ExitCode(err); got != want || check && !strings.Contains(err.Error(), "1 of the aims were missed, the first: bad") {
				t.Errorf("check %t: got exit code %d and %v, want %d", check, got, err, want)
			}
		}
	}
}
