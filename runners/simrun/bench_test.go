package simrun_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/simrun"
)

// dayLength is for profiles, which need no whole day.
var dayLength = flag.Duration("simrun.day", 24*time.Hour, "virtual time that BenchmarkDay lets pass")

// dayTrace is for changes that must make nothing but the speed different.
var dayTrace = flag.Bool("simrun.trace", false, "log the trace of BenchmarkDay's runs")

// BenchmarkDay lets a day pass for a cluster of agents whose models are loaded;
// the metric is virtual over wall time.
func BenchmarkDay(b *testing.B) {
	for _, version := range []string{"v3", "v1"} {
		for _, agents := range []int{10, 100} {
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
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
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
	runtime.GC()
	runtime.ReadMemStats(&after)
	events := c.Stats().Events
	b.StartTimer()
	start := time.Now()
	passFor(b, c, *dayLength)
	wall := time.Since(start)
	days := float64(*dayLength) / float64(24*time.Hour)
	b.ReportMetric(float64(*dayLength)/float64(wall), "virtual/wall")
	b.ReportMetric(float64(c.Stats().Events-events)/days, "events/day")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(agents), "B/agent")
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

// BenchmarkStartUp starts agents under models that are published already, for the ten
// minutes in which nearly all of what grows with the square of their number is done. The
// metrics are what a start-up costs, and what an agent is left with.
func BenchmarkStartUp(b *testing.B) {
	for _, at := range []struct {
		version string
		agents  []int
	}{{"v1", []int{50, 100, 200}}, {"v3", []int{100, 200, 400}}} {
		for _, agents := range at.agents {
			b.Run(fmt.Sprintf("%s/agents=%d", at.version, agents), func(b *testing.B) {
				for b.Loop() {
					startUp(b, at.version, agents)
				}
			})
		}
	}
}

// startUp is one start of a cluster as large as one of the sample confs' (SCL-2): a pod of
// v1 has 11 models, one of v3 six.
func startUp(b *testing.B, version string, agents int) {
	b.StopTimer()
	spec := v3Spec()
	if version == "v1" {
		spec = v1Spec()
		spec.Conf = strings.Replace(spec.Conf, "num_ps 4", "num_ps 20", 1)
		addPS(&spec, 4, 20)
	} else {
		addPS(&spec, 0, 5)
	}
	spec.Replicas = agents / max(spec.Shards, 1)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
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
	wall := time.Since(start)
	b.StopTimer()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(wall.Seconds(), "s")
	b.ReportMetric(float64(c.Stats().Events), "events")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(agents), "heapB/agent")
	b.ReportMetric(float64(after.StackInuse-before.StackInuse)/float64(agents), "stackB/agent")
	b.ReportMetric(0, "ns/op")
	if *dayTrace {
		b.Logf("trace %016x after %v and %d events", c.Stats().TraceHash, c.Stats().Virtual, c.Stats().Events)
	}
	b.StartTimer()
}

// addPS exports sub-graphs ps_<from> to ps_<to-1>.
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
