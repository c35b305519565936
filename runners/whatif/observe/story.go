package observe

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// look is how often an agent is asked who serves.
const look = 50 * time.Millisecond

// story is what happens to the cluster during a load, and what agents say of it.
type story struct {
	f      *fleet
	d      *driver
	obs    *Observation // nil for a load in which nothing happens
	events []plan.Event
	began  time.Time
	rand   *rand.Rand
	killed map[string]time.Time // pods that are still listed
}

func newStory(f *fleet, d *driver, obs *Observation) *story {
	s := &story{f: f, d: d, obs: obs, began: time.Now(), rand: rand.New(rand.NewPCG(f.p.Seed, 2)), killed: map[string]time.Time{}}
	if obs != nil {
		s.events = slices.Clone(f.p.Events)
		slices.SortStableFunc(s.events, func(a, b plan.Event) int { return int(a.At - b.At) })
	}
	return s
}

// step lets time pass until the next look, lets happen what is due, and has the load know
// what an agent lists.
func (s *story) step() error {
	if _, err := s.f.Pass(look, nil); err != nil {
		return err
	}
	for len(s.events) > 0 && time.Since(s.began) >= time.Duration(s.events[0].At) {
		if err := s.happen(&s.events[0]); err != nil {
			return err
		}
		s.events = s.events[1:]
	}
	v, err := s.f.list()
	if err != nil {
		return fmt.Errorf("ask the agent of pod %s who serves: %w", s.f.asked, err)
	}
	s.d.see(v)
	s.noticed(v)
	return nil
}

// see has the load choose among other replicas from now on.
func (d *driver) see(v view) {
	// A server that was not there before has no place among the targets of this run.
	for i, servers := range v {
		v[i] = slices.DeleteFunc(servers, func(at int16) bool { return int(at) >= len(d.targets) })
	}
	d.view.Store(&v)
}

// noticed takes down which of the killed are listed no more.
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

// happen does what an event says.
func (s *story) happen(e *plan.Event) error {
	switch {
	case e.Kill != nil:
		return s.kill(e.Kill.Count)
	case e.ZooKeeper != nil:
		fault := runners.Fault{Kind: "zookeeper.down"}
		if err := s.f.BeginFault(fault); err != nil {
			return err
		}
		return s.f.EndFaultAfter(fault, time.Duration(e.For))
	}
	return nil
}

// kill ends containers, but not the one whose agent is asked.
func (s *story) kill(count int) error {
	var alive []string
	for _, pod := range s.f.Pods() {
		state, err := s.f.PodState(pod.Name)
		if err != nil {
			return err
		}
		if state.Running && pod.Name != s.f.asked {
			alive = append(alive, pod.Name)
		}
	}
	if len(alive) < count {
		return errors.New("kill: found too few containers that run")
	}
	s.rand.Shuffle(len(alive), func(i, j int) { alive[i], alive[j] = alive[j], alive[i] })
	for _, pod := range alive[:count] {
		s.killed[pod] = time.Now()
		if err := s.f.BeginFault(runners.Fault{Kind: "agent.killed", Pod: pod}); err != nil {
			return err
		}
	}
	return nil
}
