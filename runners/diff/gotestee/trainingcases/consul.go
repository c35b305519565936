package trainingcases

import (
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/httperrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/consul"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// consulOps holds the operation on consul.py.
var consulOps = caseworld.Table{"consul.Client.sequence": consulSequence}

// scriptedAgent is a fake network with a Consul agent. Each request takes the next entry of the
// case's script.
type scriptedAgent struct {
	env.Network
	script []any
	log    []any
}

// next takes the next entry of the script. kind says what happens to the request. If the agent
// answers, status and body are those of the answer.
func (a *scriptedAgent) next() (kind string, status int, body []byte) {
	if len(a.script) == 0 {
		return "answer", 200, nil
	}
	entry, ok := a.script[0].([]any)
	if !ok || len(entry) == 0 {
		caseworld.BadCasef("in.script: found %s, want [what happens, status, body]", pysem.Repr(a.script[0]))
	}
	a.script = a.script[1:]
	kind, _ = entry[0].(string)
	if len(entry) == 3 {
		status, _ = entry[1].(int)
		switch v := entry[2].(type) {
		case string:
			body = []byte(v)
		case []byte:
			body = v
		}
	}
	return kind, status, body
}

// kind returns the kind of the next entry, which stays in the script.
func (a *scriptedAgent) kind() string {
	before := a.script
	kind, _, _ := a.next()
	a.script = before
	return kind
}

// DialHTTP makes a connection to the scripted agent.
func (a *scriptedAgent) DialHTTP(addr string, timeout time.Duration) env.HTTPConn {
	return &scriptedConn{agent: a, addr: addr, timeout: timeout}
}

// scriptedConn is a connection to the scripted agent.
type scriptedConn struct {
	agent      *scriptedAgent
	addr       string
	timeout    time.Duration
	open, gone bool
	kind       string // kind of the entry that answers the request
	status     int
	body       []byte
}

func (c *scriptedConn) connect() error {
	entry := []any{"connect", c.addr, nil, nil}
	if host, port, ok := splitAddr(c.addr); ok {
		entry = []any{"connect", host, port, caseworld.Seconds(c.timeout)}
	}
	c.agent.log = append(c.agent.log, entry)
	refusals := map[string]error{"refuse": httperrors.Refused, "no_name": httperrors.NoSuchName, "unanswered": httperrors.TimedOut}
	if err := refusals[c.agent.kind()]; err != nil {
		c.agent.next()
		return err
	}
	c.open, c.gone = true, false
	return nil
}

// splitAddr splits an address into host and port. A host that contains a colon is in brackets. For
// the path of a Unix socket, which has no port, ok is false.
func splitAddr(addr string) (host string, port int, ok bool) {
	colon := strings.LastIndexByte(addr, ':')
	port, err := strconv.Atoi(addr[colon+1:])
	if colon < 0 || err != nil {
		return "", 0, false
	}
	if host = addr[:colon]; strings.Contains(host, ":") {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return host, port, true
}

func (c *scriptedConn) Request(method, target string, body []byte) error {
	if !c.open {
		if err := c.connect(); err != nil {
			return err
		}
	}
	if c.gone {
		c.kind = "hang-up"
		return nil
	}
	c.kind, c.status, c.body = c.agent.next()
	if c.kind == "pipe" {
		c.gone = true
		return httperrors.BrokenPipe
	}
	c.agent.log = append(c.agent.log, []any{"request", method, target, string(body)})
	return nil
}

func (c *scriptedConn) Status() (int, error) {
	switch c.kind {
	case "answer", "close", "cut", "stall":
		if c.status <= 100 || c.status > 999 { // the status does not have three digits, or is a 100, which is no final status
			return 0, httperrors.Malformed
		}
		return c.status, nil
	case "timeout":
		return 0, httperrors.TimedOut
	}
	c.gone = true
	switch c.kind {
	case "reset":
		return 0, httperrors.Reset
	case "garbage":
		return 0, httperrors.Malformed
	}
	return 0, httperrors.Disconnected
}

func (c *scriptedConn) Body() ([]byte, error) {
	switch {
	case c.kind == "close":
		c.open = false
	case c.kind == "cut" && len(c.body) > 0: // an empty body cannot be cut
		c.gone = true
		return nil, httperrors.Incomplete
	case c.kind == "stall" && len(c.body) > 0:
		return nil, httperrors.TimedOut
	}
	return c.body, nil
}

func (c *scriptedConn) Close() { c.open = false }

// beating keeps the task that was started last. When asked, it runs that task until the number of
// the task's sleeps reaches most. A task that waits for a lock is ended.
type beating struct {
	*caseworld.StepTime
	name string
	run  func()
	most int
}

// Go keeps the task.
func (t *beating) Go(name string, fn func()) env.Task {
	t.name, t.run = name, fn
	return nil
}

// Sleep records a sleep. At the sleep whose number is most, it ends the task by a panic.
func (t *beating) Sleep(d time.Duration) {
	t.StepTime.Sleep(d)
	if len(t.Slept) >= t.most {
		panic(caseworld.Endless{})
	}
}

// NewCond makes a condition that nobody ever signals.
func (t *beating) NewCond(string) env.Cond { return never{} }

type never struct{}

func (never) Wait() { panic(caseworld.Endless{}) }

// WaitFor returns at once if d is 0. Otherwise it ends the task by a panic, because nobody ever
// signals.
func (never) WaitFor(d time.Duration) bool {
	if d != 0 {
		panic(caseworld.Endless{})
	}
	return false
}

func (never) Signal()    {}
func (never) Broadcast() {}

func consulSequence(c *caseworld.Call) (any, error) {
	l := newLab(c)
	tasks := &beating{StepTime: l.time}
	agent := &scriptedAgent{Network: c.Env.Network, script: c.In.OptList("script")}
	l.e.Tasks, l.e.Network = tasks, agent
	client, err := consul.New(l.e, c.Quirks)
	if err != nil {
		return nil, err
	}
	return caseworld.Object("steps", c.Run(caseworld.Sequence{
		Do:     consulSteps(l, client),
		Before: func() { agent.log, tasks.run, l.time.Slept = []any{}, nil, nil },
		After: func(s caseworld.Step, answer *pysem.Dict) {
			if beats := s.IntegerOr("heartbeats", 0); beats > 0 && tasks.run != nil {
				answer.Set("heartbeat", tasks.beat(client, beats))
			}
			answer.Set("log", agent.log)
		},
	})), nil
}

// beat runs the heartbeat.
func (t *beating) beat(client *consul.Client, times int) *pysem.Dict {
	t.most, t.Slept = times, nil
	var ended error
	client.HeartbeatEnded = func(_ string, err error) { ended = err }
	result := caseworld.Bounded(func() (any, error) {
		t.run()
		return nil, ended
	})
	return caseworld.Object("name", t.name, "result", result, "slept", caseworld.InRows(t.Slept))
}

func consulSteps(l *lab, client *consul.Client) caseworld.Do {
	return caseworld.Do{
		"pass":   l.pass,
		"lookup": client.LookupValue,
		"register": func(name string, port int, tags *pysem.Dict, checkScript, host string) error {
			r := consul.Registration{Name: name, Port: port, CheckScript: checkScript, Host: host}
			if tags != nil {
				r.Tags = [][2]string{}
				for _, item := range tags.Items {
					r.Tags = append(r.Tags, [2]string{item.Key, pysem.Str(item.Value)})
				}
			}
			return client.RegisterService(r)
		},
		"deregister": client.DeregisterAt,
	}
}
