package sim

import (
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/whatif/outlook"
)

// pace passes virtual time in steps that are short on the wall clock, so that a run can be
// watched and interrupted. The steps do not change the run.
type pace struct {
	cluster  runners.Cluster
	progress func(outlook.Far) error
	length   time.Duration // length of the next step
	longest  time.Duration
	end      time.Duration // virtual time at which the run ends
	began    time.Time
	// looked is when progress counts were last read, and lookTook is how long reading them took.
	// Reading is slow because it must first play the events that a leap only counted.
	looked   time.Time
	lookTook time.Duration
}

// lookShare limits how much wall time goes into reading the counts. After a reading that
// took d, the next one waits for lookShare × d, except at the end of the run.
const lookShare = 19

// The wall time of a step is kept between shortStep and longStep, by adapting how much
// virtual time it passes. A step passes at least leastStep of virtual time, however long
// that takes.
const (
	leastStep = time.Millisecond
	shortStep = 20 * time.Millisecond
	longStep  = 200 * time.Millisecond
)

func newPace(c *Cluster, cluster runners.Cluster, progress func(outlook.Far) error) *pace {
	if progress == nil {
		progress = func(outlook.Far) error { return nil }
	}
	longest := max(c.options.For/500, time.Second)
	return &pace{cluster: cluster, progress: progress, length: min(100*time.Millisecond, longest), longest: longest, end: c.options.For, began: time.Now()}
}

// step passes virtual time, limit at most, and adapts the length of the next step to the
// wall time that this one took.
func (p *pace) step(limit time.Duration) error {
	began := time.Now()
	if _, err := p.cluster.Pass(min(p.length, limit), nil); err != nil {
		return err
	}
	switch took := time.Since(began); {
	case took < shortStep:
		p.length = min(2*p.length, p.longest)
	case took > longStep:
		p.length = max(p.length/4, leastStep)
	}
	far := outlook.Far{Now: p.cluster.Now()}
	if far.Now >= p.end || time.Since(p.looked) >= lookShare*p.lookTook {
		p.look(&far)
	}
	far.Wall, far.Memory = time.Since(p.began), outlook.ReadMemory()
	return p.progress(far)
}

// look reads the counts.
func (p *pace) look(far *outlook.Far) {
	began := time.Now()
	stats := p.cluster.Stats()
	far.Counted, far.Events, far.Reads = true, stats.Events, reads(stats.ZooKeeperRequests)
	p.looked = time.Now()
	p.lookTook = p.looked.Sub(began)
}

// reads sums the counts of ZooKeeper's read operations: exists, and every operation whose name
// begins with "get".
func reads(requests map[string]uint64) (n uint64) {
	for op, count := range requests {
		if strings.HasPrefix(op, "get") || op == "exists" {
			n += count
		}
	}
	return n
}

// Size returns the size of the run, from which its duration is estimated. An agent serves
// the models of its own shard and, on every shard, the entry.
func (c *Cluster) Size() outlook.Size {
	graphs := 0
	for _, m := range c.models {
		graphs += len(m.SubGraphs)
	}
	return outlook.Size{
		Version: c.values.version, Agents: c.pods(), Models: 1 + max(graphs-1, 0)/c.shards, For: c.options.For,
	}
}
