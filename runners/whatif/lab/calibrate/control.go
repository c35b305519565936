package calibrate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// Story is a script that two runners perform, one simulated and one with real agents: roll-outs of
// versions of the entry, one after another.
type Story struct {
	Shards, Replicas int
	Rollouts         int
	// Every is the cluster time between two roll-outs.
	Every time.Duration
}

// DefaultStory is the story that the benchmark runs.
var DefaultStory = Story{Shards: 2, Replicas: 2, Rollouts: 64, Every: 2500 * time.Millisecond}

// phase returns the time of roll-out number k within its second of cluster time. The roll-outs
// together cover the second evenly. So it does not matter when within a second a server looks for
// versions.
func (s Story) phase(k int) time.Duration {
	const golden = 0.6180339887498949 // the golden ratio, by which successive roll-outs get starts that are far apart
	step := max(int(float64(s.Rollouts)*golden), 1)
	for gcd(step, s.Rollouts) != 1 {
		step++
	}
	return time.Second * time.Duration(k*step%s.Rollouts) / time.Duration(s.Rollouts)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// rolloutOfOne is the name of the metric that AimRollout limits: how long one replica takes
// to serve a new version.
const rolloutOfOne = "rollout of a replica"

// AimRollout is the largest relative error of roll-out times that meets the aim.
const AimRollout = 0.05

// writes lists the operations that are counted. Failed operations do not count, because they
// depend on which of two agents is first.
var writes = []string{"zookeeper.create", "zookeeper.setData", "zookeeper.delete"}

// told holds what was measured in a story.
type told struct {
	took   []float64      // for each replica, nanoseconds from the export of a version until the replica is AVAILABLE
	last   []float64      // for each version, nanoseconds from its export until its last replica is AVAILABLE
	writes map[string]int // number of successful writes to ZooKeeper, by operation
}

// Compare runs the story on both runners, and compares their roll-out times and writes to
// ZooKeeper.
func (s Story) Compare(ctx context.Context, sim, real runners.Runner) (*Comparison, error) {
	simulated, err := s.on(ctx, sim)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sim.Name(), err)
	}
	measured, err := s.on(ctx, real)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", real.Name(), err)
	}
	c := &Comparison{Plan: fmt.Sprintf("agents of version 1: %d roll-outs in %d containers", s.Rollouts, s.Shards*s.Replicas), Requests: int64(len(measured.took)), Things: "load", Runs: 1, Others: -1}
	c.times(rolloutOfOne, measured.took, simulated.took, AimRollout)
	// The time of the last replica depends on how far the servers' polls happen to be apart,
	// which cannot be predicted. So it has no aim.
	c.times("rollout to all", measured.last, simulated.last, 0)
	for _, op := range writes {
		c.Rows = append(c.Rows, exact(op, measured.writes[op], simulated.writes[op]))
	}
	return c.sumUp(), nil
}

func (c *Comparison) times(metric string, measured, simulated []float64, aim float64) {
	m, half := stats.Interval(measured, 0.95)
	s, halfOf := stats.Interval(simulated, 0.95)
	c.Rows = append(c.Rows, Row{Metric: metric, Unit: "ns", Measured: m, Range: &[2]float64{m - half, m + half}, Simulated: s, Half: halfOf, Error: s/m - 1, Aim: aim})
}

// exact compares two counts, which have to be equal.
func exact(metric string, measured, simulated int) Row {
	const none = 1e-9
	r := Row{Metric: metric, Unit: "count", Measured: float64(measured), Simulated: float64(simulated), Aim: none}
	if measured != simulated {
		r.Error = float64(simulated)/math.Max(float64(measured), 1) - 1
	}
	return r
}

const storyBase = "/observed"

func (s Story) spec() runners.Spec {
	m := runners.Model{Name: "observed", BasePath: storyBase, SubGraphs: []runners.SubGraph{{Name: "entry", SizeBytes: 1 << 20, Versions: []int64{1}}}}
	for i := range s.Shards {
		m.SubGraphs = append(m.SubGraphs, runners.SubGraph{Name: fmt.Sprintf("ps_%d", i), SizeBytes: 1 << 20, Versions: []int64{1}})
	}
	return runners.Spec{Seed: 1, Shards: s.Shards, Replicas: s.Replicas, Models: []runners.Model{m},
		Conf: fmt.Sprintf("agent_version 1\nbzid observed\nbase_name observed\nbase_path %s\nnum_ps %d\nnum_shard %d\ndeploy_type mixed\nzk_servers 127.0.0.1:2181\n",
			storyBase, s.Shards, s.Shards)}
}

// mostStart is how long agents may take to start. mostRollout is how long it may take until a
// version is served everywhere. settled is the pause after the start and after the last roll-out,
// in which agents finish their writes.
const (
	mostStart   = 5 * time.Minute
	mostRollout = time.Minute
	settled     = 15 * time.Second
)

// on performs the story on a runner.
func (s Story) on(ctx context.Context, r runners.Runner) (*told, error) {
	c, err := r.Build(s.spec())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Start(); err != nil {
		return nil, err
	}
	if err := s.until(ctx, c, mostStart, 1); err != nil {
		return nil, err
	}
	if _, err := c.Pass(settled, nil); err != nil {
		return nil, err
	}
	exported := map[string]time.Duration{}
	begin := c.Now()
	for k := range s.Rollouts {
		at := begin + time.Duration(k)*s.Every + s.phase(k)
		if _, err := c.Pass(at-c.Now(), nil); err != nil {
			return nil, err
		}
		version := int64(k + 2)
		exported[servable(version)] = c.Now()
		if err := c.ExportVersion(storyBase+"/entry", version, 1<<20); err != nil {
			return nil, err
		}
		if err := s.until(ctx, c, mostRollout, version); err != nil {
			return nil, err
		}
	}
	if _, err := c.Pass(settled, nil); err != nil {
		return nil, err
	}
	return tell(c.Log(), exported), nil
}

func servable(version int64) string { return fmt.Sprintf("entry/%d", version) }

// until waits until all containers serve a version of the entry. It fails if this takes longer than
// most.
func (s Story) until(ctx context.Context, c runners.Cluster, most time.Duration, version int64) error {
	met, err := c.Pass(most, func() bool {
		if ctx.Err() != nil {
			return true
		}
		n := 0
		for _, o := range c.Log() {
			if available(o) && o.Path == servable(version) {
				n++
			}
		}
		return n >= s.Shards*s.Replicas
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil && !met:
		return fmt.Errorf("version %d is not served everywhere after %v", version, most)
	}
	return err
}

func available(o runners.Observation) bool {
	return o.Op == "modelserver.state" && o.Note == "AVAILABLE"
}

// tell computes the measurements from the log of a story.
func tell(log []runners.Observation, exported map[string]time.Duration) *told {
	t := &told{writes: map[string]int{}}
	last := map[string]time.Duration{}
	for _, o := range log {
		at, ok := exported[o.Path]
		if ok && available(o) {
			t.took = append(t.took, float64(o.At-at))
			last[o.Path] = max(last[o.Path], o.At-at)
		}
		if slices.Contains(writes, o.Op) && !strings.HasSuffix(o.Note, "Error") {
			t.writes[o.Op]++
		}
	}
	for _, path := range slices.Sorted(maps.Keys(last)) {
		t.last = append(t.last, float64(last[path]))
	}
	return t
}
