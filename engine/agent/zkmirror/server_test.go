package zkmirror_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// Goal: a mirror works over a ZooKeeper server where the reference's fake client shows nothing:
// watches on missing paths, elections among several candidates, and lost connections. Method: one
// process for each mirror, on a host of its own.

// mirrorCluster is a ZooKeeper server with several mirrors as its clients.
type mirrorCluster struct {
	t     *testing.T
	world *vtime.World
	net   *network.Network
	zk    *node.Server
	hosts int
	told  []string
}

func newMirrorCluster(t *testing.T) *mirrorCluster {
	t.Helper()
	c := &mirrorCluster{t: t, world: vtime.New(vtime.Config{Seed: 1, CheckOwner: true})}
	t.Cleanup(c.world.Close)
	c.net = network.New(c.world, network.DefaultLatency())
	c.zk = node.NewServer(c.net.AddHost("zk", "zk", "10.0.0.1"), 2181, zookeeper.Config{})
	if err := c.zk.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// peer is one of the mirrors, with its client and its process.
type peer struct {
	*zkmirror.ZKMirror
	c    *mirrorCluster
	name string
	env  *env.Env
	zk   env.ZooKeeper
	life *vtime.Process
}

// start starts a mirror and runs fn as its main thread.
func (c *mirrorCluster) start(name string, quirks quirks.Set, fn func(p *peer)) *peer {
	c.hosts++
	machine := hosts.NewMachine(c.net, hosts.Config{Name: name, IPs: []string{fmt.Sprintf("10.0.1.%d", c.hosts)}})
	p := &peer{c: c, name: name, life: machine.Node.NewProcess("agent")}
	p.env = machine.Env(p.life, []string{"MY_POD_NAME=" + name})
	clients := node.Clients{Env: p.env, Proc: p.life, Host: machine.Net, Servers: []string{c.zk.Addr()}}
	p.zk = clients.NewClient("", env.ZooKeeperOptions{})
	p.life.Go("main", func() {
		p.ZKMirror = zkmirror.NewZKMirror(p.env, p.zk, zkmirror.MirrorOptions{Bzid: "b", ShardID: pysem.Some(0), Quirks: quirks})
		p.must(p.Start(false))
		fn(p)
	})
	return p
}

func (p *peer) must(err error) {
	p.c.t.Helper()
	if err != nil {
		p.c.t.Errorf("%s: %v", p.name, err)
	}
}

// tell records what a peer did.
func (p *peer) tell(what string) { p.c.told = append(p.c.told, p.name+" "+what) }

func (p *peer) reportResource() {
	spec := datadef.DefaultResourceSpec()
	spec.Address, spec.ShardID, spec.ReplicaID = pysem.Some(p.name), pysem.Some(0), pysem.Some(0)
	p.must(p.ReportResource(&spec))
}

func (p *peer) resources() string {
	specs, err := p.Resources()
	p.must(err)
	var list []string
	for _, s := range specs {
		list = append(list, s.Address.V)
	}
	return strings.Join(list, " ")
}

func (p *peer) serve(replica int) {
	rm := datadef.DefaultReplicaMeta()
	rm.Address, rm.ModelName, rm.ServerType = pysem.Some(p.name+":1"), pysem.Some("m"), pysem.Some("ps")
	rm.Task, rm.Replica, rm.Stat = 0, replica, env.StateAvailable
	p.must(p.UpdateService([]*datadef.ReplicaMeta{&rm}))
}

// servers lists the addresses of the PS replicas that a peer knows.
func (p *peer) servers() string { return taskAddresses(p.GetAllReplicas("ps")) }

// until runs the world until the given virtual time.
func (c *mirrorCluster) until(at time.Duration) {
	c.t.Helper()
	if _, err := c.world.Run(vtime.Limits{Until: at}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *mirrorCluster) wantTold(want ...string) {
	c.t.Helper()
	if diff := cmp.Diff(want, slices.Clone(c.told), cmp.Transformer("lines", func(s []string) string { return strings.Join(s, "\n") })); diff != "" {
		c.t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestMirrorsSeeOneAnothersReplicasComeChangeAndGo(t *testing.T) {
	c := newMirrorCluster(t)
	a := c.start("a", quirks.Python, func(p *peer) { p.serve(1) })
	b := c.start("b", quirks.Python, func(p *peer) {
		p.env.Tasks.Sleep(5 * time.Second)
		p.serve(2)
	})
	c.until(4 * time.Second)
	if got, want := b.servers(), "m:ps:0=a:1"; got != want {
		t.Errorf("replicas known to b after 4s: got %q, want %q", got, want)
	}
	c.until(6 * time.Second)
	if got, want := a.servers(), "m:ps:0=a:1 b:1"; got != want {
		t.Errorf("replicas known to a after 6s: got %q, want %q", got, want)
	}
	b.life.Crash()
	c.until(20 * time.Second)
	if got, want := a.servers(), "m:ps:0=a:1"; got != want {
		t.Errorf("replicas known to a after the session of b is over: got %q, want %q", got, want)
	}
}

func TestQ183_ResourcesOfAMissingPathStayUnseen(t *testing.T) {
	for _, test := range []struct {
		name   string
		quirks quirks.Set
		want   string
	}{{"kept", quirks.Python, ""}, {"repaired", quirks.Python.Repair(quirks.Q183), "b"}} {
		t.Run(test.name, func(t *testing.T) {
			c := newMirrorCluster(t)
			a := c.start("a", test.quirks, func(p *peer) { p.must(p.WatchResource()) })
			c.start("b", test.quirks, func(p *peer) {
				p.env.Tasks.Sleep(5 * time.Second)
				p.reportResource()
			})
			c.until(10 * time.Second)
			if got := a.resources(); got != test.want {
				t.Errorf("resources: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestOneMirrorLeadsUntilItEnds(t *testing.T) {
	c := newMirrorCluster(t)
	lead := func(p *peer) {
		p.Election(func(*zkmirror.ZKMirror) error {
			p.tell("leads")
			p.env.Tasks.Sleep(time.Hour)
			return nil
		}, pysem.OptString{})
	}
	a := c.start("a", quirks.Python, lead)
	c.until(3 * time.Second)
	c.start("b", quirks.Python, lead)
	c.until(time.Minute)
	c.wantTold("a leads")
	a.life.Crash()
	c.until(2 * time.Minute)
	c.wantTold("a leads", "b leads")
}

// Goal: if the connection of a waiting candidate is closed, its mirror starts again with services
// and publishes only. With the quirk repaired it starts with everything that it had.
func TestQ188_AMirrorThatStartsAnewForgetsResourcesAndElection(t *testing.T) {
	for _, test := range []struct {
		name      string
		quirks    quirks.Set
		resources string
		told      []string
	}{
		{"kept", quirks.Python, "", []string{"a leads"}},
		{"repaired", quirks.Python.Repair(quirks.Q188), "c", []string{"a leads", "b leads"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newMirrorCluster(t)
			lead := func(p *peer) {
				p.Election(func(*zkmirror.ZKMirror) error {
					p.tell("leads")
					p.env.Tasks.Sleep(time.Hour)
					return nil
				}, pysem.OptString{})
			}
			c.start("c", quirks.Python, func(p *peer) {
				p.reportResource()
				p.serve(1)
			})
			c.until(time.Second)
			a := c.start("a", test.quirks, lead)
			c.until(3 * time.Second)
			b := c.start("b", test.quirks, func(p *peer) {
				p.must(p.WatchResource())
				lead(p)
				p.env.Tasks.Sleep(10 * time.Second)
				p.zk.Stop()
			})
			c.until(time.Minute)
			a.life.Crash()
			c.until(2 * time.Minute)
			if got, want := b.servers(), "m:ps:0=c:1"; got != want {
				t.Errorf("replicas: got %q, want %q", got, want)
			}
			if got := b.resources(); got != test.resources {
				t.Errorf("resources: got %q, want %q", got, test.resources)
			}
			c.wantTold(test.told...)
		})
	}
}

func TestQ179_ARepairedStopEndsTheCandidacy(t *testing.T) {
	c := newMirrorCluster(t)
	quirks := quirks.Python.Repair(quirks.Q179)
	lead := func(p *peer) {
		p.Election(func(*zkmirror.ZKMirror) error {
			p.tell("leads")
			p.env.Tasks.Sleep(time.Minute)
			return nil
		}, pysem.OptString{})
	}
	c.start("a", quirks, lead)
	c.until(3 * time.Second)
	b := c.start("b", quirks, func(p *peer) {
		lead(p)
		p.env.Tasks.Sleep(10 * time.Second)
		p.must(p.ZKMirror.Stop())
	})
	c.until(3 * time.Minute)
	c.wantTold("a leads")
	if got := b.zk.State(); got != env.Lost {
		t.Errorf("state of the stopped client: got %s, want %s", got, env.Lost)
	}
}
