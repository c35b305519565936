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
	return untilItEnds(e.Host, kept, work)
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
