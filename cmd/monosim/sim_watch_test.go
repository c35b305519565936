package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/outlook"
)

// Goal: a run that does not fit into memory ends early. Its error names the number that makes it
// large and how far the run was.
func TestSimThatDoesNotFit(t *testing.T) {
	root := exported(t)
	args := []string{"sim", "--conf", filepath.Join(root, "v1.conf"), "--models", filepath.Join(root, "v1"), "--for", "10m", "--max-memory"}
	code, stdout, message := monosim(append(args, "64KiB")...)
	if code != 1 || !strings.Contains(message, "want at most 64 KiB (--max-memory); what grows are the replicas") {
		t.Errorf("got exit %d and %q", code, message)
	}
	if !strings.Contains(stdout, "the run broke off: memory: found") {
		t.Errorf("got no reason in\n%s", stdout)
	}
	if code, _, message := monosim(append(args, "8TiB")...); code != 0 {
		t.Errorf("got exit %d and %q of one that fits", code, message)
	}
	if code, _, message := monosim(append(args, "much")...); code != 2 || !strings.Contains(message, `--max-memory: found "much"`) {
		t.Errorf("got exit %d and %q, want 2", code, message)
	}
}

// Goal: --cost writes what a run has cost. Method: a run with more agents uses more memory.
func TestSimCost(t *testing.T) {
	root := exported(t)
	of := func(replicas string) (cost outlook.Cost) {
		file := filepath.Join(t.TempDir(), "cost.json")
		code, _, message := monosim("sim", "--conf", filepath.Join(root, "v3.conf"), "--models", filepath.Join(root, "v3"), "--replicas", replicas, "--for", "5m", "--cost", file)
		if code != 0 {
			t.Fatalf("exit %d: %s", code, message)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &cost); err != nil {
			t.Fatal(err)
		}
		return cost
	}
	few, many := of("2"), of("40")
	if many.Agents != 40 || many.VirtualSec != 300 || many.Reads <= few.Reads || many.Events <= few.Events || many.LiveBytes <= few.LiveBytes {
		t.Errorf("got %+v of 2 agents and %+v of 40", few, many)
	}
}

// Goal: the collector allows some 16 MiB of garbage, whatever the live memory. In a large cluster
// it allows a larger amount, and in a small one at most four times the live memory. Method: several
// sizes.
func TestTheCollectorGoesByWhatLives(t *testing.T) {
	for _, c := range []struct {
		live int64
		want int
	}{{0, 400}, {1 << 20, 400}, {8 << 20, 200}, {20 << 20, 80}, {40 << 20, 40}, {80 << 20, 30}, {8 << 30, 30}} {
		if got := gcPercent(c.live); got != c.want {
			t.Errorf("%d bytes live: found %d %%, want %d", c.live, got, c.want)
		}
	}
	w := &simWatch{percent: 100, garbage: 400}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, step := range []struct {
		live int64
		want int
	}{{1 << 20, 400}, {20 << 20, 80}, {21 << 20, 80}, {30 << 20, 53}, {80 << 20, 30}, {1 << 20, 400}} {
		if w.paceCollector(step.live); w.garbage != step.want {
			t.Errorf("%d bytes live: the collector is at %d %%, want %d", step.live, w.garbage, step.want)
		}
	}
	w = &simWatch{percent: -1}
	if w.paceCollector(1 << 30); w.garbage != 0 {
		t.Errorf("GOGC was set, and the collector is at %d %%", w.garbage)
	}
}
