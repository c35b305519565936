package main

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: `monosim zookeeper bench` refuses lengths that measure nothing.
func TestZooKeeperBenchRefusesFlags(t *testing.T) {
	for _, flags := range [][]string{{"--batch", "15"}, {"--rounds", "0"}} {
		_, code, err := runMonosim("", append([]string{"zookeeper", "bench"}, flags...)...)
		if code != command.ExitBadInput || err == nil || !strings.Contains(err.Error(), "want at least 16 and 1") {
			t.Errorf("%v: got exit code %d and %v, want %d", flags, code, err, command.ExitBadInput)
		}
	}
	if _, code, err := runMonosim("", "zookeeper", "bench", "--sessions", "-1"); code != command.ExitBadInput || err == nil || !strings.Contains(err.Error(), "--sessions: found -1") {
		t.Errorf("got exit code %d and %v, want %d", code, err, command.ExitBadInput)
	}
}
