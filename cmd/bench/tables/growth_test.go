package tables

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Goal: the cost of a run is read from its report and its cost file. Method: a shortened report of
// `monosim sim`.
func TestACostIsRead(t *testing.T) {
	told := filepath.Join(t.TempDir(), "cost.json")
	if err := os.WriteFile(told, []byte(`{"live_bytes": 3000, "stack_bytes": 1000}`), 0o600); err != nil {
		t.Fatal(err)
	}
	report := []byte(`{"wall_s": 1.5, "counts": {"events": 7, "zookeeper_requests": {"getData": 5, "getChildren2": 2, "exists": 1, "create": 9}}}`)
	var c cost
	if err := c.read(report, told); err != nil {
		t.Fatal(err)
	}
	if want := (cost{Wall: 1500 * time.Millisecond, Events: 7, Reads: 8, Live: 3000, Stacks: 1000}); c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if err := (&cost{}).read(report, told+"none"); err != nil {
		t.Errorf("got %v of a build that tells no memory", err)
	}
}

// Goal: each goal is judged by the numbers of its own size or doubling. A run that did not finish
// counts as a missed goal.
func TestGoals(t *testing.T) {
	var g growth
	v1, v3 := samples[0], samples[1]
	day := cost{agents: 100, Wall: 24 * time.Hour / 20_000}
	g.judgeSize(v1, cost{agents: 100}, day, cost{})
	g.judge(v3, "day", cost{agents: 200, CPU: 9 * time.Second}, cost{agents: 100, CPU: 3 * time.Second})
	g.judge(v3, "start", cost{agents: 200, CPU: 9 * time.Second}, cost{agents: 100, CPU: 3 * time.Second})
	g.judge(v3, "start", cost{agents: 1000, CPU: 90 * time.Second}, cost{agents: 400, CPU: 3 * time.Second})
	g.judge(v3, "day", cost{agents: 200, failure: errors.New("not finished")}, cost{})
	g.judgeSize(v3, cost{agents: 10_000, Wall: time.Minute}, cost{agents: 10_000, Wall: 8 * time.Minute, Live: 400e6, Stacks: 100e6}, cost{})
	want := []goal{
		{"v1, 100 agents, a day, of real time", "20000x", ">= 15000x", true},
		{"v3, day of 200 agents, processor time of a doubling", "3.0x", "<= 2.2x", false},
		{"v3, start of 200 agents, processor time of a doubling", "3.0x", "<= 4.5x", true},
		{"v3, day of 200 agents", "not finished", "to finish", false},
		{"v3, 10,000 agents, start and day", "540 s", "<= 600 s", true},
		{"v3, 10,000 agents, memory of one", "48.8 KiB", "<= 30.0 KiB", false},
	}
	if len(g.verdicts) != len(want) {
		t.Fatalf("got %v, want %v", g.verdicts, want)
	}
	for i, w := range want {
		if g.verdicts[i] != w {
			t.Errorf("got %v, want %v", g.verdicts[i], w)
		}
	}
}

// Goal: a row shows its growth since the smaller size and its ratio to the other build.
func TestColumnsOfARow(t *testing.T) {
	c := cost{agents: 200, CPU: 4 * time.Second, Live: 200 << 10, Peak: 2 << 20, Reads: 1.5e6}
	before := cost{agents: 100, CPU: time.Second, Live: 50 << 10}
	base := cost{agents: 200, CPU: 12 * time.Second, Peak: 8 << 20}
	row := c.columns(before, base)
	for _, want := range []string{"1.50 M", "1.0 KiB", "4.0x of 2x", "3.00x", "4.00x"} {
		if !strings.Contains(row, want) {
			t.Errorf("found no %q in %q", want, row)
		}
	}
	if row := c.columns(cost{}, cost{failure: errors.New("killed")}); !strings.Contains(row, "base: killed") || strings.Contains(row, "Inf") {
		t.Errorf("got %q", row)
	}
}

// Goal: a run that exceeds its time limit is ended, and its error says so.
func TestARunHasALimit(t *testing.T) {
	sleep := filepath.Join(t.TempDir(), "sleep")
	if err := os.WriteFile(sleep, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", "..", ".."))
	g := growth{limit: time.Millisecond}
	if _, _, err := g.execute(sleep, nil); err == nil || !strings.Contains(err.Error(), "not finished after 1ms") {
		t.Errorf("got %v", err)
	}
}
