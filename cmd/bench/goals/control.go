package goals

import (
	"context"
	"math"
	"runtime"

	"github.com/monosim/monosim/runners/whatif/control"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// dayPlan describes a day of 10,000 containers with agents of version 3. A new model version
// is rolled out every half hour.
const dayPlan = `apiVersion: capacity/v1
model: {agent_version: 3, size: {embeddings: 2TiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: 20, num_shard: 20}
fleet:
  entry: {replicas: 5000, cpu: 4, mem: 256GiB}
  ps: {replicas: 250, cpu: 4, mem: 256GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
workload: {rate: 1/s, horizon: 24h, detail: {windows: ["at 23:59 1s"]}}
events:
`

func dayEvents() string {
	list := ""
	for k := range 48 {
		list += text("  - {at: %dm, publish: {version: %d}}\n", 5+30*k, k+2)
	}
	return list
}

// fleetPlan describes a fleet as large as dayPlan's, with 100,000 requests a second over a day. One
// minute of each hour is simulated request by request, but only one in eight requests is simulated.
const fleetPlan = `apiVersion: capacity/v1
model: {agent_version: 3, size: {embeddings: 2TiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: 20, num_shard: 20}
fleet:
  entry: {replicas: 5000, cpu: 4, mem: 256GiB}
  ps: {replicas: 256, cpu: 4, mem: 256GiB}
service:
  entry: {cpu: "gamma(mean=1ms, cv=0.4)"}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: 100k/s, horizon: 24h, detail: {windows: ["each hour 60s"], thin: 8}}
`

// fleetScale simulates a day of fleetPlan, each of its 24 windows once, in at most 600 s of CPU.
func fleetScale() (Found, error) {
	return fleetDay(fleetPlan, 24, 600)
}

// fleetDay simulates every window of the plan in text. The goal is reached if the plan has exactly
// as many windows as the parameter windows says, every request is accounted for, and the simulation
// takes at most most seconds of CPU.
func fleetDay(text string, windows int, most float64) (Found, error) {
	_, p, _, err := plan.Parse("fleet.yaml", []byte(text))
	if err != nil {
		return Found{}, err
	}
	spec := model.Compile(p, judge.Normal)
	total := model.Sample{Conserved: true}
	before := cpuSeconds()
	for w := range spec.Windows {
		s, err := spec.Run(w, 0)
		if err != nil {
			return Found{}, err
		}
		total.Conserved = total.Conserved && s.Conserved
		total.Add(s)
	}
	spent := cpuSeconds() - before
	return found(len(spec.Windows) == windows && total.Conserved && spent <= most,
		"%.1f s of CPU for %d windows with %.1f M requests and %.0f M sub-requests, p99 %.2f ms",
		spent, len(spec.Windows), float64(total.Arrived)/1e6, float64(total.Calls.Sent)/1e6, float64(total.Latency.Quantile(0.99))/1e6)
}

// controlPlane simulates a day of a large fleet in the flat model, which computes the number of
// watches by a formula. It also counts the watches that real agents set. The goal requires both
// numbers to be equal.
func controlPlane() (Found, error) {
	_, p, _, err := plan.Parse("day.yaml", []byte(dayPlan+dayEvents()))
	if err != nil {
		return Found{}, err
	}
	spec := model.Compile(p, judge.Normal)
	before := cpuSeconds()
	s, err := spec.Run(0, 0)
	if err != nil {
		return Found{}, err
	}
	spent, memory := cpuSeconds()-before, mostMemory()
	var empty, rested, full runtime.MemStats
	lab := control.Lab{Version: 3, Shards: 20, Replicas: 5, NumPS: 20, Seed: 1, Quirks: "python", Rested: func() { live(&rested) }}
	live(&empty)
	before = cpuSeconds()
	m, err := lab.Measure(context.Background(), &p.ZooKeeper)
	if err != nil {
		return Found{}, err
	}
	agents := cpuSeconds() - before
	runtime.ReadMemStats(&full)
	each := func(bytes uint64) float64 { return float64(bytes) / float64(m.Load.Agents) / 1024 }
	return found(len(s.Life.Rollouts) == 48 && spent <= 10 && memory <= 1<<30 && m.Watches == m.Load.Watches,
		"%.1f s of CPU, %d MiB at most; %d real agents: %.1f s of CPU for start, ten minutes and a roll-out, %.1f KiB each that are in use at rest (servers and ZooKeeper included; %.1f of stacks besides), %.0f KiB allocated by each in all, %.0f watches (formula %.0f)",
		spent, memory>>20, m.Load.Agents, agents, each(rested.HeapAlloc-empty.HeapAlloc), each(rested.StackInuse-empty.StackInuse), each(full.TotalAlloc-empty.TotalAlloc), m.Watches, m.Load.Watches)
}

// bursts counts the requests of idle real agents in their busiest second, and compares the count
// with the formula. The goal is reached when the two differ by at most 5 % and the numbers of
// watches are equal.
func bursts() (Found, error) {
	_, p, _, err := plan.Parse("day.yaml", []byte(dayPlan+dayEvents()))
	if err != nil {
		return Found{}, err
	}
	list, reached := "", true
	for _, replicas := range []int{5, 10} {
		lab := control.Lab{Version: 1, Shards: 20, Replicas: replicas, NumPS: 20, Seed: 1, Quirks: "python"}
		m, err := lab.Measure(context.Background(), &p.ZooKeeper)
		if err != nil {
			return Found{}, err
		}
		off := float64(m.Peak)/m.Load.PeakSecond - 1
		reached = reached && math.Abs(off) <= 0.05 && m.Watches == m.Load.Watches
		list += text("; %d agents: %d requests, by formula %.0f (%+.1f %%), %.0f on average", m.Load.Agents, m.Peak, m.Load.PeakSecond, 100*off, m.Reads)
	}
	return found(reached, "busiest second%s", list)
}

// live reads the memory statistics after a garbage collection, so that only live objects count.
func live(m *runtime.MemStats) {
	runtime.GC()
	runtime.ReadMemStats(m)
}
