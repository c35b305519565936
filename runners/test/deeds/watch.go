package deeds

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// Watch is a runner that builds the clusters of another, whose logs say in a run with
// Spec.Detail what [Read] needs beside what the other observes: what agents answered
// whoever asked them, and at the end what the config files of model servers have (what
// they had before is told by what the servers did). In these logs pods stand for their
// addresses.
func Watch(r runners.Runner) runners.Runner {
	if o, ok := r.(runners.Operations); ok {
		return watchingOperations{watching{r}, o}
	}
	return watching{r}
}

type watching struct{ runners.Runner }

// watchingOperations is a runner that answers single operations too.
type watchingOperations struct {
	watching
	runners.Operations
}

// Build makes a cluster of the other runner.
func (w watching) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := w.Runner.Build(spec)
	if err != nil || !spec.Detail {
		return c, err
	}
	seen := &watched{Cluster: c}
	caller, calls := c.(runners.Caller)
	trainer, trains := c.(runners.Trainer)
	if trains && spec.Training != nil {
		seen.trainers = spec.Training.TrainerNames()
	}
	switch {
	case calls && trains:
		return watchedTrainer{watchedCaller{seen, caller}, trainer}, nil
	case calls:
		return watchedCaller{seen, caller}, nil
	}
	return seen, nil
}

// Check asks the other runner, where it can tell.
func (w watching) Check(spec runners.Spec) error {
	if c, ok := w.Runner.(runners.Checker); ok {
		return c.Check(spec)
	}
	return nil
}

// watched is a cluster with what was seen of it.
type watched struct {
	runners.Cluster
	// seen is in order.
	seen []runners.Observation
	// trainers are the processes of its training job.
	trainers []string
}

// watchedCaller is a cluster whose model servers can be called too.
type watchedCaller struct {
	*watched
	runners.Caller
}

// watchedTrainer is one that may have a training job too.
type watchedTrainer struct {
	watchedCaller
	runners.Trainer
}

// Registered asks the cluster, where it can tell.
func (w watchedTrainer) Registered(name string) (addr string, ok bool, err error) {
	r, ok := w.Cluster.(runners.Registry)
	if !ok {
		return "", false, runners.ErrUnsupported
	}
	return r.Registered(name)
}

func (w *watched) see(o runners.Observation) {
	o.At = w.Now()
	w.seen = append(w.seen, o)
}

// Log is that of the cluster, with what was seen at its place.
func (w *watched) Log() []runners.Observation {
	log := w.Cluster.Log()
	names := w.addresses()
	whole := make([]runners.Observation, 0, len(log)+len(w.seen)+1)
	if b, ok := w.Cluster.(runners.Blind); ok {
		whole = append(whole, runners.Observation{Op: OpUnseen, Note: strings.Join(topics(b.Unseen()), " ")})
	}
	next := 0
	for _, o := range log {
		// What was seen at an instant was before what the cluster did or was told then.
		for ; next < len(w.seen) && w.seen[next].At <= o.At; next++ {
			whole = append(whole, named(w.seen[next], names))
		}
		whole = append(whole, named(o, names))
	}
	for _, o := range slices.Concat(w.seen[next:], w.files()) {
		whole = append(whole, named(o, names))
	}
	return whole
}

// topics are those of tracks that come of topics of observations.
func topics(unseen []string) []string {
	var list []string
	for _, topic := range unseen {
		switch topic {
		case "zookeeper":
			list = append(list, "znode", "session")
		case "modelserver":
			list = append(list, "model")
		case "rpc":
			list = append(list, "call")
		default:
			list = append(list, topic)
		}
	}
	return list
}

// addresses are the pods, and the processes of a training job, by their addresses.
func (w *watched) addresses() map[string]string {
	names := map[string]string{}
	for _, p := range w.Pods() {
		if s, err := w.PodState(p.Name); err == nil && s.IP != "" {
			names[s.IP] = p.Name
		}
	}
	for _, name := range w.trainers {
		if s, err := w.Cluster.(runners.Trainer).TrainerState(name); err == nil && s.IP != "" {
			names[s.IP] = name
		}
	}
	return names
}

func named(o runners.Observation, names map[string]string) runners.Observation {
	if !strings.HasPrefix(o.Op, "log.") {
		o.Note, o.Data = nameAddresses(o.Note, names), nameAddresses(o.Data, names)
		o.Peer = nameAddresses(o.Peer, names)
	}
	return o
}

// Remark has the cluster write the step down, where it can.
func (w *watched) Remark(text string) {
	if n, ok := w.Cluster.(runners.Narrator); ok {
		n.Remark(text)
		return
	}
	w.see(runners.Observation{Pod: "scenario", Op: "remark", Note: text})
}

// files are the config files of the model servers that run.
func (w *watched) files() (list []runners.Observation) {
	for _, p := range w.Pods() {
		state, err := w.PodState(p.Name)
		if err != nil {
			continue
		}
		for _, s := range state.ModelServers {
			if data, err := w.ReadFile(p.Name, s.ConfigFile); err == nil {
				list = append(list, runners.Observation{
					At: w.Now(), Pod: p.Name, Op: opFile, Path: strings.TrimSpace("model config " + s.Kind), Note: strings.Join(strings.Fields(string(data)), " "),
				})
			}
		}
	}
	return list
}

// answer takes down what an agent answered.
func (w *watched) answer(pod, call, text string, err error) {
	var rpc *env.RPCError
	switch {
	case errors.As(err, &rpc):
		text = rpc.Code.String()
		if rpc.Code == env.Unknown {
			text += ": " + rpc.Message // what the agent's code raised
		}
	case err != nil:
		return // nobody was asked
	}
	w.see(runners.Observation{Pod: pod, Op: opAnswer, Path: call, Note: text})
}

// HeartBeat asks the cluster.
func (w *watched) HeartBeat(pod, serverType string) ([]runners.Addresses, error) {
	list, err := w.Cluster.HeartBeat(pod, serverType)
	var text strings.Builder
	for _, a := range list {
		fmt.Fprintf(&text, "%s: %s; ", a.Key, sortedList(a.Addrs))
	}
	w.answer(pod, "HeartBeat "+serverType, strings.TrimSuffix(text.String(), "; "), err)
	return list, err
}

// GetReplicas asks the cluster.
func (w *watched) GetReplicas(pod, serverType string, task int) ([]string, error) {
	list, err := w.Cluster.GetReplicas(pod, serverType, task)
	w.answer(pod, fmt.Sprintf("GetReplicas %s %d", serverType, task), sortedList(list), err)
	return list, err
}

// GetResource asks the cluster.
func (w *watched) GetResource(pod string) (runners.Resource, error) {
	r, err := w.Cluster.GetResource(pod)
	w.answer(pod, "GetResource", fmt.Sprintf("%s shard %d replica %d", r.Address, r.ShardID, r.ReplicaID), err)
	return r, err
}

// sortedList is a list whose order is left open: that of registrations and of children.
func sortedList(addrs []string) string { return strings.Join(slices.Sorted(slices.Values(addrs)), " ") }

// EndFaultAfter asks the cluster, where it can.
func (w *watched) EndFaultAfter(f runners.Fault, d time.Duration) error {
	if s, ok := w.Cluster.(runners.Scheduler); ok {
		return s.EndFaultAfter(f, d)
	}
	return runners.ErrUnsupported
}

// Tolerance is that of the cluster.
func (w *watched) Tolerance() time.Duration { return runners.Tolerance(w.Cluster) }

var (
	_ runners.Tolerant  = (*watched)(nil)
	_ runners.Narrator  = (*watched)(nil)
	_ runners.Scheduler = (*watched)(nil)
	_ runners.Checker   = watching{}
	_ runners.Registry  = watchedTrainer{}
)
