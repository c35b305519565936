package explore

import "time"

// settle is how long a cluster may take before it is looked at: an agent that was asked to stop
// ends up to a minute later, and comes back after its session (Q29).
const settle = 150 * time.Second

// The sentences of laws.
var (
	// safety has to be so at any time.
	safety = []string{
		"no registration outlives its server", "every registration is of its own pod", "every entry has started after its PS", "no agent locks what it cannot copy",
		"ZooKeeper has kept its promises",
	}
	// liveness has to be so once the faults are over: the cluster is whole in time, and stays so.
	liveness = []string{"within 4m the cluster is whole", "for 3m the cluster is quiet"}
)

// laws makes the laws of a story. A cluster that something fatal has happened to need not be whole
// again.
func (s *Story) laws(fatal bool) {
	add := func(settle time.Duration, texts ...string) {
		for _, text := range texts {
			s.Laws = append(s.Laws, Law{settle, s.fill(text)})
			settle = 0
		}
	}
	if len(s.Acts) == 0 {
		add(0, s.World.Calm...)
	}
	if fatal {
		add(settle, safety...)
		return
	}
	add(settle, liveness...)
	add(0, safety...)
}
