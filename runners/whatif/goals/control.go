package goals

import (
	"context"
	"runtime"

	"github.com/monosim/monosim/runners/whatif/control"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// dayPlan is 10,000 containers of version 3 over a day, with a version every half hour.
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

// controlPlane measures a day of a large fleet in the flat model, and what real agents take:
// their watches have to be those of the formula, by which the flat model goes.
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
	lab := control.Lab{Version: 3, Shards: 20, Replicas: 5, NumPS: 20, Seed: 1, Quirks: "python"}
	var empty, full runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&empty)
	before = cpuSeconds()
	m, err := lab.Measure(context.Background(), &p.ZooKeeper)
	if err != nil {
		return Found{}, err
	}
	agents := cpuSeconds() - before
	runtime.ReadMemStats(&full)
	each := float64(full.TotalAlloc-empty.TotalAlloc) / float64(m.Load.Agents) / 1024
	return found(len(s.Life.Rollouts) == 48 && spent <= 10 && memory <= 1<<30 && m.Watches == m.Load.Watches,
		"%.1f s of CPU, %d MiB at most; %d real agents: %.1f s of CPU for start, ten minutes and a roll-out, %.0f KiB allocated by each in all, %.0f watches (formula %.0f)",
		spent, memory>>20, m.Load.Agents, agents, each, m.Watches, m.Load.Watches)
}
