package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Options holds the settings of a soak test, which kills processes of clusters again and
// again.
type Options struct {
	// Loopback describes the clusters. Its Dir has to be set, because the clusters' processes
	// are recognized by that path. A Slack of 0 means two seconds of wall time, for processes
	// that start slowly on a busy host. An agent that finds a port closed retries only after 10
	// s of its own time.
	Loopback loopback.Options
	// Cycles is the total number of kills. Jobs is the number of clusters that run in parallel.
	Cycles, Jobs int
	// Seed determines which processes are killed and when.
	Seed uint64
	// Progress receives a line from time to time. nil means none.
	Progress io.Writer
}

// Summary is the result of a soak test.
type Summary struct {
	Cycles []Cycle
	Bounds map[Victim]time.Duration
	// Slack is the extra time, beyond the bounds, that clusters of processes may take.
	Slack time.Duration
	// Late lists the cycles that took longer than their bound.
	Late []string
}

// simulatedSeeds is the number of simulated clusters that the bounds are measured with.
// simulatedCycles is the number of kills in each.
const simulatedSeeds, simulatedCycles = 100, 20

// Bounds measures, for each kind of victim, the longest recovery of a simulated cluster.
func Bounds() (map[Victim]time.Duration, error) {
	bounds := map[Victim]time.Duration{}
	for seed := uint64(1); seed <= simulatedSeeds; seed++ {
		c, err := (&simrun.Runner{KeepLog: 1}).Build(spec(seed))
		if err != nil {
			return nil, err
		}
		err = cycles(c, seed, simulatedCycles, func(cycle Cycle) error {
			bounds[cycle.Victim] = max(bounds[cycle.Victim], cycle.Took)
			return nil
		})
		c.Close()
		if err != nil {
			return nil, fmt.Errorf("simulation with seed %d: %w", seed, err)
		}
	}
	return bounds, nil
}

// cycles kills a process of one cluster n times and waits for recovery after each kill.
func cycles(c runners.Cluster, seed uint64, n int, done func(Cycle) error) error {
	if err := begin(c); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		cycle, err := once(c, r)
		if err == nil {
			err = done(cycle)
		}
		if err != nil {
			return fmt.Errorf("cycle %d, %s %s killed at %s: %w", i+1, cycle.Victim, cycle.Pod, runners.Stamp(cycle.At), err)
		}
	}
	return nil
}

// Run runs the soak test until Options.Cycles kills are done or ctx ends. It also stops when
// a cluster does not recover, or has unexpected processes or ports. The error includes the
// cycles that exceeded their bounds.
func Run(ctx context.Context, o Options) (*Summary, error) {
	bounds, err := Bounds()
	if err != nil {
		return nil, err
	}
	if l := &o.Loopback; l.Slack == 0 && l.TimeScale > 0 {
		l.Slack = time.Duration(float64(2*time.Second) / l.TimeScale)
	}
	s := &soak{o: o, ctx: ctx, began: time.Now(), Summary: Summary{Bounds: bounds}}
	s.say("bounds by the simulation: %s", s.boundsText())
	jobs := max(min(o.Jobs, o.Cycles), 1)
	errs := make([]error, jobs)
	var wg sync.WaitGroup
	for i := range jobs {
		share := o.Cycles / jobs
		if i < o.Cycles%jobs {
			share++
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = s.cluster(o.Seed+uint64(i), share)
		}()
	}
	wg.Wait()
	err = errors.Join(errs...)
	if len(s.Late) > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d cycles were beyond their bound:\n%s", len(s.Late), len(s.Cycles), strings.Join(s.Late, "\n")))
	}
	if left := processesOf(o.Loopback.Dir); err == nil && len(left) > 0 {
		err = fmt.Errorf("processes that are left: found %q, want none", left)
	}
	return &s.Summary, err
}

// soak is the state of a running soak test.
type soak struct {
	o     Options
	ctx   context.Context
	began time.Time

	mu sync.Mutex
	Summary
	failed bool
	told   time.Time
}

// cluster builds one cluster of processes and runs n kills on it.
func (s *soak) cluster(seed uint64, n int) (err error) {
	built, err := loopback.New(s.o.Loopback).Build(spec(seed))
	if err != nil {
		return err
	}
	c := built.(*loopback.Cluster)
	net := c.Addresses()
	defer func() {
		if err != nil {
			s.stop()
			err = fmt.Errorf("seed %d: %w (logs in %s)", seed, err, c.Keep())
		}
		c.Close()
		if left := listening(net); err == nil && len(left) > 0 {
			err = fmt.Errorf("seed %d: ports that are left open: found %v, want none", seed, left)
		}
	}()
	s.mu.Lock()
	s.Slack = runners.Tolerance(c)
	s.mu.Unlock()
	return cycles(c, seed, n, func(cycle Cycle) error {
		s.note(seed, cycle)
		if err := s.over(); err != nil {
			return err
		}
		// The counts need some time to settle: REST is served a moment after gRPC, and ended
		// processes disappear a moment later.
		return runners.Within(c, settled, func() error { return s.counted(c, net) })
	})
}

// over returns the error that ends the test, nil if it should go on.
func (s *soak) over() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed {
		return errStopped
	}
	return context.Cause(s.ctx)
}

// errStopped ends the work on a cluster because another cluster has failed.
var errStopped = errors.New("another cluster has failed")

func (s *soak) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
}

// note records a cycle, and lists it as late if it exceeded its bound.
func (s *soak) note(seed uint64, cycle Cycle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Cycles = append(s.Cycles, cycle)
	if now := time.Now(); now.Sub(s.told) > sayEvery {
		s.told = now
		s.say("%d of %d cycles after %v", len(s.Cycles), s.o.Cycles, now.Sub(s.began).Round(time.Second))
	}
	if limit := s.Bounds[cycle.Victim] + s.Slack; cycle.Took > limit {
		s.Late = append(s.Late, fmt.Sprintf("seed %d, %s %s killed at %s: found the cluster not whole for %v, want at most %v: %v in the simulation and %v for the wall clock",
			seed, cycle.Victim, cycle.Pod, runners.Stamp(cycle.At), cycle.Took, limit, s.Bounds[cycle.Victim], s.Slack))
	}
}

// sayEvery is the wall time between two lines of progress.
const sayEvery = 5 * time.Second

func (s *soak) say(format string, args ...any) {
	if s.o.Progress != nil {
		fmt.Fprintf(s.o.Progress, "soak: "+format+"\n", args...)
	}
}

// settled is the cluster time within which a recovered cluster reaches its full number of
// processes and ports.
const settled = 10 * time.Second

// counted checks that the cluster has exactly its full number of processes and listening
// ports.
func (s *soak) counted(c *loopback.Cluster, net string) error {
	// Listening ports of a complete cluster: ZooKeeper's, the one that claims the address range
	// and, for each pod, the agent's and each model server's gRPC and REST ports. Without a
	// cable each pod also has a relay's port.
	ports, each := listening(net), 1+2*len(tasks)
	if !c.HasCable() {
		each++
	}
	if want := 2 + each*len(c.Pods()); len(ports) != want {
		return fmt.Errorf("open ports: found %d, want %d: %v", len(ports), want, ports)
	}
	// Processes of a complete cluster: one ZooKeeper and, in each pod, an agent and its model
	// servers.
	found := processesOf(c.Dir())
	if want := 1 + (1+len(tasks))*len(c.Pods()); len(found) != want {
		return fmt.Errorf("processes: found %d, want %d: %q", len(found), want, found)
	}
	return nil
}

func (s *Summary) boundsText() string {
	text := ""
	for _, v := range Victims() {
		text += fmt.Sprintf("%s %v, ", v, s.Bounds[v].Round(100*time.Millisecond))
	}
	return text[:len(text)-2]
}

// Print writes a line of recovery times for each kind of victim.
func (s *Summary) Print(out io.Writer) error {
	for _, v := range Victims() {
		took := lists.Select(s.Cycles, func(c Cycle) (time.Duration, bool) { return c.Took, c.Victim == v })
		if len(took) == 0 {
			continue
		}
		slices.Sort(took)
		_, err := fmt.Fprintf(out, "%-12s killed %4d times: whole again after %v (median), %v (longest); bound %v and %v\n", v, len(took),
			took[len(took)/2].Round(100*time.Millisecond), took[len(took)-1].Round(100*time.Millisecond), s.Bounds[v].Round(100*time.Millisecond), s.Slack)
		if err != nil {
			return err
		}
	}
	return nil
}
