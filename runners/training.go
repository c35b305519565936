package runners

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
)

// TrainingSpec describes a training job; see engine/cluster.
type TrainingSpec = cluster.TrainingSpec

// Trainer is a cluster that may have a training job besides its agents. The job's processes
// have names such as "chief", "worker1" and "ps0". The error for an unknown name lists the
// known ones.
type Trainer interface {
	// StartTraining starts all processes of the job at once. StartTrainer starts a process that
	// has ended.
	StartTraining() error
	StartTrainer(name string) error
	// TrainerState returns the present state of a process of the job.
	TrainerState(name string) (TrainerState, error)
	// TrainingStatus returns the step, the barrier and the checkpoints of the job.
	TrainingStatus() TrainingStatus
	// TrainingDeeds counts how often a process did an action. op is the kind of action, such as
	// "saved". path is the action's subject, and "" counts all.
	TrainingDeeds(name, op, path string) int
	// Operate calls a method of the job's controller, such as "StopTraining", and waits for the
	// answer. As the reference's client does, it reads the controller's address from a file.
	Operate(method string) (TrainingAnswer, error)
	// BeginOperate calls a method of the controller without waiting. Operated returns the
	// answer, or false until it arrives. Only one such call may be in progress.
	BeginOperate(method string) error
	Operated() (TrainingAnswer, bool)
	// PSBarrier calls a barrier of the PS service on behalf of a worker (TRN-4.2), without
	// waiting. PSBarriers returns the answers so far, in the order of the calls.
	PSBarrier(id string, worker, numWorkers int, timeout time.Duration) error
	PSBarriers() []TrainingAnswer
	// StartLocal starts a local cluster, whose workers are tasks of one process (TRN-4.1).
	// LocalSteps makes a worker do n steps. LocalBarrier makes a worker wait at the barrier of
	// its step, and returns at once. LocalBarriers returns the answers so far, in the order of
	// the calls.
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

// Registry is a cluster whose training job may use Consul for discovery.
type Registry interface {
	// Registered returns the address under which a look-up finds a process now. ok is false if
	// it finds none.
	Registered(name string) (addr string, ok bool, err error)
}

// Fresh is a cluster that measures the age of the parameters that its model servers serve.
type Fresh interface {
	// ParametersAge returns how old the parameters of a sub-graph in a pod are, and the number of
	// steps whose updates no push will bring to the pod. It returns an error while the pod serves
	// no version.
	ParametersAge(pod, model string) (age time.Duration, missing int64, err error)
	// Pushes counts the successful pushes of a PS to a pod.
	Pushes(trainer, pod string) int
}

// TrainerState is the state of a process of a training job.
type TrainerState struct {
	// IP is the address of the process's host.
	IP       string
	Running  bool
	ExitCode int
	Starts   int
	// Addr is the address of the process's server, "" while no server runs.
	Addr string
}

// TrainingStatus is the state of a training job, read from its variables and files.
type TrainingStatus struct {
	// GlobalStep is the value of the global step, -1 while the variable cannot be read.
	GlobalStep int64
	// Barrier says whether the barrier is placed. Blocked lists the indices of the
	// processes that wait at it.
	Barrier bool
	Blocked []int
	// Checkpoints lists the paths in the file "checkpoint", oldest first.
	Checkpoints []string
}

// TrainingAnswer is the answer to a call of the controller or of a PS barrier.
type TrainingAnswer struct {
	// Text is the answer's message as text, such as "global_step: 30".
	Text string
	Err  error
}

// Broken is a broken invariant of a training job (TRN-6.5) or of agents. It implements error.
type Broken struct {
	// Invariant is the invariant's id, such as "INV-2" or "bound".
	Invariant string
	// At is when the checker noticed the break. Text says what was found and what was wanted.
	At   time.Duration
	Text string
	// Known is the quirk or rule by which the reference itself breaks the invariant, if the job
	// keeps that quirk. Otherwise it is "".
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

// Error returns the same text as String.
func (b Broken) Error() string { return b.String() }

// Invariant is a cluster that checks the invariants of its training job.
type Invariant interface {
	// Invariants lists the invariants broken so far, in the order in which the checker noticed
	// them.
	Invariants() []Broken
}

// Watched is a cluster that checks the invariants of its agents, if Spec.Watch asks for it.
type Watched interface {
	// Kept returns the first violation of the invariant with the given id, as a Broken, or nil.
	// The id "history" stands for ZooKeeper's guarantees to its clients, which can only be
	// checked in a run without leaps.
	Kept(invariant string) error
	// Whole returns nil if the cluster is in the state that it reaches when undisturbed.
	// Otherwise it returns a Broken.
	Whole() error
	// Quiet begins to watch for actions that a calm cluster does not do. The returned function
	// gives the first such action since then as a Broken, or nil.
	Quiet() func() error
}
