package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/sim"
	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/plan"
)

const conf = `agent_version 1
bzid demo
base_name ctr
base_path /models/ctr
num_ps %d
num_shard %d
zk_servers 127.0.0.1:2181
dc_aware %v
%s
`

// groupsOf writes the confs and models of a test cluster and returns the options that run
// it. The cluster has either separate groups for entry and PS, or one group of mixed
// containers.
func groupsOf(t *testing.T, numPS, shards int, aware bool, groups ...sim.Group) sim.Options {
	t.Helper()
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for i, g := range groups {
		write(g.Name+".conf", fmt.Sprintf(conf, numPS, shards, aware, g.Conf))
		groups[i].Conf = filepath.Join(dir, g.Name+".conf")
	}
	graphs := []string{"entry"}
	for i := range numPS {
		graphs = append(graphs, fmt.Sprintf("ps_%d", i))
	}
	for _, name := range graphs {
		write(filepath.Join("exported", name, "1", "saved_model.pb"), "1")
	}
	return sim.Options{
		Groups: groups, Models: filepath.Join(dir, "exported"), For: 21 * time.Minute, Seed: 1, Policy: "latest", Locations: []string{"lf:a", "hl:a"},
		ZooKeeper: "zookeeper-3.8", ModelServer: "tfs-2.4", Quirks: "python", RestartAfter: 10 * time.Second,
	}
}

func runOf(t *testing.T, o sim.Options) *sim.Report {
	t.Helper()
	cluster, err := sim.Read(o)
	if err != nil {
		t.Fatal(err)
	}
	report, err := cluster.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Unavailable) > 0 {
		t.Errorf("not served: %v", report.Unavailable)
	}
	return report
}

// planOf parses a capacity plan. aware fills the %v of format and says whether the plan
// keeps locations apart (dc_aware).
func planOf(t *testing.T, format string, aware bool) *plan.Plan {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", fmt.Appendf(nil, format, aware))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Goal: entry and PS containers in two locations behave as the plan's formulas predict. This
// holds for the number of watches, the reads at rest, and the replicas that an entry learns
// of. Method: real agents of both kinds, with and without dc_aware.
func TestGroupsDoWhatThePlanSays(t *testing.T) {
	for _, aware := range []bool{false, true} {
		r := runOf(t, groupsOf(t, 4, 4, aware, sim.Group{Name: "entry", Conf: "deploy_type entry", Replicas: 4}, sim.Group{Name: "ps", Conf: "deploy_type ps", Replicas: 2}))
		p := planOf(t, `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 4GiB, dense: 1GiB}}
override: {num_ps: 4, num_shard: 4, dc_aware: %v}
fleet:
  idcs: [{name: lf}, {name: hl}]
  entry: {replicas: 4, cpu: 4, mem: 8GiB}
  ps: {replicas: 2, cpu: 4, mem: 8GiB}
service: {entry: {cpu: 1ms}, ps: {cpu: 5ms}}
workload: {rate: 20/s, horizon: 10s}
`, aware)
		l := ensemble.Of(p).Load(&p.ZooKeeper)
		want := map[bool]float64{false: 216, true: 300}[aware]
		if l.Watches != want || float64(r.Load.Watches.End) != want || r.Pods != 12 {
			t.Errorf("dc_aware %v: %d pods hold %d watches, the plan says %v, want 12 and %v", aware, r.Pods, r.Load.Watches.End, l.Watches, want)
		}
		// The reads of the start are part of the mean over the whole run, so a difference of 25 %
		// is allowed.
		if reads := r.Load.ByOp["getData"] + r.Load.ByOp["getChildren"] + r.Load.ByOp["getChildren2"]; math.Abs(reads-l.Reads) > 0.25*l.Reads {
			t.Errorf("dc_aware %v: %.2f reads a second, the plan says %.2f", aware, reads, l.Reads)
		}
		for _, e := range r.ServiceMap {
			if replicas := map[bool]int{false: 2, true: 1}[aware]; strings.HasPrefix(e.Key, "ps") && len(e.Addrs) != replicas {
				t.Errorf("dc_aware %v: %s is told of %s at %v, want %d", aware, r.Asked, e.Key, e.Addrs, replicas)
			}
		}
	}
}

// Goal: dense containers of several agents load ZooKeeper as a plan says: each agent has a session and all watches, and all
// of a container one znode (Q2), or one each where that is repaired. Method: real agents, two to a dense container.
func TestDenseGroupsDoWhatThePlanSays(t *testing.T) {
	for quirks, want := range map[string]int64{"python": 396, "fixed": 420} { //lint:order each by itself
		const alone = "\ndense_alone true\ndense_service_num 2"
		o := groupsOf(t, 5, 2, true, sim.Group{Name: "entry", Conf: "deploy_type entry" + alone, Replicas: 4}, sim.Group{Name: "ps", Conf: "deploy_type ps" + alone, Replicas: 2}, sim.Group{Name: "dense", Conf: "deploy_type dense" + alone, Replicas: 2})
		o.Quirks = quirks
		graph := filepath.Join(o.Models, "dense_0", "1")
		if err := errors.Join(os.MkdirAll(graph, 0o755), os.WriteFile(filepath.Join(graph, "saved_model.pb"), []byte("1"), 0o644)); err != nil {
			t.Fatal(err)
		}
		r := runOf(t, o)
		p := planOf(t, `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 4GiB, dense: 1GiB}}
override: {num_ps: 5, num_shard: 2, dc_aware: %v, quirks: `+quirks+`}
fleet:
  idcs: [{name: lf}, {name: hl}]
  entry: {replicas: 4, cpu: 4, mem: 8GiB}
  ps: {replicas: 2, cpu: 4, mem: 8GiB}
  dense: {replicas: 2, cpu: 4, mem: 16GiB, services_per_container: 2}
service: {entry: {cpu: 1ms}, ps: {cpu: 5ms}, dense: {cpu: 1ms}}
workload: {rate: 20/s, horizon: 10s}
`, true)
		if l := ensemble.Of(p).Load(&p.ZooKeeper); l.Watches != float64(want) || p.Watches() != float64(want) || r.Load.Watches.End != want || l.Agents != 12 {
			t.Errorf("quirks %s: %d watches, the plan says %v of %d agents, want %d of 12", quirks, r.Load.Watches.End, l.Watches, l.Agents, want)
		}
	}
}

// Goal: mixed containers in two locations load ZooKeeper as a plan with fleet.mixed
// predicts. They hold 1,404 watches, or 1,128 where locations are not kept apart. Method:
// twelve real agents.
func TestMixedContainersInPlaces(t *testing.T) {
	for aware, want := range map[bool]int64{true: 1404, false: 1128} { //lint:order each by itself
		o := groupsOf(t, 20, 4, aware, sim.Group{Name: "all", Conf: "stand_alone_serving true", Replicas: 3})
		r := runOf(t, o)
		p := planOf(t, `apiVersion: capacity/v1
model: {size: {embeddings: 4GiB, dense: 1GiB}}
override: {num_ps: 20, num_shard: 4, dc_aware: %v}
fleet:
  idcs: [{name: lf}, {name: hl}]
  mixed: {replicas: 3, cpu: 4, mem: 8GiB}
service: {entry: {cpu: 1ms}, ps: {cpu: 5ms}}
workload: {rate: 20/s, horizon: 10s}
`, aware)
		l := ensemble.Of(p).Load(&p.ZooKeeper)
		if r.Load.Watches.End != want || l.Watches != float64(want) || p.Watches() != float64(want) || r.Pods != l.Containers || l.Agents != 12 {
			t.Errorf("dc_aware %v: %d pods hold %d watches, the plan says %v of %d containers and %d agents, want %d", aware, r.Pods, r.Load.Watches.End, l.Watches, l.Containers, l.Agents, want)
		}
		if reads := r.Load.ByOp["getData"] + r.Load.ByOp["getChildren"] + r.Load.ByOp["getChildren2"]; math.Abs(reads-l.Reads) > 0.25*l.Reads {
			t.Errorf("dc_aware %v: %.2f reads a second, the plan says %.2f", aware, reads, l.Reads)
		}
	}
}

// Goal: groups whose pods cannot find each other are warned of, as a real cluster would be found so late. Method: confs that
// differ in one setting, and in how a setting is written.
func TestGroupsThatDoNotFindEachOther(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"dc_aware true", "dc_aware 1", ""},
		{"dc_aware true", "dc_aware 0", "found dc_aware false, "},
		{"num_ps 2", "num_ps 3", "found num_ps 3, "},
		{"deploy_type ps", "deploy_type ps\ndense_alone 1", "found dense_alone true, "},
	} {
		o := groupsOf(t, 2, 2, true, sim.Group{Name: "entry", Conf: "deploy_type entry", Replicas: 1}, sim.Group{Name: "ps", Conf: "deploy_type ps", Replicas: 1})
		text, err := os.ReadFile(o.Groups[1].Conf)
		if err = errors.Join(err, os.WriteFile(o.Groups[1].Conf, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o644)); err != nil {
			t.Fatal(err)
		}
		cluster, err := sim.Read(o)
		if err != nil {
			t.Fatal(c.new, err)
		}
		if all := strings.Join(cluster.Warnings, "\n"); strings.Contains(all, "look for each other by it") != (c.want != "") || !strings.Contains(all, c.want) {
			t.Errorf("%s: got %q, want %q in it", c.new, all, c.want)
		}
	}
}

// Goal: inconsistent groups are refused. Method: one mistake in each case.
func TestGroupsThatMakeNoSense(t *testing.T) {
	entry, ps := sim.Group{Name: "entry", Conf: "deploy_type entry", Replicas: 1}, sim.Group{Name: "ps", Conf: "deploy_type ps", Replicas: 1}
	none := ps
	none.Replicas = 0
	both := groupsOf(t, 2, 2, false, entry, ps)
	both.Conf = "agent.conf"
	for want, o := range map[string]sim.Options{ //lint:order each by itself
		"found the group ps twice":     groupsOf(t, 2, 2, false, ps, ps),
		"found ps=0, want 1 or more":   groupsOf(t, 2, 2, false, entry, none),
		"want a group for each or one": both,
	} {
		if _, err := sim.Read(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
