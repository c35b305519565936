package loopback

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/realrun/wiretap"
)

// Cluster is one cluster of processes, made by [Runner.Build]. It implements runners.Cluster,
// runners.Caller, runners.Trainer and runners.Scheduler, which document its methods.
type Cluster struct {
	operator.Agents
	operator.Layouts

	o    Options
	spec runners.Spec

	disks disks
	net   *network
	// behind mirrors the addresses of net. A pod's model servers listen at the address in behind
	// that corresponds to the pod's address in net.
	behind *network
	// cable is a network device that can hold back or drop the first packet of a pod's connections
	// to ZooKeeper. It is nil where this program may not make one, as without root.
	cable *cable
	guard *guard
	zk    zooKeeper
	// tap decodes the traffic between ZooKeeper and its clients. expiries detects sessions that
	// the server ends, which no traffic shows.
	tap      *wiretap.ZooKeeper
	expiries *expiries
	pods     []*pod // pods, with those that have agents first
	// trainers holds the processes of the training job. calls holds the operator's calls to them.
	trainers []*trainer
	calls    trainingCalls
	consul   *consulAgent // nil if the job's processes find each other through ZooKeeper, or if there is no job
	world    *walltime.World
	// operator is the process through which an operator acts and observes.
	operator *operatorProcess
	journal  *journal
	lateness lateness
	// endings holds the scheduled ends of faults.
	endings operator.Endings
	// kept says that Close leaves the cluster's directory in place.
	kept bool

	began time.Time

	mu     sync.Mutex
	broken string
	over   bool // whether nothing may be started any more
}

// build makes a cluster and starts its ZooKeeper.
func build(o Options, spec runners.Spec) (_ *Cluster, err error) {
	if err := errors.Join(supportedHere(), supported(spec)); err != nil {
		return nil, err
	}
	if len(spec.Pods()) > 0 && o.Agent == nil {
		return nil, fmt.Errorf("this runner has no program for agents: %w", runners.ErrUnsupported)
	}
	store, err := makeDisks(o.Dir)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		o: o, spec: spec, disks: store, world: walltime.New(walltime.Config{Seed: spec.Seed}), began: time.Now(),
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w (logs in %s)", err, c.Keep())
			c.Close()
		}
	}()
	c.journal = newJournal(c)
	c.readConf()
	if c.net, err = newNetwork(); err != nil {
		return nil, err
	}
	if c.behind, err = newNetwork(); err != nil {
		return nil, err
	}
	if !o.Plain {
		c.cable, _ = newCable() // the error is not looked at: without privileges there is no cable, and doors work without one
	}
	if c.guard, err = newGuard(&c.disks); err != nil {
		return nil, err
	}
	if err := c.furnish(); err != nil {
		return nil, err
	}
	c.operator = newOperator(c)
	if err := c.addZooKeeper(); err != nil {
		return nil, err
	}
	if err := c.addPods(); err != nil {
		return nil, err
	}
	if c.consul, err = newConsul(c); err != nil {
		return nil, fmt.Errorf("consul: %w", err)
	}
	if err := c.addTrainers(); err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	c.began = time.Now() // begins here, so that cluster time does not include the work of build
	c.journal.watch()
	go c.watchLateness(c.journal.stop)
	return c, nil
}

// addZooKeeper starts ZooKeeper, the tap that decodes its traffic, and the watch for expired
// sessions.
func (c *Cluster) addZooKeeper() (err error) {
	if c.zk, err = newZooKeeper(c); err != nil {
		return err
	}
	c.expiries = newExpiries(c)
	c.tap = &wiretap.ZooKeeper{Chroot: c.zk.chroot(), Tell: c.journal.acted, Born: c.expiries.watch, Unanswered: c.expiries.await}
	c.expiries.begin()
	c.operator.relay, err = newRelay(c, operatorName, c.net.ip(1))
	return err
}

// furnish exports the models.
func (c *Cluster) furnish() error {
	if err := c.disks.own(); err != nil {
		return err
	}
	if err := c.disks.write(tokenFile, []byte(c.o.AdminToken), 0o600); err != nil {
		return err
	}
	if err := c.disks.files.Mkdir(programsDir, 0o755); err != nil {
		return err
	}
	if err := c.disks.files.Symlink(c.o.Monosim, c.disks.below(c.serverLink())); err != nil {
		return err
	}
	for _, m := range c.spec.Models {
		if err := c.disks.addModel(m); err != nil {
			return err
		}
	}
	return nil
}

// addPods makes the pods, and waits until the programs that start ahead of time are ready.
func (c *Cluster) addPods() error {
	for i, p := range c.spec.Pods() {
		made, err := newPod(c, p, i, nil)
		if err != nil {
			return fmt.Errorf("pod %s: %w", p.Name, err)
		}
		c.pods = append(c.pods, made)
	}
	if bare := c.spec.BareServer; bare != nil {
		made, err := newPod(c, runners.Pod{Name: runners.BareServer, Shard: c.spec.Shards}, len(c.pods), bare)
		if err != nil {
			return fmt.Errorf("pod %s: %w", runners.BareServer, err)
		}
		c.pods = append(c.pods, made)
	}
	for _, p := range c.pods {
		if err := p.awaitReady(); err != nil {
			return fmt.Errorf("pod %s: %w", p.Name, err)
		}
	}
	return nil
}

// readConf reads from agent.conf the settings that an operator needs, such as bzid and
// layout_pattern.
func (c *Cluster) readConf() {
	values := agentconfig.ConfValues(c.spec.Conf)
	c.Agents = operator.Agents{Call: c.callAgent}
	c.Layouts = operator.Layouts{
		Conf: confName(c.spec), BZID: values["bzid"], Pattern: values["layout_pattern"],
		Session: func(what string, fn func(*env.Env, env.ZooKeeper) error) error {
			return c.operator.withZooKeeper(what, fn)
		},
		BasePath: c.disks.toHost,
	}
}

// Now returns the cluster time: the wall time since the start, divided by the time scale.
func (c *Cluster) Now() time.Duration { return c.at(time.Now()) }

func (c *Cluster) at(wall time.Time) time.Duration {
	return time.Duration(float64(wall.Sub(c.began)) / c.o.TimeScale)
}

// told converts a wall-clock time reported by another process to cluster time. It works also
// if the system's clock was set since the cluster began.
func (c *Cluster) told(wall time.Time) time.Duration {
	now := time.Now()
	return c.at(now.Add(wall.Sub(now.Round(0))))
}

// wall converts a duration of cluster time into wall time.
func (c *Cluster) wall(d time.Duration) time.Duration {
	return time.Duration(float64(d) * c.o.TimeScale)
}

// Tolerance returns how late an event may be, in cluster time (runners.Tolerant). It is the fixed
// slack plus the delay measured on this machine.
func (c *Cluster) Tolerance() time.Duration {
	late, _ := c.Late()
	return c.o.Slack + late
}

// Pass waits for d of cluster time in steps of runners.Resolution. It ends the faults that
// fall due, and stops early when until returns true.
func (c *Cluster) Pass(d time.Duration, until func() bool) (bool, error) {
	end := c.Now() + d
	for {
		if err := c.endings.EndDue(c.Now(), c.EndFault); err != nil {
			return false, err
		}
		if until != nil && until() {
			return true, nil
		}
		if text := c.Failure(); text != "" {
			return false, errors.New(text)
		}
		now := c.Now()
		if now >= end {
			return false, nil
		}
		next := end
		if until != nil {
			next = min(end, now+runners.Resolution)
		}
		next = max(c.endings.Until(next), now)
		time.Sleep(c.wall(next - now))
	}
}

// Start starts all pods at once.
func (c *Cluster) Start() error {
	for _, p := range c.pods {
		if err := p.start(); err != nil {
			return fmt.Errorf("pod %s: %w", p.Name, err)
		}
	}
	return nil
}

// fail records why the run itself broke. Only the first reason is kept.
func (c *Cluster) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == "" && !c.over {
		c.broken = fmt.Sprintf(format, args...)
	}
}

// Failure returns why the run itself broke, "" if it did not.
func (c *Cluster) Failure() string {
	if err := c.world.Err(); err != nil {
		return "the operator's own code: " + err.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

func (c *Cluster) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// Keep keeps the directory of the cluster after Close, and returns its path.
func (c *Cluster) Keep() string {
	c.kept = true
	return c.disks.root
}

// Close ends all processes and, unless Keep was called, removes the directory.
func (c *Cluster) Close() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	for _, p := range c.pods {
		p.close()
	}
	for _, t := range c.trainers {
		t.close()
	}
	if c.consul != nil {
		c.consul.close()
	}
	c.closeZooKeeper()
	if c.guard != nil {
		c.guard.close()
	}
	c.journal.close()
	c.world.Close()
	if c.cable != nil {
		c.cable.close()
	}
	for _, n := range []*network{c.net, c.behind} {
		if n != nil {
			n.close()
		}
	}
	if c.kept || c.o.Keep {
		_ = c.disks.restore() // the error is not looked at: the next cluster in the same folder tries again
	} else {
		os.RemoveAll(c.disks.root)
	}
	c.disks.files.Close()
}

func (c *Cluster) closeZooKeeper() {
	if c.operator != nil && c.operator.relay != nil {
		c.operator.relay.close()
	}
	if c.expiries != nil {
		c.expiries.close()
	}
	if c.zk != nil {
		c.zk.close()
	}
}

// findPod finds a pod by its name. The error for an unknown name lists the pods that have
// agents.
func (c *Cluster) findPod(name string) (*pod, error) {
	var names []string
	for _, p := range c.pods {
		if p.Name == name {
			return p, nil
		}
		if p.bare == nil {
			names = append(names, p.Name)
		}
	}
	return nil, fmt.Errorf("pod: found %q, want one of %s", name, strings.Join(names, ", "))
}

var (
	_ runners.Cluster   = (*Cluster)(nil)
	_ runners.Scheduler = (*Cluster)(nil)
	_ runners.Caller    = (*Cluster)(nil)
)

// Dir returns the cluster's directory. The command lines of all its processes contain this
// path.
func (c *Cluster) Dir() string { return c.disks.root }

// Addresses returns the common prefix of all of the cluster's addresses, for example "127.3.4.".
func (c *Cluster) Addresses() string { return c.net.prefix }
