package programs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/confined"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// TrainerOptions configures one process of a training job.
type TrainerOptions struct {
	Surroundings
	// Job describes the whole training job.
	Job cluster.TrainingSpec
	// ServerType is "ps", "worker", "chief" or "evaluator". Index numbers the processes of that
	// type. The chief is also worker 0. The evaluator evaluates checkpoints, if the job has one.
	ServerType string
	Index      int
	// ZooKeeper is the host:port by which the processes of the job find each other. With Discovery
	// Consul they use the agent named by CONSUL_HTTP_HOST and CONSUL_HTTP_PORT instead. With Primus
	// or MLP they use the environment variables of those systems.
	ZooKeeper string
	// Quirks says which faults of the reference to keep: python (all), fixed (none) or a list.
	Quirks string
	// Root is a directory that must contain the job's directories and all files that the process
	// writes. "" means no restriction.
	Root string
	// Events, if not "", is a file to which each [job.Event] is appended as a JSON line.
	Events string
}

// Server types.
const (
	chiefType  = "chief"
	workerType = job.Worker
	psType     = job.PS
	evalType   = job.Evaluator
)

// Validate returns an error for invalid options, such as an unknown ServerType.
func (o TrainerOptions) Validate() error {
	switch {
	case !slices.Contains([]string{chiefType, workerType, psType, evalType}, o.ServerType):
		return fmt.Errorf("server_type: found %q, want chief, worker, ps or evaluator", o.ServerType)
	case o.ServerType == evalType && !o.Job.Evaluator:
		return errors.New("server_type: found evaluator, want a job with one: evaluator: true in its plan")
	case o.ServerType == chiefType && o.Index != 0:
		return fmt.Errorf("index: found %d of the chief, want 0", o.Index)
	case o.Index < 0 || o.Index >= o.count():
		return fmt.Errorf("index: found %d, want 0 to %d: the job has %d of the type %s", o.Index, o.count()-1, o.count(), o.ServerType)
	case o.ZooKeeper == "" && o.Job.Discovery != cluster.DiscoveryConsul && !o.Job.IsPlaced() && o.ServerType != evalType:
		return errors.New("zk_server: found none, want host:port of a ZooKeeper")
	}
	for _, server := range recipes.SplitHosts(o.ZooKeeper) {
		_, port, err := net.SplitHostPort(server)
		if n, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || n == 0 {
			return fmt.Errorf("zk_server: found %q, want host:port, with a port from 1 to 65535", server)
		}
	}
	if err := cmp.Or(o.Job.Check(), o.CheckDirs(&o.Job)); err != nil {
		return err
	}
	if _, err := o.quirks(); err != nil {
		return err
	}
	return o.Surroundings.Validate()
}

// CheckDirs returns a *cluster.SpecError if a directory of the job is outside Root.
func (o TrainerOptions) CheckDirs(job *cluster.TrainingSpec) error {
	if o.Root == "" {
		return nil
	}
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return err
	}
	filled := job.WithDefaults()
	for _, dir := range []struct{ field, path string }{{"model_dir", filled.ModelDir}, {"restore_dir", filled.RestoreDir}, {"export_dir", filled.ExportDir}} {
		if dir.path == "" {
			continue
		}
		abs, err := filepath.Abs(dir.path)
		if err != nil {
			return err
		}
		if _, ok := confined.Within(root, abs); !ok {
			return &cluster.SpecError{Where: dir.field, Found: strconv.Quote(dir.path), Want: "a directory below " + root + ", or another --root"}
		}
	}
	return nil
}

// count returns how many processes of this type the job has. The chief counts as a worker.
func (o TrainerOptions) count() int {
	switch o.ServerType {
	case psType:
		return o.Job.PS + o.Job.RedundantPS
	case evalType:
		return 1
	}
	return o.Job.Workers + 1
}

func (o TrainerOptions) quirks() (quirks.Set, error) {
	return quirks.Parse(cmp.Or(o.Quirks, "python"))
}

// Trainer runs a process of a training job until it ends, and returns its exit code. The code is 0
// at the end of training, and 1 for an exception, which is logged. The error comes from Validate,
// from a file of events that cannot be written, or from a panic.
func Trainer(o TrainerOptions) (code int, err error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	set, err := o.quirks()
	if err != nil {
		return 0, err
	}
	tell, closing, err := o.events()
	if err != nil {
		return 0, err
	}
	role := o.ServerType
	if role == chiefType {
		role = workerType
	}
	p, err := o.program("cpu_training", func(e *env.Env) int {
		return job.Main(e, job.Options{Spec: o.Job, Role: role, Index: o.Index, ZooKeeper: o.ZooKeeper, Quirks: set, Happened: tell})
	})
	if err != nil {
		return 0, errors.Join(err, closing())
	}
	p.Machine.Root = o.Root
	p.Furnish = func(e *env.Env) {
		if o.Listen != "" && o.Listen != "0.0.0.0" && o.Listen != "::" {
			e.Host = listening{e.Host, p.Network.ListenHost}
		}
	}
	code, err = surroundings.Run(p)
	return code, errors.Join(err, closing())
}

// events opens the file of events. tell appends an event, and closing closes the file and returns
// the first error.
func (o TrainerOptions) events() (tell func(op, path, note string), closing func() error, err error) {
	if o.Events == "" {
		return nil, func() error { return nil }, nil
	}
	file, err := os.OpenFile(o.Events, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("events: %w", err)
	}
	lines := json.NewEncoder(file)
	var failed error
	tell = func(op, path, note string) {
		if err := lines.Encode(job.Event{Time: time.Now(), Op: op, Path: path, Note: note}); err != nil && failed == nil {
			failed = fmt.Errorf("events: %w", err)
		}
	}
	return tell, func() error { return errors.Join(failed, file.Close()) }, nil
}

// listening is a host whose own name resolves to the address that it listens on, as in a container.
type listening struct {
	env.Host
	ip string
}

func (h listening) LookupIP() (string, error) { return h.ip, nil }
