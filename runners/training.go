package runners

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
)

// TrainingSpec describes a training job; see engine/cluster.
type TrainingSpec = cluster.TrainingSpec

// Trainer is a cluster that may have a training job beside its agents. The job's processes
// have names such as "chief", "worker1" and "ps0". An unknown name is an error that lists
// the known ones.
type Trainer interface {
	// StartTraining starts all processes of the job at once. StartTrainer starts one that
	// has ended.
	StartTraining() error
	StartTrainer(name string) error
	// TrainerState returns the present state of a process of the job.
	TrainerState(name string) (TrainerState, error)
	// TrainingStatus returns the step, the barrier and the checkpoints of the job.
	TrainingStatus() TrainingStatus
	// TrainingDeeds counts how often a process did something. op is a deed such as "saved".
	// path is what the deed was about; "" counts all paths.
	TrainingDeeds(name, op, path string) int
	// Operate calls a method of the job's controller, for example "StopTraining", and waits
	// for the answer. Like the controller's client it finds the controller by the address
	// file.
	Operate(method string) (TrainingAnswer, error)
	// BeginOperate begins such a call and does not wait. Operated returns its answer, or
	// false while there is none. Only one such call may run at a time.
	BeginOperate(method string) error
	Operated() (TrainingAnswer, bool)
	// PSBarrier has a worker call a barrier of the PS service (TRN-4.2) and does not wait.
	// PSBarriers returns the answers so far, in the order of the calls.
	PSBarrier(id string, worker, numWorkers int, timeout time.Duration) error
	PSBarriers() []TrainingAnswer
	// StartLocal starts a cluster whose workers are tasks of one process (TRN-4.1).
	// LocalSteps has a worker make n steps. LocalBarrier has it wait at the barrier of its
	// step, and returns at once. LocalBarriers returns the answers so far, in the order of
	// the waits.
	StartLocal(workers int) error
	LocalSteps(worker, n int) error
	LocalBarrier(worker int, timeout time.Duration) error
	LocalBarriers() []TrainingAnswer
	Storage
}

// Storage is a cluster whose shared directories can be looked at and written to.
type Storage interface {
	// StoredFile reads a file; ok is false if there is none.
	StoredFile(path string) (data []byte, ok bool, err error)
	// StoredNames lists the names in a directory, sorted. It returns none for a missing directory.
	StoredNames(path string) ([]string, error)
	// StoreFile writes a file.
	StoreFile(path string, data []byte) error
}

// Registry is a cluster whose training job may find its processes by Consul.
type Registry interface {
	// Registered returns the address that a look-up gives for a process at this moment; ok
	// is false for none.
	Registered(name string) (addr string, ok bool, err error)
}

// TrainerState is the state of a process of a training job.
type TrainerState struct {
	// IP is the address of the process's host.
	IP       string
	Running  bool
	ExitCode int
	Starts   int
	// Addr is the address of the process's server while that runs, else "".
	Addr string
}

// TrainingStatus is the state of a job, read from its variables and files.
type TrainingStatus struct {
	// GlobalStep is the number of steps, -1 while the variable has no value.
	GlobalStep int64
	// Barrier says whether the barrier is placed. Blocked lists the indices of the
	// processes that wait at it.
	Barrier bool
	Blocked []int
	// Checkpoints are the paths that the file "checkpoint" lists, oldest first.
	Checkpoints []string
}

// TrainingAnswer is the answer to a call of the controller or of a PS.
type TrainingAnswer struct {
	// Text is the answer's message in words, for example "global_step: 30".
	Text string
	Err  error
}

// Broken is an invariant of a training job (TRN-6.5) or of agents that broke. It is an error.
type Broken struct {
	// Invariant is the id, for example "INV-2", or "bound".
	Invariant string
	// At is when the checker noticed. Text says what was found and wanted.
	At   time.Duration
	Text string
	// Known names the quirk or the rule by which the reference itself breaks the invariant,
	// if the job keeps it; else "".
	Known string
}

// String returns all fields on one line.
func (b Broken) String() string {
	known := ""
	if b.Known != "" {
		known = ", as the reference does: " + b.Known
	}
	return fmt.Sprintf("%s broke by %s%s: %s", b.Invariant, Stamp(b.At), known, b.Text)
}

// Error returns what String does.
func (b Broken) Error() string { return b.String() }

// Invariant is a cluster that checks the invariants of its training job.
type Invariant interface {
	// Invariants lists those that broke so far, in the order in which the checker noticed.
	Invariants() []Broken
}

// Watched is a cluster that checks the invariants of its agents, if Spec.Watch asks for it.
type Watched interface {
	// Kept returns the first invariant with an id that broke so far, by a Broken. The id "history"
	// is that of what ZooKeeper promises its clients, which is looked at in a run without leaps.
	Kept(invariant string) error
	// Whole returns nil if all is as it should be where nothing disturbs the cluster, else a Broken.
	Whole() error
	// Quiet begins to watch for what a calm cluster does not do; the function that it returns says
	// what was seen of that since, by a Broken.
	Quiet() func() error
}
