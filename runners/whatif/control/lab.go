// Package control runs the real agent code of a fleet in virtual time, at rest and through
// failures. Fleets small enough to run check the formulas of package ensemble.
//
// Two things to use first:
//
//   - [Lab.Measure] runs agents on the simulated ZooKeeper and model server, through the incidents of the plan;
//     [LabOf] returns the lab for a plan.
//   - [Fill] adds formulas and measurements to a result.
//
// To change:
//
//   - what is run and measured: lab.go
//   - what can happen: incidents.go
//   - a formula: package ensemble
//
// Unstable: any commit may change it.
package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/whatif/burst"
	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Lab is a cluster of real agents in virtual time. Each container serves the entry and the
// PS of its shard.
type Lab struct {
	Version          int
	Shards, Replicas int // the number of containers is Shards times Replicas
	NumPS            int
	Quirks           string
	Seed             uint64
	EntryBytes       int64 // size of one version of the entry
	PSBytes          int64
	Serving          runners.ServingSpec
	Locations        []runners.Location
	// Incidents lists the incidents to go through, by name and in order.
	Incidents []string
	// Rested, when set, is called after the measurement at rest, before the first incident.
	Rested func()
}

// LabOf returns a lab that stands for a plan, with no more than the given number of
// containers. For a larger fleet it has fewer shards, but each container has the same load
// as in the plan.
func LabOf(p *plan.Plan, containers int) Lab {
	f := ensemble.Of(p)
	lab := Lab{
		Version: f.Version, Shards: min(f.NumShard, max(containers/2, 1)), NumPS: f.NumPS, Quirks: p.Override.Quirks, Seed: p.Seed,
		EntryBytes: int64(p.Model.Size.Dense), PSBytes: int64(p.Model.Size.Embeddings) / int64(f.NumPS),
		Serving: runners.ServingSpec{
			LoadTime: time.Duration(p.Fleet.Boot.LoadFixed), LoadBytesPerSecond: int64(shareOfStore(p)), RAMPerDiskByte: float64(p.Model.RAMFactor),
		},
	}
	lab.NumPS = max(f.NumPS*lab.Shards/f.NumShard, lab.Shards)
	lab.Replicas = max(min(containers, f.Containers())/lab.Shards, 1)
	for _, idc := range p.Fleet.IDCs {
		for _, c := range idc.Clusters {
			lab.Locations = append(lab.Locations, runners.Location{IDC: idc.Name, Cluster: c})
		}
	}
	return lab
}

// shareOfStore returns how many bytes a second a container of the lab reads. This is the speed of a
// container of the plan if all containers that look for versions read at once, as they do after a
// publish (CAP-12.37).
func shareOfStore(p *plan.Plan) float64 {
	each := float64(p.Fleet.Boot.ModelLoad)
	if p.Fleet.Boot.Store == 0 {
		return each
	}
	n := 0
	for _, tier := range p.Kinds() {
		if tier != "ps" || p.Fleet.Mixed != nil || p.Model.AgentVersion == 3 || p.Override.FSPollPS > 0 {
			n += p.Containers(tier)
		}
	}
	return max(1, min(each, float64(p.Fleet.Boot.Store)/float64(max(n, 1))))
}

// labStart is the range of times, in nanoseconds, within which the agents of a simulated cluster
// start. The times differ because each agent first imports its modules (sim/world/pace.go). labGap
// is the time from one request of an agent to its next: a round trip and the client's own time
// (sim/network/latency.go).
var labStart = [2]float64{500e6, 1300e6}

const labGap = 2*350e3 + 400e3

// Fleet returns the lab's fleet as an ensemble.Fleet, from which the formulas compute the load on
// ZooKeeper.
func (l *Lab) Fleet() ensemble.Fleet {
	return ensemble.Fleet{
		Version: l.Version, Flaps: l.Quirks == "python", PS: l.Shards * l.Replicas, NumPS: l.NumPS, NumShard: l.Shards, Services: 1, Mixed: true,
		Bindings: (l.NumPS+l.Shards-1)/l.Shards + 1, Models: 1,
		Starts: burst.Starts{law.Between(labStart[0], labStart[1])}, Ways: []ensemble.Way{{Share: 1, Gap: labGap}}, Seed: l.Seed,
	}
}

// base returns the base path of the model.
func (l *Lab) base() string {
	if l.Version == 3 {
		return "/models/lab"
	}
	return "/lab"
}

func (l *Lab) conf() string {
	text := fmt.Sprintf("agent_version %d\nbzid lab\nbase_name lab\nbase_path %s\nnum_ps %d\nnum_shard %d\nzk_servers 127.0.0.1:2181\n",
		l.Version, l.base(), l.NumPS, l.Shards)
	if l.Version == 3 {
		return text + "deploy_type unified\nlayout_pattern lab\nlayout_filters entry;True\nlayout_filters ps_{i};i % ${shard_num} == ${shard_id}\n"
	}
	return text + "deploy_type mixed\n"
}

func (l *Lab) model() runners.Model {
	m := runners.Model{Name: "lab", BasePath: l.base(), SubGraphs: []runners.SubGraph{{Name: "entry", SizeBytes: max(l.EntryBytes, 1), Versions: []int64{1}}}}
	for i := range l.NumPS {
		m.SubGraphs = append(m.SubGraphs, runners.SubGraph{Name: fmt.Sprintf("ps_%d", i), SizeBytes: max(l.PSBytes, 1), Versions: []int64{1}})
	}
	return m
}

// bench is a running lab.
type bench struct {
	*simrun.Cluster
	lab  *Lab
	ctx  context.Context
	seen func(runners.Observation) // called with each observation; nil if nobody looks
	out  *result.ZKMeasured
}

// Constants that begin with most are time limits of the phases. background is how long the load is
// measured at a time. settle is how long the lab waits after a rollout or an incident.
const (
	mostStart    = 90 * time.Minute
	background   = 10 * time.Minute
	mostRollout  = time.Hour
	mostIncident = time.Hour
	settle       = 3 * time.Minute
)

// Measure starts the lab, measures it at rest, rolls out a version of the entry, and makes
// the incidents happen one after another. It fails if the run fails, for example because ctx
// ends.
func (l *Lab) Measure(ctx context.Context, z *plan.ZooKeeper) (*result.ZKMeasured, error) {
	b := &bench{lab: l, ctx: ctx, out: &result.ZKMeasured{Load: l.Fleet().Load(z)}}
	spec := runners.Spec{
		Seed: l.Seed, Conf: l.conf(), Shards: l.Shards, Replicas: l.Replicas, Locations: l.Locations, Models: []runners.Model{l.model()},
		Quirks: plan.AgentQuirks(l.Quirks), RestartAfter: 10 * time.Second, Serving: l.Serving,
	}
	built, err := (&simrun.Runner{KeepLog: 1, Traffic: true, OnObservation: func(o runners.Observation) {
		if b.seen != nil {
			b.seen(o)
		}
	}}).Build(spec)
	if err != nil {
		return nil, err
	}
	b.Cluster = built.(*simrun.Cluster)
	defer b.Close()
	steps := []func() error{b.start, b.rest, b.rested, b.rollout}
	for _, name := range l.Incidents {
		steps = append(steps, func() error { return b.incident(name) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if broken := b.Failure(); broken != "" {
		return nil, errors.New(broken)
	}
	n := b.Stats().Counts
	b.out.Kept = result.ZKWatches{Set: n.WatchesSet, Fired: n.WatchesUsedUp, Removed: n.WatchesRemoved, Held: n.WatchesHeld}
	return b.out, nil
}

func (b *bench) rested() error {
	if b.lab.Rested != nil {
		b.lab.Rested()
	}
	return nil
}

// pass lets virtual time pass until the function until returns true, but no longer than d, and
// reports whether it returned true. If until is nil, pass lets all of d pass.
func (b *bench) pass(d time.Duration, until func() bool) (met bool, err error) {
	end := b.Now() + d
	for b.Now() < end {
		if b.ctx.Err() != nil {
			return false, context.Cause(b.ctx)
		}
		if met, err = b.Pass(min(time.Second, end-b.Now()), until); met || err != nil {
			return met, err
		}
	}
	return false, nil
}

// serving counts the pods in which the given version of the entry is AVAILABLE. 0 stands for
// any version.
func (b *bench) serving(version int64) int {
	n := 0
	for _, p := range b.Pods() {
		if b.serves(p.Name, version) {
			n++
		}
	}
	return n
}

// serves reports whether a pod has the given version of the entry AVAILABLE. 0 stands for
// any version.
func (b *bench) serves(pod string, version int64) bool { return b.has(pod, "entry", "entry", version) }

// ready reports whether every pod serves the entry and the PS of its shard.
func (b *bench) ready() bool {
	for _, p := range b.Pods() {
		if !b.serves(p.Name, 0) {
			return false
		}
		for i := p.Shard; i < b.lab.NumPS; i += b.lab.Shards {
			if !b.has(p.Name, "ps", fmt.Sprintf("ps_%d", i), 0) {
				return false
			}
		}
	}
	return true
}

// has reports whether a version of a sub-graph is AVAILABLE on the pod's model server of the
// given kind.
func (b *bench) has(pod, kind, key string, version int64) bool {
	if b.lab.Version == 3 {
		kind, key = "", "lab:"+key
	}
	versions, err := b.ModelStatus(pod, kind, key)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(versions, func(v env.ModelVersionStatus) bool {
		return v.State == env.StateAvailable && (version == 0 || v.Version == version)
	})
}

// start starts all pods and waits until every pod serves and is registered.
func (b *bench) start() error {
	if err := b.Start(); err != nil {
		return err
	}
	if b.lab.Version == 3 {
		if _, err := b.pass(10*time.Second, nil); err != nil {
			return err
		}
		m := b.lab.model()
		for _, g := range m.SubGraphs {
			if err := b.Declare(m.Name, g.Name, m.BasePath+"/"+g.Name, "latest"); err != nil {
				return err
			}
		}
		if err := b.Publish("", m.Name, m.SubGraphNames()...); err != nil {
			return err
		}
	}
	if met, err := b.pass(mostStart, b.ready); err != nil || !met {
		return orLate(err, "the start", mostStart)
	}
	_, err := b.pass(settle, nil)
	b.out.StartPeak = int64(b.Load().ZooKeeper.PeakRequests)
	return err
}

func orLate(err error, what string, limit time.Duration) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: not over after %v of virtual time", what, limit)
}

// rest measures ZooKeeper's load while nothing happens to the fleet.
func (b *bench) rest() error {
	before := b.Load().ZooKeeper
	after := before
	// A burst may begin at any time within a second. So the busiest second is searched among
	// seconds that begin every fifth of a second.
	const fifths = 5
	var asked [fifths]uint64 // numbers of requests in the last looks
	for k := 0; k < int(background/time.Second)*fifths; k++ {
		if _, err := b.pass(time.Second/fifths, nil); err != nil {
			return err
		}
		after = b.Load().ZooKeeper
		if k >= fifths {
			b.out.Peak = max(b.out.Peak, int64(after.Asked.Requests-asked[k%fifths]))
		}
		asked[k%fifths] = after.Asked.Requests
	}
	b.out.Watches, b.out.Znodes = float64(after.DataWatches+after.ChildWatches), after.Znodes
	b.out.Reads = float64(reads(after)-reads(before)) / background.Seconds()
	b.out.Writes = float64(writes(after)-writes(before)) / background.Seconds()
	return nil
}

func reads(z runners.ZooKeeperLoad) uint64 {
	return of(z, "getData", "exists", "getChildren", "getChildren2")
}

func writes(z runners.ZooKeeperLoad) uint64 {
	return of(z, "create", "create2", "setData", "delete")
}

// of sums the counts of requests of the given operations.
func of(z runners.ZooKeeperLoad, ops ...string) (n uint64) {
	for _, op := range ops {
		n += z.ByOp[op].Requests
	}
	return n
}

// rollout exports a new version of the entry and records when each pod serves it.
func (b *bench) rollout() error {
	began := b.Now()
	key := "entry/2"
	if b.lab.Version == 3 {
		key = "lab:entry/2"
	}
	have := map[string]bool{}
	b.seen = func(o runners.Observation) {
		if o.Op == "modelserver.state" && o.Path == key && o.Note == "AVAILABLE" && !have[o.Pod] {
			have[o.Pod] = true
			b.out.Rollout = append(b.out.Rollout, int64(o.At-began))
		}
	}
	defer func() { b.seen = nil }()
	if err := b.ExportVersion(b.lab.base()+"/entry", 2, max(b.lab.EntryBytes, 1)); err != nil {
		return err
	}
	if met, err := b.pass(mostRollout, func() bool { return len(have) == len(b.Pods()) }); err != nil || !met {
		return orLate(err, "the roll-out", mostRollout)
	}
	slices.Sort(b.out.Rollout)
	_, err := b.pass(settle, nil)
	return err
}

// registered counts the ephemeral znodes by which agents register replicas, bindings and
// service information.
func (b *bench) registered() int {
	n := 0
	var count func(path string)
	count = func(path string) {
		node, ok, err := b.Znode(path)
		if !ok || err != nil {
			return
		}
		if node.Ephemeral {
			n++
		}
		for _, child := range node.Children {
			count(strings.TrimSuffix(path, "/") + "/" + child)
		}
	}
	for _, root := range []string{"/lab/service", "/lab/binding", "/lab/container_service"} {
		count(root)
	}
	return n
}

// Fill adds the load on ZooKeeper, computed by formulas, to a result. If containers is above
// 0, it also runs that many containers of real agents through the incidents. It fails if
// that run fails.
func Fill(ctx context.Context, r *result.Result, p *plan.Plan, containers int, incidents []string) error {
	r.ZooKeeper = ensemble.Of(p).Curve(&p.ZooKeeper)
	if containers == 0 {
		return nil
	}
	lab := LabOf(p, containers)
	lab.Incidents = incidents
	m, err := lab.Measure(ctx, &p.ZooKeeper)
	if err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	r.ZooKeeper.Measured = append(r.ZooKeeper.Measured, *m)
	return nil
}
