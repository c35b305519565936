package simrun_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// dayLength shortens the run for CPU profiles, which need no whole day.
var dayLength = flag.Duration("simrun.day", 24*time.Hour, "virtual time that BenchmarkDay lets pass")

// noLeaps makes the simulation play every event instead of leaping over idle loops.
var noLeaps = flag.Bool("simrun.noleaps", false, "run the benchmarks without leaps")

// dayTrace logs the trace hash, to check that a change of speed changes nothing else.
var dayTrace = flag.Bool("simrun.trace", false, "log the trace of BenchmarkDay's runs")

// BenchmarkDay runs a cluster of agents with loaded models for a day of virtual time. Its
// metric is virtual time divided by wall time.
func BenchmarkDay(b *testing.B) {
	for _, version := range []string{"v3", "v1"} {
		sizes := []int{10, 100}
		switch {
		case *largeStartUps && version == "v1":
			sizes = append(sizes, 1000)
		case *largeStartUps:
			sizes = append(sizes, 200, 400, 1000)
		}
		for _, agents := range sizes {
			b.Run(fmt.Sprintf("%s/agents=%d", version, agents), func(b *testing.B) {
				for b.Loop() {
					day(b, version, agents)
				}
			})
		}
	}
}

func day(b *testing.B, version string, agents int) {
	b.StopTimer()
	spec := v3Spec()
	if version == "v1" {
		spec = v1Spec()
	}
	spec.Replicas = agents / max(spec.Shards, 1)
	spec.NoLeaps = *noLeaps
	before := live()
	c, err := (&simrun.Runner{KeepLog: 1}).Build(spec)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	must(b, c.Start())
	if version == "v3" {
		must(b, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
		must(b, c.Publish("", "ctr", "entry"))
	}
	passFor(b, c, 10*time.Minute)
	lives := live().minus(before)
	events := c.Stats().Events
	b.StartTimer()
	start := time.Now()
	passFor(b, c, *dayLength)
	wall := time.Since(start)
	days := float64(*dayLength) / float64(24*time.Hour)
	b.ReportMetric(float64(*dayLength)/float64(wall), "virtual/wall")
	b.ReportMetric(float64(c.Stats().Events-events)/days, "events/day")
	b.ReportMetric(float64(lives.total())/float64(agents), "B/agent")
	b.ReportMetric(0, "ns/op")
	if *dayTrace {
		b.Logf("trace %016x after %v and %d events", c.Stats().TraceHash, c.Stats().Virtual, c.Stats().Events)
	}
}

func passFor(b *testing.B, c runners.Cluster, d time.Duration) {
	if _, err := c.Pass(d, nil); err != nil {
		b.Fatal(err)
	}
}

// largeStartUps adds the sizes that take minutes.
var largeStartUps = flag.Bool("simrun.large", false, "let BenchmarkStartUp go on to 1,000 agents, and 10,000 of v3")

// heapProfile shows what the memory of an agent consists of. Use it with one size, and with
// -test.memprofilerate=512.
var heapProfile = flag.String("simrun.heap", "", "file for a heap profile of what lives after a run of BenchmarkStartUp")

// startUps lists the numbers of agents for BenchmarkStartUp, by agent version.
var startUps = []struct {
	version       string
	agents, large []int
}{
	{"v1", []int{50, 100, 200}, []int{400, 1000}},
	{"v3", []int{100, 200, 400}, []int{1000, 10000}},
}

// BenchmarkStartUp starts agents whose models are already published, and runs them for ten
// minutes. Nearly all work that grows with the square of their number happens in that time.
// The metrics are the cost of the start-up, the memory for each agent afterwards, and the
// factor for twice the agents. A factor of 2 means linear growth, 4 means quadratic growth.
func BenchmarkStartUp(b *testing.B) {
	for _, of := range startUps {
		costs := map[int]startUpCost{}
		sizes := of.agents
		if *largeStartUps {
			sizes = append(slices.Clone(sizes), of.large...)
		}
		for _, agents := range sizes {
			b.Run(fmt.Sprintf("%s/agents=%d", of.version, agents), func(b *testing.B) {
				var cost startUpCost
				for b.Loop() {
					cost = startUp(b, of.version, agents)
				}
				cost.report(b, agents)
				if half, ok := costs[agents/2]; ok {
					b.ReportMetric(float64(cost.wall)/float64(half.wall), "time/half")
					b.ReportMetric(float64(cost.lives.total())/float64(half.lives.total()), "memory/half")
				}
				costs[agents] = cost
			})
		}
	}
}

// startUpCost holds the wall time and events of one start-up, and the memory in use after it.
type startUpCost struct {
	wall   time.Duration
	events uint64
	lives  memory
}

func (c startUpCost) report(b *testing.B, agents int) {
	b.ReportMetric(c.wall.Seconds(), "s")
	b.ReportMetric(float64(c.events), "events")
	b.ReportMetric(float64(c.lives.heapBytes)/float64(agents), "heapB/agent")
	b.ReportMetric(float64(c.lives.stackBytes)/float64(agents), "stackB/agent")
	b.ReportMetric(float64(c.lives.total())/float64(agents), "B/agent")
	b.ReportMetric(0, "ns/op")
}

// memory is the size of the reachable heap and of the stacks.
type memory struct{ heapBytes, stackBytes int64 }

// live returns the memory in use now. The second garbage collection frees what the first
// only finds, and shrinks stacks that are larger than necessary.
func live() memory {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memory{heapBytes: int64(m.HeapAlloc), stackBytes: int64(m.StackInuse)}
}

func (m memory) minus(before memory) memory {
	return memory{m.heapBytes - before.heapBytes, m.stackBytes - before.stackBytes}
}

func (m memory) total() int64 { return m.heapBytes + m.stackBytes }

// startUp starts one cluster whose models correspond to those of the sample confs (SCL-2): a
// pod of v1 has 11 models, a pod of v3 has six.
func startUp(b *testing.B, version string, agents int) startUpCost {
	b.StopTimer()
	defer b.StartTimer()
	spec := v3Spec()
	if version == "v1" {
		spec = v1Spec()
		spec.Conf = strings.Replace(spec.Conf, "num_ps 4", "num_ps 20", 1)
		addPS(&spec, 4, 20)
	} else {
		addPS(&spec, 0, 5)
	}
	spec.Replicas = agents / max(spec.Shards, 1)
	spec.NoLeaps = *noLeaps
	before := live()
	c, err := (&simrun.Runner{KeepLog: 1}).Build(spec)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.StartTimer()
	start := time.Now()
	if version == "v3" {
		for _, s := range spec.Models[0].SubGraphs {
			must(b, c.Declare("ctr", s.Name, "/models/ctr/"+s.Name, "latest"))
			must(b, c.Publish("", "ctr", s.Name))
		}
	}
	must(b, c.Start())
	passFor(b, c, 10*time.Minute)
	cost := startUpCost{wall: time.Since(start)}
	b.StopTimer()
	cost.lives = live().minus(before)
	writeHeapProfile(b)
	cost.events = c.Stats().Events
	if *dayTrace {
		b.Logf("trace %016x after %v and %d events", c.Stats().TraceHash, c.Stats().Virtual, c.Stats().Events)
	}
	return cost
}

// writeHeapProfile writes a heap profile to the file that -simrun.heap names.
func writeHeapProfile(b *testing.B) {
	if *heapProfile == "" {
		return
	}
	f, err := os.Create(*heapProfile)
	must(b, err)
	must(b, pprof.Lookup("heap").WriteTo(f, 0))
	must(b, f.Close())
}

// addPS adds the sub-graphs ps_<from> to ps_<to-1> to the spec's first model.
func addPS(spec *runners.Spec, from, to int) {
	m := &spec.Models[0]
	for i := from; i < to; i++ {
		m.SubGraphs = append(m.SubGraphs, runners.SubGraph{Name: fmt.Sprintf("ps_%d", i), SizeBytes: 30 << 20, Versions: []int64{1}})
	}
}

func must(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}
