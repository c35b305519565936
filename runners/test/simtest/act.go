package simtest

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// The methods of this file act on the cluster as the methods of runners.Actor do, which
// document their units and meanings. Each ends the test if it fails, see Must.

// Start starts all pods at once. It may be called only on a cluster made by Build.
func (c *Cluster) Start() {
	c.tb.Helper()
	c.Must(c.cluster.Start())
}

// Advance lets d of cluster time pass.
func (c *Cluster) Advance(d time.Duration) {
	c.tb.Helper()
	_, err := c.cluster.Pass(d, nil)
	c.Must(err)
}

// Declare writes the deploy config of model:subGraph. policy is latest, latest_once,
// all or specific.
func (c *Cluster) Declare(model, subGraph, basePath, policy string) {
	c.tb.Helper()
	c.Must(c.cluster.Declare(model, subGraph, basePath, policy))
}

// Publish adds sub-graphs of a model to a layout, in one session.
func (c *Cluster) Publish(layout, model string, subGraphs ...string) {
	c.tb.Helper()
	c.Must(c.cluster.Publish(layout, model, subGraphs...))
}

// Unpublish removes sub-graphs of a model from a layout, in one session.
func (c *Cluster) Unpublish(layout, model string, subGraphs ...string) {
	c.tb.Helper()
	c.Must(c.cluster.Unpublish(layout, model, subGraphs...))
}

// RollOut declares every sub-graph of a model of the spec with the policy latest, and then
// publishes all of them to a layout.
func (c *Cluster) RollOut(layout, model string) {
	c.tb.Helper()
	for _, m := range c.spec.Models {
		if m.Name != model {
			continue
		}
		for _, g := range m.SubGraphs {
			c.Declare(model, g.Name, m.SubGraphPath(g.Name), "latest")
		}
		c.Publish(layout, model, m.SubGraphNames()...)
		return
	}
	c.Must(fmt.Errorf("roll out %s: found no such model in the spec, want one of Spec.Models", model))
}

// WriteZnode creates or sets a persistent znode and its parents.
func (c *Cluster) WriteZnode(path string, data []byte) {
	c.tb.Helper()
	c.Must(c.cluster.WriteZnode(path, data))
}

// DeleteZnode deletes a znode and everything below it.
func (c *Cluster) DeleteZnode(path string) {
	c.tb.Helper()
	c.Must(c.cluster.DeleteZnode(path))
}

// ExportVersion adds a version directory of sizeBytes below a base path.
func (c *Cluster) ExportVersion(basePath string, version, sizeBytes int64) {
	c.tb.Helper()
	c.Must(c.cluster.ExportVersion(basePath, version, sizeBytes))
}

// DeleteVersion removes a version directory; version 0 removes the base path.
func (c *Cluster) DeleteVersion(basePath string, version int64) {
	c.tb.Helper()
	c.Must(c.cluster.DeleteVersion(basePath, version))
}

// StartPod starts a pod that has ended.
func (c *Cluster) StartPod(pod string) {
	c.tb.Helper()
	c.Must(c.cluster.StartPod(pod))
}

// Begin begins a fault, and End ends it. A fault that is over at once, such as the death of a
// process, needs no End:
//
//	c.Begin(runners.Fault{Kind: "agent.killed", Pod: "shard0-replica1"})
//
// `monosim test --faults` lists the kinds. runners.Fault says which fields each kind takes.
func (c *Cluster) Begin(f runners.Fault) {
	c.tb.Helper()
	c.Must(c.cluster.BeginFault(f))
}

// End ends a fault that Begin began.
func (c *Cluster) End(f runners.Fault) {
	c.tb.Helper()
	c.Must(c.cluster.EndFault(f))
}

// During begins a fault, lets d of cluster time pass, and ends it.
func (c *Cluster) During(f runners.Fault, d time.Duration) {
	c.tb.Helper()
	c.Begin(f)
	c.Advance(d)
	c.End(f)
}

// podNames lists the names of all pods.
func (c *Cluster) podNames() []string {
	return lists.MapOrNil(c.cluster.Pods(), func(p runners.Pod) string { return p.Name })
}

var _ runners.Observer = (*Cluster)(nil)
