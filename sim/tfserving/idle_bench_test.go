package tfserving

import (
	"container/heap"
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// fleetClock is a virtual clock shared by many servers.
type fleetClock struct {
	now   time.Duration
	queue timerHeap
	fired int
}

type fleetTimer struct {
	hostTimer
	dropped bool
}

type timerHeap []*fleetTimer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(*fleetTimer)) }
func (h *timerHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (c *fleetClock) runTo(at time.Duration) {
	for len(c.queue) > 0 && c.queue[0].at <= at {
		t := heap.Pop(&c.queue).(*fleetTimer)
		if t.dropped {
			continue
		}
		c.now = t.at
		c.fired++
		t.fn()
	}
	c.now = at
}

// fleetHost is the host of one server of a fleet. All servers read the same disk.
type fleetHost struct {
	*fleetClock
	disk *testDisk
}

func (h *fleetHost) After(d time.Duration, fn func()) func() {
	t := &fleetTimer{hostTimer: hostTimer{at: h.now + max(d, 0), fn: fn}}
	heap.Push(&h.queue, t)
	return func() { t.dropped = true }
}

func (h *fleetHost) Now() time.Duration            { return h.now }
func (h *fleetHost) Choose(string, int) int        { return 0 }
func (h *fleetHost) Work(do, done func())          { do(); done() }
func (h *fleetHost) Exit(code int, stdout string)  { panic(fmt.Sprintf("exit %d %s", code, stdout)) }
func (h *fleetHost) Log(env.Level, string, ...any) {}

func (h *fleetHost) Look(ask func(Storage), told func()) {
	ask(h.disk)
	told()
}

func (h *fleetHost) Watch(path string, changed func()) (func(), bool) {
	return h.disk.Watch(path, changed)
}

// startFleet starts size servers with the options that v3 agents use. They poll the disk every
// second and their config file every minute (TFS-16.3).
func startFleet(t testing.TB, size int) (*fleetClock, []*Server) {
	clock := &fleetClock{}
	disk := newTestDisk()
	disk.putModel("/m/a/1", 0)
	disk.write("/config", `model_config_list { config { name: "a" base_path: "/m/a" model_platform: "tensorflow" } }`)
	o := DefaultOptions(Profile24)
	o.ModelConfigFile, o.ModelConfigFilePollWaitSeconds = "/config", 60
	servers := make([]*Server, size)
	for i := range servers {
		servers[i] = New(o, &fleetHost{fleetClock: clock, disk: disk})
		servers[i].Start()
	}
	clock.runTo(2 * time.Minute)
	for i, s := range servers {
		if !s.Serving() {
			t.Fatalf("server %d does not serve after 2m", i)
		}
	}
	return clock, servers
}

// Goal: an idle fleet costs nothing, so no timer fires within a day. Without this optimization each
// server would run its manager's loop 864,000 times, poll the disk 86,400 times and the config file
// 1,440 times.
func TestAnIdleFleetFiresNoTimers(t *testing.T) {
	clock, _ := startFleet(t, 100)
	before := clock.fired
	clock.runTo(clock.now + 24*time.Hour)
	if n := clock.fired - before; n != 0 {
		t.Errorf("an idle day of 100 servers fired %d timers, want none", n)
	}
}

// One iteration starts 10,000 servers on one clock, each of which loads a model. After 24 idle
// hours all of them find a new version.
func BenchmarkIdleDay10000Servers(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		clock, servers := startFleet(b, 10_000)
		clock.runTo(clock.now + 24*time.Hour)
		disk := servers[0].host.(*fleetHost).disk
		disk.putModel("/m/a/2", 0)
		clock.runTo(clock.now + time.Minute)
		for i, s := range servers {
			if got := s.states.state(servable{"a", 2}); got != env.StateAvailable {
				b.Fatalf("version 2 of server %d: got %s after a minute, want AVAILABLE", i, got)
			}
		}
	}
}
