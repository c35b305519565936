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

// Tasks are tasks that never run, and sleeps that end at once.
type Tasks struct {
	env.Tasks // nil
	// OnSleep, when set, is called with the number of each sleep, from 1.
	OnSleep func(n int)

	sleeps int
}

// errEndless stops a call that would sleep for ever.
var errEndless = errors.New("endless")

const maxSleeps = 400

// Sleep is over at once. It panics when it is asked for without end.
func (t *Tasks) Sleep(d time.Duration) {
	t.sleeps++
	if t.sleeps >= maxSleeps {
		panic(errEndless)
	}
	if t.OnSleep != nil {
		t.OnSleep(t.sleeps)
	}
}

// Go makes a task that never runs.
func (t *Tasks) Go(name string, fn func()) env.Task { return Task{name: name} }

// Self returns the task called "main".
func (t *Tasks) Self() env.Task { return Task{name: "main"} }

// NewCond returns nil: nobody can wait.
func (t *Tasks) NewCond(string) env.Cond { return nil }

// Task is a task of which only the name is known.
type Task struct {
	env.Task // nil
	name     string
}

// Name returns the name that it was made with.
func (t Task) Name() string { return t.name }

// Clock stands still, 1.7e9 s after the Unix epoch.
type Clock struct{}

// Now returns the time at which it stands.
func (Clock) Now() time.Time { return time.Unix(1700000000, 0) }

// Elapsed returns 0.
func (Clock) Elapsed() time.Duration { return 0 }

// Random chooses 0 each time.
type Random struct{}

// Intn returns 0.
func (Random) Intn(string, int) int { return 0 }

// Float64 returns 0.
func (Random) Float64(string) float64 { return 0 }

// Log drops all lines.
type Log struct{}

// Enabled reports that no level is wanted.
func (Log) Enabled(env.Level) bool { return false }

// Logf does nothing.
func (Log) Logf(env.Level, string, ...any) {}

// ZooKeeper is a tree of znodes whose children come in the order of their
// making, as of the fake client.
type ZooKeeper struct {
	env.ZooKeeper // nil: what is not below panics
	nodes         *pysem.OrderedMap[string, []byte]
}

// NewZooKeeper makes a tree without znodes.
func NewZooKeeper() *ZooKeeper {
	return &ZooKeeper{nodes: pysem.NewOrderedMap[string, []byte]()}
}

// Start does nothing: the client is always connected.
func (z *ZooKeeper) Start(time.Duration) error { return nil }

// Stop does nothing.
func (z *ZooKeeper) Stop() {}

// AddListener does nothing: the state never changes.
func (z *ZooKeeper) AddListener(func(env.SessionState) bool) {}

// Retry calls fn once.
func (z *ZooKeeper) Retry(fn func() error) error { return fn() }

// ensure makes a znode and its parents where they are missing.
func (z *ZooKeeper) ensure(path string) {
	for i, c := range path[1:] + "/" {
		if prefix := path[:i+1]; c == '/' {
			if _, ok := z.nodes.Get(prefix); !ok {
				z.nodes.Set(prefix, []byte{})
			}
		}
	}
}

// Create makes a znode, of the kind that lasts, and its parents.
func (z *ZooKeeper) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	if _, ok := z.nodes.Get(path); ok {
		return "", &zkerrors.Error{Code: zkerrors.NodeExists, Path: path}
	}
	z.ensure(path)
	z.nodes.Set(path, data)
	return path, nil
}

// EnsurePath makes a znode and its parents where they are missing.
func (z *ZooKeeper) EnsurePath(path string) error {
	z.ensure(path)
	return nil
}

// Set gives a znode data, whatever its version, and makes it where it is missing.
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

// Exists returns nil where there is no such znode, else an empty Stat.
func (z *ZooKeeper) Exists(path string) (*env.Stat, error) {
	if _, ok := z.nodes.Get(path); ok {
		return &env.Stat{}, nil
	}
	return nil, nil
}

// Children lists the names below a znode in the order of their making.
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

// ChildrenWatch tells the children once: nothing changes while it counts.
func (z *ZooKeeper) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	children, err := z.Children(path)
	if err != nil {
		return nil, err
	}
	return nil, fn(children)
}

// Delete removes a znode and all below it, as the fake client of the reference does.
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
