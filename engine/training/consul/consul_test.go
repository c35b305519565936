package consul_test

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/consul"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/consul/node"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
)

// Goal: the client, and the discovery that uses it, behave with an agent as TRN-2.16 and TRN-2.17
// say, including the reference's bugs. Method: run both on the simulated network in virtual time.

// lab is a simulated world with an agent and a process's machine.
type lab struct {
	*testing.T
	w      *vtime.World
	net    *network.Network
	agent  *node.Server
	worker *hosts.Machine
}

const agentPort = 2280

func newLab(t *testing.T) *lab {
	t.Helper()
	w := vtime.New(vtime.Config{Seed: 3})
	t.Cleanup(w.Close)
	n := network.New(w, network.DefaultLatency())
	l := &lab{T: t, w: w, net: n, agent: node.New(n.AddHost("consul", "consul", "10.0.0.3"), agentPort)}
	l.must(l.agent.Start())
	l.worker = hosts.NewMachine(n, hosts.Config{Name: "w", IPs: []string{"10.0.0.7"}, Env: []string{"CONSUL_HTTP_HOST=consul"}})
	return l
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// process runs fn in a new process. Tasks that fn started continue after it returns.
func (l *lab) process(q quirks.Set, fn func(e *env.Env, c *consul.Client)) *vtime.Process {
	life := l.worker.Node.NewProcess("worker")
	e := l.worker.Env(life, nil)
	life.Go("main", func() {
		c, err := consul.New(e, q)
		if err != nil {
			l.Error(err)
			return
		}
		fn(e, c)
		e.Tasks.NewCond("the end").Wait()
	})
	return life
}

// until runs the world until the given time.
func (l *lab) until(at time.Duration) {
	l.Helper()
	if _, err := l.w.Run(vtime.Limits{Until: at}); err != nil {
		l.Fatal(err)
	}
}

// listed returns the number of services that a lookup returns.
func (l *lab) listed() (n int) {
	for _, s := range l.agent.Services() {
		if s.Listed {
			n++
		}
	}
	return n
}

func (l *lab) wantListed(n int) {
	l.Helper()
	if got := l.listed(); got != n {
		l.Errorf("at %v: got %d services listed, want %d", l.w.Now(), got, n)
	}
}

func TestUpstreamConsul_test_lookup(t *testing.T) {
	l := newLab(t)
	l.process(quirks.Python, func(_ *env.Env, c *consul.Client) {
		l.must(c.RegisterService(consul.Registration{Name: "test_name", Port: 1234, Tags: [][2]string{{"index", "0"}}}))
	})
	l.until(time.Second)
	l.process(quirks.Python, func(_ *env.Env, c *consul.Client) {
		list, err := c.Lookup("test_name", 3)
		if got := pysem.Repr(list); err != nil || got != `[{'Host': 'w', 'Port': 1234, 'Tags': {'index': '0'}}]` {
			t.Errorf("got %s %v", got, err)
		}
	})
	l.until(2 * time.Second)
}

func TestUpstreamConsul_test_register(t *testing.T) {
	l := newLab(t)
	l.process(quirks.Python, func(_ *env.Env, c *consul.Client) {
		l.must(c.RegisterService(consul.Registration{Name: "test_name", Port: 12345}))
	})
	l.until(time.Hour)
	l.wantListed(1)
}

func TestUpstreamConsul_test_deregister(t *testing.T) {
	l := newLab(t)
	l.process(quirks.Python, func(_ *env.Env, c *consul.Client) { l.must(c.Deregister("test_name", 12345)) })
	l.until(time.Second)
}

func TestAProcessThatEndsIsListedUntilItsTTLIsOver(t *testing.T) {
	l := newLab(t)
	p := l.process(quirks.Python, func(_ *env.Env, c *consul.Client) { l.must(c.Register("job", 1, training.ConsulTags{})) })
	l.until(95 * time.Second)
	p.Crash()
	l.until(149 * time.Second)
	l.wantListed(1)
	l.until(152 * time.Second)
	l.wantListed(0)
}

// Method: the agent is down for ten seconds around a heartbeat.
func TestQ300_AHeartbeatEndsWithAnAgentThatIsAway(t *testing.T) {
	for _, c := range []struct {
		quirks string
		listed int
	}{{"python", 0}, {"fixed", 1}} {
		t.Run(c.quirks, func(t *testing.T) {
			q, err := quirks.Parse(c.quirks)
			if err != nil {
				t.Fatal(err)
			}
			l := newLab(t)
			var ended string
			l.process(q, func(_ *env.Env, client *consul.Client) {
				client.HeartbeatEnded = func(id string, err error) { ended = id + " " + pysem.TypeOf(err) }
				l.must(client.Register("job", 1, training.ConsulTags{}))
			})
			l.until(25 * time.Second)
			l.agent.Stop()
			l.until(35 * time.Second)
			l.must(l.agent.Start())
			l.until(5 * time.Minute)
			l.wantListed(c.listed)
			if want := map[int]string{0: "job-1 CannotSendRequest"}[c.listed]; ended != want {
				t.Errorf("the heartbeat ended with %q, want %q", ended, want)
			}
		})
	}
}

// Goal: a heartbeat survives an agent's restart between two beats, because the connection was
// closed and is opened again.
func TestAHeartbeatSurvivesAnAgentThatIsStartedAgainInBetween(t *testing.T) {
	l := newLab(t)
	l.process(quirks.Python, func(_ *env.Env, c *consul.Client) { l.must(c.Register("job", 1, training.ConsulTags{})) })
	l.until(40 * time.Second)
	l.agent.Stop()
	l.until(50 * time.Second)
	l.must(l.agent.Start())
	l.until(10 * time.Minute)
	l.wantListed(1)
}

func TestQ301_ALookUpWithACacheWaitsForItself(t *testing.T) {
	l, returned := newLab(t), false
	l.process(quirks.Python, func(_ *env.Env, client *consul.Client) {
		value, err := client.LookupValue("job", 0, 10)
		returned = true
		t.Errorf("got %v %v, want no end", value, err)
	})
	l.until(time.Hour)
	if l.worker.Net.Counters().MessagesSent != 1 || returned {
		t.Errorf("got %d requests, want the one whose answer is not given", l.worker.Net.Counters().MessagesSent)
	}
}

// heartbeatsOfTwo registers a service at 0 s, deregisters it, and registers it again at 100 s. It
// returns the number of requests from just before the second registration until 165 s.
func heartbeatsOfTwo(l *lab, q quirks.Set) uint64 {
	l.process(q, func(e *env.Env, c *consul.Client) {
		l.must(c.Register("job", 1, training.ConsulTags{}))
		e.Tasks.Sleep(10 * time.Second)
		l.must(c.Deregister("job", 1))
		e.Tasks.Sleep(90 * time.Second)
		l.must(c.Register("job", 1, training.ConsulTags{}))
	})
	l.until(99 * time.Second)
	l.wantListed(0)
	counted := l.worker.Net.Counters().MessagesSent
	l.until(165 * time.Second)
	return l.worker.Net.Counters().MessagesSent - counted
}

func TestQ303_AHeartbeatGoesOnAfterTheServiceIsGone(t *testing.T) {
	// The requests are the registration at 100 s, the old heartbeat at 120 and 150 s, and the new
	// one at 100, 130 and 160 s.
	if sent := heartbeatsOfTwo(newLab(t), quirks.Python); sent != 6 {
		t.Errorf("got %d requests after the second registration, want 6: one, and the heartbeats of two", sent)
	}
}

// Goal: only existing services have heartbeats, and a service that the agent has forgotten is
// registered again.
func TestQ303_RepairedAHeartbeatEndsWithItsService(t *testing.T) {
	l := newLab(t)
	if sent := heartbeatsOfTwo(l, quirks.Python.Repair(jobquirks.Q303)); sent != 4 {
		t.Errorf("got %d requests after the second registration, want 4: one, and the heartbeats at 100, 130 and 160 s", sent)
	}
	l.wantListed(1)
	l.agent.Agent().Forget()
	l.wantListed(0)
	l.until(195 * time.Second)
	l.wantListed(1)
}

// TRN-2.16, golden: a registration that never becomes visible raises an OSError after 36 pauses of
// 5 s.
func TestAMachineThatIsNotListedIsTakenForBlacklisted(t *testing.T) {
	l := newLab(t)
	l.agent.Agent().Faults().Hidden = []string{"w"}
	var took time.Duration
	l.process(quirks.Python, func(e *env.Env, c *consul.Client) {
		err := training.NewConsulServiceDiscovery(e, c, "job", 3*time.Second).Register("ps", 0, "10.0.0.7:1")
		if pysem.TypeOf(err) != "OSError" || !strings.Contains(err.Error(), "This machine is blacklisted by consul.") {
			t.Errorf("got %v, want that the machine is blacklisted", err)
		}
		took = e.Clock.Elapsed()
	})
	l.until(time.Hour)
	if took.Truncate(time.Second) != 180*time.Second {
		t.Errorf("took %v, want 180s", took)
	}
}

// TRN-2.16, golden: the old registration of an index is removed, and the new one follows 3 s later.
func TestAProcessTakesTheRegistrationOfTheOneBeforeAway(t *testing.T) {
	l := newLab(t)
	at := map[string]time.Duration{}
	register := func(name, addr string) func(e *env.Env, c *consul.Client) {
		return func(e *env.Env, c *consul.Client) {
			began := e.Clock.Elapsed()
			d := training.NewConsulServiceDiscovery(e, c, "job", 3*time.Second)
			l.must(d.Register("ps", 0, addr))
			at[name] = (e.Clock.Elapsed() - began).Truncate(time.Second)
			addrs, err := d.Query("ps")
			if got, _ := addrs.Get(0); err != nil || got != addr {
				t.Errorf("%s: got %q %v, want %s", name, got, err, addr)
			}
		}
	}
	l.process(quirks.Python, register("first", "10.0.0.7:1"))
	l.until(10 * time.Second)
	l.process(quirks.Python, register("second", "10.0.0.7:2"))
	l.until(time.Minute)
	if at["first"] != 5*time.Second && at["first"] != 0 || at["second"] < 3*time.Second || at["second"] > 8*time.Second {
		t.Errorf("took %v", at)
	}
}

// Goal: each fault of an agent raises the right exception in the process.
func TestWhatAProcessIsToldOfAnAgent(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault func(l *lab)
		want  string
	}{
		{"down", func(l *lab) { l.agent.Stop() }, "ConnectionRefusedError"},
		{"away", func(l *lab) { l.must(l.net.PartitionBoth([]string{"w"}, []string{"consul"})) }, "TimeoutError"},
		{"slow", func(l *lab) { l.agent.Agent().Faults().Delay = 16 * time.Second }, "TimeoutError"},
		{"slow, but not too slow", func(l *lab) { l.agent.Agent().Faults().Delay = 14 * time.Second }, ""},
		{"torn", func(l *lab) { l.agent.Agent().Faults().Cut = true }, "IncompleteRead"},
		{"garbled", func(l *lab) { l.agent.Agent().Faults().Text = "<html>" }, "JSONDecodeError"},
		{"null", func(l *lab) { l.agent.Agent().Faults().Text = "null" }, "TypeError"},
		{"an object", func(l *lab) { l.agent.Agent().Faults().Text = `{"a": 1}` }, "TypeError"},
		{"a text", func(l *lab) { l.agent.Agent().Faults().Text = `"ab"` }, "TypeError"},
		{"an error", func(l *lab) { l.agent.Agent().Faults().Status = 500 }, ""},
		{"under a name that nobody has", func(l *lab) {
			l.worker = hosts.NewMachine(l.net, hosts.Config{Name: "v", IPs: []string{"10.0.0.8"}, Env: []string{"CONSUL_HTTP_HOST=nobody"}})
		}, "gaierror"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, got := newLab(t), "nothing"
			c.fault(l)
			l.process(quirks.Python, func(e *env.Env, client *consul.Client) {
				_, err := training.NewConsulServiceDiscovery(e, client, "job", 0).Query("ps")
				if got = pysem.TypeOf(err); err != nil && got == "" {
					t.Errorf("got %v, want an exception of Python", err)
				}
			})
			l.until(time.Hour)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
