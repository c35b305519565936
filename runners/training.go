package runners

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
)

// TrainingSpec is a training job; see engine/cluster.
type TrainingSpec = cluster.TrainingSpec

// Trainer is a cluster that may have a training job beside its agents. Its processes have
// names as "chief", "worker1" and "ps0"; an unknown one is an error that lists them.
type Trainer interface {
	// StartTraining starts all processes of the job at once, StartTrainer one that has ended.
	StartTraining() error
	StartTrainer(name string) error
	// TrainerState returns how a process of the job is right now.
	TrainerState(name string) (TrainerState, error)
	// TrainingStatus is what the job has come to.
	TrainingStatus() TrainingStatus
	// TrainingDeeds counts how often a process has done something: op is as "saved", path what
	// that was about, "" for anything.
	TrainingDeeds(name, op, path string) int
	// Operate calls a method of the job's controller, as "StopTraining", the way its client
	// does: by the address file. It waits for the answer.
	Operate(method string) (TrainingAnswer, error)
	// BeginOperate begins such a call and lets it go on; Operated is its answer, false while
	// there is none. There is one such call at a time.
	BeginOperate(method string) error
	Operated() (TrainingAnswer, bool)
	// PSBarrier has a worker arrive at a barrier of the PS service (TRN-4.2) and lets the call
	// go on; PSBarriers are the answers so far, in the order of the calls.
	PSBarrier(id string, worker, numWorkers int, timeout time.Duration) error
	PSBarriers() []TrainingAnswer
	// StartLocal starts a cluster whose workers are tasks of one process (TRN-4.1), LocalSteps
	// has one of them make steps, and LocalBarrier has it wait at the barrier of its step and
	// lets the wait go on; LocalBarriers are the answers so far, in the order of the waits.
	StartLocal(workers int) error
	LocalSteps(worker, n int) error
	LocalBarrier(worker int, timeout time.Duration) error
	LocalBarriers() []TrainingAnswer
	// StoredFile reads a file of the directories that the job shares, ok is false for none.
	StoredFile(path string) (data []byte, ok bool, err error)
	// StoredNames are those in such a directory, sorted; none where there is no directory.
	StoredNames(path string) ([]string, error)
	// StoreFile writes one.
	StoreFile(path string, data []byte) error
}

// Registry is a cluster whose training job may find its processes by Consul.
type Registry interface {
	// Registered is the address that a look-up has for a process, by its name, right now; ok is
	// false for none.
	Registered(name string) (addr string, ok bool, err error)
}

// TrainerState is how a process of a training job is.
type TrainerState struct {
	// IP is the address of its machine.
	IP       string
	Running  bool
	ExitCode int
	Starts   int
	// Addr is where its server listens while it runs, "" before.
	Addr string
}

// TrainingStatus is what a job has come to, as somebody sees it who looks at its variables.
type TrainingStatus struct {
	// GlobalStep is -1 while there is none.
	GlobalStep int64
	// Barrier is whether it is placed, Blocked are the processes that wait at it by index.
	Barrier bool
	Blocked []int
	// Checkpoints are those that the file "checkpoint" lists, oldest first.
	Checkpoints []string
}

// TrainingAnswer is the answer to a call of the controller or of a PS.
type TrainingAnswer struct {
	// Text is the message in words, as "global_step: 30".
	Text string
	Err  error
}

// Broken is an invariant of a training job (TRN-6.5) that broke.
type Broken struct {
	// Invariant is its id, as "INV-2".
	Invariant string
	// At is when that was seen, Text what was found and wanted.
	At   time.Duration
	Text string
	// Known names the quirk or the rule by which the reference breaks it, and which the job
	// keeps; "" for one that is to hold.
	Known string
}

// String is a line that says all.
func (b Broken) String() string {
	known := ""
	if b.Known != "" {
		known = ", as the reference does: " + b.Known
	}
	return fmt.Sprintf("%s broke by %s%s: %s", b.Invariant, Stamp(b.At), known, b.Text)
}

// Invariant is a cluster that holds its training job to the invariants.
type Invariant interface {
	// Invariants are those that broke so far, in the order in which that was seen.
	Invariants() []Broken
}
