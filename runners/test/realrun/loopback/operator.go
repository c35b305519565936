package loopback

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// operatorProcess is a process inside this program, through which the operator acts on the
// cluster.
type operatorProcess struct {
	c     *Cluster
	life  *walltime.Process
	e     *env.Env
	relay *relay // stands for the network to ZooKeeper
}

// operatorName is the operator's name in observations.
const operatorName = "operator"

func newOperator(c *Cluster) *operatorProcess {
	o := &operatorProcess{c: c, life: c.world.NewProcess(operatorName, operatorName)}
	o.e = c.env(o.life)
	if m, err := machine.New(o.life, machine.Options{}); err == nil { // fails if the working directory has been deleted
		o.e.Files = m.Files()
	}
	// A process ends when its last task ends, so this task waits forever.
	o.life.Go("stay", func() { o.life.NewCond("the end").Wait() })
	return o
}

// env makes the environment of an operator's process, with the real network.
func (c *Cluster) env(life *walltime.Process) *env.Env {
	e := &env.Env{Clock: life, Tasks: life, Random: life, Log: quiet{}}
	e.Network = realrun.NewNetwork(life, realrun.Options{})
	e.Models = realrun.ModelServers{Network: e.Network}
	return e
}

// podEnv makes the environment of an operator's process inside a pod. It has the pod's
// variables and addresses, and its timeouts are in cluster time.
func (p *pod) podEnv(life *walltime.Process) (*env.Env, error) {
	e, err := surroundings.New(life, surroundings.Options{
		Machine: machine.Options{Environ: p.environment()}, Network: realrun.Options{ListenHost: p.ip, Localhost: p.ip},
	})
	if err != nil {
		return nil, err
	}
	e.Log, e.Network = quiet{}, &podNetwork{e.Network, p.c}
	e.Models = realrun.ModelServers{Network: e.Network}
	return e, nil
}

// quiet is a log that discards everything. The operator's errors are returned instead.
type quiet struct{}

func (quiet) Enabled(env.Level) bool         { return false }
func (quiet) Logf(env.Level, string, ...any) {}

// do runs fn in a task of the operator and waits for it. It returns an error after limit.
func (o *operatorProcess) do(what string, limit time.Duration, fn func() error) error {
	done := make(chan error, 1)
	o.life.Go(what, func() {
		// The caller gets this error if the task is unwound before fn returns.
		err := errors.New("the operator's process has ended")
		defer func() { done <- err }()
		err = fn()
	})
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return fmt.Errorf("%s: not done within %v of wall time", what, limit)
	}
}

// operatorLimit is the longest that one act of the operator may take, in wall time.
const operatorLimit = time.Minute

// withZooKeeper runs fn with a started ZooKeeper client.
func (o *operatorProcess) withZooKeeper(what string, fn func(e *env.Env, zk env.ZooKeeper) error) error {
	return o.do(what, operatorLimit, func() error {
		if len(o.c.zk.addrs()) == 0 {
			return fmt.Errorf("%s: ZooKeeper is down", what)
		}
		clients := &realrun.ZooKeepers{Env: o.e, Proc: o.life, Servers: []string{o.relay.addr()}}
		zk := clients.NewClient("", env.ZooKeeperOptions{})
		if err := zk.Start(0); err != nil {
			return err
		}
		defer zk.Stop()
		return fn(o.e, zk)
	})
}

// call makes one gRPC call to the server at addr, in a task of the operator, and waits for the
// answer.
func (o *operatorProcess) call(addr, method string, request []byte, timeout time.Duration) (answer []byte, err error) {
	limit := timeout + 10*time.Second
	if timeout == 0 {
		limit = 24 * time.Hour
	}
	err = o.do(method, limit, func() error {
		channel := o.e.Network.Dial(addr)
		defer channel.Close()
		var err error
		answer, err = channel.Call(method, request, timeout)
		return err
	})
	return answer, err
}
