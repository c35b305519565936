package agentcheck

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/runners"
)

// still is a stub of a cluster that never changes. It answers only which models its servers
// serve and what its znodes hold.
type still struct {
	View
	serves map[string]bool // what is served, by pod and model
	znodes map[string]string
	// names are those of shared directories.
	names map[string][]string
	// servers holds the model servers that every pod has.
	servers []runners.ModelServerState
	// ephemeral has the paths of ephemeral znodes, pods the cluster's, and reloads those of them whose
	// server is in a reload.
	ephemeral map[string]bool
	pods      []runners.Pod
	reloads   map[string]bool
	// failed has the models of which every server has given up version 2.
	failed map[string]bool
	// losing says whether answers are still to be lost; nil is no.
	losing *bool
	// statuses, if set, are those of every model.
	statuses []env.ModelVersionStatus
}

func (s still) PodState(string) (runners.PodState, error) {
	return runners.PodState{ModelServers: s.servers}, nil
}

func (s still) ModelStatus(pod, _, model string) ([]env.ModelVersionStatus, error) {
	if s.serves[pod+" "+model] {
		return []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}, nil
	}
	if s.statuses != nil {
		return s.statuses, nil
	}
	if s.failed[model] {
		given := env.ModelVersionStatus{Version: 2, State: env.StateEnd}
		given.Status.Code = rpcerrors.NotFound
		return []env.ModelVersionStatus{given, {Version: 1, State: env.StateEnd}}, nil
	}
	return nil, nil
}

func (s still) StoredNames(path string) ([]string, error) { return s.names[path], nil }

func (s still) Losing() bool { return s.losing != nil && *s.losing }

func (s still) Reloading(pod string) bool { return s.reloads[pod] }

func (still) Agents(string) []agent.Agent { return nil }

func (still) Now() time.Duration { return 0 }

func (s still) Pods() []runners.Pod { return s.pods }

func (s still) Znode(path string) (runners.Znode, bool, error) {
	text, ok := s.znodes[path]
	return runners.Znode{Path: path, Data: []byte(text), Ephemeral: s.ephemeral[path]}, ok, nil
}

// Changes lets a checker look at everything anew each time.
func (still) Changes() uint64 {
	asked++
	return asked
}

var asked uint64

const (
	binding  = "/gip/binding/ctr/entry:monolith.serving;lf;default:shard0-replica1"
	replica1 = "/predict_ctr/service/predict_ctr/ps:0/7"
)

func create(pod, path string) runners.Observation {
	return runners.Observation{Pod: pod, Op: "zookeeper.create", Path: path, Note: "ephemeral"}
}

// broke lists the ids of the broken invariants.
func broke(c *Checker) (ids []string) {
	for _, b := range c.Broken() {
		ids = append(ids, b.Invariant)
	}
	return ids
}

// serve records that pods have served models.
func (c *Checker) serve(podsAndModels ...string) {
	for _, name := range podsAndModels {
		pod, model, _ := strings.Cut(name, " ")
		c.Observe(runners.Observation{Pod: pod, Op: "modelserver.state", Path: model + "/1", Note: "AVAILABLE"})
	}
}

// Goal: a registration whose server is gone breaks an invariant after the allowed time, but
// not while the cluster is disturbed.
func TestGhosts(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   runners.Observation
		view   still
		faults bool
		want   int
	}{
		{name: "a binding", make: create("shard0-replica1", binding), want: 1},
		{name: "a binding that is served", make: create("shard0-replica1", binding), view: still{serves: map[string]bool{"shard0-replica1 ctr:entry": true}}},
		{name: "a binding in an outage", make: create("shard0-replica1", binding), faults: true},
		{name: "a replica that is AVAILABLE", make: create("shard0-replica0", replica1), view: still{znodes: map[string]string{replica1: `{"address": "10.1.0.1:1", "stat": 30}`}}, want: 1},
		{name: "a replica that is not", make: create("shard0-replica0", replica1), view: still{znodes: map[string]string{replica1: `{"address": "10.1.0.1:1", "stat": 0}`}}},
		{name: "a replica of one of two servers", make: create("shard0-replica0", replica1), view: still{znodes: map[string]string{replica1: `{"address": "10.1.0.1:1", "stat": 30}`}, servers: []runners.ModelServerState{{Kind: "ps", Port: 1}, {Kind: "ps", Port: 2}}}},
		{name: "what the operator wrote", make: create("operator", "/gip/binding/ctr/entry"), want: 0},
	} {
		checker := New(c.view)
		if c.faults {
			checker.Disturbed(0, "zookeeper.down", true, false)
		}
		checker.serve("shard0-replica0 ps_0", "shard0-replica1 ctr:entry")
		checker.Observe(c.make)
		for _, at := range []time.Duration{LookEvery, outlives, outlives + LookEvery} {
			if err := checker.Look(at); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(checker.Broken()); got != 0 {
			t.Errorf("%s: %v broke in time", c.name, broke(checker))
		}
		if err := checker.Look(outlives + 2*LookEvery); err != nil {
			t.Fatal(err)
		}
		if got := len(checker.Broken()); got != c.want {
			t.Errorf("%s: got %v, want %d ghosts", c.name, broke(checker), c.want)
		}
	}
}

// Goal: each registration is looked at, also behind one that does not say AVAILABLE. One that said
// so without a server, and does not any more, is no ghost.
func TestGhostsOfSeveralReplicas(t *testing.T) {
	const replica2 = "/predict_ctr/service/predict_ctr/ps:0/8"
	available, gone := `{"address": "10.1.0.1:1", "stat": 30}`, `{"address": "10.1.0.1:1", "stat": 50}`
	for _, one := range []struct {
		before, then string // what the first check says, before and after the change
		second       string // what the second check says after the change
		want         int
	}{{gone, gone, available, 1}, {available, gone, gone, 0}} {
		view := still{znodes: map[string]string{replica1: one.before, replica2: available}}
		c := New(view)
		c.serve("shard0-replica0 ps_0", "shard0-replica1 ps_0")
		c.Observe(create("shard0-replica0", replica1))
		c.Observe(create("shard0-replica1", replica2))
		_ = c.Look(LookEvery)
		view.znodes[replica1], view.znodes[replica2] = one.then, one.second
		for path, pod := range map[string]string{replica1: "shard0-replica0", replica2: "shard0-replica1"} { //lint:ordered each by itself
			c.Observe(runners.Observation{Pod: pod, Op: "zookeeper.setData", Path: path})
		}
		_ = c.Look(2 * LookEvery)
		_ = c.Look(outlives + 3*LookEvery)
		if got := len(c.Broken()); got != one.want {
			t.Errorf("%+v: %v broke, want %d ghosts", one, broke(c), one.want)
		}
	}
}

// Goal: what a server has given up is registered as that, or as unknown, and not as what it was before. A
// version that another one has left behind is none that was given up.
func TestWhatWasGivenUpIsRegisteredAsThat(t *testing.T) {
	for _, c := range []struct {
		stat   string
		failed bool
		want   bool
	}{{"20", true, true}, {"50", true, false}, {"0", true, false}, {"20", false, false}} {
		view := still{znodes: map[string]string{replica1: `{"address": "10.1.0.1:1", "stat": ` + c.stat + `}`}, failed: map[string]bool{"ps_0": c.failed}}
		w := &whole{Checker: New(view), served: map[string][]string{}, nodes: map[string]string{}, waits: map[string]bool{}}
		err := w.asFound("shard0-replica0", &place{v1: true}, &target{kind: "ps", model: "ps_0", node: replica1})
		if b, ok := err.(runners.Broken); ok != c.want || ok && b.Invariant != Bound {
			t.Errorf("registered as %s, given up %v: got %v, want it broken: %v", c.stat, c.failed, err, c.want)
		}
	}
}

// Goal: a registration that disappears in time breaks no invariant. The end of a disturbance
// restarts the allowed time.
func TestGhostsThatGo(t *testing.T) {
	c := New(still{})
	c.Observe(create("shard0-replica1", binding))
	c.Disturbed(0, "zookeeper.down", true, false)
	_ = c.Look(LookEvery)
	c.Disturbed(time.Minute, "zookeeper.down", true, true)
	_ = c.Look(time.Minute + outlives)
	c.Observe(runners.Observation{At: 2 * time.Minute, Pod: "shard0-replica1", Op: "zookeeper.delete", Path: binding, Note: "with its session"})
	_ = c.Look(time.Hour)
	if len(c.Broken()) > 0 {
		t.Errorf("broken: %v, want none", c.Broken())
	}
}

// Goal: answers that are still to be lost are a disturbance, which ends with the last of them.
func TestGhostsWhileAnswersAreLost(t *testing.T) {
	losing := true
	c := New(still{losing: &losing})
	c.Observe(create("shard0-replica1", binding))
	c.Disturbed(0, "zookeeper.unanswered shard0-replica1", false, false)
	for at := LookEvery; at <= 2*outlives; at += LookEvery {
		_ = c.Look(at)
	}
	losing = false
	for _, look := range []struct {
		at   time.Duration
		want int
	}{{3 * outlives, 0}, {3*outlives + LookEvery, 1}} {
		_ = c.Look(look.at)
		if got := len(c.Broken()); got != look.want {
			t.Errorf("at %v: %v broke, want %d", look.at, broke(c), look.want)
		}
	}
}

// Goal: a binding that another pod's session has made breaks an invariant. A create that
// failed does not count.
func TestOwners(t *testing.T) {
	c := New(still{})
	refused := create("shard0-replica0", binding)
	refused.Note = "NodeExists"
	c.Observe(refused)
	c.Observe(create("shard0-replica1", binding))
	if len(c.Broken()) > 0 {
		t.Errorf("broken: %v, want none", c.Broken())
	}
	c.Observe(create("shard0-replica0", binding))
	if got := broke(c); len(got) != 1 || got[0] != Owner {
		t.Errorf("broken: %v, want %s", got, Owner)
	}
}

// Goal: a replica of v1 that is registered with an address without a port breaks an invariant. The
// folders of replicas are none.
func TestAddresses(t *testing.T) {
	const folder = "/predict_ctr/service/predict_ctr/lf:default/ps:0"
	for data, want := range map[string]int{`{"address": "10.1.0.1:None"}`: 1, `{"address": "10.1.0.1:30010"}`: 0, `{"address": "[fd00::1]:30010"}`: 0} {
		view := still{znodes: map[string]string{replica1: data, folder: ""}, ephemeral: map[string]bool{replica1: true}}
		made, written := New(view), New(view)
		made.Observe(create("shard0-replica0", folder))
		made.Observe(create("shard0-replica0", replica1))
		view.znodes[replica1] = `{"address": "10.1.0.1:1"}`
		written.Observe(create("shard0-replica0", replica1))
		view.znodes[replica1] = data
		written.Observe(runners.Observation{Pod: "shard0-replica0", Op: "zookeeper.setData", Path: replica1, Note: "ephemeral"})
		for how, c := range map[string]*Checker{"made": made, "written": written} {
			if got := broke(c); len(got) != want || want == 1 && got[0] != Address {
				t.Errorf("%s with %s: %v broke, want %d of addresses", how, data, got, want)
			}
		}
	}
}

// Goal: while a deploy config cannot be read, or a model server is in a reload that does not return,
// nobody is blamed for what a pod does again and again. Method: make a znode twice.
func TestWhatNoAgentCanHelp(t *testing.T) {
	const deploy = "/gip/saved_models/ctr/entry"
	write := func(c *Checker) {
		c.Observe(runners.Observation{Pod: "operator", Op: "zookeeper.setData", Path: deploy})
	}
	flaps := func(c *Checker) bool {
		quiet := c.Quiet()
		c.Observe(create("shard0-replica1", binding))
		c.Observe(create("shard0-replica1", binding))
		return quiet() != nil
	}
	view := still{znodes: map[string]string{deploy: "nonsense"}, pods: []runners.Pod{{Name: "shard0-replica1"}}, reloads: map[string]bool{}}
	c := New(view)
	write(c)
	if flaps(c) || c.Whole() != nil {
		t.Error("a deploy config that cannot be read: blamed, want nobody blamed")
	}
	view.znodes[deploy] = `{"model_base_path": "/m", "version_policy": "latest"}`
	write(c)
	if !flaps(c) {
		t.Error("a deploy config that can be read again: nobody blamed, want the pod to be")
	}
	view.reloads["shard0-replica1"] = true
	for at, want := range map[time.Duration]bool{endless: true, endless + LookEvery: false} {
		c := New(view)
		_ = c.Look(0)
		_ = c.Look(at)
		if got := flaps(c); got != want {
			t.Errorf("%v after a reload began: blamed %v, want %v", at, got, want)
		}
	}
}

// Goal: an agent that was slow to write a file goes on with that after the fault has ended.
func TestAWriteThatGoesOn(t *testing.T) {
	c := New(still{})
	c.Observe(create("shard0-replica1", binding))
	c.WritesTake(time.Minute)
	c.Disturbed(0, "agent.torn-writes shard0-replica1", true, false)
	c.Disturbed(LookEvery, "agent.torn-writes shard0-replica1", true, true)
	c.Disturbed(LookEvery, "consul.down", true, true) // what ends meanwhile does not shorten it
	_ = c.Look(LookEvery)
	for _, look := range []struct {
		at   time.Duration
		want int
	}{{LookEvery + time.Minute + outlives, 0}, {2*LookEvery + time.Minute + outlives, 1}} {
		_ = c.Look(look.at)
		if got := len(c.Broken()); got != look.want {
			t.Errorf("at %v: %v broke, want %d", look.at, broke(c), look.want)
		}
	}
}

// Goal: an entry that serves before each PS was AVAILABLE somewhere breaks an invariant.
func TestOrder(t *testing.T) {
	c := New(still{})
	c.served(runners.Observation{Pod: "shard1-replica0", Op: "modelserver.state", Path: "ps_0/1", Note: "AVAILABLE"})
	c.served(runners.Observation{Pod: "shard1-replica0", Op: "modelserver.state", Path: "ps_1/1", Note: "LOADING"})
	c.inOrder("shard0-replica0", []string{"ps_0"})
	if len(c.Broken()) > 0 {
		t.Errorf("broken: %v, want none", c.Broken())
	}
	c.inOrder("shard0-replica0", []string{"ps_0", "ps_1"})
	if got := broke(c); len(got) != 1 || got[0] != Order {
		t.Errorf("broken: %v, want %s", got, Order)
	}
}

// Goal: an undisturbed cluster may create a znode or log an error once, but not repeatedly.
// Errors that differ only in numbers count as the same. Writing the same service info
// repeatedly is allowed.
func TestQuiet(t *testing.T) {
	failed := func(n string) runners.Observation {
		return runners.Observation{Pod: "shard0-replica0", Op: "log.error", Note: "exception " + n + ": lost"}
	}
	info := runners.Observation{Pod: "shard0-replica0", Op: "zookeeper.setData", Path: "/gip/container_service/shard0-replica0"}
	state := runners.Observation{Pod: "shard0-replica0", Op: "zookeeper.setData", Path: replica1}
	for _, c := range []struct {
		name string
		did  []runners.Observation
		want string
	}{
		{"nothing", nil, ""},
		{"each once", []runners.Observation{create("shard0-replica1", binding), failed("1"), state}, ""},
		{"a znode anew", []runners.Observation{create("shard0-replica1", binding), create("shard0-replica1", binding)}, Flaps},
		{"a state anew", []runners.Observation{state, state}, Flaps},
		{"an error again", []runners.Observation{failed("1"), failed("2")}, Noise},
		{"service info", []runners.Observation{info, info, info}, ""},
	} {
		checker := New(still{})
		for range 3 {
			checker.Observe(create("shard0-replica1", binding)) // written before the checker watches for it
		}
		quiet := checker.Quiet()
		for _, o := range c.did {
			checker.Observe(o)
		}
		got := ""
		if b, ok := quiet().(runners.Broken); ok {
			got = b.Invariant
		}
		if got != c.want {
			t.Errorf("%s: broke %q, want %q", c.name, got, c.want)
		}
	}
}

// Goal: errors of an agent of v1 count once all its servers are registered as AVAILABLE, also where they
// were not when the watch began, and go on counting when one no longer is.
func TestNoiseOfAnAgentThatComesUpLate(t *testing.T) {
	failed := runners.Observation{Pod: "shard0-replica0", Op: "log.error", Note: "exception: lost"}
	for _, c := range []struct {
		name         string
		begins, then string // states of the replica, one after the other
		want         bool
	}{
		{"still not up", "0", "0", false},
		{"came up", "0", "30", true},
		{"was up", "30", "30", true},
		{"was up before", "30", "0", true},
	} {
		view := still{znodes: map[string]string{}, names: map[string][]string{}, pods: []runners.Pod{{Name: "shard0-replica0"}}}
		stat := func(s string) { view.znodes[replica1] = `{"address": "10.1.0.1:1", "stat": ` + s + `}` }
		checker := New(view)
		checker.places[nil] = &place{v1: true, pod: "shard0-replica0", tasks: []target{{kind: "ps", model: "ps_0", node: replica1, base: "/models/ps_0"}}}
		view.names["/models/ps_0"], view.names["/models/ps_0/1"] = []string{"1"}, []string{"saved_model.pb", "variables"}
		stat(c.begins)
		quiet := checker.Quiet()
		for range 3 {
			checker.Observe(failed)
		}
		stat(c.then)
		for range 2 {
			checker.Observe(failed)
		}
		if b, ok := quiet().(runners.Broken); ok != c.want || ok && b.Invariant != Noise {
			t.Errorf("%s: broke %v, want it broken: %v", c.name, quiet(), c.want)
		}
	}
}

// Goal: a read lock breaks an invariant where the version is not complete, or of another model.
func TestLocks(t *testing.T) {
	for name, want := range map[string]int{"rough@1": 0, "rough@2": 1, "rough_b@1": 1, "other@1": 1} {
		c := New(still{names: map[string][]string{"/p2p": {"rough@1", "rough@1.write.done", "rough_b@1.write.done", name + ".read.lock"}}})
		c.rough = &rough{model: "rough", source: "/p2p", local: "/rough"}
		for range 2 {
			if err := c.Look(LookEvery); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(c.Broken()); got != want {
			t.Errorf("a lock on %s: %v broke, want %d of locks", name, broke(c), want)
		}
	}
}

// Goal: a lock that stays breaks an invariant, but not in time, nor during a fault or soon after it, nor one
// that goes and comes back.
func TestLocksThatStay(t *testing.T) {
	names := map[string][]string{}
	for _, c := range []struct {
		name string
		tell func(c *Checker)
		want string
	}{
		{"one that stays", func(*Checker) {}, Locks},
		{"one in an outage", func(c *Checker) { c.Disturbed(0, "agent.stopped shard0-replica0", true, false) }, ""},
		{"one after an outage", func(c *Checker) {
			c.Disturbed(0, "agent.stopped shard0-replica0", true, false)
			c.Disturbed(time.Minute, "agent.stopped shard0-replica0", true, true)
		}, ""},
		{"one of an agent that is slow", func(c *Checker) { c.WritesTake(time.Minute) }, ""},
		{"one that comes back", func(c *Checker) {
			names["/p2p"] = names["/p2p"][:2]
			if err := c.Look(time.Minute); err != nil {
				t.Fatal(err)
			}
		}, ""},
	} {
		locked := []string{"rough@1", "rough@1.write.done", "rough@1.read.lock"}
		names["/p2p"] = locked
		checker := New(still{names: names})
		checker.rough = &rough{model: "rough", source: "/p2p", local: "/rough"}
		look := func(at time.Duration) {
			if err := checker.Look(at); err != nil {
				t.Fatal(err)
			}
		}
		look(time.Second)
		c.tell(checker)
		names["/p2p"] = locked
		look(lockedFor + time.Second)
		if got := broke(checker); len(got) > 0 {
			t.Errorf("%s: %v broke in time", c.name, got)
		}
		look(lockedFor + 2*time.Second)
		if got := strings.Join(broke(checker), " "); got != c.want {
			t.Errorf("%s: %q broke, want %q", c.name, got, c.want)
		}
	}
}

// Goal: a pod that is registered before its server has served the model breaks an invariant, but not soon
// after a fault of the network, which may bring a write of the pod's life before.
func TestEarly(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(c *Checker)
		want   string
	}{
		{"a model that was served", func(c *Checker) { c.serve("shard0-replica1 ctr:entry") }, ""},
		{"a model that was not", func(c *Checker) { c.serve("shard0-replica0 ctr:entry") }, Early},
		{"a model that another life has served", func(c *Checker) {
			c.serve("shard0-replica1 ctr:entry")
			c.Observe(runners.Observation{Pod: "shard0-replica1", Op: "process.start", Path: runners.AgentProcess})
		}, Early},
		{"after a slow network", func(c *Checker) {
			c.Disturbed(time.Second, "network.slow zookeeper and shard0-replica1", true, false)
			c.Disturbed(2*time.Second, "network.slow zookeeper and shard0-replica1", true, true)
		}, ""},
	} {
		checker := New(still{znodes: map[string]string{binding: ""}})
		c.before(checker)
		checker.Observe(create("shard0-replica1", binding))
		if got := strings.Join(broke(checker), " "); got != c.want {
			t.Errorf("%s: %q broke, want %q", c.name, got, c.want)
		}
	}
}

// Goal: a server that gives up the last version that it serves, before it begins to load the next, breaks
// an invariant. One that begins to load in time does not, nor one that finds the next only then.
func TestGap(t *testing.T) {
	for _, c := range []struct {
		name   string
		states []env.ModelVersionStatus // once the last version is given up
		then   []string
		want   string
	}{
		{"the next waits", []env.ModelVersionStatus{{Version: 1, State: env.StateUnloading}, {Version: 2, State: env.StateStart}}, []string{"LOADING"}, Gap},
		{"the next loads", []env.ModelVersionStatus{{Version: 1, State: env.StateUnloading}, {Version: 2, State: env.StateLoading}}, []string{"LOADING"}, ""},
		{"another serves", []env.ModelVersionStatus{{Version: 2, State: env.StateStart}, {Version: 3, State: env.StateAvailable}}, []string{"LOADING"}, ""},
		{"the next is found later", []env.ModelVersionStatus{{Version: 1, State: env.StateUnloading}, {Version: 2, State: env.StateStart}}, []string{"START", "LOADING"}, ""},
	} {
		checker := New(still{statuses: c.states})
		tell := func(path, note string) {
			checker.Observe(runners.Observation{Pod: "shard0-replica1", Op: "modelserver.state", Path: path, Note: note})
		}
		tell("ctr:entry/1", "UNLOADING")
		for _, note := range c.then {
			tell("ctr:entry/2", note)
		}
		if got := strings.Join(broke(checker), " "); got != c.want {
			t.Errorf("%s: %q broke, want %q", c.name, got, c.want)
		}
	}
}

// Goal: an agent that lists other than what is registered breaks an invariant once that is so for long
// enough, counted from the last change of it, and from when the agent was last disturbed.
func TestLate(t *testing.T) {
	for _, c := range []struct {
		want, got string
		at        time.Duration
		broke     int
	}{
		{"10.1.0.1:1", "10.1.0.1:1", time.Hour, 0},
		{"10.1.0.1:1", "", 4*time.Minute + 10*time.Second, 0},
		{"10.1.0.1:1", "", 4*time.Minute + 50*time.Second, 1},
		{"", "10.1.0.1:1", 4*time.Minute + 50*time.Second, 1},
		{"10.1.0.1:1", "10.1.0.1:2", 4*time.Minute + 50*time.Second, 1},
	} {
		checker := New(still{})
		checker.now = 4 * time.Minute
		checker.follows(binding, nil)
		checker.now = c.at
		checker.follow(runners.Pod{Name: "shard0-replica0"}, binding, c.want, c.got, undisturbed, followsV3)
		if got := len(broke(checker)); got != c.broke {
			t.Errorf("%+v: %d broke, want %d", c, got, c.broke)
		}
	}
	published := New(still{})
	published.Observe(runners.Observation{At: 10 * time.Minute, Pod: "operator", Op: "zookeeper.create", Path: "/gip/layouts/main/ctr:entry"})
	for _, look := range []struct {
		after time.Duration
		broke int
	}{{5 * time.Millisecond, 0}, {followsV3 + time.Second, 1}} {
		published.now = 10*time.Minute + look.after
		published.follow(runners.Pod{Name: "shard0-replica0"}, binding, "10.1.0.1:1", "", undisturbed, followsV3)
		if got := len(broke(published)); got != look.broke {
			t.Errorf("%v after a layout has changed %d broke, want %d", look.after, got, look.broke)
		}
	}
	if got := (&Checker{}).infoOf(binding); got != "/gip/container_service/monolith.serving;lf;default:shard0-replica1" {
		t.Errorf("the service info of %s is %s, want that of its container", binding, got)
	}
}
