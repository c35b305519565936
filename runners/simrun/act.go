package simrun

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/world"
)

// Start starts all pods.
func (c *Cluster) Start() error { return c.world.Start() }

// Pass lets time pass in steps of runners.Resolution.
func (c *Cluster) Pass(d time.Duration, until func() bool) (bool, error) {
	end := c.world.Engine().Now() + d
	for {
		if until != nil && until() {
			return true, nil
		}
		now := c.world.Engine().Now()
		if now >= end {
			return false, nil
		}
		next := end
		if until != nil {
			next = min(end, now+runners.Resolution)
		}
		if err := c.run(vtime.Limits{Until: next}); err != nil {
			return false, err
		}
	}
}

// run lets time pass until a limit is met, and ends the faults whose time comes.
func (c *Cluster) run(l vtime.Limits) error {
	for {
		stage := l
		stage.Until = c.untilFaultEnds(l.Until)
		reason, err := c.world.Run(stage)
		if err != nil {
			return err
		}
		if err := c.endFaults(); err != nil {
			return err
		}
		if stage.Until == l.Until || reason != vtime.TimeUp {
			return nil
		}
	}
}

// operate runs fn in a task of an operator's process and lets time pass until it
// is done, for limit at most.
func (c *Cluster) operate(what string, limit time.Duration, fn func(e *env.Env) error) error {
	machine := c.world.Operator()
	life := machine.Node.NewProcess("operator")
	e := machine.Env(life, nil)
	if c.world.ZooKeeper() != nil {
		e.ZooKeeper = c.world.OperatorClients(e, life)
	}
	return c.await(life, what, limit, func() error { return fn(e) }, true)
}

// await runs fn in a task of a process and lets time pass until it is done.
func (c *Cluster) await(life *vtime.Process, what string, limit time.Duration, fn func() error, last bool) error {
	done := false
	var result error
	life.Go(what, func() {
		result = fn()
		done = true
	})
	end := c.world.Engine().Now() + limit
	if err := c.run(vtime.Limits{Until: end, Done: func() bool { return done || life.Dead() }}); err != nil {
		return err
	}
	if last {
		life.Crash()
	}
	if !done {
		return fmt.Errorf("%s: not done within %s", what, limit)
	}
	return result
}

// operatorLimit bounds what an operator does.
const operatorLimit = time.Minute

// withZooKeeper runs fn with a started client: an operator's own, or under the
// profile kazoo-fake that of every agent in turn, as each has a tree of its own.
func (c *Cluster) withZooKeeper(what string, fn func(e *env.Env, zk env.ZooKeeper) error) error {
	if c.world.ZooKeeper() == nil {
		return c.withFakes(what, fn)
	}
	return c.operate(what, operatorLimit, func(e *env.Env) error {
		zk := e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})
		if err := zk.Start(0); err != nil {
			return err
		}
		defer zk.Stop()
		return fn(e, zk)
	})
}

func (c *Cluster) withFakes(what string, fn func(e *env.Env, zk env.ZooKeeper) error) error {
	for _, p := range c.world.Pods() {
		if p.FakeZooKeeper() == nil {
			return fmt.Errorf("%s: the agent of %s does not run, and under kazoo-fake there is no tree but its own", what, p.Name)
		}
		err := c.await(p.Agent().Life(), what, operatorLimit, func() error { return fn(p.AgentEnv(), p.FakeZooKeeper()) }, false)
		if err != nil {
			return err
		}
	}
	return nil
}

// withBackend is withZooKeeper at the level of agent_controller.
func (c *Cluster) withBackend(what string, fn func(b *backends.ZKBackend) error) error {
	return c.withZooKeeper(what, func(e *env.Env, zk env.ZooKeeper) error {
		return fn(backends.NewZKBackend(e, c.bzid, zk))
	})
}

// layoutPath is the path of a layout; "" is that of the configuration.
func (c *Cluster) layoutPath(layout string) (string, error) {
	switch {
	case layout == "" && c.layout == "":
		return "", &runners.SpecError{Where: c.confName(), Found: "no layout_pattern", Want: "one, or a layout named by its path"}
	case layout == "":
		return c.layout, nil
	case strings.HasPrefix(layout, "/"):
		return layout, nil
	}
	return "/" + c.bzid + "/layouts/" + layout, nil
}

// Declare writes the deploy config of model:subGraph.
func (c *Cluster) Declare(model, subGraph, basePath, policy string) error {
	return c.withBackend("declare", func(b *backends.ZKBackend) error {
		return b.DeclSavedModel(datadef.SavedModel{ModelName: model, SubGraph: subGraph},
			&datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some(basePath), VersionPolicy: pysem.Some(policy)})
	})
}

// Publish adds sub-graphs of a model to a layout, as agent_controller pub does.
func (c *Cluster) Publish(layout, model string, subGraphs ...string) error {
	return c.mapToLayout("publish", layout, model, subGraphs, (*backends.ZKBackend).AddToLayout)
}

// Unpublish removes sub-graphs of a model from a layout, as agent_controller unpub does.
func (c *Cluster) Unpublish(layout, model string, subGraphs ...string) error {
	return c.mapToLayout("unpublish", layout, model, subGraphs, (*backends.ZKBackend).RemoveFromLayout)
}

// mapToLayout does something to sub-graphs in one session (agent_controller.py:90): to
// those that are declared in the order in which ZooKeeper lists them. Those that are not,
// which the command passes over, come after them in the order given.
func (c *Cluster) mapToLayout(what, layout, model string, subGraphs []string, do func(*backends.ZKBackend, string, datadef.SavedModel) error) error {
	path, err := c.layoutPath(layout)
	if err != nil {
		return err
	}
	return c.withBackend(what, func(b *backends.ZKBackend) error {
		declared, err := b.ListSavedModels(model)
		if err != nil {
			return err
		}
		wanted := slices.DeleteFunc(declared, func(m datadef.SavedModel) bool { return !slices.Contains(subGraphs, m.SubGraph) })
		for _, g := range subGraphs {
			if m := (datadef.SavedModel{ModelName: model, SubGraph: g}); !slices.Contains(wanted, m) {
				wanted = append(wanted, m)
			}
		}
		for _, m := range wanted {
			if err := do(b, path, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteZnode creates or sets a persistent znode and its parents.
func (c *Cluster) WriteZnode(path string, data []byte) error {
	return c.withZooKeeper("write znode", func(_ *env.Env, zk env.ZooKeeper) error {
		_, err := zk.Create(path, data, env.CreateOptions{MakePath: true})
		if errors.Is(err, zkerrors.ErrNodeExists) {
			_, err = zk.Set(path, data, -1)
		}
		return err
	})
}

// DeleteZnode deletes a znode and everything below it.
func (c *Cluster) DeleteZnode(path string) error {
	return c.withZooKeeper("delete znode", func(_ *env.Env, zk env.ZooKeeper) error {
		return zk.Delete(path, env.DeleteOptions{Version: -1, Recursive: true})
	})
}

// ExportVersion adds a version directory of a size below a base path.
func (c *Cluster) ExportVersion(basePath string, version, sizeBytes int64) error {
	fs, dir := c.world.StoreOf(basePath)
	return fs.AddModelVersion(dir, version, sizeBytes)
}

// DeleteVersion removes a version directory, version 0 the base path.
func (c *Cluster) DeleteVersion(basePath string, version int64) error {
	fs, dir := c.world.StoreOf(basePath)
	if version != 0 {
		dir += "/" + strconv.FormatInt(version, 10)
	}
	return fs.RemoveAll(dir)
}

func (c *Cluster) server(pod, kind string) (*world.ModelServer, error) {
	p, err := c.world.FindPod(pod)
	if err != nil {
		return nil, err
	}
	return p.ModelServer(kind)
}

// StartPod starts a pod that has ended.
func (c *Cluster) StartPod(pod string) error {
	p, err := c.world.FindPod(pod)
	if err != nil {
		return err
	}
	if err := p.Start(); err != nil || !p.Bare() {
		return err
	}
	return c.world.Settle() // so that there is a process to call
}
