package soak

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// spec describes the cluster: two pods of version 1, each with a PS and an entry. An ended
// pod restarts only after its sessions are over (Q120). The reference's faults are repaired,
// since with them an agent whose session was lost never recovers (Q109).
func spec(seed uint64) runners.Spec {
	return runners.Spec{
		Seed: seed, Conf: strings.Replace(runners.ConfV1, "num_ps 2", "num_ps 1", 1),
		Replicas: 2, Quirks: "fixed", RestartAfter: 15 * time.Second,
		Models: []runners.Model{{Name: "predict_ctr", BasePath: "/models/predict_ctr", SubGraphs: []runners.SubGraph{
			{Name: "entry", SizeBytes: 30e6, Versions: []int64{1}}, {Name: "ps_0", SizeBytes: 30e6, Versions: []int64{1}},
		}}},
	}
}

// tasks maps each task to the parent znode of its registrations.
var tasks = map[string]string{
	"ps":    "/predict_ctr/service/predict_ctr/ps:0",
	"entry": "/predict_ctr/service/predict_ctr/entry:0",
}

// Victim is the kind of process that is killed.
type Victim string

// The victims.
const (
	Agent       Victim = "agent"
	ModelServer Victim = "model server"
	ZooKeeper   Victim = "ZooKeeper"
)

// Victims lists all kinds of processes that can be killed.
func Victims() []Victim { return []Victim{Agent, ModelServer, ZooKeeper} }

// Cycle describes one kill and the recovery from it.
type Cycle struct {
	Victim Victim
	// Pod is the pod whose agent or model server was killed, "" for ZooKeeper.
	Pod string
	// At is the cluster time of the kill. Took is how long the recovery took, in cluster time.
	At, Took time.Duration
}

// giveUp is the cluster time after which a cluster counts as not recovered.
const giveUp = 15 * time.Minute

// begin starts a cluster and waits until it is complete.
func begin(c runners.Cluster) error {
	if err := c.Start(); err != nil {
		return err
	}
	return runners.Within(c, giveUp, func() error { return whole(c) })
}

// once passes a random time, kills a random process, and waits until the cluster has
// recovered.
func once(c runners.Cluster, r *rand.Rand) (Cycle, error) {
	// The random part lets the kill hit any moment of the agents' loops of 1 s and 10 s. The
	// fixed part lets the agents first see their model servers' ports (Q20).
	if _, err := c.Pass(11*time.Second+time.Duration(r.Int64N(int64(20*time.Second))), nil); err != nil {
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
		return ended(c, cycle.Pod)
	case ModelServer:
		servers := []string{"ps", "entry"}
		if err := c.BeginFault(runners.Fault{Kind: "modelserver.killed", Pod: cycle.Pod, Server: servers[r.IntN(2)]}); err != nil {
			return err
		}
		return ended(c, cycle.Pod)
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

// ended waits until the state of a pod shows that the kill has happened. Before that, the cluster
// may still look complete.
func ended(c runners.Cluster, pod string) error {
	s, err := c.PodState(pod)
	if err != nil {
		return err
	}
	if !s.Running {
		return nil
	}
	return runners.Within(c, giveUp, func() error {
		now, err := c.PodState(pod)
		if err == nil && now.Running && now.Starts == s.Starts {
			err = fmt.Errorf("pod %s: found it running, want it to end", pod)
		}
		return err
	})
}

// restarted returns an error unless a pod runs with all of its model servers.
func restarted(c runners.Cluster, pod string) error {
	s, err := c.PodState(pod)
	if err == nil && (!s.Running || len(s.ModelServers) != len(tasks)) {
		err = fmt.Errorf("pod %s: found %+v, want it running with %d model servers", pod, s, len(tasks))
	}
	return err
}

// whole returns an error unless the cluster is complete: every pod runs its model servers,
// has one ephemeral for each task, and is known to every agent.
func whole(c runners.Cluster) error {
	var names []string
	for _, p := range c.Pods() {
		names = append(names, p.Name)
		if err := restarted(c, p.Name); err != nil {
			return err
		}
	}
	for _, kind := range []string{"ps", "entry"} {
		if err := registered(c, tasks[kind], len(names)); err != nil {
			return err
		}
		for _, name := range names {
			listed, err := runners.ListedOn(c, name, kind+":0")
			if err != nil {
				return err
			}
			if !slices.Equal(listed, names) {
				return fmt.Errorf("%s lists %s:0 on %v, want %v", name, kind, listed, names)
			}
		}
	}
	return nil
}

// registered returns an error unless a znode has exactly want children, all of them ephemeral.
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
