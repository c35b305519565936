package trainingcases

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/httperrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/consul"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// runningOps holds the operations in which threads of the reference run. Time advances only by
// sleeps.
var runningOps = caseworld.Table{
	"net_utils.NodeAliveChecker.sequence":          runningNodes,
	"cpu_training.MetricsHeartBeatThread.sequence": runningHeartbeat,
	"consul.Client.threads.sequence":               runningServices,

	"controller_hooks.QueryActionHook.threads.sequence":   runningRequests,
	"ps_check_hooks.PsHealthCheckerHook.threads.sequence": runningHealth,
}

// running is a case whose tasks run, until its time is over.
type running struct {
	c     *caseworld.Call
	begin time.Duration
	log   []any
	over  bool
}

// sinceStart is a clock that starts at the full second at which every case starts.
type sinceStart struct {
	env.Clock
	begin time.Duration
}

func (c sinceStart) Now() time.Time {
	return time.Unix(caseworld.EpochSec, 0).Add(c.Elapsed() - c.begin)
}

func newRunning(c *caseworld.Call) *running {
	r := &running{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}
	c.Env.Clock = sinceStart{c.Env.Clock, r.begin}
	return r
}

func (r *running) note(name string, value any) {
	if !r.over {
		ms := int((r.c.Env.Clock.Elapsed() - r.begin) / time.Millisecond)
		r.log = append(r.log, caseworld.Raw{V: []any{ms, name, caseworld.Encode(value)}})
	}
}

// play runs main, and what it starts, until the time is over.
func (r *running) play(main func()) (any, error) {
	r.c.Life.Go("main thread", main)
	until, ok := times(r.c.In.Value("until_ms"), time.Millisecond)
	if !ok {
		r.c.In.Wrong("until_ms", "milliseconds, an int or a float")
	}
	r.c.Life.Sleep(until)
	r.over = true
	return caseworld.Object("log", r.log), nil
}

// slowNodes is a network whose addresses take their time to answer.
type slowNodes struct {
	env.Network
	r         *running
	answersMs []int
}

func (n *slowNodes) Probe(addr string, timeout time.Duration) error {
	took := time.Millisecond
	if len(n.answersMs) > 0 {
		took, n.answersMs = time.Duration(n.answersMs[0])*time.Millisecond, n.answersMs[1:]
	}
	host, port, _ := splitAddr(addr)
	n.r.note("connect", []any{host, port, n.r.c.In.Value("timeout")})
	n.r.c.Env.Tasks.Sleep(min(max(took, -took), timeout))
	switch {
	case max(took, -took) >= timeout:
		n.r.note("timed out", port)
		return httperrors.TimedOut
	case took < 0:
		n.r.note("refused", port)
		return httperrors.Refused
	}
	n.r.note("connected", port)
	return nil
}

func runningNodes(c *caseworld.Call) (any, error) {
	r := newRunning(c)
	c.Env.Network = &slowNodes{Network: c.Env.Network, r: r, answersMs: c.In.Ints("answers")}
	return r.play(func() {
		timeout, ok := times(c.In.Value("timeout"), time.Second)
		if !ok {
			c.In.Wrong("timeout", "seconds, an int or a float")
		}
		checker := training.NewNodeAliveChecker(c.Env, c.In.Strings("addrs"), timeout, c.In.Count("num_thread"))
		list := func(addrs []string) []any { return lists.Map(addrs, func(a string) any { return a }) }
		r.note("checked", []any{list(checker.AliveNodes()), list(checker.DeadNodes())})
	})
}

// EmitStore notes a beat.
func (r *running) EmitStore(name string, seconds int64, typ string) {
	r.note("beat", []any{name, int(seconds), typ})
}

// Flush does nothing.
func (r *running) Flush() {}

func runningHeartbeat(c *caseworld.Call) (any, error) {
	r := newRunning(c)
	return r.play(func() {
		heart := cputraining.NewHeartbeat(c.Env, r)
		r.steps(func(name string, _ []any) {
			if name == "start" {
				heart.Start()
			} else {
				heart.Stop()
			}
			r.note(name, nil)
		})
	})
}

// notedAgent is the scripted agent, whose requests are noted with their time.
type notedAgent struct {
	*scriptedAgent
	r *running
}

// DialHTTP makes a connection to the scripted agent.
func (a notedAgent) DialHTTP(addr string, timeout time.Duration) env.HTTPConn {
	return notedConn{HTTPConn: a.scriptedAgent.DialHTTP(addr, timeout), a: a}
}

type notedConn struct {
	env.HTTPConn
	a notedAgent
}

func (c notedConn) Request(method, target string, body []byte) error {
	err := c.HTTPConn.Request(method, target, body)
	for _, entry := range c.a.log {
		c.a.r.note(entry.([]any)[0].(string), entry)
	}
	c.a.scriptedAgent.log = nil
	return err
}

func runningServices(c *caseworld.Call) (any, error) {
	r := newRunning(c)
	c.Env.Network = notedAgent{&scriptedAgent{Network: c.Env.Network, script: c.In.OptList("script")}, r}
	client, err := consul.New(c.Env, c.Quirks)
	if err != nil {
		return nil, err
	}
	l := &lab{c: c, e: c.Env}
	do := consulSteps(l, client)
	do["pass"] = r.pass
	return r.play(func() {
		c.Run(caseworld.Sequence{Do: do, After: func(s caseworld.Step, answer *pysem.Dict) {
			if !strings.HasPrefix(s.Name, "pass") {
				r.note(s.Name, answer)
			}
		}})
	})
}

// pass lets time pass. A negative number of seconds has no effect.
func (r *running) pass(seconds any) {
	d, ok := times(seconds, time.Second)
	if !ok {
		caseworld.BadCasef("in.steps.pass: found %s, want seconds, an int or a float", pysem.Repr(seconds))
	}
	r.c.Env.Tasks.Sleep(d)
}

// steps runs the case's steps. It lets time pass in a step named pass, and calls do for every other
// step.
func (r *running) steps(do func(name string, arguments []any)) {
	for _, v := range r.c.In.List("steps") {
		step := v.([]any)
		if step[0] == "pass" {
			r.pass(step[1])
			continue
		}
		do(step[0].(string), step[1:])
	}
}

// notedSession is a session that first calls the function in its field before at each of its own
// calls.
type notedSession struct {
	session.Session
	before func(ops []session.Op) (values []any, err error) // the answer; if it returns nil, the session itself answers
}

func (s notedSession) Run(ops ...session.Op) ([]any, error) {
	if values, err := s.before(ops); values != nil || err != nil {
		return values, err
	}
	return s.Session.Run(ops...)
}

func runningRequests(c *caseworld.Call) (any, error) {
	r := newRunning(c)
	if err := c.Env.Files.MkdirAll("m"); err != nil {
		return nil, err
	}
	memory := session.NewMemory()
	controller := hooks.NewControllerHook(c.Env, 0, nil, nil)
	hook := hooks.NewQueryActionHook(c.Env, "m", controller)
	hook.Quirks = c.Quirks
	s := notedSession{memory, func(ops []session.Op) ([]any, error) {
		for _, name := range []string{"stop", "save"} {
			if op := map[string]session.Op{"stop": controller.StopOp(), "save": controller.TriggerSaveOp()}[name]; ops[0].Index == op.Index && ops[0].Assign != nil {
				r.note("run", name)
			}
		}
		return nil, nil
	}}
	return r.play(func() {
		r.steps(func(name string, arguments []any) {
			switch name {
			case "request":
				if err := c.Env.Files.WriteFile(requestFile, []byte(arguments[0].(string))); err != nil {
					panic(err)
				}
			case "look":
				left := env.Exists(c.Env.Files, requestFile)
				values, err := memory.Run(controller.Control())
				if err != nil {
					panic(err)
				}
				flags := values[0].([]bool)
				r.note("look", []any{left, takeResponse(c), []any{flags[0], flags[1]}})
			case "after_create_session":
				r.note(name, caseworld.Attempt(nil, hook.AfterCreateSession(s, nil)))
			case "end":
				r.note(name, caseworld.Attempt(nil, hook.End(s)))
			}
		})
	})
}

func runningHealth(c *caseworld.Call) (any, error) {
	r := newRunning(c)
	memory := session.NewMemory()
	barrier := barrierops.MustBarrierOp(c.Env, 1, barrierops.Options{})
	health, fails := make([]any, max(c.In.Count("num_ps"), 0)), false
	for i := range health {
		health[i] = []byte{}
	}
	hook := hooks.NewPsHealthCheckerHook(c.Env, hooks.PSCheckConfig{Barrier: barrier, NumPS: len(health), Quirks: c.Quirks, Report: func(results []hooks.PSHealth) error {
		r.note("report", lists.Map(results, func(h hooks.PSHealth) any { return []any{h.Index, caseworld.PB(h.Result)} }))
		return nil
	}})
	s := notedSession{memory, func(ops []session.Op) ([]any, error) {
		if len(ops) > 0 && ops[0].Variable.Name != hooks.PSMachineInfoSharedName(0) {
			return nil, nil
		}
		r.note("check", slices.Clone(health))
		if fails {
			return nil, unavailable()
		}
		return slices.Clone(health), nil
	}}
	coord := session.NewCoordinator(c.Env.Tasks)
	if err := hook.Begin(); err != nil {
		return nil, err
	}
	return r.play(func() {
		r.steps(func(name string, arguments []any) {
			switch name {
			case "health":
				health[arguments[0].(int)] = arguments[1]
			case "fails":
				fails = arguments[0].(bool)
			case "look":
				placed, err := barrier.IsBarrierPlaced(memory)
				if err != nil {
					panic(err)
				}
				r.note("look", placed)
			case "remove":
				if err := barrier.RemoveBarrier(memory); err != nil {
					panic(err)
				}
			case "stop":
				coord.RequestStop()
			case "after_create_session":
				r.note(name, caseworld.Attempt(nil, hook.AfterCreateSession(s, coord)))
			}
		})
	})
}
