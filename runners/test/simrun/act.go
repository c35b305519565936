package simrun

import (
	"fmt"
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/world"
)

// Start starts all pods.
func (c *Cluster) Start() error { return c.world.Start() }

// Pass advances virtual time by d in steps of runners.Resolution, and stops early once
// until returns true.
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

// run advances virtual time up to a limit, and ends the faults that fall due on the way.
func (c *Cluster) run(l vtime.Limits) error {
	for {
		stage := l
		stage.Until = c.watch.until(c.Now(), c.endings.Until(l.Until))
		reason, err := c.world.Run(stage)
		if err != nil {
			return err
		}
		if err := c.endings.EndDue(c.Now(), c.EndFault); err != nil {
			return err
		}
		if err := c.watch.look(c.Now()); err != nil {
			return err
		}
		if stage.Until == l.Until || reason != vtime.TimeUp {
			return c.lookAtTraining()
		}
	}
}

// operate runs fn in a new task of an operator's process. It advances virtual time until fn
// returns, by no more than limit.
func (c *Cluster) operate(what string, limit time.Duration, fn func(e *env.Env) error) error {
	machine := c.world.Operator()
	life := machine.Node.NewProcess("operator")
	e := machine.Env(life, nil)
	if c.world.ZooKeeper() != nil {
		e.ZooKeeper = c.world.OperatorClients(e, life)
	}
	return c.await(life, what, limit, func() error { return fn(e) }, true)
}

// await runs fn in a new task of life. It advances virtual time until fn returns, by no more
// than limit.
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

// operatorLimit is the longest that one act of an operator may take, in virtual time.
const operatorLimit = time.Minute

// withZooKeeper runs fn with the operator's own started client. Under the profile kazoo-fake
// each agent has a ZooKeeper tree of its own, so fn runs once with each agent's client.
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

// ExportVersion adds a version directory of sizeBytes below a base path.
func (c *Cluster) ExportVersion(basePath string, version, sizeBytes int64) error {
	fs, dir := c.world.StoreOf(basePath)
	return fs.AddModelVersion(dir, version, sizeBytes)
}

// DeleteVersion removes a version directory; for version 0 it removes the whole base path.
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
	return c.world.Settle() // the pod's processes have to exist before they can be called
}
