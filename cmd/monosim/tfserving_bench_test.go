package main

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/programs"
	"github.com/monosim/monosim/runners/tfserving/bench"
)

// Goal: `monosim tfserving bench` is caught before the model server's own command
// line, and refuses what measures nothing.
func TestTFServingBenchRefusesFlags(t *testing.T) {
	for flag, want := range map[string]string{
		"--rounds=0": "rounds: found 0", "--for=0s": "lengths: found 0s", "--models=8": "want more than the 8",
		"--servers=-1": "servers: found -1", "--port=8500": "unknown flag: --port",
	} {
		_, code, err := runMonosim("", "tfserving", "bench", flag)
		if code != command.ExitBadInput || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got exit code %d and %v, want %d and %q", flag, code, err, command.ExitBadInput, want)
		}
	}
}

// Goal: a missed aim is an error with --check alone, and the table is printed all the
// same.
func TestTFServingBenchCheck(t *testing.T) {
	report := &bench.Report{Rows: []bench.Row{
		{What: "without", Value: 1, Unit: "ms"}, {What: "good", Value: 2, Unit: "/s", Aim: 1}, {What: "bad", Value: 2, Unit: "s", Aim: 1, AtMost: true},
	}}
	for _, check := range []bool{false, true} {
		for _, asJSON := range []bool{false, true} {
			var out strings.Builder
			err := programs.PrintReport(&out, report, asJSON, check)
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
