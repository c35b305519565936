package fault

import (
	"slices"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "consul.blacklisted",
		Help:  "Consul takes the registrations of a process's machine, and lists none of them.",
		Lasts: "Consul has {trainer} on its blacklist",
		Ends:  "Consul takes {trainer} off its blacklist",
		Onset: "Consul puts {trainer} on its blacklist",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		return onBlacklist(w, f, func(list []string) []string { return append(slices.Clone(list), f.Pod) })
	},
	End: func(w *world.World, f cluster.Fault) error {
		return onBlacklist(w, f, func(list []string) []string {
			return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return name == f.Pod })
		})
	},
})

func onBlacklist(w *world.World, f cluster.Fault, do func(list []string) []string) error {
	s, err := consulOf(w)
	if err == nil {
		_, err = w.FindTrainer(f.Pod)
	}
	if err != nil {
		return err
	}
	s.Agent().Faults().Hidden = do(s.Agent().Faults().Hidden)
	return nil
}
