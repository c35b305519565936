package cluster

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/confined"
)

// TrainingSpec is a training job: a chief, workers and PS, which share a ZooKeeper and
// directories with the agents of the cluster. The zero value of a field has the meaning that
// its comment gives; names in plans and scenarios are those of the tags.
type TrainingSpec struct {
	// Job is its name in ZooKeeper, /monolith/<job>; "" means "job".
	Job string `yaml:"job"`
	// Discovery is how its processes find one another: "zookeeper", which "" means, "consul", an
	// agent that all of them reach, where the job has the name of a service, or "primus" and "mlp",
	// whose environment says where all are.
	Discovery string `yaml:"discovery"`
	// Workers are those beside the chief, PS the parameter servers of which the job needs
	// one at least; RedundantPS are started beyond those.
	Workers     int `yaml:"workers"`
	PS          int `yaml:"ps"`
	RedundantPS int `yaml:"redundant_ps"`
	// ModelDir has the checkpoints; "" means "/train/model".
	ModelDir string `yaml:"model_dir"`
	// RestoreDir has the checkpoint to begin with, "" for none; RestoreCkpt is its name there, or
	// without RestoreDir that in ModelDir to go back to once, "" for the latest.
	RestoreDir  string `yaml:"restore_dir"`
	RestoreCkpt string `yaml:"restore_ckpt"`
	// PartialRecovery has only the variables of those PS restored that were started since, where
	// there are two PS or more.
	PartialRecovery bool `yaml:"partial_recovery"`
	// MaxSteps is the global step at which training ends; 0 means never.
	MaxSteps int64 `yaml:"max_steps"`
	// StepTime is what a step of one process takes; 0 means 1 s.
	StepTime time.Duration `yaml:"step_time"`
	// SaveEvery and SaveSteps say when the chief saves: one of them may be set; with neither
	// it saves at the end only.
	SaveEvery time.Duration `yaml:"save_every"`
	SaveSteps int           `yaml:"save_steps"`
	// TideStartHour and TideEndHour are a window of hours in UTC out of which TideSaveEvery
	// takes the place of SaveEvery. Both hours or none are set.
	TideStartHour *int          `yaml:"tide_start_hour"`
	TideEndHour   *int          `yaml:"tide_end_hour"`
	TideSaveEvery time.Duration `yaml:"tide_save_every"`
	// TideStartMinute and TideEndMinute are the minutes of these hours.
	TideStartMinute int `yaml:"tide_start_minute"`
	TideEndMinute   int `yaml:"tide_end_minute"`
	// SaveTime is what writing a checkpoint takes; 0 means 1 s.
	SaveTime time.Duration `yaml:"save_time"`
	// MaxToKeep is how many checkpoints are kept; 0 means 10.
	MaxToKeep int `yaml:"max_to_keep"`
	// WorkerCheckpoints has workers save the places of their inputs, too.
	WorkerCheckpoints bool `yaml:"worker_checkpoints"`
	// ExportDir has an export of each checkpoint written, in ExportGraphs' directories, each
	// of ExportBytes; "" means none. No graphs mean "entry", 0 bytes 64 kB.
	ExportDir    string   `yaml:"export_dir"`
	ExportGraphs []string `yaml:"export_graphs"`
	ExportBytes  int64    `yaml:"export_bytes"`
	// MaxPending is how long a save waits for the workers, ChiefTimeout how long the chief's
	// end does, RetryWait the time before a process tries again; 0 means 30 s, 1800 s, 30 s.
	MaxPending   time.Duration `yaml:"max_pending"`
	ChiefTimeout time.Duration `yaml:"chief_timeout"`
	RetryWait    time.Duration `yaml:"retry_wait"`
	// SlowStartSteps has workers begin one after the other, each of a higher number at a later
	// step, or some time after the first steps: MaxSlowStart, and up to ten minutes more at random.
	// 0 has all begin at once, and 10m.
	SlowStartSteps int           `yaml:"slow_start_steps"`
	MaxSlowStart   time.Duration `yaml:"max_slow_start"`
	// MaxRetries is how often a changed cluster is tried again; nil means 6.
	MaxRetries *int `yaml:"max_retries"`
	// SessionTimeout is how long a worker waits for the chief to initialise the variables, before
	// it tries again; 0 means 7200 s.
	SessionTimeout time.Duration `yaml:"session_timeout"`
	// FailFast is TensorFlow's GRPC_FAIL_FAST: true, which nil means, makes the call of a server that is
	// gone an UnavailableError at once, and false has it wait for the server.
	FailFast *bool `yaml:"fail_fast"`
	// TensorFlow is the build: "patched", which "" means, as the reference builds it, where a session
	// whose servers do not answer gives up after 60 s, or "stock", where it waits for ever.
	TensorFlow string `yaml:"tensorflow"`
	// ClearNN has variables begin anew, once, where a checkpoint would be restored;
	// ContinueTraining has the steps go on from it all the same.
	ClearNN          bool `yaml:"clear_nn"`
	ContinueTraining bool `yaml:"continue_training"`
	// PSMemoryLimit is the memory of a PS from which on it is not well; 0 means no limit.
	PSMemoryLimit int64 `yaml:"ps_memory_limit"`
	// Evaluator has a process beside the job evaluate the checkpoints as they come, until that of
	// MaxSteps (tpu_runner.py in its mode eval). EvalSetup is what passes before an evaluation reads
	// its checkpoint, EvalTime what it takes then; 0 means 1 s each.
	Evaluator bool          `yaml:"evaluator"`
	EvalSetup time.Duration `yaml:"eval_setup"`
	EvalTime  time.Duration `yaml:"eval_time"`
	// DefectivePSBarrier has the PS's barrier of f415ff3 (TRN-4.2).
	DefectivePSBarrier bool `yaml:"defective_ps_barrier"`
	// RestartAfter is how long after its end a process that failed is started again; 0 means
	// never.
	RestartAfter time.Duration `yaml:"restart_after"`
	// ApplicationMaster has the job run under one, which the chief tells how it went, and which
	// then ends what is left of the job.
	ApplicationMaster bool `yaml:"application_master"`
	// KeepPS keeps PS running after the end of training, as a job that goes on in real time.
	KeepPS bool `yaml:"keep_ps"`
}

// The builds of TensorFlow.
const (
	TensorFlowPatched = "patched"
	TensorFlowStock   = "stock"
)

// WithDefaults returns the spec with the meaning of zero fields written out.
func (s TrainingSpec) WithDefaults() TrainingSpec {
	fill(&s.Job, "job")
	fill(&s.ModelDir, "/train/model")
	fill(&s.StepTime, time.Second)
	fill(&s.SaveTime, time.Second)
	fill(&s.MaxToKeep, 10)
	fill(&s.ExportBytes, 64<<10)
	fill(&s.MaxPending, 30*time.Second)
	fill(&s.ChiefTimeout, 1800*time.Second)
	fill(&s.RetryWait, 30*time.Second)
	retries := 6
	fill(&s.MaxRetries, &retries)
	fill(&s.SessionTimeout, 7200*time.Second)
	fast := true
	fill(&s.FailFast, &fast)
	fill(&s.TensorFlow, TensorFlowPatched)
	fill(&s.MaxSlowStart, 10*time.Minute)
	fill(&s.PSMemoryLimit, 1<<62)
	fill(&s.EvalSetup, time.Second)
	fill(&s.EvalTime, time.Second)
	if len(s.ExportGraphs) == 0 {
		s.ExportGraphs = []string{"entry"}
	}
	return s
}

// Dirs returns the directories that its processes share.
func (s *TrainingSpec) Dirs() []string {
	filled := s.WithDefaults()
	dirs := []string{filled.ModelDir}
	for _, dir := range []string{filled.RestoreDir, filled.ExportDir} {
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Check returns the first of Faults.
func (s *TrainingSpec) Check() error { return first(s.Faults()) }

// CheckFields is Check of a spec that may not be whole yet.
func (s *TrainingSpec) CheckFields() error { return first(s.fieldFaults()) }

func first(faults []*SpecError) error {
	if len(faults) == 0 {
		return nil
	}
	return faults[0]
}

// Faults says everything in a spec that makes no sense, by the names of the tags.
func (s *TrainingSpec) Faults() []*SpecError {
	faults := s.fieldFaults()
	if (s.TideStartHour == nil) != (s.TideEndHour == nil) {
		faults = append(faults, &SpecError{Where: "tide_start_hour, tide_end_hour", Found: "one of them", Want: "both or none"})
	}
	return faults
}

// fieldFaults is Faults of a spec that may not be whole yet.
func (s *TrainingSpec) fieldFaults() (faults []*SpecError) {
	for _, n := range []struct {
		name         string
		value, least int64
	}{
		{"workers", int64(s.Workers), 0}, {"ps", int64(s.PS), 1}, {"redundant_ps", int64(s.RedundantPS), 0}, {"max_steps", s.MaxSteps, 0},
		{"step_time", int64(s.StepTime), 0}, {"save_every", int64(s.SaveEvery), 0}, {"save_steps", int64(s.SaveSteps), 0},
		{"tide_save_every", int64(s.TideSaveEvery), 0}, {"save_time", int64(s.SaveTime), 0}, {"max_to_keep", int64(s.MaxToKeep), 0},
		{"export_bytes", s.ExportBytes, 0}, {"max_pending", int64(s.MaxPending), 0}, {"chief_timeout", int64(s.ChiefTimeout), 0},
		{"retry_wait", int64(s.RetryWait), 0}, {"session_timeout", int64(s.SessionTimeout), 0}, {"ps_memory_limit", s.PSMemoryLimit, 0},
		{"slow_start_steps", int64(s.SlowStartSteps), 0}, {"max_slow_start", int64(s.MaxSlowStart), 0},
		{"restart_after", int64(s.RestartAfter), 0}, {"eval_setup", int64(s.EvalSetup), 0}, {"eval_time", int64(s.EvalTime), 0},
	} {
		if n.value < n.least {
			faults = append(faults, &SpecError{Where: n.name, Found: fmt.Sprint(n.value), Want: fmt.Sprintf("%d or more", n.least)})
		}
	}
	if s.MaxRetries != nil && *s.MaxRetries < 0 {
		faults = append(faults, &SpecError{Where: "max_retries", Found: fmt.Sprint(*s.MaxRetries), Want: "0 or more"})
	}
	faults = append(faults, s.tideFaults()...)
	if err := s.checkDiscovery(); err != nil {
		faults = append(faults, err)
	}
	if s.TensorFlow != "" && s.TensorFlow != TensorFlowPatched && s.TensorFlow != TensorFlowStock {
		faults = append(faults, &SpecError{Where: "tensorflow", Found: s.TensorFlow, Want: "one of " + TensorFlowPatched + ", " + TensorFlowStock})
	}
	faults = append(faults, s.nameFaults()...)
	if s.SaveEvery > 0 && s.SaveSteps > 0 {
		faults = append(faults, &SpecError{Where: "save_steps", Found: "it beside save_every", Want: "one of them"})
	}
	return faults
}

// nameFaults wants names that stay in the directories that they are for.
func (s *TrainingSpec) nameFaults() (faults []*SpecError) {
	for _, graph := range s.ExportGraphs {
		if confined.Name(graph) != nil {
			faults = append(faults, &SpecError{Where: "export_graphs", Found: strconv.Quote(graph), Want: "plain names of directories in export_dir, as entry"})
		}
	}
	if s.RestoreCkpt != "" && confined.Name(s.RestoreCkpt) != nil {
		faults = append(faults, &SpecError{Where: "restore_ckpt", Found: strconv.Quote(s.RestoreCkpt), Want: "the plain name of a checkpoint, as model.ckpt-100"})
	}
	for _, dir := range []struct{ name, path string }{{"model_dir", s.ModelDir}, {"restore_dir", s.RestoreDir}, {"export_dir", s.ExportDir}} {
		if dir.path != "" && !path.IsAbs(dir.path) && !strings.Contains(dir.path, "://") {
			faults = append(faults, &SpecError{Where: dir.name, Found: strconv.Quote(dir.path), Want: "a path from the root, as /train/model: processes that share a directory need not share the one in which they were started"})
		}
	}
	return faults
}

// tideFaults wants times of a day.
func (s *TrainingSpec) tideFaults() (faults []*SpecError) {
	for _, h := range []struct {
		name string
		hour *int
	}{{"tide_start_hour", s.TideStartHour}, {"tide_end_hour", s.TideEndHour}} {
		if h.hour != nil && (*h.hour < 0 || *h.hour > 23) {
			faults = append(faults, &SpecError{Where: h.name, Found: fmt.Sprint(*h.hour), Want: "an hour from 0 to 23"})
		}
	}
	for _, m := range []struct {
		name   string
		minute int
	}{{"tide_start_minute", s.TideStartMinute}, {"tide_end_minute", s.TideEndMinute}} {
		if m.minute < 0 || m.minute > 59 {
			faults = append(faults, &SpecError{Where: m.name, Found: fmt.Sprint(m.minute), Want: "a minute from 0 to 59"})
		}
	}
	return faults
}

// TrainerNames returns the names of the processes of the job: "chief", "worker1" and on, "ps0"
// and on, and "evaluator" where there is one.
func (s *TrainingSpec) TrainerNames() []string {
	names := []string{"chief"}
	for i := range s.Workers {
		names = append(names, fmt.Sprintf("worker%d", i+1))
	}
	for i := range s.PS + s.RedundantPS {
		names = append(names, fmt.Sprintf("ps%d", i))
	}
	if s.Evaluator {
		names = append(names, EvaluatorRole)
	}
	return names
}

// EvaluatorRole is the role and the name of the process that evaluates.
const EvaluatorRole = "evaluator"

// TrainerRole returns what a name of TrainerNames stands for: "ps", "evaluator", or "worker", of which
// the chief is number 0.
func TrainerRole(name string) (role string, index int) {
	if name == EvaluatorRole {
		return name, 0
	}
	for _, role := range []string{"ps", "worker"} {
		if number, ok := strings.CutPrefix(name, role); ok {
			index, _ = strconv.Atoi(number)
			return role, index
		}
	}
	return "worker", 0
}

// Hazards are what happens to the processes of a training job from outside. The zero value
// has nothing happen.
type Hazards struct {
	// SaveErrors is how many of the next writes of a checkpoint fail.
	SaveErrors int
	// SaveTime, unless it is 0, is what a save takes now.
	SaveTime time.Duration
	// RSSBytes is the memory of PS by index; 1 MB where nothing is said. Of a job that runs
	// it is changed by SetRSSBytes.
	RSSBytes map[int]int64

	told []*func()
}

// SetRSSBytes has the memory of a PS come to a size.
func (h *Hazards) SetRSSBytes(ps int, size int64) {
	for _, changes := range h.told {
		(*changes)()
	}
	if h.RSSBytes == nil {
		h.RSSBytes = map[int]int64{}
	}
	h.RSSBytes[ps] = size
}

// Tell has changes called before the memory of a PS changes, until cancel.
func (h *Hazards) Tell(changes func()) (cancel func()) {
	h.told = append(h.told, &changes)
	return func() { h.told = slices.DeleteFunc(h.told, func(f *func()) bool { return f == &changes }) }
}
