package cputraining

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/clustermanager"
	"github.com/monosim/monosim/engine/training/hvdlib"
)

// Params holds the model's names.
type Params struct {
	// Class is the name of the model's class. DeepInsightName is the name in its metrics.
	Class           string
	DeepInsightName pysem.OptString
}

// Cluster is a cluster together with the process's place in it.
type Cluster struct {
	clustermanager.Cluster
	Task clustermanager.Task
}

// equalAddrs reports whether both clusters have the same addresses.
func (c Cluster) equalAddrs(d Cluster) bool {
	return slices.Equal(c.Chief, d.Chief) && slices.Equal(c.Worker, d.Worker) && slices.Equal(c.PS, d.PS)
}

// Work does the tasks of TensorFlow, the metrics and the application master for a process.
type Work interface {
	// StartServer starts TensorFlow's server at an address, whose port may be 0. It returns the
	// server's target in the form grpc://host:port.
	StartServer(addr string) (target string, err error)
	// PrepareServer registers a PS with the health check before other processes can find it.
	PrepareServer() error
	// WorkerTrain trains to the end. Call [CheckNodes] first.
	WorkerTrain(c Cluster) error
	// WorkerFeatureEngineering replaces WorkerTrain if the configuration asks for it.
	WorkerFeatureEngineering(c Cluster) error
	// PSBenchmark chooses the numPS best PS from a larger number of PS.
	PSBenchmark(c Cluster, numPS int) (clustermanager.Cluster, error)
	// ShutdownPS shuts down numPS PS. JoinPS waits until this PS is shut down.
	ShutdownPS(c Cluster, numPS int) error
	JoinPS(index int) error
	StartHeartbeat()
	StopHeartbeat()
	FinishApplication()
	KillApplication(reason string)
}

// Run is one process of distributed training.
type Run struct {
	Env       *env.Env
	Flags     *absl.Flags
	Config    *DistributedCPUTrainingConfig
	Discovery training.ServiceDiscovery
	Params    Params
	Work      Work
	// Metrics receives the measurements made while waiting for others. It may be nil.
	Metrics Metrics
	// Quirks is the set of the reference's bugs to keep.
	Quirks jobquirks.Set
}

// Metrics receives the measurements made while a process waits for others or retries.
type Metrics interface {
	clustermanager.Metrics
	// EmitTimer receives the seconds until all containers are ready, or a worker's number of
	// failures, tagged with the last failure.
	EmitTimer(name string, value any, tags map[string]string)
}

// Train runs the process as the configuration says (cpu_training.py:1995). A PS returns when it is
// shut down. A worker that cannot reach others retries after a pause. It retries without limit
// while the cluster stays the same, and max_retry_times times if it has changed. The chief shuts
// down the PS and reports the result to the application master. A missing setting raises a
// ValueError.
func (r *Run) Train() error {
	if err := r.validate(); err != nil {
		return err
	}
	chief, err := IsChief(r.Env, &r.Config.CPUTrainingConfig)
	if err != nil {
		return err
	}
	if chief && r.Flags != nil {
		proto, err := r.Flags.Value(FlagChiefAlertProto)
		if err != nil {
			return err
		}
		if err := r.Flags.Assign(FlagAlertProto, proto); err != nil {
			return err
		}
	}
	if err := MakeConfigBackwardCompatible(r.Env, r.Config.ModelDir, &r.Config.CPUTrainingConfig); err != nil {
		return err
	}
	addr, err := r.startServer()
	if err != nil {
		return err
	}
	if err := r.Work.PrepareServer(); err != nil {
		return err
	}
	if err := r.Discovery.Register(r.Config.ServerType, r.Config.Index, addr); err != nil {
		return err
	}
	r.Env.Log.Logf(env.Info, "Started %s %d at %s.", r.Config.ServerType, r.Config.Index, addr)
	if r.Config.ServerType == "ps" {
		err = r.servePS()
	} else {
		w := &worker{Run: r, addr: addr, requiredPS: r.Config.NumPS + r.Config.NumExtraPS}
		err = w.train()
	}
	if err == nil {
		r.Env.Log.Logf(env.Info, "Finished %s %d.", r.Config.ServerType, r.Config.Index)
	}
	return err
}

func (r *Run) validate() error {
	c := r.Config
	switch {
	case isNone(c, "index"):
		return pysem.Raise("ValueError", "Index can't be none.")
	case isNone(c, "num_ps"):
		return pysem.Raise("ValueError", "Num ps can't be none.")
	case isNone(c, "num_workers"):
		return pysem.Raise("ValueError", "Num workers can't be none.")
	case c.ServerType != "ps" && c.ServerType != "worker":
		return pysem.Raise("ValueError", "Unknown server type. type: %s", pysem.Str(ConfigClass.Get(c, "server_type")))
	case c.ModelDir == "":
		return pysem.Raise("ValueError", "model dir can't be empty.")
	}
	return nil
}

// IsChief reports whether a process is the chief (cpu_training.py:577). The chief is worker 0. If
// all or part of the model is trained synchronously, it is the worker with rank 0.
func IsChief(e *env.Env, c *CPUTrainingConfig) (bool, error) {
	if c.ServerType != "worker" {
		return false, nil
	}
	if !c.EnableSyncTraining && !c.EnablePartialSyncTraining {
		return c.Index == 0, nil
	}
	rank, err := hvdlib.MPI(e, "rank", 0)
	return err == nil && rank == 0, err
}

// fixedPlace is implemented by discoveries that know the process's own address and index.
type fixedPlace interface {
	Addr() (any, error)
	Index() (any, error)
}

// startServer starts the server at the process's address in the discovery, or on a free port of
// this host if the discovery has no address for it.
func (r *Run) startServer() (addr string, err error) {
	at, ok := r.Discovery.(fixedPlace)
	if mlp, isMLP := r.Discovery.(*training.MLPServiceDiscovery); isMLP {
		at, ok = mlpPlace{mlp}, true
	}
	if ok {
		value, err := at.Addr()
		if err != nil {
			return "", err
		}
		index, err := at.Index()
		if err != nil {
			return "", err
		}
		if err := ConfigClass.Set(r.Config, "index", index); err != nil {
			return "", err
		}
		_, err = r.Work.StartServer(pysem.Str(value))
		return pysem.Str(value), err
	}
	ip, err := training.LocalHost(r.Env.Host)
	if err != nil {
		return "", err
	}
	target, err := r.Work.StartServer(training.ConcatIPAndPort(ip, "0"))
	if err != nil {
		return "", err
	}
	parsed, err := url.Parse(target)
	if err != nil {
		return "", pysem.Raise("ValueError", "%v", err)
	}
	return parsed.Host, nil
}

// mlpPlace is the place that the MLP scheduler assigned to the process.
type mlpPlace struct{ *training.MLPServiceDiscovery }

func (p mlpPlace) Addr() (any, error)  { return p.MLPServiceDiscovery.Addr(), nil }
func (p mlpPlace) Index() (any, error) { return p.MLPServiceDiscovery.Index().Any(), nil }

// servePS runs a PS. It sets the model's name and waits for the end.
func (r *Run) servePS() error {
	if r.Config.ModelName == "" {
		r.Config.ModelName = r.Params.DeepInsightName.Or("")
		if r.Config.ModelName == "" {
			r.Config.ModelName = "di_name_" + r.Params.Class
		}
	}
	return r.Work.JoinPS(r.Config.Index)
}

// NodeAliveError is the exception raised if training needs processes that cannot be reached
// (cpu_training.py:1787).
const NodeAliveError = "NodeAliveCheckerError"

// nodeCheckers is the number of addresses tried at the same time (net_utils.py:28). nodeTimeout is
// the time limit for each (cpu_training.py:1817).
const (
	nodeCheckers = 10
	nodeTimeout  = 60 * time.Second
)

// CheckNodes tries to connect to the chief and the PS of a cluster, once each and for at most 60 s.
// It raises a NodeAliveCheckerError if one of them cannot be reached (cpu_training.py:1814). It is
// called before each training.
func CheckNodes(e *env.Env, kept jobquirks.Set, c clustermanager.Cluster) error {
	addrs, err := BlockedAddrs(kept, c, "worker")
	if err != nil {
		return err
	}
	checker := training.NewNodeAliveChecker(e, addrs, nodeTimeout, nodeCheckers)
	if checker.AllNodesAlive() {
		return nil
	}
	return pysem.Raise(NodeAliveError, "%s is unreachable", strings.Join(checker.DeadNodes(), ","))
}

// BlockedAddrs returns the addresses of a cluster except those of ignoredJobs, sorted and without
// duplicates (cpu_training.py:1776). A job with an empty list, such as ps in a cluster that needs
// no PS, raises a ValueError unless Q261 is repaired. A nil list means that the job does not exist.
func BlockedAddrs(kept jobquirks.Set, c clustermanager.Cluster, ignoredJobs ...string) ([]string, error) {
	addrs := []string{}
	for _, job := range []struct {
		name  string
		addrs []string
	}{{"chief", c.Chief}, {"ps", c.PS}, {"worker", c.Worker}} {
		if slices.Contains(ignoredJobs, job.name) {
			continue
		}
		if job.addrs != nil && len(job.addrs) == 0 && kept.Keeps(jobquirks.Q261) {
			return nil, pysem.Raise("ValueError", "max() arg is an empty sequence")
		}
		addrs = append(addrs, job.addrs...)
	}
	slices.Sort(addrs)
	return slices.Compact(addrs), nil
}

// temporary reports whether a worker retries after this error.
func temporary(err error) bool {
	switch pysem.TypeOf(err) {
	case "DeadlineExceededError", "UnavailableError", NodeAliveError:
		return true
	}
	return false
}

// reasonOf returns str(error).
func reasonOf(err error) string {
	if python, ok := errors.AsType[*pysem.Error](err); ok {
		return python.Message
	}
	return err.Error()
}

// seconds converts a configured number of seconds to a duration.
func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
