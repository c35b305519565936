package simrun_test

import (
	"flag"
	"fmt"
	"runtime"
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
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(c.Start())
	if version == "v3" {
		must(c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
		must(c.Publish("", "ctr", "entry"))
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
