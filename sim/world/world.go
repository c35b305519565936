package world

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/zookeeper"
)

// The names and addresses of what is not a pod.
const (
	ZooKeeperHost = "zookeeper"
	OperatorHost  = "operator"
	zooKeeperIP   = "10.0.0.1"
	operatorIP    = "10.0.0.2"
	ZooKeeperPort = 2181
)

// World is one cluster in virtual time. It must be closed.
type World struct {
	spec     Spec
	profile  tfserving.Profile
	engine   *vtime.World
	net      *network.Network
	zk       *zookeeper.Server // nil for the profile kazoo-fake
	stores   []*store
	operator *hosts.Machine
	pods     []*Pod
	byName   map[string]*Pod
	rpcs     []rpcCount
	sessions map[int64]string // pod by session
}

// store is a shared file system, mounted at one place in every pod.
type store struct {
	mount string
	fs    *files.FS
}

// New builds a world in which nothing runs yet.
func New(spec Spec) (*World, error) {
	cfg, fake, err := zooKeeperProfile(spec.ZooKeeper)
	if err != nil {
		return nil, err
	}
	profile := tfserving.Profile24
	if spec.ModelServer != "" {
		if profile, err = tfserving.ParseProfile(spec.ModelServer); err != nil {
			return nil, err
		}
	}
	law := network.DefaultLaw()
	if spec.Law != nil {
		law = *spec.Law
	}
	engine := vtime.New(spec.Engine)
	w := &World{
		spec: spec, profile: profile, engine: engine, net: network.New(engine, law),
		byName: map[string]*Pod{}, sessions: map[int64]string{},
	}
	w.net.OnRPC(w.called)
	if !fake {
		cfg.OnWrite = w.wrote
		w.zk = zookeeper.NewServer(w.net.AddHost(ZooKeeperHost, ZooKeeperHost, zooKeeperIP), ZooKeeperPort, cfg)
		if err := w.zk.Start(); err != nil {
			engine.Close()
			return nil, err
		}
	}
	w.operator = hosts.NewMachine(w.net, hosts.Config{Name: OperatorHost, IPs: []string{operatorIP}})
	for _, m := range spec.Models {
		if err := w.export(m); err != nil {
			engine.Close()
			return nil, err
		}
	}
	for _, p := range spec.Pods {
		if err := w.addPod(p); err != nil {
			engine.Close()
			return nil, fmt.Errorf("pod %s: %w", p.Name, err)
		}
	}
	return w, nil
}

// Close ends everything.
func (w *World) Close() { w.engine.Close() }

// Engine is the world's virtual time.
func (w *World) Engine() *vtime.World { return w.engine }

// Network is the network between the hosts.
func (w *World) Network() *network.Network { return w.net }

// ZooKeeper is the server, nil for the profile kazoo-fake.
func (w *World) ZooKeeper() *zookeeper.Server { return w.zk }

// Operator is a machine of its own, from which the cluster is looked at.
func (w *World) Operator() *hosts.Machine { return w.operator }

// Pods lists the pods in the order of the spec.
func (w *World) Pods() []*Pod { return w.pods }

// Pod finds a pod by name, nil for none.
func (w *World) Pod(name string) *Pod { return w.byName[name] }

// Start starts all pods at once.
func (w *World) Start() error {
	for _, p := range w.pods {
		if err := p.Start(); err != nil {
			return err
		}
	}
	return nil
}

// Run lets time pass.
func (w *World) Run(l vtime.Limits) (vtime.Reason, error) { return w.engine.Run(l) }

// rpcCount counts the calls of one method. There are few methods and many calls.
type rpcCount struct {
	method string
	n      uint64
}

func (w *World) called(r network.RPC) {
	for i := range w.rpcs {
		if w.rpcs[i].method == r.Method {
			w.rpcs[i].n++
			return
		}
	}
	w.rpcs = append(w.rpcs, rpcCount{r.Method, 1})
}

// RPCs counts the gRPC calls that have ended, by method.
func (w *World) RPCs() map[string]uint64 {
	counts := make(map[string]uint64, len(w.rpcs))
	for _, c := range w.rpcs {
		counts[c.method] = c.n
	}
	return counts
}

// StoreOf is the shared file system that a path lies in, and the path inside of
// it. Unknown places are made.
func (w *World) StoreOf(path string) (fs *files.FS, inside string) {
	local, mount := LocalPath(path), top(path)
	inside = "/" + strings.TrimPrefix(strings.TrimPrefix(local, mount), "/")
	for _, s := range w.stores {
		if s.mount == mount {
			return s.fs, inside
		}
	}
	s := &store{mount: mount, fs: files.NewFS(w.engine)}
	w.stores = append(w.stores, s)
	for _, p := range w.pods {
		// A pod that has a directory of its own there keeps it.
		_ = p.machine.FS.Mount(mount, s.fs)
	}
	return s.fs, inside
}

func (w *World) export(m Model) error {
	for _, g := range m.SubGraphs {
		fs, dir := w.StoreOf(strings.TrimSuffix(m.BasePath, "/") + "/" + g.Name)
		if err := fs.MkdirAll(dir); err != nil {
			return err
		}
		for _, v := range g.Versions {
			if err := fs.AddModelVersion(dir, v, g.SizeBytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// ip gives every pod an address of its own.
func ip(p PodSpec) string {
	return "10." + strconv.Itoa(1+p.Shard/250) + "." + strconv.Itoa(p.Shard%250) + "." + strconv.Itoa(1+p.Replica)
}

// at lets fn happen in an event of the world, when no task is in the middle of
// something.
func (w *World) at(d time.Duration, fn func()) {
	w.operator.Node.After(d, kindWorld, fn)
}

var kindWorld = vtime.NewKind("world")
