package cputraining

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// TFConfig is the environment variable that describes the cluster to TensorFlow's estimators.
const TFConfig = "TF_CONFIG"

// InCluster runs train as a worker in a cluster does (_do_worker_train, cpu_training.py:1797).
// First it checks with CheckNodes that chief and PS can be reached. If so, it sets TF_CONFIG while
// train runs and unsets it afterwards, even if it was set before. Otherwise TF_CONFIG is unchanged.
func InCluster(e *env.Env, kept jobquirks.Set, c Cluster, train func() error) error {
	if err := CheckNodes(e, kept, c.Cluster); err != nil {
		return err
	}
	c.export(e.Host)
	defer e.Host.Unsetenv(TFConfig)
	if err := c.checkTask(); err != nil {
		return err
	}
	return train()
}

// FeaturesInCluster does what InCluster does, but for a worker that only prepares features
// (_do_worker_feature_engineering, cpu_training.py:1935). TF_CONFIG stays set after an error,
// unless Q310 is repaired.
func FeaturesInCluster(e *env.Env, kept jobquirks.Set, c Cluster, work func() error) error {
	if err := CheckNodes(e, kept, c.Cluster); err != nil {
		return err
	}
	c.export(e.Host)
	return untilItEnds(e.Host, kept, func() error {
		if err := c.checkTask(); err != nil {
			return err
		}
		return work()
	})
}

// Local runs training in one process (local_train_internal, cpu_training.py:2249). TF_CONFIG
// describes the cluster of the process's servers, or is unset if there is no PS. TF_CONFIG stays
// set after an error, unless Q310 is repaired.
func Local(host env.Host, kept jobquirks.Set, chief string, ps []string, train func() error) error {
	host.Unsetenv(TFConfig)
	if len(ps) > 0 {
		exportTFConfig(host, pysem.DictOf("chief", list([]string{chief}), "ps", list(ps)), "chief", 0)
	}
	return untilItEnds(host, kept, train)
}

// untilItEnds runs work and unsets TF_CONFIG if it succeeds. With Q310 repaired it also unsets it
// if work fails.
func untilItEnds(host env.Host, kept jobquirks.Set, work func() error) error {
	err := work()
	if err == nil || !kept.Keeps(jobquirks.Q310) {
		host.Unsetenv(TFConfig)
	}
	return err
}

// evaluator is the task type that is no part of a cluster, so that its index has no upper bound.
const evaluator = "evaluator"

// checkTask raises what TensorFlow's RunConfig raises when it reads a TF_CONFIG with more than one
// chief, or with a task that the cluster does not have.
func (c Cluster) checkTask() error {
	const note = "\n\nNote that these values may be coming from the TF_CONFIG environment variable."
	role, index := c.Task.Type, c.Task.Index
	addrs, known := map[string][]string{"chief": c.Chief, "worker": c.Worker, "ps": c.PS}[role]
	switch {
	case len(c.Chief) > 1:
		return pysem.Raise("ValueError", `The "cluster" in TF_CONFIG must have only one "chief" node.`)
	case role == "":
		return pysem.Raise("ValueError", `If "cluster" is set in TF_CONFIG, task type must be set.`)
	case index < 0:
		return pysem.Raise("ValueError", "Task index must be non-negative number.")
	case role == evaluator:
		return nil
	case !known:
		return pysem.Raise("ValueError", "%s is not a valid task_type in the cluster_spec:\n%s%s", role, c.spec(), note)
	case index >= len(addrs):
		return pysem.Raise("ValueError", "%d is not a valid task_id for task_type %s in the cluster_spec:\n%s%s", index, role, c.spec(), note)
	}
	return nil
}

// spec shows the cluster as a ClusterSpec does.
func (c Cluster) spec() string {
	return "ClusterSpec(" + pysem.Repr(pysem.DictOf("chief", list(c.Chief), "ps", list(c.PS), "worker", list(c.Worker))) + ")"
}

// export sets TF_CONFIG to the cluster and the process's place in it.
func (c Cluster) export(host env.Host) {
	exportTFConfig(host, pysem.DictOf("chief", list(c.Chief), "worker", list(c.Worker), "ps", list(c.PS)), c.Task.Type, c.Task.Index)
}

func exportTFConfig(host env.Host, cluster *pysem.Dict, role string, index int) {
	config := pysem.DictOf("cluster", cluster, "task", pysem.DictOf("type", role, "index", index))
	host.Setenv(TFConfig, string(pysem.AppendJSON(nil, config)))
}

// list converts texts to a Python list.
func list(texts []string) []any {
	return lists.Map(texts, func(t string) any { return t })
}
