package deeds

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/runners"
)

// Watch wraps a runner. If Spec.Detail is set, the logs of the clusters that the wrapper builds
// hold everything that [Read] needs: also the answers that agents give to any caller and, at the
// end, the config files of model servers. (What these files contained before shows in what the
// servers did.) Names of pods take the place of addresses.
func Watch(r runners.Runner) runners.Runner {
	if o, ok := r.(runners.Operations); ok {
		return watchingOperations{watching{r}, o}
	}
	return watching{r}
}

type watching struct{ runners.Runner }

// watchingOperations wraps a runner that implements runners.Operations as well.
type watchingOperations struct {
	watching
	runners.Operations
}

// Build makes a cluster of the wrapped runner.
func (w watching) Build(spec runners.Spec) (runners.Cluster, error) {
	if spec.Detail {
		spec.Reads, spec.NoLeaps = true, true // reads must be observed, and during a leap they are not
	}
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

// Check calls the wrapped runner's Check, if it has one.
func (w watching) Check(spec runners.Spec) error {
	if c, ok := w.Runner.(runners.Checker); ok {
		return c.Check(spec)
	}
	return nil
}

// watched wraps a cluster and records additional observations.
type watched struct {
	runners.Cluster
	// seen holds the additional observations in order of time.
	seen []runners.Observation
	// trainers lists the processes of the training job.
	trainers []string
}

// watchedCaller wraps a cluster that also lets model servers be called.
type watchedCaller struct {
	*watched
	runners.Caller
}

// watchedTrainer wraps a cluster that, in addition, may have a training job.
type watchedTrainer struct {
	watchedCaller
	runners.Trainer
}

// Registered asks the wrapped cluster for a registered address. It returns ErrUnsupported if
// that cluster has no registry.
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

// Log returns the cluster's log with the additional observations inserted by time.
func (w *watched) Log() []runners.Observation {
	log := w.Cluster.Log()
	names := w.addresses()
	whole := make([]runners.Observation, 0, len(log)+len(w.seen)+1)
	if b, ok := w.Cluster.(runners.Blind); ok {
		whole = append(whole, runners.Observation{Op: OpUnseen, Note: strings.Join(topics(b.Unseen()), " ")})
	}
	next := 0
	for _, o := range log {
		// An answer that was recorded at an instant comes before what the cluster does at that
		// instant.
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

// topics translates the topics of observations that are missing into the topics of the tracks that
// depend on them.
func topics(unseen []string) []string {
	var list []string
	for _, topic := range unseen {
		switch topic {
		case "zookeeper":
			list = append(list, "znode", "session", ReadsTopic)
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

// addresses maps addresses to the names of pods and of processes of a training job.
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

// Remark passes the text of a step to the wrapped cluster, if that is a runners.Narrator.
func (w *watched) Remark(text string) {
	if n, ok := w.Cluster.(runners.Narrator); ok {
		n.Remark(text)
		return
	}
	w.see(runners.Observation{Pod: "scenario", Op: "remark", Note: text})
}

// files reads the config files of the running model servers.
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

// answer records an agent's answer to a call. For an RPC error it records the status code.
func (w *watched) answer(pod, call, text string, err error) {
	var rpc *env.RPCError
	switch {
	case errors.As(err, &rpc):
		text = rpc.Code.String()
		if rpc.Code == rpcerrors.Unknown {
			text += ": " + rpc.Message // the text of the error that the agent's code raised
		}
	case err != nil:
		return // the call has reached no agent
	}
	w.see(runners.Observation{Pod: pod, Op: opAnswer, Path: call, Note: text})
}

// HeartBeat asks the wrapped cluster and records the answer.
func (w *watched) HeartBeat(pod, serverType string) ([]runners.Addresses, error) {
	list, err := w.Cluster.HeartBeat(pod, serverType)
	var text strings.Builder
	for _, a := range list {
		fmt.Fprintf(&text, "%s: %s; ", a.Key, sortedList(a.Addrs))
	}
	w.answer(pod, "HeartBeat "+serverType, strings.TrimSuffix(text.String(), "; "), err)
	return list, err
}

// GetReplicas asks the wrapped cluster and records the answer.
func (w *watched) GetReplicas(pod, serverType string, task int) ([]string, error) {
	list, err := w.Cluster.GetReplicas(pod, serverType, task)
	w.answer(pod, fmt.Sprintf("GetReplicas %s %d", serverType, task), sortedList(list), err)
	return list, err
}

// GetResource asks the wrapped cluster and records the answer.
func (w *watched) GetResource(pod string) (runners.Resource, error) {
	r, err := w.Cluster.GetResource(pod)
	w.answer(pod, "GetResource", fmt.Sprintf("%s shard %d replica %d", r.Address, r.ShardID, r.ReplicaID), err)
	return r, err
}

// sortedList formats addresses in sorted order, because the order of registrations and
// children is not defined.
func sortedList(addrs []string) string { return strings.Join(slices.Sorted(slices.Values(addrs)), " ") }

// EndFaultAfter passes the call to the wrapped cluster. It returns ErrUnsupported if that
// cannot schedule the end of a fault.
func (w *watched) EndFaultAfter(f runners.Fault, d time.Duration) error {
	if s, ok := w.Cluster.(runners.Scheduler); ok {
		return s.EndFaultAfter(f, d)
	}
	return runners.ErrUnsupported
}

// Late returns how far the wrapped cluster is behind, 0 if the cluster does not measure it.
func (w *watched) Late() (late time.Duration, tooBusy bool) {
	if d, ok := w.Cluster.(runners.Delayed); ok {
		return d.Late()
	}
	return 0, false
}

// Tolerance returns the tolerance of the wrapped cluster.
func (w *watched) Tolerance() time.Duration { return runners.Tolerance(w.Cluster) }

// Ended returns what the wrapped cluster's Ended returns, or nil if that cluster is no
// runners.Mourner.
func (w *watched) Ended() []string {
	if m, ok := w.Cluster.(runners.Mourner); ok {
		return m.Ended()
	}
	return nil
}

var (
	_ runners.Mourner   = (*watched)(nil)
	_ runners.Tolerant  = (*watched)(nil)
	_ runners.Delayed   = (*watched)(nil)
	_ runners.Narrator  = (*watched)(nil)
	_ runners.Scheduler = (*watched)(nil)
	_ runners.Checker   = watching{}
	_ runners.Registry  = watchedTrainer{}
)
