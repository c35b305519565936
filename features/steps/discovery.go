package steps

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// agents returns the pods that a text names: a list, or "every agent" for all whose agent runs.
func (w *World) agents(text string) ([]string, error) {
	if text != "every agent" {
		_, pods, _ := strings.Cut(text, " of ")
		return list(pods), nil
	}
	var names []string
	for _, p := range w.cluster.Pods() {
		s, err := w.cluster.PodState(p.Name)
		if err != nil {
			return nil, err
		}
		if s.Running {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

// eachAgent makes a check that fn holds for each of the named agents.
func (w *World) eachAgent(agents string, fn func(pod string) error) check {
	return func() error {
		pods, err := w.agents(agents)
		if err != nil {
			return err
		}
		return onEach("agents", pods, fn)
	}
}

// onEach calls fn with each member of running, up to the first error. If nothing is running, that
// is an error too.
func onEach[T any](what string, running []T, fn func(T) error) error {
	if len(running) == 0 {
		return differ(what, "some running", "none")
	}
	for _, one := range running {
		if err := fn(one); err != nil {
			return err
		}
	}
	return nil
}

// listsOn makes a check of the pods to which the addresses of a key belong. The ports do not
// matter.
func (w *World) listsOn(agents, key, pods string) check {
	return w.eachAgent(agents, func(pod string) error {
		what := fmt.Sprintf("HeartBeat of %s: %s", pod, key)
		got, err := runners.ListedOn(w.cluster, pod, key)
		if err != nil {
			return differ(what, w.pods(pods), err)
		}
		return w.samePods(what, pods, got)
	})
}

// samePods checks that got, a sorted list, has exactly the named pods.
func (w *World) samePods(what, pods string, got []string) error {
	want := slices.Clone(w.pods(pods))
	slices.Sort(want)
	if !slices.Equal(want, got) {
		return differ(what, want, got)
	}
	return nil
}

func (w *World) listsNothing(agents string) check {
	return w.eachAgent(agents, func(pod string) error {
		for _, kind := range []string{"ps", "entry", "dense"} {
			what := fmt.Sprintf("HeartBeat of %s for %s", pod, kind)
			answer, err := w.cluster.HeartBeat(pod, kind)
			if err != nil {
				return differ(what, "nothing", err)
			}
			for _, a := range answer {
				if len(a.Addrs) > 0 {
					return differ(what, "nothing", keys(answer))
				}
			}
		}
		return nil
	})
}

func keys(answer []runners.Addresses) []string {
	return lists.MapOrNil(answer, func(a runners.Addresses) string { return fmt.Sprintf("%s on %d", a.Key, len(a.Addrs)) })
}

func (w *World) doesNotAnswer(agents string) check {
	return w.eachAgent(agents, func(pod string) error {
		_, err := w.cluster.HeartBeat(pod, "ps")
		var rpc *env.RPCError
		if err == nil || errors.As(err, &rpc) && rpc.Code != rpcerrors.Unavailable && rpc.Code != rpcerrors.DeadlineExceeded {
			return differ("HeartBeat of "+pod, "no answer", answered(err))
		}
		return nil
	})
}

func answered(err error) any {
	if err == nil {
		return "one"
	}
	return err
}

func (w *World) replicasAnswer(agents, kind string, task int, pods string) check {
	return w.eachAgent(agents, func(pod string) error {
		what := fmt.Sprintf("GetReplicas of %s: %s %d", pod, kind, task)
		addrs, err := w.cluster.GetReplicas(pod, kind, task)
		if err != nil {
			return differ(what, w.pods(pods), err)
		}
		got, err := runners.PodsAt(w.cluster, addrs)
		if err != nil {
			return err
		}
		return w.samePods(what, pods, got)
	})
}

func (w *World) refusesGetReplicas(agents, code, text string) check {
	return w.eachAgent(agents, func(pod string) error {
		_, err := w.cluster.GetReplicas(pod, "ps", 0)
		return refused("GetReplicas of "+pod, code, text, err)
	})
}

func (w *World) refusesGetResource(agents, code, text string) check {
	return w.eachAgent(agents, func(pod string) error {
		_, err := w.cluster.GetResource(pod)
		return refused("GetResource of "+pod, code, text, err)
	})
}

// refused returns nil if err has the status code, and contains text in its message.
func refused(what, code, text string, err error) error {
	if rpc, ok := errors.AsType[*env.RPCError](err); ok && rpc.Code.String() == code && strings.Contains(rpc.Message, text) {
		return nil
	}
	return differ(what, code+" ..."+text+"...", answered(err))
}

func (w *World) resourceAnswer(agents string, shard, replica int) check {
	return w.eachAgent(agents, func(pod string) error {
		what, want := "GetResource of "+pod, fmt.Sprintf("shard %d and replica %d", shard, replica)
		r, err := w.cluster.GetResource(pod)
		if err != nil {
			return differ(what, want, err)
		}
		if r.ShardID != shard || r.ReplicaID != replica {
			return differ(what, want, fmt.Sprintf("shard %d and replica %d", r.ShardID, r.ReplicaID))
		}
		if r.Address != "" && r.MemoryBytes <= 0 { // an agent of version 1 tells nothing (Q219)
			return differ(what, "the memory that is free", fmt.Sprintf("%d bytes", r.MemoryBytes))
		}
		return nil
	})
}
