package agent

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
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
// making, as of the fake client.
type caseZooKeeper struct {
	env.ZooKeeper
	nodes *ordered[string, []byte]
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

func (z *caseZooKeeper) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	if _, ok := z.nodes.get(path); ok {
		return "", &env.ZooKeeperError{Code: env.ZKNodeExists, Path: path}
	}
	z.ensure(path)
	z.nodes.set(path, data)
	return path, nil
}

func (z *caseZooKeeper) EnsurePath(path string) error {
	z.ensure(path)
	return nil
}

func (z *caseZooKeeper) Set(path string, data []byte, version int32) (env.Stat, error) {
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
