package soak

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/monosim/monosim/runners"
)

// spec is the cluster that is soaked: two agents of version 3, with all faults of the
// reference repaired, as with these a lost session can leave a pod unlisted for good.
func spec(seed uint64) runners.Spec {
	return runners.Spec{
		Seed: seed, Conf: runners.ConfV3, Replicas: 2, Quirks: "fixed", RestartAfter: 15 * time.Second,
		Models: []runners.Model{{Name: "ctr", BasePath: "/models/ctr", SubGraphs: []runners.SubGraph{{Name: "entry", SizeBytes: 30e6, Versions: []int64{1}}}}},
	}
}

const (
	layout  = "main"
	model   = "ctr:entry"
	binding = "/gip/binding/ctr"
	info    = "/gip/container_service"
)

// Victim is what is killed.
type Victim string

// The victims.
const (
	Agent       Victim = "agent"
	ModelServer Victim = "model server"
	ZooKeeper   Victim = "ZooKeeper"
)

// Victims lists them.
func Victims() []Victim { return []Victim{Agent, ModelServer, ZooKeeper} }

// Cycle is one kill and what followed.
type Cycle struct {
	Victim Victim
	// Pod is whose agent or model server it was.
	Pod string
	// At is the cluster time of the kill, Took how long the cluster was not whole.
	At, Took time.Duration
}

// giveUp is the cluster time after which a cluster counts as one that does not come back.
const giveUp = 15 * time.Minute

// begin starts a cluster and waits until it is whole.
func begin(c runners.Cluster) error {
	for _, err := range []error{
		c.Declare("ctr", "entry", "/models/ctr/entry", "latest"),
		c.Publish(layout, "ctr", "entry"),
		c.Start(),
	} {
		if err != nil {
			return err
		}
	}
	return runners.Within(c, giveUp, func() error { return whole(c) })
}

// once lets some time pass, kills something, and waits until the cluster is whole again.
func once(c runners.Cluster, r *rand.Rand) (Cycle, error) {
	// Any moment of the agents' rounds, which are 10, 30 and 60 s long.
	if _, err := c.Pass(time.Duration(r.Int64N(int64(30*time.Second))), nil); err != nil {
		return Cycle{}, err
	}
	cycle := Cycle{Victim: Victims()[r.IntN(len(Victims()))], At: c.Now()}
	if err := kill(c, r, &cycle); err != nil {
		return cycle, err
	}
	err := runners.Within(c, giveUp, func() error { return whole(c) })
	cycle.Took = c.Now() - cycle.At
	return cycle, err
}

func kill(c runners.Cluster, r *rand.Rand, cycle *Cycle) error {
	pods := c.Pods()
	cycle.Pod = pods[r.IntN(len(pods))].Name
	away := time.Second + time.Duration(r.Int64N(int64(4*time.Second)))
	switch cycle.Victim {
	case Agent:
		if err := c.BeginFault(runners.Fault{Kind: "agent.killed", Pod: cycle.Pod}); err != nil {
			return err
		}
		// The cluster does not notice at once.
		return runners.Within(c, giveUp, func() error { return restarted(c, cycle.Pod) })
	case ModelServer:
		if err := c.BeginFault(runners.Fault{Kind: "modelserver.killed", Pod: cycle.Pod}); err != nil {
			return err
		}
		return runners.Within(c, giveUp, func() error { return restarted(c, cycle.Pod) })
	}
	cycle.Pod = ""
	fault := runners.Fault{Kind: "zookeeper.down"}
	if err := c.BeginFault(fault); err != nil {
		return err
	}
	if _, err := c.Pass(away, nil); err != nil {
		return err
	}
	return c.EndFault(fault)
}

// restarted wants that a pod runs with a model server: after a kill there is none until
// the pod was started again.
func restarted(c runners.Cluster, pod string) error {
	s, err := c.PodState(pod)
	if err == nil && (!s.Running || len(s.ModelServers) != 1) {
		err = fmt.Errorf("pod %s: found %+v, want it running with one model server", pod, s)
	}
	return err
}

// whole wants that everything is as at first: every pod runs one model server, is
// registered once with an ephemeral znode, and is listed by every agent.
func whole(c runners.Cluster) error {
	var names []string
	for _, p := range c.Pods() {
		names = append(names, p.Name)
		if err := restarted(c, p.Name); err != nil {
			return err
		}
	}
	if err := registered(c, info, len(names)); err != nil {
		return err
	}
	if err := registered(c, binding, len(names)); err != nil {
		return err
	}
	for _, name := range names {
		listed, err := runners.ListedOn(c, name, model)
		if err != nil {
			return err
		}
		if !slices.Equal(listed, names) {
			return fmt.Errorf("%s lists %s on %v, want %v", name, model, listed, names)
		}
	}
	return nil
}

// registered wants so many children of a znode, each of which goes with its session.
func registered(c runners.Cluster, path string, want int) error {
	node, _, err := c.Znode(path)
	if err != nil {
		return err
	}
	if len(node.Children) != want {
		return fmt.Errorf("registrations below %s: found %v, want %d", path, node.Children, want)
	}
	for _, child := range node.Children {
		n, ok, err := c.Znode(path + "/" + child)
		if err != nil {
			return err
		}
		if !ok || !n.Ephemeral {
			return fmt.Errorf("registration %s/%s: found %+v, want an ephemeral znode", path, child, n)
		}
	}
	return nil
}
