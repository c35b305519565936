package explore

import "time"

// settle is how long a cluster may take before expectations are checked. An agent that was asked to
// stop may end up to a minute later, and comes back only after its session has expired (Q29).
const settle = 150 * time.Second

// The sentences that state what a story expects (its laws).
var (
	// safety lists what must hold at any time.
	safety = []string{
		"no registration outlives its server", "every registration is of its own pod", "every entry has started after its PS", "no agent locks what it cannot copy",
		"every registration has an address", "every agent has followed what is registered", "every registration was of what is served", "every server has served while it loaded",
		"ZooKeeper has kept its promises",
	}
	// liveness lists what must hold once the faults are over: the cluster becomes whole in time,
	// and stays so.
	liveness = []string{"within 4m the cluster is whole", "for 3m the cluster is quiet"}
)

// laws sets what a story expects. If an act was fatal, the cluster need not become whole again.
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
