package simrun_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/zookeeper"
)

// caseDir is the directory of a case.
const caseDir = "/case"

// parityCase is one case and the world that it sees.
type parityCase struct {
	t       *testing.T
	in      *pysem.Dict
	env     *env.Env
	machine *hosts.Machine
	world   *vtime.World
	vars    []string
	host    caseHost
}

func newParityCase(t *testing.T, line *pysem.Dict) *parityCase {
	c := &parityCase{t: t, in: decodeValue(t, item(line, "in")).(*pysem.Dict), world: vtime.New(vtime.Config{Seed: 1, CheckOwner: true})}
	t.Cleanup(c.world.Close)
	c.host = caseHost{ip: "192.0.2.10"}
	if host, ok := item(line, "host").(*pysem.Dict); ok {
		if v, ok := host.Get("gethostbyname"); ok {
			c.host.ip, _ = v.(string)
		}
		c.host.routeIP = text(host, "udp_ip")
	}
	if vars, ok := item(line, "env").(*pysem.Dict); ok {
		for _, v := range vars.Items {
			c.vars = append(c.vars, v.Key+"="+decodeValue(t, v.Value).(string))
		}
	}
	c.machine = hosts.NewMachine(network.New(c.world, network.DefaultLaw()), hosts.Config{Name: "host", IPs: []string{"192.0.2.10", "2001:db8::10"}})
	tree := map[string]string{
		"/proc/meminfo":   "MemAvailable: 6835937 kB\n",
		caseDir + "/case": "the program that answers",
	}
	if files, ok := item(line, "files").(*pysem.Dict); ok {
		for _, f := range files.Items {
			tree[caseDir+"/"+f.Key] = decodeValue(t, f.Value).(string)
		}
	}
	c.write(tree)
	return c
}

func (c *parityCase) write(tree map[string]string) {
	c.t.Helper()
	if err := c.machine.FS.WriteTree(tree); err != nil {
		c.t.Fatal(err)
	}
}

// inProcess runs fn as the main thread of a process until it is done.
func (c *parityCase) inProcess(fn func(e *env.Env)) {
	c.t.Helper()
	done := false
	c.machine.Procs.Register("case", func(p *processes.Process) {
		e := c.machine.Env(p.Life(), nil)
		c.host.Host = e.Host
		e.Host = &c.host
		e.Models = &tfserving.Clients{Proc: p.Life(), Host: c.machine.Net}
		p.Main(func() int {
			fn(e)
			done = true
			return 0
		})
	})
	if _, err := c.machine.Start(env.Command{Args: []string{caseDir + "/case"}, Env: c.vars, Dir: caseDir}); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.world.Run(vtime.Limits{Until: 3 * time.Hour, Done: func() bool { return done }}); err != nil {
		c.t.Fatal(err)
	}
	if !done {
		c.t.Fatalf("the case is not done within 3 hours; waiting: %v", c.world.Blocked())
	}
}

// caseHost has the look-ups of the case; "" fails one.
type caseHost struct {
	env.Host
	ip, routeIP string
}

func (h *caseHost) LookupIP() (string, error) { return lookUp(h.ip, hosts.ErrNoName) }
func (h *caseHost) RouteIP() (string, error)  { return lookUp(h.routeIP, hosts.ErrNoRoute) }
func (h *caseHost) FreePort() int             { return 59999 }
func lookUp(ip string, none error) (string, error) {
	if ip == "" {
		return "", none
	}
	return ip, nil
}

// config makes the configuration of a case from keyword arguments.
func (c *parityCase) config() (*agent.AgentConfig, error) {
	arguments, ok := item(c.in, "config").(*pysem.Dict)
	if !ok {
		arguments = object("bzid", "b", "base_name", "n", "deploy_type", "unified", "agent_version", 3)
	}
	var fields []agent.Field
	for _, a := range arguments.Items {
		fields = append(fields, agent.Field{Name: a.Key, Value: a.Value})
	}
	return agent.NewConfig(c.env, fields...)
}

// recordingZK is the reference's fake client, with its calls written down.
type recordingZK struct {
	*zookeeper.FakeClient
	calls      []any // [name, arguments]
	quiet      bool
	ephemerals map[string]bool
	listeners  []func(env.SessionState) bool
	// life counts drop_watches: watches of an earlier life are silent.
	life int
}

func newRecordingZK(e *env.Env) *recordingZK {
	return &recordingZK{FakeClient: zookeeper.NewFakeClient(e), ephemerals: map[string]bool{}}
}

func (z *recordingZK) note(name string, arguments *pysem.Dict) {
	if !z.quiet {
		z.calls = append(z.calls, []any{name, arguments})
	}
}

func (z *recordingZK) Create(path string, value []byte, o env.CreateOptions) (string, error) {
	arguments := object("path", path, "value", encodeValue(value))
	for _, f := range []struct {
		name string
		set  bool
	}{{"ephemeral", o.Ephemeral}, {"makepath", o.MakePath}, {"sequence", o.Sequence}} {
		if f.set {
			arguments.Set(f.name, true)
		}
	}
	z.note("create", arguments)
	real, err := z.FakeClient.Create(path, value, o)
	if err == nil {
		z.ephemerals[real] = o.Ephemeral
	}
	return real, err
}

func (z *recordingZK) Set(path string, value []byte, version int32) (env.Stat, error) {
	z.note("set", object("path", path, "value", encodeValue(value)))
	return z.FakeClient.Set(path, value, version)
}

func (z *recordingZK) Delete(path string, o env.DeleteOptions) error {
	z.note("delete", object("path", path, "recursive", true))
	return z.FakeClient.Delete(path, o)
}

func (z *recordingZK) EnsurePath(path string) error {
	z.note("ensure_path", object("path", path))
	return z.FakeClient.EnsurePath(path)
}

func (z *recordingZK) Restart() error {
	z.note("restart", object())
	return z.FakeClient.Restart()
}

func (z *recordingZK) AddListener(fn func(env.SessionState) bool) {
	z.listeners = append(z.listeners, fn)
}

func (z *recordingZK) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	life := z.life
	return z.FakeClient.DataWatch(path, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		if life != z.life {
			return nil
		}
		return fn(data, stat, event)
	})
}

func (z *recordingZK) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	life := z.life
	return z.FakeClient.ChildrenWatch(path, func(children []string) error {
		if life != z.life {
			return nil
		}
		return fn(children)
	})
}
