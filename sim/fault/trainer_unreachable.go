package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "trainer.unreachable",
		Help:  "A process of the training job and the others cannot reach each other; ZooKeeper and the files are there.",
		Lasts: "{trainer} is unreachable",
		Ends:  "{trainer} is reachable again",
		Onset: "{trainer} becomes unreachable",
	},
	Begin: func(w *world.World, f cluster.Fault) error { return fromOthers(w, f, w.Network().PartitionBoth) },
	End:   func(w *world.World, f cluster.Fault) error { return fromOthers(w, f, w.Network().HealBoth) },
})

func fromOthers(w *world.World, f cluster.Fault, do func(a, b []string) error) error {
	if _, err := w.FindTrainer(f.Pod); err != nil {
		return err
	}
	var others []string
	for _, t := range w.Trainers() {
		if t.Name != f.Pod {
			others = append(others, t.Name)
		}
	}
	return do([]string{f.Pod}, others)
}
