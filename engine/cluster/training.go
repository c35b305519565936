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

// TrainingSpec describes a training job: a chief, workers and PS. They share a ZooKeeper and
// directories with the agents of the cluster. The comment of each field says what its zero value
// means. Plans and scenarios use the names in the tags.
type TrainingSpec struct {
	// Job is the job's name, in ZooKeeper /monolith/<job>; "" means "job".
	Job string `yaml:"job"`
	// Discovery is how the processes find one another. "" means "zookeeper". With "consul" they use
	// a Consul agent that all of them reach, and the job's name is the name of a service there.
	// With "primus" and "mlp" their environment variables hold all addresses.
	Discovery string `yaml:"discovery"`
	// Workers is the number of workers without the chief. PS is the number of parameter servers, at
	// least one. RedundantPS is how many more are started than the job needs.
	Workers     int `yaml:"workers"`
	PS          int `yaml:"ps"`
	RedundantPS int `yaml:"redundant_ps"`
	// ModelDir is the directory of the checkpoints; "" means "/train/model".
	ModelDir string `yaml:"model_dir"`
	// RestoreDir is the directory with the checkpoint to start from, "" for none. RestoreCkpt is
	// the checkpoint's name there, "" for the latest. Without RestoreDir it names a checkpoint in
	// ModelDir to go back to once.
	RestoreDir  string `yaml:"restore_dir"`
	RestoreCkpt string `yaml:"restore_ckpt"`
	// PartialRecovery restores only the variables of PS that have started since the last restore.
	// It has an effect if there are two PS or more.
	PartialRecovery bool `yaml:"partial_recovery"`
	// MaxSteps is the global step at which training ends; 0 means never.
	MaxSteps int64 `yaml:"max_steps"`
	// StepTime is the duration of a training step of one process; 0 means 1 s.
	StepTime time.Duration `yaml:"step_time"`
	// SaveEvery and SaveSteps say how often the chief saves, by time or by steps. At most one may
	// be set. If neither is, the chief saves only at the end.
	SaveEvery time.Duration `yaml:"save_every"`
	SaveSteps int           `yaml:"save_steps"`
	// TideStartHour and TideEndHour bound a window of hours in UTC. Outside of it, TideSaveEvery
	// replaces SaveEvery. Set both hours or neither.
	TideStartHour *int          `yaml:"tide_start_hour"`
	TideEndHour   *int          `yaml:"tide_end_hour"`
	TideSaveEvery time.Duration `yaml:"tide_save_every"`
	// TideStartMinute and TideEndMinute are minutes to add to TideStartHour and TideEndHour.
	TideStartMinute int `yaml:"tide_start_minute"`
	TideEndMinute   int `yaml:"tide_end_minute"`
	// SaveTime is the duration of writing a checkpoint; 0 means 1 s.
	SaveTime time.Duration `yaml:"save_time"`
	// MaxToKeep is how many checkpoints are kept; 0 means 10.
	MaxToKeep int `yaml:"max_to_keep"`
	// WorkerCheckpoints makes workers save their positions in the inputs as well.
	WorkerCheckpoints bool `yaml:"worker_checkpoints"`
	// ExportDir is where each checkpoint is also exported; "" means no exports. An export has a
	// directory for each name in ExportGraphs, of ExportBytes each. By default that is "entry" with
	// 64 kB.
	ExportDir    string   `yaml:"export_dir"`
	ExportGraphs []string `yaml:"export_graphs"`
	ExportBytes  int64    `yaml:"export_bytes"`
	// MaxPending is how long a save waits for the workers, by default 30 s. ChiefTimeout is how
	// long the chief waits for the workers when it ends, by default 1800 s. RetryWait is the pause
	// before a process tries again, by default 30 s.
	MaxPending   time.Duration `yaml:"max_pending"`
	ChiefTimeout time.Duration `yaml:"chief_timeout"`
	RetryWait    time.Duration `yaml:"retry_wait"`
	// SlowStartSteps makes workers begin one after another: a worker with a higher number begins at
	// a later step, or at the latest some time after the first steps. That time is MaxSlowStart
	// plus up to ten random minutes. If SlowStartSteps is 0, all workers begin at once. If
	// MaxSlowStart is 0, it means 10m.
	SlowStartSteps int           `yaml:"slow_start_steps"`
	MaxSlowStart   time.Duration `yaml:"max_slow_start"`
	// MaxRetries is how often training is tried again after the cluster has changed; nil means 6.
	MaxRetries *int `yaml:"max_retries"`
	// SessionTimeout is how long a worker waits for the chief to initialize the variables before it
	// tries again; 0 means 7200 s.
	SessionTimeout time.Duration `yaml:"session_timeout"`
	// FailFast is TensorFlow's GRPC_FAIL_FAST; nil means true. If it is true, a call of a server
	// that is gone fails at once with an UnavailableError. Otherwise the call waits for the server.
	FailFast *bool `yaml:"fail_fast"`
	// TensorFlow names the build; "" means "patched". In the reference's "patched" build a session
	// gives up after 60 s if its servers do not answer. In the "stock" build it waits for ever.
	TensorFlow string `yaml:"tensorflow"`
	// ClearNN makes the job initialize the variables, once, where it would otherwise restore a
	// checkpoint. With ContinueTraining it still continues the step count of that checkpoint.
	ClearNN          bool `yaml:"clear_nn"`
	ContinueTraining bool `yaml:"continue_training"`
	// PSMemoryLimit is the memory in bytes beyond which a PS counts as unhealthy; 0 means no limit.
	PSMemoryLimit int64 `yaml:"ps_memory_limit"`
	// Evaluator adds a process that evaluates each new checkpoint, up to the checkpoint of MaxSteps
	// (tpu_runner.py in its mode eval). EvalSetup is the time before an evaluation reads its
	// checkpoint, and EvalTime the time after that; 0 means 1 s each.
	Evaluator bool          `yaml:"evaluator"`
	EvalSetup time.Duration `yaml:"eval_setup"`
	EvalTime  time.Duration `yaml:"eval_time"`
	// DefectivePSBarrier makes PS use the faulty barrier of commit f415ff3 (TRN-4.2).
	DefectivePSBarrier bool `yaml:"defective_ps_barrier"`
	// RestartAfter is how long after its end a failed process is restarted; 0 means never.
	RestartAfter time.Duration `yaml:"restart_after"`
	// ApplicationMaster runs the job under an application master. The chief reports its result to
	// the master, which then ends the job's remaining processes.
	ApplicationMaster bool `yaml:"application_master"`
	// KeepPS keeps the PS running after the end of training, as in a job that goes on in real time.
	KeepPS bool `yaml:"keep_ps"`
	// IgnoreSaveErrors lets the chief go on after a save that failed twice, as in a job that goes on in
	// real time (cpu_training.py:1209). ParameterSync implies it.
	IgnoreSaveErrors bool `yaml:"ignore_save_errors"`
	// ParameterSync makes each PS push its changed parameters every 10 s. It pushes them to the
	// model servers of the sub-graph ps_<index> of SyncModel. BZID is the first part of the agents'
	// znodes. With UnifiedServing these model servers belong to agents of version 3. Otherwise they
	// belong to agents of version 1, and are registered below BaseName, with DCAware also below
	// their data centre.
	ParameterSync  bool   `yaml:"parameter_sync"`
	SyncModel      string `yaml:"sync_model"`
	BZID           string `yaml:"bzid"`
	BaseName       string `yaml:"base_name"`
	UnifiedServing bool   `yaml:"unified_serving"`
	DCAware        bool   `yaml:"dc_aware"`
}

// MaxTrainers is the largest number of workers, of PS, or of redundant PS in a job. With more the
// program might run out of memory.
const MaxTrainers = 20_000

// The builds of TensorFlow.
const (
	TensorFlowPatched = "patched"
	TensorFlowStock   = "stock"
)

// WithDefaults returns a copy of the spec in which zero fields have their default values.
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

// Dirs returns the directories that the processes of the job share.
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

// Check returns the first error in the spec, nil if there is none.
func (s *TrainingSpec) Check() error { return first(s.Faults()) }

// CheckFields checks each field by itself, for a spec that may still be incomplete.
func (s *TrainingSpec) CheckFields() error { return first(s.fieldFaults()) }

func first(faults []*SpecError) error {
	if len(faults) == 0 {
		return nil
	}
	return faults[0]
}

// Faults lists everything in a spec that makes no sense, under the names in the tags.
func (s *TrainingSpec) Faults() []*SpecError {
	faults := s.fieldFaults()
	if (s.TideStartHour == nil) != (s.TideEndHour == nil) {
		faults = append(faults, &SpecError{Where: "tide_start_hour, tide_end_hour", Found: "one of them", Want: "both or none"})
	}
	if s.ParameterSync && s.BZID == "" {
		faults = append(faults, &SpecError{Where: "bzid", Found: "none", Want: "that of the agents, to which parameter_sync pushes"})
	}
	if s.ParameterSync && !s.UnifiedServing && s.BaseName == "" {
		faults = append(faults, &SpecError{Where: "base_name", Found: "none", Want: "that of the agents of version 1 to which parameter_sync pushes, or unified_serving for those of version 3"})
	}
	return faults
}

// fieldFaults lists the fields that make no sense by themselves, for a spec that may still be
// incomplete.
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
	for _, n := range []struct {
		name  string
		value int
	}{{"workers", s.Workers}, {"ps", s.PS}, {"redundant_ps", s.RedundantPS}} {
		if n.value > MaxTrainers {
			faults = append(faults, &SpecError{Where: n.name, Found: fmt.Sprint(n.value), Want: fmt.Sprintf("%d or fewer", MaxTrainers)})
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

// nameFaults lists the names that would lead out of the directories for which they are meant.
func (s *TrainingSpec) nameFaults() (faults []*SpecError) {
	for i, graph := range s.ExportGraphs {
		if slices.Contains(s.ExportGraphs[:i], graph) {
			faults = append(faults, &SpecError{Where: "export_graphs", Found: strconv.Quote(graph) + " twice", Want: "it once"})
		}
		if confined.Name(graph) != nil {
			faults = append(faults, &SpecError{Where: "export_graphs", Found: strconv.Quote(graph), Want: "plain names of directories in export_dir, as entry"})
		}
	}
	if s.RestoreCkpt != "" && confined.Name(s.RestoreCkpt) != nil {
		faults = append(faults, &SpecError{Where: "restore_ckpt", Found: strconv.Quote(s.RestoreCkpt), Want: "the plain name of a checkpoint, as model.ckpt-100"})
	}
	for _, dir := range []struct{ name, path string }{{"model_dir", s.ModelDir}, {"restore_dir", s.RestoreDir}, {"export_dir", s.ExportDir}} {
		if dir.path != "" && path.Clean(dir.path) == "/" {
			faults = append(faults, &SpecError{Where: dir.name, Found: strconv.Quote(dir.path), Want: "a directory below it, as /train/model"})
		}
		if dir.path != "" && !path.IsAbs(dir.path) && !strings.Contains(dir.path, "://") {
			faults = append(faults, &SpecError{Where: dir.name, Found: strconv.Quote(dir.path), Want: "a path from the root, as /train/model: processes that share a directory need not share the one in which they were started"})
		}
	}
	return faults
}

// tideFaults lists the hours and minutes that are no times of a day.
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

// TrainerNames returns the names of the job's processes: "chief", "worker1" and so on, "ps0" and so
// on, and "evaluator" if the job has one.
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

// EvaluatorRole is both the role and the name of the evaluating process.
const EvaluatorRole = "evaluator"

// TrainerRole returns the role and the index of the process with the given name. The role is "ps",
// "evaluator" or "worker". The chief is worker 0.
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

// Hazards describes external faults of the processes of a training job. The zero value has no
// faults.
type Hazards struct {
	// SaveErrors is how many of the next checkpoint writes fail.
	SaveErrors int
	// SaveTime, unless it is 0, replaces the duration of a save.
	SaveTime time.Duration
	// RSSBytes is the memory of each PS by index; by default 1 MB. In a running job change it with
	// SetRSSBytes.
	RSSBytes map[int]int64
	// Stopped says, by index, which PS are stopped as by SIGSTOP. A stopped PS starts no pushes of
	// its own.
	Stopped map[int]bool

	told []*func()
}

// SetRSSBytes sets the memory of a PS in bytes.
func (h *Hazards) SetRSSBytes(ps int, size int64) {
	for _, changes := range h.told {
		(*changes)()
	}
	if h.RSSBytes == nil {
		h.RSSBytes = map[int]int64{}
	}
	h.RSSBytes[ps] = size
}

// Tell registers a function that is called before the memory of a PS changes. Call cancel to remove
// it.
func (h *Hazards) Tell(changes func()) (cancel func()) {
	h.told = append(h.told, &changes)
	return func() { h.told = slices.DeleteFunc(h.told, func(f *func()) bool { return f == &changes }) }
}
