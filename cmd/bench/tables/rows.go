package tables

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// group is one invocation of go test, with the table rows that it measures.
type group struct {
	name, pkg, pattern, benchtime string
	rows                          []row
}

// row describes one row of the table. aim is the number to reach, 0 for no aim. lower means that
// a smaller number is better.
type row struct {
	what, benchmark, unit string
	aim                   float64
}

var groups = []group{
	{name: "the engine", pkg: "./engine/vtime", pattern: "Events|TaskSwitch|Heap", benchtime: "2s", rows: []row{
		{"events/s, 100 nodes", "BenchmarkEvents/nodes=100", "events/s", 20e6},
		{"events/s, 10,000 nodes", "BenchmarkEvents/nodes=10000", "events/s", 8e6},
		{"task switches/s, 100 tasks", "BenchmarkTaskSwitch/tasks=100", "switches/s", 5e6},
		{"heap push and pop, 100 events", "BenchmarkHeap/events=100", "ns/op", 0},
		{"heap push and pop, 10,000 events", "BenchmarkHeap/events=10000", "ns/op", 0},
	}},
	{name: "a day of a cluster", pkg: "./runners/test/simrun", pattern: "Day", benchtime: "1x", rows: []row{
		{"24 h of 10 agents v3, virtual/wall", "BenchmarkDay/v3/agents=10", "virtual/wall", 0},
		{"24 h of 100 agents v3, virtual/wall", "BenchmarkDay/v3/agents=100", "virtual/wall", 120_000},
		{"24 h of 10 agents v1, virtual/wall", "BenchmarkDay/v1/agents=10", "virtual/wall", 0},
		{"24 h of 100 agents v1, virtual/wall", "BenchmarkDay/v1/agents=100", "virtual/wall", 20_000},
		{"memory of an agent v3 of 100", "BenchmarkDay/v3/agents=100", "B/agent", 0},
		{"memory of an agent v1 of 100", "BenchmarkDay/v1/agents=100", "B/agent", 0},
	}},
	{name: "an hour of a training job", pkg: "./runners/test/simrun", pattern: "TrainingHour", benchtime: "1x", rows: []row{
		{"1 h with 100 workers and 20 PS, TF_CONFIG, virtual/wall", "BenchmarkTrainingHour/primus/workers=100", "virtual/wall", 0},
		{"1 h with 400 workers and 80 PS, TF_CONFIG, virtual/wall", "BenchmarkTrainingHour/primus/workers=400", "virtual/wall", 0},
		{"1 h with 1,000 workers and 200 PS, TF_CONFIG, virtual/wall", "BenchmarkTrainingHour/primus/workers=1000", "virtual/wall", 720},
		{"1 h with 100 workers and 20 PS, ZooKeeper, virtual/wall", "BenchmarkTrainingHour/zookeeper/workers=100", "virtual/wall", 0},
		{"1 h with 400 workers and 80 PS, ZooKeeper, virtual/wall", "BenchmarkTrainingHour/zookeeper/workers=400", "virtual/wall", 0},
		{"1 h with 1,000 workers and 200 PS, ZooKeeper, virtual/wall", "BenchmarkTrainingHour/zookeeper/workers=1000", "virtual/wall", 300},
	}},
	{name: "what explore tells on a core", pkg: "./features/explore", pattern: "Stories", benchtime: "3s", rows: []row{
		{"stories/s of v3 1x3", "BenchmarkStories/v3_1x3", "stories/s", 500},
		{"stories/s of v1 1x3", "BenchmarkStories/v1_1x3", "stories/s", 150},
		{"stories/s of training by ZooKeeper", "BenchmarkStories/training_by_ZooKeeper", "stories/s", 160},
	}},
	{name: "the engine as a testee", pkg: "./runners/diff/gotestee", pattern: "Pure|Sequences", benchtime: "2s", rows: []row{
		{"cases/s of the pure operations", "BenchmarkPure", "cases/s", 20e3},
		{"cases/s of the others", "BenchmarkSequences", "cases/s", 0},
	}},
}

// matching returns the group's rows whose name contains the given word.
func (g group) matching(word string) []row {
	return lists.Filter(g.rows, func(r row) bool { return strings.Contains(r.what, word) })
}

func (r row) aimText() string {
	if r.aim == 0 {
		return ""
	}
	return ">= " + number(r.aim, r.unit)
}

func (r row) verdict(value float64) string {
	switch {
	case r.aim == 0:
		return ""
	case value >= r.aim:
		return "reached"
	}
	return fmt.Sprintf("%.0f %%", 100*value/r.aim)
}

// number formats a measured value with its unit, in thousands or millions where it is a rate.
func number(v float64, unit string) string {
	switch {
	case strings.HasSuffix(unit, "/s") && v < 1e3:
		return fmt.Sprintf("%.0f", v)
	case strings.HasSuffix(unit, "/s") && v < 1e6:
		return fmt.Sprintf("%.1f k", v/1e3)
	case strings.HasSuffix(unit, "/s"):
		return fmt.Sprintf("%.1f M", v/1e6)
	case unit == "B/agent":
		return fmt.Sprintf("%.0f KiB", v/1024)
	case unit == "ns/op":
		return fmt.Sprintf("%.1f ns", v)
	case unit == "virtual/wall":
		return fmt.Sprintf("%.0fx", v)
	}
	return fmt.Sprint(v)
}
