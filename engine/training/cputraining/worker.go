package cputraining

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/clustermanager"
)

// partialRecoveryRetries is how many times a worker with partial recovery retries, unless the
// configuration says otherwise (cpu_training.py:2059).
const partialRecoveryRetries = 6

// worker is a run in which the process is a worker.
type worker struct {
	*Run
	addr       string
	requiredPS int
	// failures counts temporary failures. retries counts those after which the cluster had
	// changed.
	failures, retries int
	captured          error
}

// train waits for the cluster and trains in it. If a later search for the cluster fails, the chief
// does not report that error to the application master, unless Q257 is repaired.
func (w *worker) train() error {
	start, err := w.trainToEnd()
	if err != nil {
		return err
	}
	end := w.timestamp()
	w.Env.Log.Logf(env.Info, "Worker End %s, Cost: %s(s)", pysem.FloatRepr(end), pysem.FloatRepr(end-start))
	return nil
}

// trainToEnd trains, and for the chief ends the job. It returns the time at which training began.
func (w *worker) trainToEnd() (start float64, err error) {
	cluster, err := w.cluster()
	if err != nil {
		return 0, err
	}
	chief, err := IsChief(w.Env, &w.Config.CPUTrainingConfig)
	if err != nil {
		return 0, err
	}
	if chief {
		w.Work.StartHeartbeat()
	}
	defer func() {
		if chief, ending := IsChief(w.Env, &w.Config.CPUTrainingConfig); chief && ending == nil {
			if ending = w.endOfChief(cluster); ending != nil {
				err = ending
			}
		}
	}()
	start = w.timestamp()
	w.Env.Log.Logf(env.Info, "Worker Start %s", pysem.FloatRepr(start))
	w.Env.Log.Logf(env.Info, "only_feature_engineering: %s.", pysem.Str(w.Config.OnlyFeatureEngineering))
	for {
		err = w.once(cluster)
		if err == nil {
			return start, nil
		}
		if !temporary(err) {
			w.captured = err
			return start, err
		}
		w.noteFailure(err)
		w.Env.Tasks.Sleep(seconds(w.Config.RetryWaitInSecs))
		old := cluster
		if cluster, err = w.again(err, old); err != nil {
			if w.captured == nil && !w.Quirks.Keeps(jobquirks.Q257) {
				w.captured = err
			}
			return start, err
		}
	}
}

// timestamp returns the time in seconds, to the microsecond as in Python's datetime.
func (w *worker) timestamp() float64 { return float64(w.Env.Clock.Now().UnixMicro()) / 1e6 }

// once runs one training.
func (w *worker) once(c Cluster) error {
	if w.Config.OnlyFeatureEngineering {
		return w.Work.WorkerFeatureEngineering(c)
	}
	return w.Work.WorkerTrain(c)
}

// again returns the cluster for the next attempt after a failure. If there were too many failures,
// it returns this failure as its error.
func (w *worker) again(failure error, old Cluster) (Cluster, error) {
	cluster, err := w.cluster()
	if err != nil {
		return old, err
	}
	if cluster.equalAddrs(old) {
		w.Env.Log.Logf(env.Info, "Temporary error: %s. Retrying...", reasonOf(failure))
		return cluster, nil
	}
	w.retries++
	if w.retries > w.Config.MaxRetries() {
		w.captured = failure
		return cluster, failure
	}
	w.Env.Log.Logf(env.Error, "error is \"%s\", we try to the %d-th retry, sleep for %d seconds!", reasonOf(failure), w.retries, w.Config.RetryWaitInSecs)
	return cluster, nil
}

// MaxRetries returns how many times a worker retries in a changed cluster (cpu_training.py:2053).
func (c *DistributedCPUTrainingConfig) MaxRetries() int {
	switch {
	case c.MaxRetryTimes != 0:
		return c.MaxRetryTimes
	case c.PartialRecovery.Or(false) && !c.EnableSyncTraining:
		return partialRecoveryRetries
	}
	return 0
}

func (w *worker) noteFailure(err error) {
	w.failures++
	if w.Metrics == nil {
		return
	}
	w.Metrics.EmitTimer("worker_failover_cnt", fmt.Sprintf("worker_failover_cnt: %d, msg: %s", w.failures, reasonOf(err)),
		map[string]string{"model_name": w.Config.ModelName, "worker_index": strconv.Itoa(w.Config.Index)})
}

// cluster waits for the processes and returns their cluster.
func (w *worker) cluster() (Cluster, error) {
	c := w.Config
	job := w.job(w.requiredPS)
	job.ModelName, job.ClusterType, job.Metrics = w.Params.DeepInsightName.Or(""), c.ClusterType, w.Metrics
	found, task, err := clustermanager.TrainingCluster(w.Env, w.Discovery, job)
	if err != nil {
		return Cluster{}, err
	}
	w.noteReady()
	if c.NumExtraPS != 0 {
		if found, err = w.Work.PSBenchmark(Cluster{found, task}, c.NumPS); err != nil {
			return Cluster{}, err
		}
	}
	return Cluster{found, task}, nil
}

func (w *worker) job(requiredPS int) clustermanager.Job {
	c := w.Config
	return clustermanager.Job{
		WorkerAddr: w.addr, Index: c.Index, RequiredPS: requiredPS, RedundantPS: c.NumRedundantPS, NumWorkers: c.NumWorkers,
		ModelDir: c.ModelDir, UUID: c.UUID, Quirks: w.Quirks,
	}
}

// noteReady emits how long the containers took to be ready. Only the chief does so.
func (w *worker) noteReady() {
	c, name := w.Config, w.Params.DeepInsightName.Or("")
	if c.SubmitTimeSecs.Or(0) == 0 || c.Index != 0 || name == "" {
		return
	}
	now := int(w.Env.Clock.Now().Unix())
	w.Env.Log.Logf(env.Info, "Containers ready took %ds.", now-c.SubmitTimeSecs.V)
	if w.Metrics != nil {
		model := cmp.Or(c.ModelName, name)
		w.Metrics.EmitTimer("container_ready_elapsed_time.all", now-c.SubmitTimeSecs.V, map[string]string{"model_name": model, "cluster_type": c.ClusterType})
	}
	c.ContainersReadyTimeSecs.V, c.ContainersReadyTimeSecs.Set = now, true
}

// endOfChief shuts down all PS, including the redundant ones, and reports the result to the
// application master. With redundant PS it waits until all of them have registered.
func (w *worker) endOfChief(cluster Cluster) error {
	defer func() {
		if w.captured == nil {
			w.Work.FinishApplication()
		} else {
			w.Work.KillApplication(reasonOf(w.captured))
		}
	}()
	w.Work.StopHeartbeat()
	c, numPS := w.Config, w.requiredPS
	if c.NumRedundantPS != 0 || c.NumExtraPS != 0 {
		numPS += c.NumRedundantPS
		found, task, err := clustermanager.TrainingCluster(w.Env, w.Discovery, w.job(numPS))
		if err != nil {
			return err
		}
		cluster = Cluster{found, task}
	}
	if c.EnableRealtimeTraining && !c.ForceShutdownPS {
		return nil
	}
	return w.Work.ShutdownPS(cluster, numPS)
}
