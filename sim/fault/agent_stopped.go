package fault

import (
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/world"
)

// The pod ends when its agent has ended. It comes back after Spec.RestartAfter, if that is set.
var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:   "agent.stopped",
		Help:   "The agent of a pod is asked to end by SIGTERM, as an orchestrator does that drains a pod.",
		Begins: "the agent of {pod} is asked to stop",
	},
	Begin: func(w *world.World, f cluster.Fault) error { return signalAgent(w, f.Pod, env.SIGTERM) },
})
