package gotestee

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// agentV1Ops holds the operation that runs an agent of agent_v1.py through a sequence.
// runners/diff/python/ops/agent_v1.py describes it.
var agentV1Ops = table{"agent_v1.AgentV1.sequence": (*call).agentV1Sequence}

func (c *call) agentV1Sequence() (any, error) {
	s := c.newStage()
	conf, err := agentconfig.Loader{Env: c.Env, Quirks: c.Quirks}.FromFile(c.In.Str("conf"))
	if err != nil {
		return nil, err
	}
	a, err := agent.NewAgentV1(c.Env, conf, c.In.Str("tfs_log"), agent.AgentV1Options{
		ZooKeeper: s.zk,
		Status:    func(string) ([]env.ModelVersionStatus, error) { return s.stub.versions, s.stub.err },
	})
	if err != nil {
		return nil, err
	}
	s.schedule(a)
	c.Life.Go("main thread of the agent", func() {
		if err := a.Start(); err != nil {
			class, _ := caseworld.FailureOf(err)
			s.note("raised", class)
			s.end()
			return
		}
		s.note("started", nil)
	})
	s.ended.WaitFor(ms(c.In.Integer("until_ms")))
	return caseworld.Object("log", s.log), nil
}

// stage is the world of one agent. It logs which processes the agent starts, asks and kills.
type stage struct {
	c         *call
	begin     time.Duration
	log       []any
	plans     []caseworld.Arguments
	processes []*stageProcess
	handlers  map[env.Signal]func()
	zk        *stageZK
	stub      statusStub
	// over means that the agent has ended. Nothing is logged from then on.
	over         bool
	ended, never env.Cond
}

var kindStage = vtime.NewKind("gotestee.stage")

func (c *call) newStage() *stage {
	s := &stage{
		c: c, begin: c.Env.Clock.Elapsed(), log: []any{}, handlers: map[env.Signal]func(){},
		ended: c.Env.Tasks.NewCond("end of the agent"), never: c.Env.Tasks.NewCond("nothing"),
	}
	if c.In.Has("servers") {
		s.plans = c.In.Objects("servers")
	}
	s.zk = &stageZK{ZooKeeper: c.NewZK(), s: s}
	s.zk.OnCall = func(name string, arguments *pysem.Dict) { s.note(name, arguments) }
	c.Env.Processes = &stageProcesses{Processes: c.Env.Processes, s: s}
	c.Env.Network = &stageNetwork{Network: c.Env.Network, s: s}
	c.Env.Files = &stageFiles{Files: c.Env.Files, dir: caseworld.CaseDir}
	c.Env.Models = noModelServers{}
	c.Env.Tasks = stageTasks{c.Env.Tasks, s}
	return s
}

func (s *stage) note(name string, value any) {
	if !s.over {
		s.log = append(s.log, caseworld.Raw{V: []any{s.nowMs(), name, caseworld.Encode(value)}})
	}
}

func (s *stage) nowMs() int { return int((s.c.Env.Clock.Elapsed() - s.begin) / time.Millisecond) }

func (s *stage) end() {
	s.over = true
	s.ended.Broadcast()
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// after runs fn in a task of its own once d has passed.
func (s *stage) after(d time.Duration, name string, fn func()) {
	s.c.Life.After(d, kindStage, func() { s.c.Life.Go(name, fn) })
}

// event is a change that somebody other than the agent makes, at a time of the case.
type event struct {
	at        time.Duration
	name      string
	arguments []any
}

// events parses the events of the case. The arguments of an event are a list.
func (c *call) events() (events []event) {
	if !c.In.Has("events") {
		return nil
	}
	for _, e := range c.In.Rows("events", "milliseconds", "name", "arguments") {
		events = append(events, event{ms(e.Integer("milliseconds")), e.Str("name"), e.List("arguments")})
	}
	return events
}

// schedule starts a timer for each event of the case.
func (s *stage) schedule(a *agent.AgentV1) {
	for _, e := range s.c.events() {
		s.after(e.at, e.name, func() { s.happen(a, e.name, e.arguments) })
	}
}

func (s *stage) happen(a *agent.AgentV1, name string, values []any) {
	text := func(i int) string {
		v, _ := values[i].(string)
		return v
	}
	number := func(i int) int {
		v, _ := values[i].(int)
		return v
	}
	var err error
	switch name {
	case "signal":
		s.handlers[env.Signal(number(0))]()
	case "stop":
		a.Stop()
	case "create":
		err = s.quietly(name, "path", text(0), "value", replicaWith(number(1)), "makepath", true)
	case "set":
		err = s.quietly(name, "path", text(0), "value", replicaWith(number(1)))
	case "delete":
		err = s.quietly(name, "path", text(0))
	case "status":
		s.stub.take(caseworld.Step{Name: name, Arguments: caseworld.Arguments{Dict: caseworld.Object("status", values[0]), Where: "in.events"}})
	default:
		caseworld.BadCasef("in.events: found the event %q, which this operation does not have", name)
	}
	if err != nil {
		caseworld.BadCasef("in.events: %s %v: %v", name, values, err)
	}
}

// quietly writes to ZooKeeper in the name of another process. The write is not logged.
func (s *stage) quietly(name string, arguments ...any) error {
	_, err := s.zk.DoQuietly(caseworld.Step{Name: name, Arguments: caseworld.Arguments{Dict: caseworld.Object(arguments...), Where: "in.events"}})
	return err
}

// replicaWith returns the metadata of a replica on another host, with the given state.
func replicaWith(stat int) []byte {
	meta := datadef.DefaultReplicaMeta()
	meta.Address, meta.AddressIPv6 = pysem.Some("h:5"), pysem.Some("[fd00::1]:5")
	meta.ArchonAddress, meta.ArchonAddressIPv6 = pysem.Some("h:6"), pysem.Some("[fd00::1]:6")
	meta.Stat = env.ModelState(stat)
	return meta.Serialize()
}

// stageTasks runs tasks until the agent has ended. After that, a sleep never returns, as in a dead
// process.
type stageTasks struct {
	env.Tasks
	s *stage
}

func (t stageTasks) Sleep(d time.Duration) {
	for t.s.over {
		t.s.never.Wait()
	}
	t.Tasks.Sleep(d)
}

// stageZK is the fake client. Its start and stop are logged together with its writes.
type stageZK struct {
	*caseworld.ZooKeeper
	s *stage
}

func (z *stageZK) Start(timeout time.Duration) error {
	z.s.note("zk.start", nil)
	return z.ZooKeeper.Start(timeout)
}

func (z *stageZK) Stop() {
	z.s.note("zk.stop", nil)
	z.ZooKeeper.Stop()
}

// stageNetwork pretends to serve a service, and knows which ports are open.
type stageNetwork struct {
	env.Network
	s *stage
}

func (n *stageNetwork) Serve(port, _ int, _ env.Handler) (env.Server, error) {
	n.s.note("serve", port)
	return stageServer{n.s}, nil
}

func (n *stageNetwork) Probe(addr string, _ time.Duration) error {
	open := slices.ContainsFunc(n.s.processes, func(p *stageProcess) bool { return "127.0.0.1:"+p.port == addr && p.open() })
	port, _, err := pysem.ParseSmallInt(addr[len("127.0.0.1:"):])
	if err != nil {
		return err
	}
	n.s.note("probe", []any{port, open})
	if !open {
		return &env.RPCError{Code: rpcerrors.Unavailable, Message: rpcerrors.NoConnection}
	}
	return nil
}

type stageServer struct{ s *stage }

func (stageServer) Port() int { return 0 }
func (v stageServer) Stop()   { v.s.note("unserve", nil) }

// stageFiles reports that every directory exists, because cases do not contain the directory of the
// model servers.
type stageFiles struct {
	env.Files
	dir string
}

func (f *stageFiles) Getwd() string { return f.dir }

func (f *stageFiles) Chdir(path string) error {
	f.dir = path
	return nil
}

// noModelServers makes clients that never answer. The case's stub answers in place of a server.
type noModelServers struct{}

func (noModelServers) Dial(string) env.ModelServer { return noModelServer{} }

type noModelServer struct{ env.ModelServer }

func (noModelServer) Close() {}
