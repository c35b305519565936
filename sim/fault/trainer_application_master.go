package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "trainer.application-master",
		Help:  "The application master and the processes of the training job cannot reach each other.",
		Lasts: "the application master is unreachable",
		Ends:  "the application master is reachable again",
		Onset: "the application master becomes unreachable",
	},
	Begin: func(w *world.World, _ cluster.Fault) error { return fromMaster(w, w.Network().PartitionBoth) },
	End:   func(w *world.World, _ cluster.Fault) error { return fromMaster(w, w.Network().HealBoth) },
})

func fromMaster(w *world.World, do func(a, b []string) error) error {
	if w.ApplicationMaster() == nil {
		return &cluster.SpecError{Where: "application_master", Found: "none", Want: "a training job with one"}
	}
	var trainers []string
	for _, t := range w.Trainers() {
		trainers = append(trainers, t.Name)
	}
	return do([]string{world.ApplicationMasterHost}, trainers)
}
