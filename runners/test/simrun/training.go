package simrun

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/clustermanager"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/world"
)

// trainingState holds what the cluster knows about its training job.
type trainingState struct {
	servers *session.Servers
	// addrs maps the name of a running process to its address.
	addrs map[string]string
	// operated is the controller's latest answer, nil while none has come.
	operated *runners.TrainingAnswer
	barriers []runners.TrainingAnswer
	local    *localTraining
	// check checks the job's invariants. It is nil if there is no job.
	check *traincheck.Checker
	deeds map[deed]int
	// waits maps the name of a process to what it waits for since its latest start.
	waits map[string]*job.Waits
}

// deed is a key for counting actions of processes. Without a path it stands for all actions
// of the kind op.
type deed struct{ trainer, op, path string }

// roundTrip is how long reading another process's variables takes, in virtual time.
const roundTrip = time.Millisecond

func newTrainingState() *trainingState {
	return &trainingState{servers: session.NewServers(roundTrip), addrs: map[string]string{}, deeds: map[deed]int{}, waits: map[string]*job.Waits{}}
}

// runTrainer is the main function of a process of the job.
func (c *Cluster) runTrainer(e *env.Env, t *world.Trainer) int {
	waits := &job.Waits{Now: c.Now}
	c.training.waits[t.Name] = waits
	return job.Main(e, job.Options{
		Spec: *c.spec.Training, Role: t.Role, Index: t.Index, Quirks: c.quirks,
		Servers: c.training.servers, Hazards: c.world.Hazards(), Waits: waits,
		Happened: func(op, path, note string) {
			if op == "serving" {
				c.training.addrs[t.Name] = path
			}
			c.training.deeds[deed{t.Name, op, path}]++
			if path != "" {
				c.training.deeds[deed{t.Name, op, ""}]++
			}
			c.world.TraceTraining(t, op, path, note)
			c.happened(op)
		},
	})
}

// StartTraining starts all processes of the job.
func (c *Cluster) StartTraining() error {
	if c.spec.Training == nil {
		return fmt.Errorf("training: found no job, want one in the cluster's shape")
	}
	return c.world.StartTraining()
}

// StartTrainer starts a process of the job that has ended.
func (c *Cluster) StartTrainer(name string) error {
	t, err := c.world.FindTrainer(name)
	if err != nil {
		return err
	}
	if t.Process() != nil {
		return fmt.Errorf("%s: found it at work, want one that has ended", name)
	}
	return t.Start()
}

// TrainerNames lists the names of the job's processes.
func (c *Cluster) TrainerNames() []string {
	if c.spec.Training == nil {
		return nil
	}
	return c.spec.Training.TrainerNames()
}

// TrainerState returns the present state of a process of the job.
func (c *Cluster) TrainerState(name string) (runners.TrainerState, error) {
	t, err := c.world.FindTrainer(name)
	if err != nil {
		return runners.TrainerState{}, err
	}
	state := runners.TrainerState{IP: t.IP(), Running: t.Process() != nil, ExitCode: t.ExitCode(), Starts: t.Starts()}
	if state.Running {
		state.Addr = c.training.addrs[name]
	}
	return state, nil
}

// firstPS returns the address of the PS that holds the global step. That is ps0 or, with
// redundant PS, the first of those that the chief chose and wrote to its file
// (cluster_manager.py:67).
func (c *Cluster) firstPS() string {
	job := c.spec.Training.WithDefaults()
	if job.RedundantPS > 0 {
		file := clustermanager.PSFile(clustermanager.Job{ModelDir: job.ModelDir})
		if text, ok, err := c.StoredFile(file); err == nil && ok && len(text) > 0 {
			first, _, _ := strings.Cut(string(text), ",")
			return first
		}
	}
	return c.training.addrs["ps0"]
}

// TrainingStatus reads the variables of the first PS and the list of checkpoints. A PS whose
// variables have not been initialized has no step and no barrier.
func (c *Cluster) TrainingStatus() runners.TrainingStatus {
	status := runners.TrainingStatus{GlobalStep: -1}
	if c.spec.Training == nil {
		return status
	}
	if ps := c.firstPS(); c.training.servers.Initialized(ps) {
		operator.ReadTraining(c.training.servers.Local(ps), c.spec.Training.Workers, &status)
	}
	dir := c.spec.Training.WithDefaults().ModelDir
	if state, err := checkpoints.State(&env.Env{Files: c.operatorFiles()}, dir, checkpoints.Filename); err == nil && state != nil {
		status.Checkpoints = state.AllModelCheckpointPaths
	}
	return status
}

// operatorFiles returns the file system of the operator's machine, which includes the shared
// directories.
func (c *Cluster) operatorFiles() env.Files {
	machine := c.world.Operator()
	life := machine.Node.NewProcess("operator")
	defer life.Crash()
	return machine.Env(life, nil).Files
}

// StoredFile reads a file from the directories that all processes share. It returns false if
// the file is missing.
func (c *Cluster) StoredFile(path string) ([]byte, bool, error) {
	fsys, inside := c.world.StoreOf(path)
	data, err := fsys.ReadFile(inside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// StoredNames lists the names in a shared directory.
func (c *Cluster) StoredNames(path string) ([]string, error) {
	return namesIn(c.world.StoreOf(path))
}

// namesIn lists the names in a directory. A missing directory has none.
func namesIn(disk *files.FS, dir string) ([]string, error) {
	names, err := disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// StoreFile writes a file to the directories that all processes share.
func (c *Cluster) StoreFile(path string, data []byte) error {
	if c.training.check != nil && !strings.HasSuffix(path, "/"+hooks.ActionFile) {
		c.training.check.FilesWritten(c.Now()) // the file may have any content, unlike the operator's requests, which the job expects
	}
	fsys, inside := c.world.StoreOf(path)
	return fsys.WriteTree(map[string]string{inside: string(data)})
}

// operateLimit is the timeout of a controller call. It is long because a save waits for all
// workers and then writes.
const operateLimit = time.Hour

// TrainingDeeds counts how often a process has done an action of kind op with the given path. If
// path is "", it counts the actions with any path.
func (c *Cluster) TrainingDeeds(name, op, path string) int {
	return c.training.deeds[deed{name, op, path}]
}

// Operate calls a method of the controller and waits for the answer.
func (c *Cluster) Operate(method string) (runners.TrainingAnswer, error) {
	var answer runners.TrainingAnswer
	err := c.operate("controller", operateLimit, func(e *env.Env) error {
		answer = c.callController(e, method)
		return nil
	})
	return answer, err
}

// BeginOperate begins a call of the controller and does not wait for its answer.
func (c *Cluster) BeginOperate(method string) error {
	c.training.operated = nil
	return c.asOperator("controller", func(e *env.Env) {
		answer := c.callController(e, method)
		c.training.operated = &answer
	})
}

// Operated returns the answer to the latest call that BeginOperate began; false before it has come.
func (c *Cluster) Operated() (runners.TrainingAnswer, bool) {
	if c.training.operated == nil {
		return runners.TrainingAnswer{}, false
	}
	return *c.training.operated, true
}

// asOperator runs fn in a task of the operator's machine, without advancing time.
func (c *Cluster) asOperator(what string, fn func(e *env.Env)) error {
	machine := c.world.Operator()
	life := machine.Node.NewProcess("operator")
	e := machine.Env(life, nil)
	life.Go(what, func() { fn(e) })
	return c.world.Settle()
}

// callController calls a method of the controller, whose address it reads from a file.
func (c *Cluster) callController(e *env.Env, method string) runners.TrainingAnswer {
	c.training.servers.Settle()
	call := c.training.check.Calls(c.Now(), method)
	answer := operator.CallController(e, c.spec.Training.WithDefaults().ModelDir, method)
	call.Answered(answer.Err == nil)
	return answer
}

// PSBarrier calls Barrier of the first PS on behalf of a worker, without waiting for the
// answer.
func (c *Cluster) PSBarrier(id string, worker, numWorkers int, timeout time.Duration) error {
	addr := c.training.addrs["ps0"]
	at := len(c.training.barriers)
	c.training.barriers = append(c.training.barriers, runners.TrainingAnswer{Text: "waits"})
	return c.asOperator("ps barrier", func(e *env.Env) {
		call := c.training.check.PSArrived(c.Now(), id, numWorkers)
		answer := operator.ArriveAtPS(e, addr, id, worker, numWorkers, timeout)
		c.training.check.PSAnswered(c.Now(), call, answer.Err == nil)
		c.training.barriers[at] = answer
	})
}

// PSBarriers returns the answers to PSBarrier calls so far, in the order of the calls.
func (c *Cluster) PSBarriers() []runners.TrainingAnswer { return c.training.barriers }

var _ runners.Trainer = (*Cluster)(nil)
