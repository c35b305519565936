package loopback

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/test/realrun/loopback/firewall"
)

// trainingCalls holds the operator's calls to the training job and their answers.
type trainingCalls struct {
	// variables is the operator's connection to the PS, from which it reads variables.
	variables *session.Wire

	mu sync.Mutex
	// operated is the controller's answer to the latest call, nil until it arrives.
	operated *runners.TrainingAnswer
	barriers []runners.TrainingAnswer
	ended    bool // whether the application was killed
}

// findTrainer returns a process of the job by its name. The error lists the valid names.
func (c *Cluster) findTrainer(name string) (*trainer, error) {
	for _, t := range c.trainers {
		if t.name == name {
			return t, nil
		}
	}
	if c.spec.Training == nil {
		return nil, fmt.Errorf("found %s, want a cluster with a training job", name)
	}
	return nil, fmt.Errorf("process of the training job: found %q, want one of %s", name, strings.Join(c.spec.Training.TrainerNames(), ", "))
}

// StartTraining starts all processes of the job. In a job without a registry (IsPlaced), the chief
// looks for the PS at its start, and not again until half a minute later (cpu_training.py:2040). In
// a job with redundant PS, it takes the PS that are there first. How long real programs take to
// start depends on this machine, so in these two cases all PS start first, and the others start
// once the PS serve.
func (c *Cluster) StartTraining() error {
	if c.spec.Training == nil {
		return errors.New("training: found no job, want one in the cluster's shape")
	}
	if !c.spec.Training.IsPlaced() && c.spec.Training.RedundantPS == 0 {
		return startAll(c.trainers)
	}
	isPS := func(t *trainer) bool { return t.role == job.PS }
	ps := lists.Filter(c.trainers, isPS)
	if err := startAll(ps); err != nil {
		return err
	}
	c.awaitServers(ps)
	return startAll(lists.Filter(c.trainers, func(t *trainer) bool { return !isPS(t) }))
}

func startAll(list []*trainer) error {
	for _, t := range list {
		if err := t.start(); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// awaitServers waits until the processes serve or have ended, or for readyLimit.
func (c *Cluster) awaitServers(list []*trainer) {
	awaited := func() bool {
		c.journal.look()
		return !slices.ContainsFunc(list, func(t *trainer) bool { s := t.state(); return s.Running && s.Addr == "" })
	}
	for end := time.Now().Add(readyLimit); !awaited() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// StartTrainer starts a process that has ended.
func (c *Cluster) StartTrainer(name string) error {
	t, err := c.findTrainer(name)
	if err != nil {
		return err
	}
	return t.start()
}

// TrainerState returns the present state of a process of the job.
func (c *Cluster) TrainerState(name string) (runners.TrainerState, error) {
	t, err := c.findTrainer(name)
	if err != nil {
		return runners.TrainerState{}, err
	}
	c.journal.look()
	return t.state(), nil
}

// TrainingStatus reads the variables of the first PS and the list of checkpoints.
func (c *Cluster) TrainingStatus() runners.TrainingStatus {
	status := runners.TrainingStatus{GlobalStep: -1}
	if c.spec.Training == nil {
		return status
	}
	if c.o.Trainer != nil {
		c.readVariables(&status)
	} else if s, err := c.TrainerState("ps0"); err == nil && s.Addr != "" {
		// An error is ignored: then the status just lacks the variables.
		_ = c.operator.do("variables", operatorLimit, func() error {
			if c.calls.variables == nil {
				c.calls.variables = session.NewWire(c.operator.e)
			}
			operator.ReadTraining(c.calls.variables.Connect(c.operator.e, map[string]string{"": s.Addr}, ""), c.spec.Training.Workers, &status)
			return nil
		})
	}
	files := &env.Env{Files: c.operator.e.Files}
	if state, err := checkpoints.State(files, c.modelDir(), checkpoints.Filename); err == nil && state != nil {
		for _, path := range state.AllModelCheckpointPaths {
			status.Checkpoints = append(status.Checkpoints, string(c.disks.plain("", []byte(path))))
		}
	}
	return status
}

// readVariables fills the status from the files in which the running PS store their variables.
func (c *Cluster) readVariables(status *runners.TrainingStatus) {
	for _, t := range c.trainers {
		if t.role != job.PS || t.process() == nil {
			continue
		}
		var found struct {
			GlobalStep *int64 `json:"global_step"`
			Barrier    []bool `json:"barrier_var"`
		}
		text, err := c.disks.readFile(t.variablesFile())
		if err != nil || json.Unmarshal(text, &found) != nil {
			continue // the PS has written no variables yet
		}
		if found.GlobalStep != nil {
			status.GlobalStep = *found.GlobalStep
		}
		for i, set := range found.Barrier {
			switch {
			case set && i == 0:
				status.Barrier = true
			case set:
				status.Blocked = append(status.Blocked, i)
			}
		}
	}
}

// modelDir returns the folder of the job's checkpoints on this machine.
func (c *Cluster) modelDir() string {
	return c.disks.modelPath(c.spec.Training.WithDefaults().ModelDir)
}

// TrainingDeeds counts how often a process has done an action of kind op with the given path. If
// path is "", it counts the actions with any path.
func (c *Cluster) TrainingDeeds(name, op, path string) int {
	c.journal.look()
	c.journal.mu.Lock()
	defer c.journal.mu.Unlock()
	return c.journal.deeds[trainingDeed{name, op, path}]
}

// operateLimit is the timeout of a controller call, in cluster time. It is long because a
// save waits for all workers and then writes.
const operateLimit = time.Hour

// Operate calls a method of the controller and waits for the answer.
func (c *Cluster) Operate(method string) (runners.TrainingAnswer, error) {
	var answer runners.TrainingAnswer
	err := c.operator.do("controller", max(c.wall(operateLimit), operatorLimit), func() error {
		answer = operator.CallController(c.operator.e, c.modelDir(), method)
		return nil
	})
	return c.plainAnswer(answer), err
}

// plainAnswer removes directories of this machine from the error of an answer, so that it
// reads as in the simulation.
func (c *Cluster) plainAnswer(a runners.TrainingAnswer) runners.TrainingAnswer {
	a.Err = c.plainError("", a.Err)
	return a
}

// BeginOperate calls a method of the controller and does not wait for the answer.
func (c *Cluster) BeginOperate(method string) error {
	c.calls.mu.Lock()
	c.calls.operated = nil
	c.calls.mu.Unlock()
	c.operator.life.Go("controller", func() {
		answer := c.plainAnswer(operator.CallController(c.operator.e, c.modelDir(), method))
		c.calls.mu.Lock()
		defer c.calls.mu.Unlock()
		c.calls.operated = &answer
	})
	return nil
}

// Operated returns the answer to the latest call that BeginOperate began; false before it has come.
func (c *Cluster) Operated() (runners.TrainingAnswer, bool) {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	if c.calls.operated == nil {
		return runners.TrainingAnswer{}, false
	}
	return *c.calls.operated, true
}

// PSBarrier calls Barrier of the first PS on behalf of a worker, without waiting for the
// answer.
func (c *Cluster) PSBarrier(id string, worker, numWorkers int, timeout time.Duration) error {
	if c.o.Trainer != nil {
		return &runners.BackendError{Reason: "the service of PS is the Rust port's"}
	}
	s, err := c.TrainerState("ps0")
	if err != nil {
		return err
	}
	c.calls.mu.Lock()
	at := len(c.calls.barriers)
	c.calls.barriers = append(c.calls.barriers, runners.TrainingAnswer{Text: "waits"})
	c.calls.mu.Unlock()
	c.operator.life.Go("ps barrier", func() {
		answer := operator.ArriveAtPS(c.operator.e, s.Addr, id, worker, numWorkers, timeout)
		c.calls.mu.Lock()
		defer c.calls.mu.Unlock()
		c.calls.barriers[at] = answer
	})
	return nil
}

// PSBarriers returns the answers to PSBarrier calls that have arrived so far.
func (c *Cluster) PSBarriers() []runners.TrainingAnswer {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	return slices.Clone(c.calls.barriers)
}

// errOneProcess says why processes cannot run a local cluster: its workers are tasks of one
// process.
var errOneProcess = fmt.Errorf("a local cluster is tasks of one process, in virtual time: %w", runners.ErrUnsupported)

// StartLocal returns errOneProcess: the workers of a local cluster are tasks, not processes.
func (c *Cluster) StartLocal(int) error { return errOneProcess }

// LocalSteps returns errOneProcess, as StartLocal.
func (c *Cluster) LocalSteps(int, int) error { return errOneProcess }

// LocalBarrier returns errOneProcess, as StartLocal.
func (c *Cluster) LocalBarrier(int, time.Duration) error { return errOneProcess }

// LocalBarriers are none.
func (c *Cluster) LocalBarriers() []runners.TrainingAnswer { return nil }

// StoredFile reads a file from the directories that all processes share. It returns false if
// the file is missing.
func (c *Cluster) StoredFile(path string) ([]byte, bool, error) {
	data, err := c.disks.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return c.disks.plain("", data), err == nil, err
}

// StoredNames lists the names in a shared directory.
func (c *Cluster) StoredNames(path string) ([]string, error) {
	name, err := c.disks.modelName(path)
	if err != nil {
		return nil, err
	}
	list, err := fs.ReadDir(c.disks.files.FS(), filepath.ToSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return lists.MapOrNil(list, fs.DirEntry.Name), err
}

// StoreFile writes a shared file atomically, because a process may read it at any time.
func (c *Cluster) StoreFile(path string, data []byte) error {
	name, err := c.disks.modelName(path)
	if err != nil {
		return err
	}
	return c.disks.replace(name, data)
}

// hitTrainer returns a fault function that calls hit with the process named by the fault.
func hitTrainer(hit func(c *Cluster, t *trainer) error) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		t, err := c.findTrainer(f.Pod)
		if err != nil {
			return err
		}
		return hit(c, t)
	}
}

// trainerKinds maps the name of each kind of fault of a training job to the functions with which
// processes realize it.
var trainerKinds = map[string]kind{
	"trainer.killed": {begin: hitTrainer(func(_ *Cluster, t *trainer) error { return t.kill() })},
	"trainer.disconnected": {
		begin: hitTrainer(func(_ *Cluster, t *trainer) error { t.relay.hold(true, toServer, toPod); return nil }),
		end:   hitTrainer(func(_ *Cluster, t *trainer) error { t.relay.hold(false, toServer, toPod); return nil }),
	},
	"trainer.expired-session":    {begin: hitTrainer(func(c *Cluster, t *trainer) error { return c.endSessions(t.name, t.relay) })},
	"trainer.application-killed": {begin: func(c *Cluster, _ runners.Fault) error { return c.endApplication() }},
	"trainer.garbled-file":       {begin: changeStored(func([]byte) []byte { return []byte("\xff\xfe\x00\xff") })},
	"trainer.torn-file":          {begin: changeStored(func(data []byte) []byte { return data[:len(data)/2] })},
	"trainer.unreachable":        {begin: hitTrainer(cutOff(false)), end: hitTrainer(reachable)},
	"trainer.stopped":            {begin: hitTrainer(func(_ *Cluster, t *trainer) error { return t.signal(stopSignal) }), end: hitTrainer(func(_ *Cluster, t *trainer) error { return t.signal(goOnSignal) })},
	"trainer.refused":            {begin: hitTrainer(cutOff(true)), end: hitTrainer(reachable)},
	"trainer.application-master": {because: "the application master is one of the simulation"},
	"trainer.memory":             {because: "what a PS of this machine takes is what it takes"},
	"trainer.save-errors":        {because: "the disk of this machine takes what is written"},
	"trainer.slow-saves":         {because: "the disk of this machine is as fast as it is"},
}

// cutOff returns a fault function that makes a PS unreachable for the rest of the job, or makes it
// refuse connections. Only a PS can be cut off. Other processes open connections themselves, and on
// the loopback all connections have the same source address, so nobody can tell which process
// opened one.
func cutOff(refuse bool) func(c *Cluster, t *trainer) error {
	return func(c *Cluster, t *trainer) error {
		if t.role != job.PS {
			return fmt.Errorf("%s: of the processes of one machine only a PS can be cut off: %w", t.name, runners.ErrUnsupported)
		}
		var keep []int
		for _, addr := range c.zk.addrs() { // opened to the trainer's address, because the relay connects from there
			_, port, _ := net.SplitHostPort(addr) // cannot fail: addr has a port
			number, _ := strconv.Atoi(port)       // cannot fail: the port is a number
			keep = append(keep, number)
		}
		var own []firewall.Connection
		if running := t.process(); running != nil {
			var err error
			if own, err = firewall.ConnectionsTo(running.pid(), c.net.prefix); err != nil {
				return err
			}
		}
		heal, err := firewall.ShutOff(t.ip, refuse, keep, own)
		if err != nil {
			return &runners.BackendError{Reason: "stopping packets takes root and nf_tables of Linux: " + err.Error()}
		}
		if err := t.reach(); err != nil {
			return errors.Join(err, heal())
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.heal = heal
		return nil
	}
}

func reachable(_ *Cluster, t *trainer) error { return t.reach() }

// reach makes a process that was cut off reachable again.
func (t *trainer) reach() error {
	t.mu.Lock()
	heal := t.heal
	t.heal = nil
	t.mu.Unlock()
	if heal == nil {
		return nil
	}
	return heal()
}

// endApplication kills all processes of the job. None of them is started again.
func (c *Cluster) endApplication() error {
	if len(c.trainers) == 0 {
		return errors.New("application: found no training job, want one to kill")
	}
	c.calls.mu.Lock()
	c.calls.ended = true
	c.calls.mu.Unlock()
	for _, t := range c.trainers {
		if t.process() == nil {
			continue
		}
		if err := t.kill(); err != nil && t.process() != nil { // fails if the process is just ending by itself
			return err
		}
	}
	return nil
}

// applicationEnded reports whether endApplication was called.
func (c *Cluster) applicationEnded() bool {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	return c.calls.ended
}

// changeStored returns a fault function that replaces the content of a shared file by what change
// returns for that content.
func changeStored(change func(data []byte) []byte) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		data, err := c.disks.read(f.BasePath)
		if err != nil {
			return reason("stored file "+f.BasePath, err)
		}
		return c.StoreFile(f.BasePath, change(data))
	}
}

// endSessions makes the server end all sessions that were granted through a relay.
func (c *Cluster) endSessions(name string, r *relay) error {
	sessions := r.given()
	if len(sessions) == 0 {
		return fmt.Errorf("%s: found no session to expire", name)
	}
	addrs := c.zk.addrs()
	if len(addrs) == 0 {
		return fmt.Errorf("%s: ZooKeeper is down, so that no session can end", name)
	}
	for _, s := range sessions {
		if err := realrun.EndSession(addrs[0], s.id, s.password); err != nil {
			return err
		}
		c.tap.Expired(s.id)
	}
	return nil
}

var _ runners.Trainer = (*Cluster)(nil)
