// Package clustermanager finds the processes of a training and makes a cluster of them: the port of
// native_training/cluster_manager.py.
//
// Two things to use first:
//
//   - [TrainingCluster] waits for the processes and makes the [Cluster] as one of them sees it.
//   - [SessionConfig] makes TensorFlow's configuration of a cluster.
//
// To change how long it waits: [poll] and [fileTimeout].
//
// Cost: the answer to a query grows with the registered PS, all of which it lists. There is one
// query every 5 s until enough are registered.
//
// Unstable: any commit may change it.
package clustermanager

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// poll is the interval between two checks of the discovery or the file (cluster_manager.py:114).
const poll = 5 * time.Second

// fileTimeout is how long a worker waits for the chief's file (cluster_manager.py:164).
const fileTimeout = 1800 * time.Second

// Cluster holds the addresses of the processes by role, in TensorFlow's numbering. A process knows
// only its own address among the workers.
type Cluster struct{ Chief, Worker, PS []string }

// Task is a process's role and index in a cluster.
type Task struct {
	Type  string
	Index int
}

// Metrics receives the measurements made while waiting.
type Metrics interface {
	EmitStore(name string, value int, modelName, clusterType string)
}

// Job describes a process that needs a cluster, and its job.
type Job struct {
	// WorkerAddr and Index belong to the process itself. Index 0 is the chief.
	WorkerAddr string
	Index      int
	// RequiredPS is the number of PS in the cluster. With RedundantPS more PS than that are
	// started, and the chief writes the chosen ones to a file.
	RequiredPS, RedundantPS, NumWorkers int
	ModelDir, UUID                      string
	// ModelName and ClusterType are metric tags. Without a model name nothing is measured.
	ModelName, ClusterType string
	// Metrics may be nil.
	Metrics Metrics
	// Quirks is the set of the reference's bugs to keep.
	Quirks jobquirks.Set
}

// TrainingCluster waits until the discovery knows the processes of the cluster. A file with the
// wrong number of PS raises an AssertionError. A worker index beyond NumWorkers raises an
// IndexError (cluster_manager.py:52).
func TrainingCluster(e *env.Env, d training.ServiceDiscovery, job Job) (Cluster, Task, error) {
	if job.Index == 0 {
		return chiefCluster(e, d, job)
	}
	chief, err := chiefAddr(e, d)
	if err != nil {
		return Cluster{}, Task{}, err
	}
	workers := fakeWorkers(job.NumWorkers)
	if err := setAt(workers, job.Index-1, job.WorkerAddr); err != nil {
		return Cluster{}, Task{}, err
	}
	var ps []string
	if job.RedundantPS != 0 {
		ps, err = psFromFile(e, job.Quirks, PSFile(job), fileTimeout)
	} else {
		ps, err = queryPS(e, d, Job{RequiredPS: job.RequiredPS})
	}
	return checked(Cluster{Chief: []string{chief}, Worker: workers, PS: ps}, Task{"worker", job.Index - 1}, job, err)
}

// setAt sets list[i]. A negative index counts from the end, as in Python.
func setAt(list []string, i int, value string) error {
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i >= len(list) {
		return pysem.Raise("IndexError", "list assignment index out of range")
	}
	list[i] = value
	return nil
}

// chiefCluster returns the chief's cluster. A restarted chief uses the PS from its file, even
// those that no longer exist, unless Q315 is repaired.
func chiefCluster(e *env.Env, d training.ServiceDiscovery, job Job) (Cluster, Task, error) {
	var ps []string
	var err error
	if job.RedundantPS != 0 {
		if ps, err = psFromFile(e, job.Quirks, PSFile(job), 0); err != nil {
			return Cluster{}, Task{}, err
		}
	}
	known := len(ps) == job.RequiredPS
	var gone []string // PS of the file that others may still use
	if known && !job.Quirks.Keeps(jobquirks.Q315) {
		if known, err = areThere(e, d, ps); err != nil {
			return Cluster{}, Task{}, err
		}
		gone = ps
	}
	if job.RedundantPS == 0 || !known {
		ps, err = queryPS(e, d, job)
		switch {
		case err != nil || job.RedundantPS == 0:
		case gone != nil && !connects(e, ps):
			ps = gone // the chief itself is cut off, and the workers are not: it tries these again
		default:
			err = savePS(e.Files, PSFile(job), ps)
		}
	}
	return checked(Cluster{Chief: []string{job.WorkerAddr}, Worker: fakeWorkers(job.NumWorkers), PS: ps}, Task{"chief", 0}, job, err)
}

// areThere reports whether all of the PS are registered in the discovery, or can be connected to: the
// workers still use a PS whose session was lost.
func areThere(e *env.Env, d training.ServiceDiscovery, ps []string) (bool, error) {
	found, err := d.Query("ps")
	if err != nil {
		return false, err
	}
	return connects(e, slices.DeleteFunc(slices.Clone(ps), func(addr string) bool {
		return slices.ContainsFunc(found, func(a training.IndexedAddr) bool { return a.Addr == addr })
	})), nil
}

// connects reports whether all of the PS can be connected to.
func connects(e *env.Env, ps []string) bool {
	return !slices.ContainsFunc(ps, func(addr string) bool { return e.Network.Probe(addr, probeLimit) != nil })
}

// probeLimit is how long a chief tries to connect to a PS.
const probeLimit = 5 * time.Second

func checked(c Cluster, t Task, job Job, err error) (Cluster, Task, error) {
	if err == nil && len(c.PS) != job.RequiredPS {
		err = pysem.Raise("AssertionError", "")
	}
	if err != nil {
		return Cluster{}, Task{}, err
	}
	return c, t, nil
}

// fakeWorkers returns addresses that belong to no process, because TF_CONFIG needs a worker list.
func fakeWorkers(numWorkers int) []string {
	list := make([]string, 0, max(numWorkers-1, 0))
	for i := 1; i < numWorkers; i++ {
		list = append(list, "0.0.0.0:"+strconv.Itoa(i))
	}
	return list
}

func chiefAddr(e *env.Env, d training.ServiceDiscovery) (string, error) {
	for {
		workers, err := d.Query("worker")
		if err != nil {
			return "", err
		}
		for _, w := range workers {
			if w.Index == 0 {
				return w.Addr, nil
			}
		}
		e.Tasks.Sleep(poll)
	}
}

// queryPS waits until enough PS are registered and returns those with the lowest indices.
func queryPS(e *env.Env, d training.ServiceDiscovery, job Job) ([]string, error) {
	for {
		found, err := d.Query("ps")
		if err != nil {
			return nil, err
		}
		left := max(0, job.RequiredPS-len(found))
		e.Log.Logf(env.Info, "Got %d ps, %d left!", len(found), left)
		if job.ModelName != "" && job.Metrics != nil {
			job.Metrics.EmitStore("num_left_ps", left, job.ModelName, job.ClusterType)
			job.Metrics.EmitStore("job_waiting", 1, job.ModelName, job.ClusterType)
		}
		if len(found) >= job.RequiredPS {
			return firstPS(found, job.RequiredPS), nil
		}
		e.Tasks.Sleep(poll)
	}
}

// firstPS returns the n addresses with the lowest indices. A negative n leaves out as many at the
// end, as Python's slices do.
func firstPS(found training.Addrs, n int) []string {
	if n < 0 {
		n = max(0, len(found)+n)
	}
	sorted := slices.SortedStableFunc(slices.Values(found), training.IndexedAddr.Compare)
	return lists.Map(sorted[:n], func(a training.IndexedAddr) string { return a.Addr })
}

// PSFile returns the path of the file in which the chief lists the chosen PS.
func PSFile(job Job) string {
	name := cmp.Or(job.UUID, "ps_info")
	return pysem.JoinStrings(job.ModelDir, "ps_cluster_dir", name)
}

func savePS(f env.Files, file string, ps []string) error {
	if err := gfile.MakeDirs(f, pysem.Dirname(file)); err != nil {
		return err
	}
	if err := f.WriteFile(file+"-tmp", []byte(strings.Join(ps, ","))); err != nil {
		return session.FileError(file+"-tmp", err)
	}
	return session.FileError(file, f.Rename(file+"-tmp", file))
}

// psFromFile waits until the file exists and is not empty. With a timeout of 0 it sleeps once if
// the clock has not advanced since the start (TRN-8.10), unless Q316 is repaired. A file that is
// not UTF-8 raises a UnicodeDecodeError.
func psFromFile(e *env.Env, kept jobquirks.Set, file string, timeout time.Duration) ([]string, error) {
	start := e.Clock.Now()
	for {
		data, err := gfile.Read(e.Files, file)
		if err != nil && pysem.TypeOf(err) != "NotFoundError" {
			return nil, err
		}
		text, err := pysem.DecodeUTF8(data)
		if err != nil {
			return nil, err
		}
		if text != "" {
			return strings.Split(text, ","), nil
		}
		waited := e.Clock.Now().Sub(start)
		if waited > timeout || waited == timeout && !kept.Keeps(jobquirks.Q316) {
			return nil, nil
		}
		e.Tasks.Sleep(poll)
	}
}

// Config is a TensorFlow session configuration (cluster_manager.py:32). All of them have soft
// placement, shared devices and shared state enabled and the meta optimizer disabled.
type Config struct {
	DeviceFilters []string
	// Cluster is nil for a process without a cluster.
	Cluster *Cluster
}

// SessionConfig returns the configuration of a process. A nil cluster means that the process
// trains alone.
func SessionConfig(cluster *Cluster, task Task) Config {
	if cluster == nil {
		return Config{}
	}
	filters := []string{"/job:ps", "/job:chief"}
	if task.Type != "chief" {
		filters = append(filters, fmt.Sprintf("/job:%s/task:%d", task.Type, task.Index))
	}
	return Config{DeviceFilters: filters, Cluster: cluster}
}
