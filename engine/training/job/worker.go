package job

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/clustermanager"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
)

const (
	// readyPoll is the interval at which a worker checks whether the chief has initialized the
	// variables (recovery_wait_secs of TensorFlow's SessionManager).
	readyPoll = 30 * time.Second
	// chiefDevice is the device of the variables of sync_hooks.py.
	chiefDevice = "/job:chief/task:0"
)

// work trains. The chief then shuts down the PS, even after an error unless Q327 is repaired
// (cpu_training.py:2122). An error in that shutdown replaces the first error. The chief sends
// heartbeats during training, and then waits for the next one.
func (p *process) work() error {
	c, err := p.cluster()
	if err != nil {
		return err
	}
	if !p.isChief() {
		_, err = p.tryOften(c)
		return err
	}
	p.began = true
	beats := cputraining.NewHeartbeat(p.e, &heartbeats{p: p})
	beats.Start()
	c, err = p.tryOften(c)
	beats.Stop()
	if err == nil || p.Quirks.Keeps(jobquirks.Q327) {
		err = cmp.Or(p.endPS(c), err)
	}
	return err
}

// tryOften trains and retries after temporary errors. It retries without limit while the cluster
// stays the same, and Spec.MaxRetries times with a changed one (cpu_training.py:2040). It captures
// the failure for the application master, except if finding the cluster again fails (Q257).
func (p *process) tryOften(c clustermanager.Cluster) (clustermanager.Cluster, error) {
	for retries := 0; ; {
		err := p.train(c)
		switch {
		case err == nil:
			p.Happened("finished", "", fmt.Sprintf("step %d", p.step))
			return c, nil
		case !Temporary(pysem.TypeOf(err)):
			p.captured = err
			return c, err
		default:
			p.e.Log.Logf(env.Warning, "Temporary error: %v. Retrying...", err)
			p.Happened("retry", "", err.Error())
			p.pause(err)
		}
		next, lost := p.cluster()
		if lost != nil {
			if !p.Quirks.Keeps(jobquirks.Q257) {
				p.captured = lost
			}
			return c, lost
		}
		if same(c, next) {
			continue
		}
		c = next
		if retries++; retries > *p.Spec.MaxRetries {
			p.captured = err
			return c, err
		}
	}
}

// pause waits before the next attempt.
func (p *process) pause(err error) {
	what := fmt.Sprintf("%v to pass after %s", p.Spec.RetryWait, pysem.TypeOf(err))
	_ = p.Waits.waiting(wait{in: "cpu_training", limit: p.Spec.RetryWait, what: text(what)}, func() error {
		p.e.Tasks.Sleep(p.Spec.RetryWait)
		return nil
	})
}

// heartbeats reports the metric only if it changes. The reference sends it every 30 s.
type heartbeats struct {
	p    *process
	last string
}

// EmitStore receives one heartbeat.
func (h *heartbeats) EmitStore(name string, _ int64, typ string) {
	if typ != h.last {
		h.last = typ
		h.p.Happened("heartbeat", typ, name)
	}
}

// Flush does nothing.
func (h *heartbeats) Flush() {}

// Temporary reports whether the reference retries after an error of this class
// (cpu_training.py:2044).
func Temporary(class string) bool {
	return slices.Contains([]string{"DeadlineExceededError", "UnavailableError", "NodeAliveCheckerError"}, class)
}

func same(a, b clustermanager.Cluster) bool {
	return slices.Equal(a.Chief, b.Chief) && slices.Equal(a.Worker, b.Worker) && slices.Equal(a.PS, b.PS)
}

func (p *process) isChief() bool { return p.Index == 0 }

// cluster waits until the processes that the job needs are registered in the discovery.
func (p *process) cluster() (clustermanager.Cluster, error) { return p.clusterOf(p.Spec.PS) }

// clusterOf waits until requiredPS PS are registered in the discovery.
func (p *process) clusterOf(requiredPS int) (clustermanager.Cluster, error) {
	var c clustermanager.Cluster
	err := p.phase("cluster_manager", 5*time.Second, func() string { return p.lacks(requiredPS) }, func() (err error) {
		c, _, err = clustermanager.TrainingCluster(p.e, p.discovery, clustermanager.Job{
			WorkerAddr: p.addr, Index: p.Index, RequiredPS: requiredPS, RedundantPS: p.Spec.RedundantPS,
			NumWorkers: p.Spec.Workers + 1, ModelDir: p.Spec.ModelDir, Quirks: p.Quirks,
		})
		return err
	})
	return c, err
}

// devices returns the names of a cluster's devices and their addresses.
func devices(c clustermanager.Cluster) (names []string, addrs map[string]string) {
	names, addrs = []string{chiefDevice}, map[string]string{chiefDevice: c.Chief[0]}
	for i, addr := range c.PS {
		names = append(names, hooks.PSDevice(i))
		addrs[hooks.PSDevice(i)] = addr
	}
	return names, addrs
}

// train runs one session, from its creation until training ends or an error occurs.
func (p *process) train(c clustermanager.Cluster) error {
	place := clustermanager.Task{Type: "chief"}
	if !p.isChief() {
		place = clustermanager.Task{Type: Worker, Index: p.Index - 1}
	}
	nodes := wait{in: "net_utils", limit: time.Minute, what: text("answers of the addresses of chief and PS")}
	p.Waits.begin(&nodes)
	defer p.Waits.end(&nodes)
	return cputraining.InCluster(p.e, p.Quirks, cputraining.Cluster{Cluster: c, Task: place}, func() error {
		p.Waits.end(&nodes)
		return p.session(c)
	})
}

// session does the work of TensorFlow's estimator in a cluster.
func (p *process) session(c clustermanager.Cluster) error {
	names, addrs := devices(c)
	p.step = 0 // the step is reset, because its old value depends on how many steps were only counted, not run
	list, err := p.hooks()
	if err != nil {
		return err
	}
	var remote session.Link
	m, err := session.NewRecovered(p.e, list, func() (session.Session, error) {
		remote = p.connect(addrs)
		return remote, p.prepare(remote, names)
	})
	if err != nil {
		return err
	}
	for !m.ShouldStop() {
		if err := m.Run(func(session.Session) error { return p.trainStep(remote, names[1:]) }); err != nil {
			return err
		}
		m.Coast(remote, session.Steps{Time: p.Spec.StepTime, Counter: globalStep})
	}
	return m.Close()
}

// connect returns a session that records calls that wait for a server.
func (p *process) connect(addrs map[string]string) session.Link {
	remote := p.Servers.Connect(p.e, addrs, hooks.PSDevice(0))
	if r, ok := remote.(interface {
		OnWait(begin func(device string, lost bool) (end func()))
	}); ok {
		r.OnWait(func(device string, lost bool) func() {
			w := wait{in: "session", what: text("the server of " + device + " to answer"), lost: lost}
			if lost {
				w.what = text("an answer of the server of " + device + " that was given up")
			}
			p.Waits.begin(&w)
			return func() { p.Waits.end(&w) }
		})
	}
	return remote
}

// createLimit is how long a new session waits for its servers in the reference's build of
// TensorFlow (third_party/org_tensorflow/tf.patch, master.cc).
const createLimit = 60 * time.Second

// create connects a session to its servers, all of which must be available.
func (p *process) create(remote session.Link, names []string) error {
	limit := createLimit
	if p.Spec.TensorFlow == cluster.TensorFlowStock {
		limit = 0
	}
	if r, ok := remote.(interface {
		Create(devices []string, limit time.Duration) error
	}); ok {
		return r.Create(names, limit)
	}
	_, err := remote.Ready(names)
	return err
}

var globalStep = session.GlobalStep()

// trainStep takes as long as a step does, calls all PS, which hold the embeddings and the dense
// variables, and counts the step. It does not call the chief, which holds only the variables of
// sync_hooks.py (cpu_training.py:1549).
func (p *process) trainStep(remote session.Link, ps []string) error {
	step, err := remote.Step(ps, p.Spec.StepTime, globalStep)
	if err != nil {
		return err
	}
	p.step = step
	return nil
}

// prepare initializes and restores in the chief. In other processes it waits until that is done or
// the time limit has passed.
func (p *process) prepare(remote session.Link, names []string) error {
	if err := p.create(remote, names); err != nil {
		return err
	}
	if p.isChief() {
		return p.begin(remote, names)
	}
	deadline := p.e.Clock.Now().Add(p.Spec.SessionTimeout)
	chief := wait{in: "SessionManager", every: readyPoll, limit: p.Spec.SessionTimeout, what: text("the chief to initialise the variables")}
	p.Waits.begin(&chief)
	defer p.Waits.end(&chief)
	for {
		ready, err := remote.Ready(names)
		if err == nil && ready {
			return p.initializeLocals(remote)
		}
		if err != nil {
			return err
		}
		if deadline.Before(p.e.Clock.Now().Add(readyPoll)) { // SessionManager.wait_for_session of TensorFlow
			return session.Raise("DeadlineExceededError", "Session was not ready after waiting %d secs.", int(p.Spec.SessionTimeout.Seconds()))
		}
		p.e.Tasks.Sleep(readyPoll)
	}
}

// begin sets variables to their initial values and restores the latest checkpoint. With partial
// recovery and a checkpoint, PS that were not restarted keep their values, except for local
// variables. TensorFlow's SessionManager initializes local variables last in each session.
func (p *process) begin(remote session.Link, names []string) error {
	state, err := p.states.State(p.Spec.ModelDir, "")
	if err != nil {
		return err
	}
	fresh := names
	if p.monitor != nil && state != nil {
		if fresh, err = p.uninitialized(remote, names); err != nil {
			return err
		}
	}
	if err := remote.Initialize(fresh); err != nil || state == nil {
		return err
	}
	if err := p.saver.Restore(remote, pysem.Some(state.ModelCheckpointPath)); err != nil || p.monitor == nil {
		return err
	}
	return session.Do(remote, p.firstLocals()...)
}

// firstLocals assigns local variables their first values.
func (p *process) firstLocals() []session.Op {
	return lists.Map(p.locals, func(v *session.Variable) session.Op { return session.Assign(v, v.First) })
}

// initializeLocals gives the local variables of a worker their first values, as TensorFlow's
// SessionManager does in each session. So it clears the action of a barrier (Q332). This is part of
// the check whether the variables are ready, and takes no extra time.
func (p *process) initializeLocals(remote session.Link) error {
	if r, ok := remote.(interface{ Assign(ops ...session.Op) error }); ok {
		return r.Assign(p.firstLocals()...)
	}
	return session.Do(remote, p.firstLocals()...)
}

// uninitialized returns the devices whose variables have no values yet or get new values in each
// session.
func (p *process) uninitialized(s session.Session, names []string) (list []string, err error) {
	for _, name := range names {
		fresh, err := p.monitor.IsPSUninitialized(s, name)
		if err != nil {
			return nil, err
		}
		if fresh {
			list = append(list, name)
		}
	}
	return list, nil
}

// endPS shuts down the PS one after another. With redundant PS it first waits until all are known.
// If one PS is gone, neither it nor the following ones can be shut down, because the session needs
// all of them (cpu_training.py:2125, cpu_training.py:1702).
func (p *process) endPS(c clustermanager.Cluster) (err error) {
	if p.Spec.RedundantPS > 0 {
		if c, err = p.clusterOf(p.Spec.PS + p.Spec.RedundantPS); err != nil {
			return err
		}
	}
	if p.Spec.KeepPS {
		return nil
	}
	names, addrs := devices(c)
	remote := p.connect(addrs)
	if err := p.create(remote, names); err != nil {
		return err
	}
	for i := range c.PS {
		if err := session.Do(remote, session.Assign(queue(i), true)); err != nil {
			return err
		}
	}
	return nil
}
