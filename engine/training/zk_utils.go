package training

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// NewMonolithKazooClient makes a ZooKeeper client. auth lists pairs of scheme and credential. None
// means the credentials of the container (zk_utils.py:54).
func NewMonolithKazooClient(e *env.Env, servers string, auth pysem.Opt[[][2]string], kept quirks.Set) env.ZooKeeper {
	o := envutils.ZooKeeperOptions(e.Host, kept.Keeps(quirks.Q322))
	if auth.Set {
		o.Auth = auth.V
	}
	return e.ZooKeeper.NewClient(servers, o)
}

const (
	// jobsPath is the parent of the jobs' znodes.
	jobsPath = "/monolith"
	// jobsKept is the age at which a job is removed, counted from the last change of its znode.
	jobsKept = 9 * 7 * 24 * time.Hour
)

// ClearZKPath removes a job's znodes, and all jobs whose znode has not changed for more than nine
// weeks (zk_utils.py:62). If the job exists and force is not set, it is a ValueError that names all
// jobs (Q205). Errors of removing old jobs are ignored. A job's age is that of its own znode, which
// its processes do not change.
//
// Cost: it grows with the number of jobs, because it reads the state of each job's znode.
func ClearZKPath(e *env.Env, servers, job string, force bool) error {
	zk := NewMonolithKazooClient(e, servers, pysem.None[[][2]string](), quirks.Set{})
	defer zk.Stop()
	if err := zk.Start(0); err != nil {
		return err
	}
	if err := zk.EnsurePath(jobsPath); err != nil {
		return err
	}
	if err := clearOldJobs(e, zk); err != nil {
		return err
	}
	path := jobsPath + "/" + job
	stat, err := zk.Exists(path)
	if err != nil || stat == nil {
		return err
	}
	if force {
		return zk.Delete(path, env.DeleteOptions{Version: -1, Recursive: true})
	}
	jobs, err := zk.Children(jobsPath)
	if err != nil {
		return err
	}
	return pysem.Raise("ValueError", "there are [%s] in monolith zk path", strings.Join(jobs, ","))
}

func clearOldJobs(e *env.Env, zk env.ZooKeeper) error {
	jobs, err := zk.Children(jobsPath)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		path := jobsPath + "/" + job
		stat, err := zk.Exists(path)
		if err != nil {
			return err
		}
		if stat == nil {
			return &zkerrors.Error{Code: zkerrors.NoNode, Path: path}
		}
		if changed := time.Unix(stat.MtimeMs/1000, 0); changed.Add(jobsKept).Before(e.Clock.Now()) {
			if err := zk.Delete(path, env.DeleteOptions{Version: -1, Recursive: true}); err != nil {
				e.Log.Logf(env.Debug, "%s: %v", path, err)
			}
		}
	}
	return nil
}
