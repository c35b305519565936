package gotestee

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/agent/tfs/tfstest"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// agentV3SequenceOps holds the operation that runs a v3 agent through a sequence from its start to
// its end.
var agentV3SequenceOps = table{"agent_v3.AgentV3.sequence": (*call).agentV3Sequence}

// agentV3Run is one run of a sequence of steps on an agent.
type agentV3Run struct {
	c       *call
	a       *agent.AgentV3
	zk      *caseworld.ZooKeeper
	server  *toldServer
	threads *steppedTasks
	signals *heldSignals
	// shown holds each value as it was last shown, in JSON, so that only changes are shown.
	shown map[string][]byte
}

func (c *call) agentV3Sequence() (any, error) {
	if c.In.Has("until_ms") {
		return c.runAgentV3()
	}
	threads := &steppedTasks{Tasks: c.Env.Tasks}
	c.Env.Tasks = threads
	r, err := c.newAgentV3Run()
	if err != nil {
		return nil, err
	}
	r.threads = threads
	steps := c.Run(r.sequence())
	return caseworld.Object("steps", steps, "tree", sortedTree(r.zk)), nil
}

// newAgentV3Run makes an agent whose loops and signals run only when a step asks for it.
func (c *call) newAgentV3Run() (*agentV3Run, error) {
	r := &agentV3Run{c: c, signals: &heldSignals{Processes: c.Env.Processes}, shown: map[string][]byte{}}
	c.Env.Processes = r.signals
	wrapper := c.In.Str("wrapper")
	a, zk, err := c.newAgentV3(func(path string) tfs.ModelServerProcess {
		fake := tfstest.NewFakeTFSWrapper(c.Env, path, c.Quirks)
		r.server = &toldServer{ModelServerProcess: fake, grpc: wrapper == "grpc"}
		if wrapper == "fake" {
			return fake
		}
		return r.server
	})
	if err != nil {
		return nil, err
	}
	r.a, r.zk = a, zk
	return r, nil
}

// sequence returns the steps of the operation, by name.
func (r *agentV3Run) sequence() caseworld.Sequence {
	return caseworld.Sequence{ZK: r.zk, Sorted: []string{"delete", "ensure_path"}, After: r.after, Do: caseworld.Do{
		"start":          r.a.Start,
		"stop":           r.a.Stop,
		"report_round":   func() any { return r.threads.round("service info") },
		"bindings_round": func() any { return r.threads.round("bindings") },
		"signal":         func() { r.signals.deliver(env.SIGTERM) },
		"statuses":       func(s caseworld.Step) { r.server.states = s.Arguments },
		"lost":           func() { r.zk.Tell(env.Lost) },
		"connected":      func() { r.zk.Tell(env.Connected) },
	}}
}

func (r *agentV3Run) after(s caseworld.Step, out *pysem.Dict) {
	if v, ok := out.Get("writes"); ok && s.Name == "bindings_round" {
		createsFirst(v.([]any))
	}
	r.showChanges(out)
}

// showChanges adds to a step's answer what has changed since the previous answer.
func (r *agentV3Run) showChanges(out *pysem.Dict) {
	r.show(out, "config", caseworld.Encode(r.serverConfig()))
	r.show(out, "services", caseworld.Encode(serviceMap(r.a.Backend().ServiceMap())))
	r.show(out, "addrs", caseworld.Encode(caseworld.Attempt(r.addresses())))
}

// show adds a value to a step's answer if it has changed since it was last shown.
func (r *agentV3Run) show(out *pysem.Dict, name string, value any) {
	text := pysem.AppendJSON(nil, value)
	if !bytes.Equal(text, r.shown[name]) {
		r.shown[name] = text
		out.Set(name, caseworld.Raw{V: value})
	}
}

// serverConfig returns the model config file that the model server would read.
func (r *agentV3Run) serverConfig() any {
	var models config.ModelServerConfig
	content, err := r.c.Env.Files.ReadFile(r.a.ConfigPath())
	if err == nil {
		err = textformat.Parse(string(content), &models)
	}
	if err != nil {
		caseworld.BadCasef("the model config file: %v", err)
	}
	return caseworld.PB(&models)
}

// addresses returns the addresses that HeartBeat would report, sorted by name.
func (r *agentV3Run) addresses() (any, error) {
	addrs, err := r.a.AddressMap(r.a.Backend().ServiceMap())
	slices.SortStableFunc(addrs, func(a, b service.ModelAddresses) int { return strings.Compare(a.Name, b.Name) })
	return lists.Map(addrs, func(m service.ModelAddresses) any { return []any{m.Name, m.Addrs} }), err
}

// toldServer is a fake model server, as the reference's tests have it. Steps set the states that it
// reports.
type toldServer struct {
	tfs.ModelServerProcess
	grpc   bool
	states caseworld.Arguments // for each model the number of a state, or "int" for a model without one
}

func (s *toldServer) IsGRPCRemoteOp() (bool, error) { return s.grpc, nil }

func (s *toldServer) ListSavedModelsStatus() ([]tfs.SavedModelStatus, error) {
	list, err := s.ModelServerProcess.ListSavedModelsStatus()
	for i, status := range list {
		if s.states.Dict == nil || !s.states.Has(status.Name) {
			continue
		}
		if list[i].Missing = s.states.Value(status.Name) == "int"; !list[i].Missing {
			state, wrong := stateOf(s.states, status.Name)
			if wrong != nil {
				return nil, wrong
			}
			list[i].Status.State = state
		}
	}
	return list, err
}

// steppedTasks holds back the loops of an agent's threads. It runs one round of a loop when a step
// asks for it.
type steppedTasks struct {
	env.Tasks
	loops map[string]func()
	// sleepsFirst makes the next sleep return at once, and record its length in slept.
	sleepsFirst bool
	slept       time.Duration
}

// slept is the panic value that unwinds a loop after one round. It holds how long the loop wanted
// to sleep.
type slept time.Duration

func (t *steppedTasks) Go(name string, fn func()) env.Task {
	if t.loops == nil {
		t.loops = map[string]func(){}
	}
	if _, ok := t.loops[name]; !ok {
		t.loops[name] = fn
	}
	return endedTask(name)
}

func (t *steppedTasks) Sleep(d time.Duration) {
	caseworld.NoteWait(t.Tasks, d)
	if !t.sleepsFirst {
		panic(slept(d))
	}
	t.sleepsFirst, t.slept = false, d
}

// sleepFirst runs one round of a loop that sleeps before each round. It returns the seconds slept,
// or nil if the loop did not sleep.
func (t *steppedTasks) sleepFirst(loop func()) (seconds any) {
	t.sleepsFirst = true
	t.loops = map[string]func(){"": loop}
	t.round("")
	if t.sleepsFirst {
		return nil
	}
	return int(t.slept / time.Second)
}

// round runs one round of the loop called name. It returns the seconds that the loop then wants to
// sleep. If the loop has ended, or was never started, it returns nil.
func (t *steppedTasks) round(name string) (seconds any) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case slept:
			seconds = int(time.Duration(r) / time.Second)
		default:
			panic(r)
		}
	}()
	if loop, ok := t.loops[name]; ok {
		loop()
	}
	return nil
}

// heldSignals keeps signal handlers. It calls a handler when a step delivers the signal.
type heldSignals struct {
	env.Processes
	handlers map[env.Signal]func()
}

func (h *heldSignals) Notify(sig env.Signal, handler func()) {
	if h.handlers == nil {
		h.handlers = map[env.Signal]func(){}
	}
	h.handlers[sig] = handler
}

func (h *heldSignals) deliver(sig env.Signal) { h.handlers[sig]() }

// runningAgentV3 is a v3 agent whose threads run, while the events of the case happen.
type runningAgentV3 struct {
	env.Tasks
	s   *stage
	run *agentV3Run
}

func (c *call) runAgentV3() (any, error) {
	r := &runningAgentV3{Tasks: c.Env.Tasks, s: &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}}
	c.Env.Tasks = r
	var err error
	if r.run, err = c.newAgentV3Run(); err != nil {
		return nil, err
	}
	for _, e := range c.steppedEvents() {
		r.s.after(e.at, e.step.Name, func() {
			if err := r.happen(e.step); err != nil {
				caseworld.BadCasef("in.events: %s: %v", e.step.Name, err)
			}
		})
	}
	if err := r.run.a.Start(); err != nil {
		return nil, err
	}
	r.note("started", nil)
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	r.s.over = true
	return caseworld.Object("log", r.s.log), nil
}

// note logs a value. Before that it logs what the agent has written and what has changed.
func (r *runningAgentV3) note(name string, value any) {
	if r.s.over {
		return
	}
	for _, call := range r.run.zk.Take("delete", "ensure_path") {
		write := call.([]any)
		r.s.note(caseworld.CallName(call), write[1])
	}
	changes := caseworld.Object()
	r.run.showChanges(changes)
	for _, change := range changes.Items {
		r.s.note(change.Key, change.Value)
	}
	r.s.note(name, value)
}

// Sleep logs what the thread has done since its last sleep, then sleeps.
func (r *runningAgentV3) Sleep(d time.Duration) {
	r.note("sleep", int(d/time.Second))
	r.Tasks.Sleep(d)
}

func (r *runningAgentV3) happen(s caseworld.Step) error {
	_, err := r.s.c.DoStep(r.run.sequence(), s)
	r.note(s.Name, nil)
	return err
}
