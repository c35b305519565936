package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// caseTasks are tasks that never run; sleeps are noted.
type caseTasks struct {
	env.Tasks
	slept   []any // seconds
	onSleep func(n int)
}

// errEndless stops a call that would sleep for ever.
var errEndless = errors.New("endless")

const maxSleeps = 400

func (t *caseTasks) Sleep(d time.Duration) {
	t.slept = append(t.slept, int(d/time.Second))
	if len(t.slept) >= maxSleeps {
		panic(errEndless)
	}
	if t.onSleep != nil {
		t.onSleep(len(t.slept))
	}
}

func (t *caseTasks) Go(name string, fn func()) env.Task { return caseTask{name: name} }
func (t *caseTasks) Self() env.Task                     { return caseTask{name: "main"} }
func (t *caseTasks) NewCond(string) env.Cond            { return nil }

type caseTask struct {
	env.Task
	name string
}

func (t caseTask) Name() string { return t.name }

type caseClock struct{}

func (caseClock) Now() time.Time         { return time.Unix(1700000000, 0) }
func (caseClock) Elapsed() time.Duration { return 0 }

type caseRandom struct{}

func (caseRandom) Intn(string, int) int   { return 0 }
func (caseRandom) Float64(string) float64 { return 0 }

type caseLog struct{}

func (caseLog) Enabled(env.Level) bool         { return false }
func (caseLog) Logf(env.Level, string, ...any) {}

// caseZooKeeper is a tree of znodes whose children come in the order of their
// making, with a log of the writes, as the protocol describes the fake client.
type caseZooKeeper struct {
	env.ZooKeeper
	nodes  *ordered[string, []byte]
	writes []any
}

func newCaseZooKeeper() *caseZooKeeper {
	return &caseZooKeeper{nodes: newOrdered[string, []byte]()}
}

func (z *caseZooKeeper) Start(time.Duration) error               { return nil }
func (z *caseZooKeeper) Stop()                                   {}
func (z *caseZooKeeper) AddListener(func(env.SessionState) bool) {}
func (z *caseZooKeeper) Retry(fn func() error) error             { return fn() }

func (z *caseZooKeeper) ensure(path string) {
	for i, c := range path[1:] + "/" {
		if prefix := path[:i+1]; c == '/' {
			if _, ok := z.nodes.get(prefix); !ok {
				z.nodes.set(prefix, []byte{})
			}
		}
	}
}

func (z *caseZooKeeper) note(name string, pairs ...any) {
	z.writes = append(z.writes, []any{name, object(pairs...)})
}

func (z *caseZooKeeper) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	args := []any{"path", path, "value", data}
	if o.Ephemeral {
		args = append(args, "ephemeral", true)
	}
	if o.MakePath {
		args = append(args, "makepath", true)
	}
	z.note("create", args...)
	if _, ok := z.nodes.get(path); ok {
		return "", &env.ZooKeeperError{Code: env.ZKNodeExists, Path: path}
	}
	z.ensure(path)
	z.nodes.set(path, data)
	return path, nil
}

func (z *caseZooKeeper) EnsurePath(path string) error {
	z.note("ensure_path", "path", path)
	z.ensure(path)
	return nil
}

func (z *caseZooKeeper) Set(path string, data []byte, version int32) (env.Stat, error) {
	z.note("set", "path", path, "value", data)
	z.nodes.set(path, data)
	return env.Stat{}, nil
}

func (z *caseZooKeeper) Get(path string) ([]byte, env.Stat, error) {
	data, ok := z.nodes.get(path)
	if !ok {
		return nil, env.Stat{}, env.ErrNoNode
	}
	return data, env.Stat{}, nil
}

func (z *caseZooKeeper) Exists(path string) (*env.Stat, error) {
	if _, ok := z.nodes.get(path); ok {
		return &env.Stat{}, nil
	}
	return nil, nil
}

func (z *caseZooKeeper) Children(path string) ([]string, error) {
	path = strings.TrimSuffix(path, "/")
	if _, ok := z.nodes.get(path); !ok {
		return nil, env.ErrNoNode
	}
	var names []string
	for name := range z.nodes.all {
		if child, below := strings.CutPrefix(name, path+"/"); below && !strings.Contains(child, "/") {
			names = append(names, child)
		}
	}
	return names, nil
}

// ChildrenWatch tells the children once: nothing changes while it counts.
func (z *caseZooKeeper) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	children, err := z.Children(path)
	if err != nil {
		return nil, err
	}
	return nil, fn(children)
}

func (z *caseZooKeeper) Delete(path string, options env.DeleteOptions) error {
	// The reference's fake deletes with children unless told otherwise.
	z.note("delete", "path", path, "recursive", true)
	if _, ok := z.nodes.get(path); !ok {
		return env.ErrNoNode
	}
	for _, name := range slices.Clone(z.nodes.keys) {
		if name == path || strings.HasPrefix(name, path+"/") {
			z.nodes.delete(name)
		}
	}
	return nil
}

// surround gives the case's process the whole world.
func (r *caseRunner) surround() *caseTasks {
	tasks := &caseTasks{}
	r.env.Tasks, r.env.Clock, r.env.Random, r.env.Log = tasks, caseClock{}, caseRandom{}, caseLog{}
	return tasks
}

// putFiles writes files as the protocol's files entry says.
func (r *caseRunner) putFiles(files *pysem.Dict) {
	for _, f := range files.Items {
		switch v := f.Value.(type) {
		case string:
			r.files.put(f.Key, append([]byte{}, v...))
		case []byte:
			r.files.put(f.Key, v)
		default:
			r.files.put(strings.TrimSuffix(f.Key, "/"), nil)
		}
	}
}

// meminfo is the kernel's file for a host with that much available memory, and
// twice that in total.
func meminfoFile(available int) []byte {
	return fmt.Appendf(nil, "MemTotal: %d\nMemFree: 1 kB\nMemAvailable: %d\n", 2*available, available)
}
