// Package embedder is a project of somebody's own whose tests use monosim: clusters in
// virtual time, scenarios, a ZooKeeper and a model server in process.
package embedder

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simtest"
)

// ranker is the model that the clusters of these tests serve.
var ranker = runners.Model{Name: "ranker", BasePath: "/models/ranker", SubGraphs: []runners.SubGraph{
	{Name: "entry", SizeBytes: 30e6, Versions: []int64{1}},
}}

func TestBothPodsAreListed(t *testing.T) {
	c := simtest.Start(t, runners.Spec{Replicas: 2, Models: []runners.Model{ranker}})
	c.RollOut("main", "ranker")
	c.Within(95*time.Second, "both pods are listed", c.Listed("ranker:entry"))
}

// A night with an outage of ZooKeeper and a pod that dies: what is published comes back.
func TestANight(t *testing.T) {
	c := simtest.Start(t, runners.Spec{Replicas: 2, Models: []runners.Model{ranker}, RestartAfter: 30 * time.Second})
	c.RollOut("main", "ranker")
	c.Within(95*time.Second, "both pods are listed", c.Listed("ranker:entry"))

	c.During(runners.Fault{Kind: "zookeeper.down"}, 5*time.Second)
	c.Throughout(time.Minute, "a short outage goes unnoticed", c.Listed("ranker:entry"))

	c.Begin(runners.Fault{Kind: "agent.killed", Pod: "shard0-replica1"})
	c.Within(time.Minute, "the pod starts again", func() error {
		state, err := c.PodState("shard0-replica1")
		if err == nil && state.Starts != 2 {
			err = fmt.Errorf("starts: want 2, got %d", state.Starts)
		}
		return err
	})
	c.Within(5*time.Minute, "and is listed again", c.Listed("ranker:entry"))
	c.Throughout(8*time.Hour, "and the rest of the night is quiet", c.Listed("ranker:entry"))
}
