package realrun_test

import (
	"errors"
	"fmt"
	"github.com/monosim/monosim/engine/quirks"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/agent/tfs/tfstest"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// The tests in this file run the same agents twice, on a virtual stage and on a real one. Both must
// print the same lines, and each pod must have the same successful writes in the order of the
// server's log. The tests mostly wait, so they run in parallel.

// onBothStages runs play on the virtual stage and on the real stage, and compares the lines
// and writes.
func onBothStages(t *testing.T, play func(s stage), want ...string) {
	t.Helper()
	real := newRealStage(t) // skips first
	virtual := newVirtualStage(t)
	perform := func(name string, s stage, script *script) map[string][]string {
		play(s)
		if err := s.wait(); err != nil {
			t.Fatalf("%s: %v\nso far: %q", name, err, script.said())
		}
		if diff := cmp.Diff(want, script.said()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		return s.writes()
	}
	simulated := perform("simulation", virtual, &virtual.script)
	actual := perform("real ZooKeeper", real, &real.script)
	if diff := cmp.Diff(actual, simulated); diff != "" {
		t.Errorf("writes (-real +simulation):\n%s", diff)
	}
	for _, name := range []string{"pod0", "pod1"} {
		if len(actual[name]) == 0 {
			t.Errorf("%s has written nothing", name)
		}
	}
}

func configOf(p *pod, pairs ...any) *agentconfig.AgentConfig {
	var fields []dataclass.Field
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, dataclass.Field{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	conf, err := agentconfig.NewConfig(p.e, fields...)
	p.must(err)
	return conf
}

var (
	entryModel = datadef.SavedModel{ModelName: "lm", SubGraph: "entry"}
	psModel    = datadef.SavedModel{ModelName: "lm", SubGraph: "ps_0"}
)

const layout = "/demo/layouts/mixed"

// v3Pod is a pod with an agent of version 3, which uses the reference's fake model server.
type v3Pod struct {
	*pod
	*agent.AgentV3
}

func startV3(p *pod) v3Pod {
	conf := configOf(p, "bzid", "demo", "deploy_type", "unified", "agent_version", 3, "layout_pattern", layout, "agent_port", 1001)
	a, err := agent.NewAgentV3(p.e, conf, "/log", agent.AgentV3Options{
		ZooKeeper: p.zk,
		Server:    func(path string) tfs.ModelServerProcess { return tfstest.NewFakeTFSWrapper(p.e, path, quirks.Set{}) },
	})
	p.must(err)
	p.must(a.Start())
	v := v3Pod{p, a}
	p.until(func() bool {
		info, err := a.Backend().GetServiceInfo(a.Container())
		return err == nil && info != nil
	})
	p.say("%s is registered", p.name)
	return v
}

// awaitLoad waits until the config file of the model server lists n models.
func (v v3Pod) awaitLoad(n int) {
	v.until(func() bool {
		names, err := v.ModelServer().ListSavedModels()
		return err == nil && len(names) == n
	})
}

// awaitServices waits until this agent sees the wanted services with their servers, and says
// so.
func (v v3Pod) awaitServices(want string) {
	v.until(func() bool { return v.services() == want })
	v.say("%s sees %s", v.name, want)
}

func (v v3Pod) services() string {
	var list []string
	for _, m := range v.Backend().ServiceMap() {
		for _, g := range m.SubGraphs {
			var addrs []string
			for _, info := range g.Services {
				addrs = append(addrs, strings.TrimSuffix(info.Agent.V, ":1001"))
			}
			slices.Sort(addrs)
			list = append(list, g.SubGraph+"="+strings.Join(addrs, ","))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// Goal: agents of version 3 register, publish, see each other's changes, lose a session and
// recover in the same way on real ZooKeeper and in the simulation. Bindings that the agent
// does not restore stay missing on both: it makes new ones only for models that change.
func TestAgentsV3OnBothStages(t *testing.T) {
	t.Parallel()
	onBothStages(t, func(s stage) {
		s.begin("operator", func(p *pod) {
			b := backends.NewZKBackend(p.e, "demo", p.zk)
			p.must(b.Start())
			for _, path := range []string{"/demo/container_service", "/demo/binding/lm", layout} {
				p.must(p.zk.EnsurePath(path)) // created here, because otherwise the agents would race for it
			}
			for _, m := range []datadef.SavedModel{entryModel, psModel} {
				p.must(b.DeclSavedModel(m, &datadef.SavedModelDeployConfig{
					ModelBasePath: pysem.Some("/exported/" + m.SubGraph), VersionPolicy: pysem.Some("latest"),
				}))
			}
			p.say("declared")
			p.await("pod1 is registered")
			p.must(b.AddToLayout(layout, entryModel))
			p.must(b.AddToLayout(layout, psModel))
			p.await("pod0 sees entry=pod0,pod1 ps_0=pod0,pod1")
			s.expire("pod0")
			p.say("pod0 has lost its session")
			p.await("pod0 is registered again")
			p.must(b.RemoveFromLayout(layout, psModel))
			p.await("pod1 serves entry only")
			p.must(b.AddToLayout(layout, psModel))
			p.await("the end")
			b.Stop()
		})
		s.begin("pod0", func(p *pod) {
			p.await("declared")
			v := startV3(p)
			v.awaitLoad(2)
			p.must(v.SyncAvailableSavedModels())
			v.awaitServices("entry=pod0 ps_0=pod0")
			v.awaitServices("entry=pod0,pod1 ps_0=pod0,pod1")
			p.await("pod1 sees entry=pod1 ps_0=pod1")
			p.until(func() bool { return p.zk.State() == env.Connected })
			p.must(v.Backend().ReportServiceInfo(v.Container(), v.ServiceInfo()))
			p.must(v.SyncAvailableSavedModels())
			p.say("pod0 is registered again")
			v.awaitLoad(1)
			p.must(v.SyncAvailableSavedModels())
			p.say("pod0 serves entry only")
			v.awaitLoad(2)
			p.must(v.SyncAvailableSavedModels())
			p.say("pod0 serves both")
			p.await("the end")
			p.crash()
		})
		s.begin("pod1", func(p *pod) {
			p.await("pod0 is registered")
			v := startV3(p)
			v.awaitLoad(2)
			p.await("pod0 sees entry=pod0 ps_0=pod0")
			p.must(v.SyncAvailableSavedModels())
			p.await("pod0 has lost its session")
			v.awaitServices("entry=pod1 ps_0=pod1")
			p.await("pod0 serves entry only")
			v.awaitLoad(1)
			p.must(v.SyncAvailableSavedModels())
			p.say("pod1 serves entry only")
			p.await("pod0 serves both")
			v.awaitLoad(2)
			p.must(v.SyncAvailableSavedModels())
			v.awaitServices("entry=pod1 ps_0=pod0,pod1")
			p.say("the end")
			p.crash()
		})
	},
		"declared", "pod0 is registered", "pod1 is registered",
		"pod0 sees entry=pod0 ps_0=pod0", "pod0 sees entry=pod0,pod1 ps_0=pod0,pod1",
		"pod0 has lost its session", "pod1 sees entry=pod1 ps_0=pod1", "pod0 is registered again",
		"pod0 serves entry only", "pod1 serves entry only", "pod0 serves both",
		"pod1 sees entry=pod1 ps_0=pod0,pod1", "the end")
}

// replicas returns how many AVAILABLE replicas each task has, as the watcher of a replica manager
// knows them.
func replicas(p *pod, m *replicamanager.ReplicaManager) string {
	var list []string
	for _, task := range []struct {
		of   agentservice.ServerType
		task int
	}{{agentservice.ServerType_PS, 0}, {agentservice.ServerType_PS, 1}, {agentservice.ServerType_ENTRY, 0}} {
		addrs, err := m.Watcher().GetReplicas(task.of, task.task, pysem.OptString{}, pysem.OptString{})
		p.must(err)
		list = append(list, fmt.Sprint(len(addrs)))
	}
	return strings.Join(list, " ")
}

// Goal: after a lost session, the threads of agents of version 1 restore their znodes. One
// thread is a listener that sleeps 5 s, the other registers again every 10 s.
func TestReplicaManagersOnBothStages(t *testing.T) {
	if testing.Short() {
		t.Skip("a replica manager takes 10 s to register again")
	}
	t.Parallel()
	program := func(p *pod, replica int) *replicamanager.ReplicaManager {
		conf := configOf(p, "bzid", "demo", "base_name", "lm", "deploy_type", "mixed", "num_ps", 2, "replica_id", replica)
		m, err := replicamanager.NewReplicaManager(p.e, p.zk, conf)
		p.must(err)
		p.must(p.zk.Start(0))
		p.must(m.Start())
		return m
	}
	sees := func(p *pod, m *replicamanager.ReplicaManager, want string) {
		p.until(func() bool { return replicas(p, m) == want })
		p.say("%s sees %s", p.name, want)
	}
	onBothStages(t, func(s stage) {
		s.begin("pod0", func(p *pod) {
			m := program(p, 0)
			sees(p, m, "1 1 1")
			sees(p, m, "2 2 2")
			p.await("pod1 sees all")
			s.expire("pod0")
			p.await("the end")
			p.crash()
		})
		s.begin("pod1", func(p *pod) {
			p.await("pod0 sees 1 1 1")
			m := program(p, 1)
			p.await("pod0 sees 2 2 2")
			p.until(func() bool { return replicas(p, m) == "2 2 2" })
			p.say("pod1 sees all")
			sees(p, m, "1 1 1")
			sees(p, m, "2 2 2")
			p.say("the end")
			p.crash()
		})
	},
		"pod0 sees 1 1 1", "pod0 sees 2 2 2", "pod1 sees all", "pod1 sees 1 1 1", "pod1 sees 2 2 2", "the end")
}

// Goal: one of two mirrors is the leader, and the other takes over when the first loses its
// session.
func TestMirrorsOnBothStages(t *testing.T) {
	t.Parallel()
	mirror := func(p *pod) *zkmirror.ZKMirror {
		m := zkmirror.NewZKMirror(p.e, p.zk, zkmirror.MirrorOptions{Bzid: "demo", ShardID: pysem.Some(0)})
		p.must(m.Start(false))
		return m
	}
	serve := func(p *pod, m *zkmirror.ZKMirror, replica int) {
		meta := datadef.DefaultReplicaMeta()
		meta.Address, meta.ModelName, meta.ServerType = pysem.Some(p.name+":1"), pysem.Some("lm"), pysem.Some("ps")
		meta.Task, meta.Replica, meta.Stat = 0, replica, env.StateAvailable
		p.must(m.UpdateService([]*datadef.ReplicaMeta{&meta}))
	}
	sees := func(p *pod, m *zkmirror.ZKMirror, want string) {
		p.until(func() bool {
			list, err := m.GetTaskReplicas("lm", "ps", 0)
			p.must(err)
			var names []string
			for _, meta := range list {
				names = append(names, meta.Address.V)
			}
			slices.Sort(names)
			return strings.Join(names, " ") == want
		})
		p.say("%s sees %s", p.name, want)
	}
	onBothStages(t, func(s stage) {
		s.begin("pod0", func(p *pod) {
			m := mirror(p)
			serve(p, m, 0)
			sees(p, m, "pod0:1")
			m.Election(func(*zkmirror.ZKMirror) error {
				p.say("pod0 leads")
				p.await("pod1 leads")
				return errors.New("deposed")
			}, pysem.OptString{})
			sees(p, m, "pod0:1 pod1:1")
			p.await("the end")
			p.crash()
		})
		s.begin("pod1", func(p *pod) {
			p.await("pod0 leads")
			m := mirror(p)
			serve(p, m, 1)
			p.await("pod0 sees pod0:1 pod1:1")
			m.Election(func(*zkmirror.ZKMirror) error {
				p.say("pod1 leads")
				return nil
			}, pysem.OptString{})
			p.until(func() bool {
				names, err := p.zk.Children("/demo/election")
				return err == nil && len(names) == 2
			})
			s.expire("pod0")
			p.await("pod1 leads")
			sees(p, m, "pod1:1")
			p.until(func() bool { // waits for the last write of pod1, by which it gives up the lead
				names, err := p.zk.Children("/demo/election")
				return err == nil && len(names) == 0
			})
			p.say("the end")
			p.crash()
		})
	},
		"pod0 sees pod0:1", "pod0 leads", "pod0 sees pod0:1 pod1:1", "pod1 leads", "pod1 sees pod1:1", "the end")
}
