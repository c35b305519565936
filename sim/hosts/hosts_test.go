package hosts_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/processes"
)

type pair struct {
	t    testing.TB
	w    *vtime.World
	n    *network.Network
	a, b *hosts.Machine
	logs *hosts.Logs
	log  []string
}

func newPair(t testing.TB) *pair {
	w := vtime.New(vtime.Config{Seed: 9})
	t.Cleanup(w.Close)
	n := network.New(w, network.LatencyModel{Min: time.Millisecond})
	p := &pair{t: t, w: w, n: n, logs: &hosts.Logs{Level: env.Info, Keep: true}}
	p.a = hosts.NewMachine(n, hosts.Config{Name: "a", IPs: []string{"fd00::1", "10.0.0.1", "10.0.0.3"}, Env: []string{"B=2", "A=1"}, Logs: p.logs})
	p.b = hosts.NewMachine(n, hosts.Config{Name: "b", Skew: time.Hour})
	return p
}

func (p *pair) note(format string, args ...any) {
	p.log = append(p.log, fmt.Sprintf("%v ", p.w.Now())+fmt.Sprintf(format, args...))
}

func (p *pair) want(lines ...string) {
	p.t.Helper()
	if diff := cmp.Diff(lines, p.log); diff != "" {
		p.t.Errorf("log (-want +got):\n%s", diff)
	}
}

func (p *pair) run(d time.Duration) {
	p.t.Helper()
	if _, err := p.w.Run(vtime.Limits{Until: p.w.Now() + d}); err != nil {
		p.t.Fatal(err)
	}
}

// on runs fn as the main task of a fresh process.
func (p *pair) on(m *hosts.Machine, fn func(e *env.Env)) {
	life := m.Node.NewProcess("app")
	e := m.Env(life, nil)
	life.Go("main", func() { fn(e) })
}

func TestAProcessLearnsOfItsHost(t *testing.T) {
	p := newPair(t)
	describe := func(e *env.Env) {
		v4, err4 := e.Host.LookupIP()
		v6, err6 := e.Host.LookupIPv6()
		route, errRoute := e.Host.RouteIP()
		p.note("%s %q %v, %q %v, %q %v, port %d", e.Host.Hostname(), v4, err4, v6, err6, route, errRoute, e.Host.FreePort())
	}
	p.on(p.a, describe)
	p.run(time.Second)
	p.on(p.b, describe)
	p.run(time.Second)
	p.want(
		`0s a "10.0.0.1" <nil>, "fd00::1" <nil>, "10.0.0.1" <nil>, port 30000`,
		`1s b "" [Errno -2] Name or service not known, "" [Errno -2] Name or service not known, "" [Errno 101] Network is unreachable, port 30000`)
}

func TestTheEnvironmentIsInheritedAndChangesReachLaterChildren(t *testing.T) {
	p := newPair(t)
	if err := p.a.FS.WriteTree(map[string]string{"/bin/child": ""}); err != nil {
		t.Fatal(err)
	}
	p.a.Procs.Register("child", func(c *processes.Process) {
		e := p.a.Env(c.Life(), nil)
		e.Host.Setenv("OWN", "x")
		p.note("%q", e.Host.Environ())
	})
	p.on(p.a, func(e *env.Env) {
		start := func() {
			if _, err := e.Processes.Start(env.Command{Args: []string{"/bin/child"}}); err != nil {
				t.Error(err)
			}
			e.Tasks.Sleep(time.Second)
		}
		start()
		e.Host.Setenv("A", "changed")
		e.Host.Setenv("C", "3")
		start()
		p.note("%q", e.Host.Environ())
	})
	p.run(time.Minute)
	p.want(
		`0s ["A=1" "B=2" "OWN=x"]`,
		`1s ["A=changed" "B=2" "C=3" "OWN=x"]`,
		`2s ["A=changed" "B=2" "C=3"]`)
}

func TestVars(t *testing.T) {
	v := hosts.NewVars([]string{"B=1", "A=x=y", "B=2", "broken", "=nothing", "AB="})
	if diff := cmp.Diff([]string{"A=x=y", "AB=", "B=2"}, v.List()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if got, ok := v.Lookup("A"); got != "x=y" || !ok {
		t.Errorf("A is %q, %v", got, ok)
	}
	if got, ok := v.Lookup("C"); ok {
		t.Errorf("C is %q, want it unset", got)
	}
	v.Set("C", "3") // changes the variable that was just looked up
	if got, ok := v.Lookup("C"); got != "3" || !ok {
		t.Errorf("C is %q, %v after it was set", got, ok)
	}
	v.Set("C", "4")
	for range 2 {
		if got, ok := v.Lookup("C"); got != "4" || !ok {
			t.Errorf("C is %q, %v after it was changed", got, ok)
		}
	}
}

func TestSkewShowsInTheWallClockOnly(t *testing.T) {
	p := newPair(t)
	p.on(p.b, func(e *env.Env) {
		for range 2 {
			p.note("%v %v", e.Clock.Now().Sub(p.w.Time()), e.Clock.Elapsed())
			e.Tasks.Sleep(time.Second)
		}
	})
	p.run(500 * time.Millisecond)
	p.b.SetSkew(-time.Minute)
	p.run(time.Minute)
	p.want("0s 1h0m0s 0s", "1s -1m0s 1s")
}

func TestLogLinesGoToTheSinkAndTheOutputFile(t *testing.T) {
	p := newPair(t)
	if err := p.a.FS.WriteTree(map[string]string{"/bin/app": ""}); err != nil {
		t.Fatal(err)
	}
	p.a.Procs.Register("app", func(c *processes.Process) {
		e := p.a.Env(c.Life(), nil)
		c.Main(func() int {
			e.Tasks.Sleep(1500 * time.Millisecond)
			e.Log.Logf(env.Debug, "not wanted")
			e.Log.Logf(env.Warning, "disk %d %%", 90)
			return 0
		})
	})
	if _, err := p.a.Start(env.Command{Args: []string{"/bin/app"}, Output: "/tmp/log"}); err != nil {
		t.Fatal(err)
	}
	p.run(time.Minute)
	want := []hosts.Line{{At: 1500 * time.Millisecond, Host: "a", Process: "app", Pid: 100, Level: env.Warning, Text: "disk 90 %"}}
	if diff := cmp.Diff(want, p.logs.Lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	got, err := p.a.FS.ReadFile("/tmp/log")
	if want := "W1108 00:00:01.500000 100] disk 90 %\n"; err != nil || string(got) != want {
		t.Errorf("output file holds %q, %v, want %q", got, err, want)
	}
	if got, want := p.logs.Lines[0].String(), "t+1.500s a app[100] WARNING disk 90 %"; got != want {
		t.Errorf("a line reads %q, want %q", got, want)
	}
}

func TestLogLinesThatNobodyWantsAreNotEnabled(t *testing.T) {
	p := newPair(t)
	p.on(p.b, func(e *env.Env) { p.note("%v", e.Log.Enabled(env.Error)) })
	p.run(time.Second)
	p.want("0s false")
}

// server starts a server on host b that writes a file on every call, and syncs it if the method
// says so.
func (p *pair) server() {
	p.on(p.b, func(e *env.Env) {
		_, err := e.Network.Serve(9000, 0, func(method string, request []byte) ([]byte, error) {
			if err := e.Files.WriteFile("/"+string(request), request); err != nil {
				return nil, err
			}
			if method == "/svc/Sync" {
				return request, e.Files.Sync("/" + string(request))
			}
			return request, nil
		})
		if err != nil {
			p.t.Error(err)
		}
		e.Tasks.NewCond("ever").Wait()
	})
}

func TestACrashSilencesTheHostAndLosesWhatWasNotSynced(t *testing.T) {
	p := newPair(t)
	p.server()
	p.on(p.a, func(e *env.Env) {
		ch := e.Network.Dial("b:9000")
		call := func(method, request string) {
			_, err := ch.Call(method, []byte(request), 5*time.Second)
			p.note("%v", err)
		}
		call("/svc/Sync", "synced")
		call("/svc/Write", "written")
		e.Tasks.Sleep(time.Second)
		call("/svc/Write", "never")
	})
	p.run(500 * time.Millisecond)
	p.b.Crash()
	p.run(time.Minute)
	p.want("4ms <nil>", "6ms <nil>", "6.006s DEADLINE_EXCEEDED: Deadline Exceeded")
	names, err := p.b.FS.ReadDir("/")
	if diff := cmp.Diff([]string{"synced", "tmp"}, names); diff != "" || err != nil {
		t.Errorf("files after the crash (-want +got), %v:\n%s", err, diff)
	}
}

func TestABootedMachineServesAgain(t *testing.T) {
	p := newPair(t)
	p.server()
	p.run(time.Second)
	p.b.Crash()
	p.b.Boot()
	p.server()
	p.on(p.a, func(e *env.Env) {
		_, err := e.Network.Dial("b:9000").Call("/svc/Write", []byte("x"), 0)
		p.note("%v", err)
	})
	p.run(time.Second)
	p.want("1.004s <nil>")
}

func TestPeersHearWhenAContainerIsKilled(t *testing.T) {
	p := newPair(t)
	p.on(p.b, func(e *env.Env) {
		if _, err := e.Network.Serve(9000, 0, func(string, []byte) ([]byte, error) {
			e.Tasks.NewCond("ever").Wait()
			return nil, nil
		}); err != nil {
			t.Error(err)
		}
		e.Tasks.NewCond("ever").Wait()
	})
	p.on(p.a, func(e *env.Env) {
		_, err := e.Network.Dial("b:9000").Call("/svc/Hang", nil, 0)
		p.note("%v", err)
	})
	p.run(time.Second)
	p.b.KillAll()
	p.run(time.Second)
	p.want("1.001s UNAVAILABLE: Socket closed")
}

func TestTwoRunsOfOneSeedAreEqual(t *testing.T) {
	once := func() *vtime.Trace {
		w := vtime.New(vtime.Config{Seed: 11, Trace: vtime.TraceConfig{Record: true}})
		defer w.Close()
		n := network.New(w, network.DefaultLatency())
		store := files.NewFS(w)
		var machines []*hosts.Machine
		for i := range 4 {
			m := hosts.NewMachine(n, hosts.Config{Name: fmt.Sprintf("h%d", i), IPs: []string{fmt.Sprintf("10.0.0.%d", i+1)}})
			machines = append(machines, m)
			if err := m.FS.Mount("/store", store); err != nil {
				t.Fatal(err)
			}
			life := m.Node.NewProcess("app")
			e := m.Env(life, nil)
			life.Go("main", func() {
				if _, err := e.Network.Serve(9000, 2, func(_ string, request []byte) ([]byte, error) {
					return request, e.Files.AppendFile("/store/log", request)
				}); err != nil {
					t.Error(err)
				}
				for k := 0; ; k++ {
					_, err := e.Network.Dial(fmt.Sprintf("h%d:9000", (i+k)%4)).Call("/x", []byte(e.Files.TempFile()), time.Second)
					var status *env.RPCError
					if err != nil && !errors.As(err, &status) {
						t.Error(err)
					}
					e.Tasks.Sleep(50 * time.Millisecond)
				}
			})
		}
		step := func(d time.Duration) {
			if _, err := w.Run(vtime.Limits{Until: w.Now() + d}); err != nil {
				t.Fatal(err)
			}
		}
		step(2 * time.Second)
		if err := n.PartitionBoth([]string{"h0", "h1"}, []string{"h2", "10.0.0.4"}); err != nil {
			t.Fatal(err)
		}
		step(5 * time.Second)
		n.HealAll()
		machines[2].Crash()
		step(3 * time.Second)
		machines[2].Boot()
		step(10 * time.Second)
		content, err := store.ReadFile("/log")
		if err != nil {
			t.Fatal(err)
		}
		w.Node("store").NoteBytes(content)
		trace := *w.Trace()
		return &trace
	}
	a, b := once(), once()
	if d := vtime.FirstDivergence(a, b); d != nil {
		t.Errorf("two runs of one seed differ: %v", d)
	}
	if a.Events < 1000 {
		t.Errorf("only %d events happened, too few to say anything", a.Events)
	}
}
