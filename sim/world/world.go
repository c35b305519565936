package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/vtime"
	consulnode "github.com/monosim/monosim/sim/consul/node"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	tfsnode "github.com/monosim/monosim/sim/tfserving/node"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// These are the names, addresses and ports of the hosts that are not pods.
const (
	ZooKeeperHost = "zookeeper"
	OperatorHost  = "operator"
	ConsulHost    = "consul"
	zooKeeperIP   = "10.0.0.1"
	operatorIP    = "10.0.0.2"
	consulIP      = "10.0.0.3"
	ZooKeeperPort = 2181
	consulPort    = 2280 // consul.py:58
)

// World is one cluster in virtual time. The caller must call Close.
type World struct {
	spec    cluster.Spec
	options Options
	profile tfserving.Profile
	// pythonMinor is the minor version of the agents' Python.
	pythonMinor int
	engine      *vtime.World
	net         *network.Network
	zk          *node.Server       // zk is nil for the profile kazoo-fake
	consul      *consulnode.Server // consul is nil unless a training job uses it
	zkServers   []string           // zkServers holds ZooKeeper's address
	zkCalls     node.Calls
	stores      []*store
	operator    *hosts.Machine
	pods        []*Pod
	byName      map[string]*Pod
	byIP        map[string]*Pod
	// trainers holds the processes of the training job.
	trainers       []*Trainer
	trainersByName map[string]*Trainer
	stopped        map[string]bool    // stopped has the addresses of those that are stopped
	placement      *cluster.Placement // placement holds the addresses of the job's processes
	hazards        cluster.Hazards
	// master is the training job's application master; nil for none. over is true once
	// EndApplication has ended the job.
	master *ApplicationMaster
	over   bool
	images map[int]*files.Image // initial disk of the pods of each group; nil until it is made
	// modelServers is the data that model servers share.
	modelServers *tfserving.Shared
	// variables holds the last environment variable made for each key.
	variables map[string]string
	// changes counts what has changed outside of file systems, for [World.Changes].
	changes uint64
}

// store is a shared file system that is mounted at one path in every pod.
type store struct {
	mount string
	fs    *files.FS
}

// New builds a world in which no process runs yet. An error for an invalid spec says what was found
// and what is wanted.
func New(spec cluster.Spec, o Options) (*World, error) {
	cfg, fake, err := zooKeeperProfile(spec.ZooKeeper)
	if err != nil {
		return nil, err
	}
	profile, err := modelServerProfile(spec.ModelServer)
	if err != nil {
		return nil, err
	}
	minor, err := PythonMinor(spec.Python)
	if err != nil {
		return nil, err
	}
	engine := vtime.New(engineConfig(spec, o))
	w := &World{
		spec: spec, options: o, profile: profile, pythonMinor: minor, engine: engine,
		net: network.New(engine, network.DefaultLatency()), byName: map[string]*Pod{}, byIP: map[string]*Pod{}, images: map[int]*files.Image{},
		modelServers: tfserving.NewShared(),
		variables:    map[string]string{},
	}
	if w.spec.Detail && w.options.Observe != nil {
		w.net.OnRPC(w.observeCall)
		w.net.OnProbe(w.observeProbe)
	}
	if !fake {
		cfg.OnWrite = w.wrote
		host := w.net.AddHost(ZooKeeperHost, ZooKeeperHost, zooKeeperIP)
		cfg.ChildOrder = childOrder(host.Node().Source(childrenSite).Unseeded(childOrders))
		w.zk = node.NewServer(host, ZooKeeperPort, cfg)
		w.zkServers = []string{w.zk.Addr()}
		if w.spec.Reads && w.options.Observe != nil {
			w.zk.OnRead = w.read
		}
		if o.Traffic {
			w.zk.CountTraffic(OperatorHost)
		}
	}
	if err := w.furnish(); err != nil {
		engine.Close()
		return nil, err
	}
	return w, nil
}

// furnish adds the servers and hosts that the spec asks for.
func (w *World) furnish() error {
	if w.zk != nil {
		if err := w.zk.Start(); err != nil {
			return err
		}
	}
	w.operator = hosts.NewMachine(w.net, hosts.Config{Name: OperatorHost, IPs: []string{operatorIP}})
	if t := w.spec.Training; t != nil {
		for _, dir := range t.Dirs() {
			w.StoreOf(dir)
		}
	}
	for _, m := range w.spec.Models {
		if err := w.export(m); err != nil {
			return err
		}
	}
	for _, p := range w.spec.Pods() {
		if err := w.addPod(p, nil); err != nil {
			return fmt.Errorf("pod %s: %w", p.Name, err)
		}
	}
	w.addApplicationMaster()
	if err := w.addTrainers(); err != nil {
		return err
	}
	if bare := w.spec.BareServer; bare != nil {
		if err := w.addPod(cluster.Pod{Name: cluster.BareServer, Shard: w.spec.Shards}, bare); err != nil {
			return fmt.Errorf("pod %s: %w", cluster.BareServer, err)
		}
	}
	return nil
}

// Close ends every process and frees the world's resources. It must be called once the world is no longer
// needed.
func (w *World) Close() { w.engine.Close() }

// Engine returns the engine of the world's virtual time.
func (w *World) Engine() *vtime.World { return w.engine }

// Consul returns the Consul agent of the training job; nil without one.
func (w *World) Consul() *consulnode.Server { return w.consul }

// Network returns the network between the hosts.
func (w *World) Network() *network.Network { return w.net }

// ZooKeeper returns the server; nil for the profile kazoo-fake.
func (w *World) ZooKeeper() *node.Server { return w.zk }

// Operator returns a machine besides the pods, on which clients of the cluster run.
func (w *World) Operator() *hosts.Machine { return w.operator }

// OperatorClients returns the ZooKeeper clients of a process on the operator's machine. The process
// runs a program of the reference. It must not be called under the profile kazoo-fake.
func (w *World) OperatorClients(e *env.Env, life *vtime.Process) *node.Clients {
	return &node.Clients{
		Env: e, Proc: life, Host: w.operator.Net, Servers: w.zkServers, Calls: &w.zkCalls, History: w.options.History,
		CallTime: func() time.Duration { return paceCall.draw(w.operator.Node) },
	}
}

// Pods returns the pods in the order of the spec.
func (w *World) Pods() []*Pod { return w.pods }

// Pod returns the pod with a name; nil for none.
func (w *World) Pod(name string) *Pod { return w.byName[name] }

// FindPod returns the pod with a name. For an unknown name the error lists the pods with agents.
func (w *World) FindPod(name string) (*Pod, error) {
	if p := w.byName[name]; p != nil {
		return p, nil
	}
	names := lists.MapOrNil(w.spec.Pods(), func(p cluster.Pod) string { return p.Name })
	return nil, fmt.Errorf("pod: found %q, want one of %s", name, strings.Join(names, ", "))
}

// Start starts all pods at the present instant. It returns the error of the first pod that cannot
// start.
func (w *World) Start() error {
	for _, p := range w.pods {
		if err := p.Start(); err != nil {
			return err
		}
	}
	return nil
}

// Run advances virtual time until a limit is met. It returns an error if a task or an event handler
// has panicked, which ends the world.
func (w *World) Run(l vtime.Limits) (vtime.Reason, error) { return w.engine.Run(l) }

// Settle runs all events that are due at the present instant. It returns the same errors as Run.
func (w *World) Settle() error {
	_, err := w.Run(vtime.Limits{Until: max(w.engine.Now(), 1)})
	return err
}

// StoreOf returns the store that contains a path, and the path inside the store. A store is a file
// system shared by all pods and mounted at the first directory of the path. StoreOf creates it if
// needed. path may be a URI, such as hdfs:///models/ctr.
func (w *World) StoreOf(path string) (fs *files.FS, inside string) {
	local := tfsnode.LocalPath(path)
	mount := top(local)
	inside = "/" + strings.TrimPrefix(strings.TrimPrefix(local, mount), "/")
	for _, s := range w.stores {
		if s.mount == mount {
			return s.fs, inside
		}
	}
	s := &store{mount: mount, fs: files.NewFS(w.engine)}
	w.stores = append(w.stores, s)
	for _, p := range w.pods {
		// Mount fails if the pod has files of its own at that path. The pod then keeps them.
		_ = p.machine.FS.Mount(mount, s.fs)
	}
	for _, t := range w.trainers {
		_ = t.machine.FS.Mount(mount, s.fs)
	}
	if w.spec.Training != nil {
		_ = w.operator.FS.Mount(mount, s.fs) // mounted for the clients of the training controller
	}
	return s.fs, inside
}

// top returns the first directory of a local path, at which its store is mounted.
func top(local string) string {
	local = strings.TrimPrefix(local, "/")
	if rest, ok := strings.CutPrefix(local, ".store/"); ok {
		scheme, _, _ := strings.Cut(rest, "/")
		return "/.store/" + scheme
	}
	first, _, _ := strings.Cut(local, "/")
	return "/" + first
}

func (w *World) export(m cluster.Model) error {
	for _, g := range m.SubGraphs {
		fs, dir := w.StoreOf(m.SubGraphPath(g.Name))
		if err := fs.MkdirAll(dir); err != nil {
			return err
		}
		for _, v := range g.Versions {
			var err error
			if slices.Contains(g.Incomplete, v) {
				err = fs.MkdirAll(dir + "/" + strconv.FormatInt(v, 10))
			} else {
				err = fs.AddModelVersion(dir, v, g.SizeBytes)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// groupAddresses is the distance between the first addresses of two groups, counted in the second
// byte of the IP address. Each value of that byte covers 250 shards.
const groupAddresses = 40

func ip(p cluster.Pod) string {
	return "10." + strconv.Itoa(1+groupAddresses*p.Group+p.Shard/250) + "." + strconv.Itoa(p.Shard%250) + "." + strconv.Itoa(1+p.Replica)
}

// at schedules fn after d as an event of the world, which never runs in the middle of a task.
func (w *World) at(d time.Duration, fn func()) {
	w.operator.Node.After(d, kindWorld, fn)
}

var kindWorld = vtime.NewKind("world")

// LateFiles delays the visibility of names created at or below a shared directory: other hosts see
// them only after lag. PromptFiles ends the delay.
func (w *World) LateFiles(dir string, lag time.Duration) {
	fs, inside := w.StoreOf(dir)
	fs.Late(inside, lag, w.at)
}

// PromptFiles ends LateFiles for a directory, and shows hidden names now.
func (w *World) PromptFiles(dir string) {
	fs, inside := w.StoreOf(dir)
	fs.Prompt(inside)
}
