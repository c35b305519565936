package fault

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/world"
)

var agentKinds = []Kind{
	// The pod ends with its agent. It comes back after Spec.RestartAfter, if that is set.
	{
		FaultKind: cluster.FaultKind{
			Name:   "agent.killed",
			Help:   "The agent of a pod ends at once by SIGKILL, and its pod with it.",
			Begins: "the agent of {pod} is killed",
		},
		Begin: func(w *world.World, f cluster.Fault) error { return signalAgent(w, f.Pod, env.SIGKILL) },
	},
	// The pod ends when its agent has ended. It comes back after Spec.RestartAfter, if that is set.
	{
		FaultKind: cluster.FaultKind{
			Name:   "agent.stopped",
			Help:   "The agent of a pod is asked to end by SIGTERM, as an orchestrator does that drains a pod.",
			Begins: "the agent of {pod} is asked to stop",
		},
		Begin: func(w *world.World, f cluster.Fault) error { return signalAgent(w, f.Pod, env.SIGTERM) },
	},
	// This models an agent that gets no processor time between opening and writing a file.
	{
		FaultKind: cluster.FaultKind{
			Name:   "agent.torn-writes",
			Help:   "The agent of a pod takes a time from opening a file for writing until it has written it; in between the file is empty.",
			Begins: "the agent of {pod} takes {duration} to write a file",
			Ends:   "the agent of {pod} writes a file in one step",
		},
		Begin: func(w *world.World, f cluster.Fault) error { return takeToWrite(w, f.Pod, f.Duration) },
		End:   func(w *world.World, f cluster.Fault) error { return takeToWrite(w, f.Pod, 0) },
	},
}

func takeToWrite(w *world.World, pod string, d time.Duration) error {
	p, err := w.FindPod(pod)
	if err == nil {
		p.TakeToWrite(d)
	}
	return err
}

// signalAgent sends a signal to the agent of a pod, and runs the world until it is delivered.
func signalAgent(w *world.World, pod string, sig env.Signal) error {
	p, err := w.FindPod(pod)
	if err != nil {
		return err
	}
	if p.Agent() == nil {
		return fmt.Errorf("pod %s: found no running agent to send %s", pod, sig)
	}
	if err := p.Agent().Signal(sig); err != nil {
		return err
	}
	return w.Settle()
}
