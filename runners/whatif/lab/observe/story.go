package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// look is how often an agent is asked which servers it lists.
const look = 50 * time.Millisecond

// story makes the events of a load happen, and watches which servers the agents list.
type story struct {
	f      *fleet
	d      *driver
	obs    *Observation // what is recorded; nil for a load without events
	due    []deed       // in order
	began  time.Time
	rand   *rand.Rand
	killed map[string]time.Time // killed pods that are still listed, with the time of the kill
	// published holds the versions published so far and the times of their publishing, in order.
	published []published
}

// deed is an action that is due at a time since the start of the load.
type deed struct {
	at time.Duration
	do func() error
}

// published is a published version and the cluster time of its publishing.
type published struct {
	version int64
	at      time.Duration
}

func newStory(f *fleet, d *driver, obs *Observation) *story {
	s := &story{f: f, d: d, obs: obs, began: time.Now(), rand: rand.New(rand.NewPCG(f.p.Seed, 2)), killed: map[string]time.Time{}}
	if obs == nil {
		return s
	}
	for i := range f.p.Events {
		e := &f.p.Events[i]
		s.later(time.Duration(e.At), func() error { return s.happen(e) })
	}
	return s
}

// later schedules an action. Actions that are due at the same time run in the order in which they
// were scheduled.
func (s *story) later(at time.Duration, do func() error) {
	s.due = append(s.due, deed{at, do})
	slices.SortStableFunc(s.due, func(a, b deed) int { return cmp.Compare(a.at, b.at) })
}

// step waits for the interval between two looks, and runs the actions that are due. Then it asks an
// agent which servers it lists, and gives the load this list.
func (s *story) step() error {
	if _, err := s.f.Pass(look, nil); err != nil {
		return err
	}
	for len(s.due) > 0 && time.Since(s.began) >= s.due[0].at {
		one := s.due[0]
		s.due = s.due[1:]
		if err := one.do(); err != nil {
			return err
		}
	}
	v, err := s.f.list()
	if err != nil {
		return fmt.Errorf("ask the agent of pod %s who serves: %w", s.f.asked, err)
	}
	s.d.see(v)
	s.noticed(v)
	return nil
}

// see gives the load a new list of replicas to choose from.
func (d *driver) see(v view) {
	// Servers that appeared after the load began are left out, because the tables of the load
	// have no columns for them.
	for i, servers := range v {
		v[i] = slices.DeleteFunc(servers, func(at int16) bool { return int(at) >= len(d.targets) })
	}
	d.view.Store(&v)
}

// noticed records when killed pods are no longer listed.
func (s *story) noticed(v view) {
	for pod, at := range s.killed {
		listed := false
		for _, servers := range v {
			for _, one := range servers {
				listed = listed || s.f.pods[one] == pod
			}
		}
		if !listed {
			s.obs.Detected = append(s.obs.Detected, int64(time.Since(at)))
			delete(s.killed, pod)
		}
	}
}

// happen performs an event.
func (s *story) happen(e *plan.Event) error {
	switch {
	case e.Kill != nil:
		return s.kill(e.Kill.Count)
	case e.Slow != nil:
		return s.slow(e.Slow, time.Duration(e.At)+time.Duration(e.For))
	case e.Publish != nil:
		return s.publish(e.Publish)
	}
	fault, takes := runners.Fault{Kind: "zookeeper.down"}, time.Duration(e.For)
	if e.ZooKeeper.LeaderLoss {
		fault.Kind, takes = "zookeeper.no-leader", time.Duration(s.f.p.ZooKeeper.Election.Sample(s.rand, 0))
	}
	if err := s.f.BeginFault(fault); err != nil {
		return err
	}
	return s.f.EndFaultAfter(fault, takes)
}

// slow makes the model servers of some containers slower, and schedules their return to normal
// speed. The parameter until is the time of this return.
func (s *story) slow(e *plan.Slow, until time.Duration) error {
	alive, err := s.alive(func(string) bool { return true })
	if err != nil {
		return err
	}
	if len(alive) < e.Count {
		return errors.New("slow: found too few containers that run")
	}
	slowed := alive[:e.Count]
	s.later(until, func() error { return s.f.slow(slowed, 1) })
	return s.f.slow(slowed, float64(e.Factor))
}

// publish exports a new version of all PS.
func (s *story) publish(e *plan.Publish) error {
	version := int64(e.Version)
	s.published = append(s.published, published{version, s.f.Now()})
	for i := range s.f.p.Override.NumPS {
		if err := s.f.ExportVersion(base+"/"+psName(i), version, s.f.bytesOf(float64(e.Size))); err != nil {
			return err
		}
	}
	return nil
}

// rolloutLimit is how long, after the load, it may take until a version is served everywhere.
const rolloutLimit = time.Minute

// end waits until every running container serves the last published version, and records when each
// container served each version.
func (s *story) end(ctx context.Context) error {
	if len(s.published) == 0 {
		return nil
	}
	runs := map[string]bool{}
	for _, pod := range s.f.Pods() {
		state, err := s.f.PodState(pod.Name)
		if err != nil {
			return err
		}
		runs[pod.Name] = state.Running
	}
	last := s.published[len(s.published)-1].version
	everywhere := func() bool {
		served := s.served(last)
		for _, pod := range s.f.Pods() {
			if runs[pod.Name] && served[pod.Name] == 0 {
				return ctx.Err() != nil
			}
		}
		return true
	}
	if met, err := s.f.Pass(rolloutLimit, everywhere); err != nil || !met {
		return errors.Join(err, fmt.Errorf("version %d is not served everywhere %v after the load; logs in %s", last, rolloutLimit, s.f.Keep()))
	}
	for _, p := range s.published {
		served := s.served(p.version)
		var took []int64
		for _, pod := range s.f.Pods() {
			if at := served[pod.Name]; at > 0 && runs[pod.Name] {
				took = append(took, int64(at-p.at))
			}
		}
		s.obs.Rollouts = append(s.obs.Rollouts, took)
	}
	return nil
}

// served returns, by pod, the time at which the last of its PS had the version available. A pod is
// missing if any of its PS does not have the version.
func (s *story) served(version int64) map[string]time.Duration {
	count, last := map[string]int{}, map[string]time.Duration{}
	for _, o := range s.f.Log() {
		if o.Op == "modelserver.state" && o.Note == "AVAILABLE" && strings.HasSuffix(o.Path, fmt.Sprintf("/%d", version)) {
			count[o.Pod]++
			last[o.Pod] = max(last[o.Pod], o.At)
		}
	}
	for _, pod := range s.f.Pods() {
		if count[pod.Name] < hosted(s.f.p, pod.Shard) {
			delete(last, pod.Name)
		}
	}
	return last
}

// alive returns, in random order, the running containers for which counts returns true.
func (s *story) alive(counts func(pod string) bool) ([]string, error) {
	var alive []string
	for _, pod := range s.f.Pods() {
		state, err := s.f.PodState(pod.Name)
		if err != nil {
			return nil, err
		}
		if state.Running && counts(pod.Name) {
			alive = append(alive, pod.Name)
		}
	}
	s.rand.Shuffle(len(alive), func(i, j int) { alive[i], alive[j] = alive[j], alive[i] })
	return alive, nil
}

// kill kills count containers, but never the one whose agent is asked for the lists.
func (s *story) kill(count int) error {
	alive, err := s.alive(func(pod string) bool { return pod != s.f.asked })
	if err != nil {
		return err
	}
	if len(alive) < count {
		return errors.New("kill: found too few containers that run")
	}
	for _, pod := range alive[:count] {
		s.killed[pod] = time.Now()
		if err := s.f.BeginFault(runners.Fault{Kind: "agent.killed", Pod: pod}); err != nil {
			return err
		}
	}
	return nil
}
