package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/world"
)

// The pod ends with its agent. It comes back after Spec.RestartAfter, if that is set.
var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "agent.killed",
		Help:   "The agent of a pod ends at once by SIGKILL, and its pod with it.",
		Begins: "the agent of {pod} is killed",
	},
	Begin: func(w *world.World, f cluster.Fault) error { return signalAgent(w, f.Pod, env.SIGKILL) },
})
