package envtest

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// Tasks is an env.Tasks that runs no tasks, and whose sleeps end at once.
type Tasks struct {
	env.Tasks // nil, so that calling a method that is missing here panics
	// OnSleep, if set, is called at each sleep with the number of the sleep, from 1.
	OnSleep func(n int)

	sleeps int
}

// errEndless is the panic that ends a test whose code would sleep for ever.
var errEndless = errors.New("endless")

const maxSleeps = 400

// Sleep returns at once. After very many calls it panics, to end code that polls for ever.
func (t *Tasks) Sleep(d time.Duration) {
	t.sleeps++
	if t.sleeps >= maxSleeps {
		panic(errEndless)
	}
	if t.OnSleep != nil {
		t.OnSleep(t.sleeps)
	}
}

// Go returns a task that never runs.
func (t *Tasks) Go(name string, fn func()) env.Task { return Task{name: name} }

// Self returns the calling task, which is always the task "main".
func (t *Tasks) Self() env.Task { return Task{name: "main"} }

// NewCond returns nil, because no other task could signal the condition.
func (t *Tasks) NewCond(string) env.Cond { return nil }

// Task is a task that only has a name.
type Task struct {
	env.Task // nil, so that calling a method that is missing here panics
	name     string
}

// Name returns the task's name.
func (t Task) Name() string { return t.name }

// Clock is a clock that always shows the same time, 1.7e9 s after the Unix epoch.
type Clock struct{}

// Now returns the clock's fixed time.
func (Clock) Now() time.Time { return time.Unix(1700000000, 0) }

// Elapsed returns 0.
func (Clock) Elapsed() time.Duration { return 0 }

// Random always chooses 0.
type Random struct{}

// Intn returns 0.
func (Random) Intn(string, int) int { return 0 }

// Float64 returns 0.
func (Random) Float64(string) float64 { return 0 }

// ZooKeeper is a tree of znodes in memory. Like the fake client of the reference's tests, it lists
// children in the order in which they were created.
type ZooKeeper struct {
	env.ZooKeeper // nil, so that calling a method that is missing here panics
	nodes         *pysem.OrderedMap[string, []byte]
}

// NewZooKeeper makes a tree without znodes.
func NewZooKeeper() *ZooKeeper {
	return &ZooKeeper{nodes: pysem.NewOrderedMap[string, []byte]()}
}

// Start does nothing, because the client is always connected.
func (z *ZooKeeper) Start(time.Duration) error { return nil }

// Stop does nothing.
func (z *ZooKeeper) Stop() {}

// AddListener does nothing, because the session's state never changes.
func (z *ZooKeeper) AddListener(func(env.SessionState) bool) {}

// Retry calls fn once.
func (z *ZooKeeper) Retry(fn func() error) error { return fn() }

// ensure creates a znode and its parents, unless they exist.
func (z *ZooKeeper) ensure(path string) {
	for i, c := range path[1:] + "/" {
		if prefix := path[:i+1]; c == '/' {
			if _, ok := z.nodes.Get(prefix); !ok {
				z.nodes.Set(prefix, []byte{})
			}
		}
	}
}

// Create creates a persistent znode and its missing parents.
func (z *ZooKeeper) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	if _, ok := z.nodes.Get(path); ok {
		return "", &zkerrors.Error{Code: zkerrors.NodeExists, Path: path}
	}
	z.ensure(path)
	z.nodes.Set(path, data)
	return path, nil
}

// EnsurePath creates a znode and its parents, unless they exist.
func (z *ZooKeeper) EnsurePath(path string) error {
	z.ensure(path)
	return nil
}

// Set replaces the data of a znode and ignores the version. If the znode is missing, it creates it.
func (z *ZooKeeper) Set(path string, data []byte, version int32) error {
	z.nodes.Set(path, data)
	return nil
}

// Get returns a znode's data, with an empty Stat.
func (z *ZooKeeper) Get(path string) ([]byte, env.Stat, error) {
	data, ok := z.nodes.Get(path)
	if !ok {
		return nil, env.Stat{}, zkerrors.ErrNoNode
	}
	return data, env.Stat{}, nil
}

// Exists returns an empty Stat, or nil if there is no such znode.
func (z *ZooKeeper) Exists(path string) (*env.Stat, error) {
	if _, ok := z.nodes.Get(path); ok {
		return &env.Stat{}, nil
	}
	return nil, nil
}

// Children returns the names of a znode's children in the order in which they were created.
func (z *ZooKeeper) Children(path string) ([]string, error) {
	path = strings.TrimSuffix(path, "/")
	if _, ok := z.nodes.Get(path); !ok {
		return nil, zkerrors.ErrNoNode
	}
	var names []string
	for name := range z.nodes.All {
		if child, below := strings.CutPrefix(name, path+"/"); below && !strings.Contains(child, "/") {
			names = append(names, child)
		}
	}
	return names, nil
}

// ChildrenWatch calls fn once, with the present children. Later changes are not reported.
func (z *ZooKeeper) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	children, err := z.Children(path)
	if err != nil {
		return nil, err
	}
	return nil, fn(children)
}

// Delete removes a znode and everything below it, as the fake client of the reference does.
func (z *ZooKeeper) Delete(path string, options env.DeleteOptions) error {
	if _, ok := z.nodes.Get(path); !ok {
		return zkerrors.ErrNoNode
	}
	for _, name := range slices.Clone(z.nodes.KeyList()) {
		if name == path || strings.HasPrefix(name, path+"/") {
			z.nodes.Delete(name)
		}
	}
	return nil
}
