package world

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/processes"
	tfsnode "github.com/monosim/monosim/sim/tfserving/node"
	"github.com/monosim/monosim/sim/zookeeper/kazoofake"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// These are paths in a pod (agent_base.py:24, utils.py:51).
const (
	home        = "/opt/tiger/monolith_serving"
	binDir      = home + "/bin"
	agentBinary = binDir + "/agent_service"
	tfsBinary   = binDir + "/tensorflow_model_server"
	ConfPath    = home + "/conf/agent.conf"
	// BareOutput is the output file of a model server without an agent.
	BareOutput = "/var/log/tensorflow_model_server.log"
)

// Pod is one container. It ends when its first process ends, which is the agent, or a model server
// in a pod without an agent. With Spec.Outlive its other processes live on.
type Pod struct {
	cluster.Pod
	w       *World
	bare    *cluster.BareServerSpec // bare is nil if the pod has an agent
	ip      string
	machine *hosts.Machine
	first   *processes.Process
	fake    *kazoofake.Client
	env     *env.Env // env belongs to the running agent
	servers []*ModelServer

	// hashSeed is the PYTHONHASHSEED of the agent and of the processes that it forks.
	hashSeed uint32
	starts   int
	exitCode int
	// slowness is the factor by which the present start takes longer than a fast one.
	slowness float64
	// round is the duration of one iteration of a loop in the running agent.
	round time.Duration
	// writing is how long the agent takes to write a file. With 0, the default, a write is one
	// step.
	writing time.Duration
}

func (w *World) addPod(spec cluster.Pod, bare *cluster.BareServerSpec) error {
	if w.byName[spec.Name] != nil {
		return fmt.Errorf("found twice, want a name of its own")
	}
	p := &Pod{Pod: spec, w: w, bare: bare, ip: ip(spec)}
	image, err := w.podImage(spec)
	if err != nil {
		return err
	}
	p.machine = hosts.NewMachine(w.net, hosts.Config{Name: spec.Name, IPs: []string{p.ip}, Logs: w.options.Logs, Image: image})
	for _, s := range w.stores {
		if err := p.machine.FS.Mount(s.mount, s.fs); err != nil {
			return err
		}
	}
	if image == nil {
		if err := w.furnishPod(p.machine.FS, spec); err != nil {
			return err
		}
	}
	p.machine.Procs.SetEnv(p.envOf)
	p.machine.Procs.Register(path.Base(agentBinary), p.runAgent)
	p.machine.Procs.Register(path.Base(tfsBinary), p.runModelServer)
	p.machine.Procs.OnStart(p.started)
	p.machine.Procs.OnExit(p.ended)
	w.pods = append(w.pods, p)
	w.byName[spec.Name], w.byIP[p.ip] = p, p
	return nil
}

// furnishPod writes the files that an agent expects. The text in the model server's binary lets the
// wrapper distinguish gRPC from archon (tfs_wrapper.py:49). The model `default` exists (TFS-16.4).
func (w *World) furnishPod(disk *files.FS, p cluster.Pod) error {
	conf, _ := w.spec.ConfOf(p)
	err := disk.WriteTree(map[string]string{
		agentBinary:         "agent_service",
		tfsBinary:           "tensorflow_model_server PredictionServiceGrpc",
		ConfPath:            conf,
		"/proc/meminfo":     "MemTotal:       16777216 kB\nMemFree:         8388608 kB\nMemAvailable:   12582912 kB\n",
		"/var/log/.keep":    "",
		home + "/dat/.keep": "",
	})
	if err != nil || w.spec.Serving.NoDefaultModel {
		return err
	}
	return disk.AddModelVersion(home+"/dat/saved_models/entry", 1, 1<<20)
}

// podImage returns the initial disk that all pods of a group share. It returns nil if a store is
// mounted over a part of the disk, because mounting changes it.
func (w *World) podImage(p cluster.Pod) (*files.Image, error) {
	for _, s := range w.stores {
		if slices.Contains([]string{top(home), "/proc", "/var"}, s.mount) {
			return nil, nil
		}
	}
	if w.images[p.Group] == nil {
		disk := files.NewFS(w.engine)
		if err := w.furnishPod(disk, p); err != nil {
			return nil, err
		}
		w.images[p.Group] = disk.Image()
	}
	return w.images[p.Group], nil
}

// environment returns the environment variables that the reference's containers get.
func (p *Pod) environment() []string {
	_, shards := p.w.spec.ConfOf(p.Pod)
	vars := map[string]string{
		"SHARD_ID":              strconv.Itoa(p.Shard),
		"REPLICA_ID":            strconv.Itoa(p.Replica),
		"MONOLITH_HOST_SHARD_N": strconv.Itoa(shards),
		"MY_HOST_IP":            p.ip,
		"MY_POD_NAME":           p.Name,
		"TCE_PSM":               "monolith.serving",
		"TCE_INTERNAL_IDC":      p.Location.IDC,
		"TCE_LOGICAL_CLUSTER":   p.Location.Cluster,
		"MONOLITH_TFS_BINARY":   tfsBinary,
		"PATH":                  "/usr/local/bin:/usr/bin:/bin",
	}
	for _, v := range p.w.spec.Env {
		vars[v.Key] = v.Value
	}
	var list []string
	for _, k := range slices.Sorted(maps.Keys(vars)) {
		if v := vars[k]; v != "" {
			list = append(list, p.w.variable(k, v))
		}
	}
	slices.Sort(list) // sort again, because '=' comes after digits: A1=x is before A=x
	return list
}

// variable returns key=value. Consecutive pods with the same value share the string to save memory.
func (w *World) variable(key, value string) string {
	last := w.variables[key]
	if len(last) != len(key)+1+len(value) || last[len(key)+1:] != value {
		last = key + "=" + value
		w.variables[key] = last
	}
	return last
}

// Start starts the pod's first process. For a running pod it does nothing. It returns an error if
// the program cannot be started.
func (p *Pod) Start() error {
	if p.first != nil {
		return nil
	}
	p.starts++
	p.w.changes++
	p.drawPace()
	p.hashSeed = uint32(p.machine.Node.Source(hashSeedSite).Intn(env.HashSeeds))
	if seed, ok := hashSeedOf(p.w.spec); ok {
		p.hashSeed = seed
	}
	first, err := p.machine.Procs.Start(p.command())
	if err != nil {
		return err
	}
	p.first = first
	return nil
}

func (p *Pod) command() env.Command {
	if p.bare != nil {
		return env.Command{Args: append([]string{tfsBinary}, p.bare.Flags...), Env: p.environment(), Dir: binDir, Output: BareOutput}
	}
	return env.Command{Args: []string{agentBinary, "--conf=" + ConfPath}, Env: p.environment(), Dir: binDir}
}

func (p *Pod) runAgent(proc *processes.Process) {
	e := p.envOf(proc)
	p.env = e
	proc.Main(func() int {
		proc.Life().Sleep(paceImport.draw(p.machine.Node))
		p.w.options.Agent(e, ConfPath)
		return 0
	})
}

// envOf returns the env.Env of an agent, or of a process forked by one.
func (p *Pod) envOf(proc *processes.Process) *env.Env {
	e := p.machine.Env(proc.Life(), nil)
	e.Python = env.Python{Minor: p.w.pythonMinor, HashSeed: p.hashSeed}
	e.Tasks = pacedTasks{leap.Tasks{Process: proc.Life()}, p}
	e.Network = pacedNetwork{e.Network, p, proc.Life()}
	e.Files = pacedFiles{e.Files.(*files.View), p, proc.Life()}
	e.Models = &tfsnode.Clients{Proc: proc.Life(), Host: p.machine.Net}
	if p.w.zk == nil {
		e.ZooKeeper = fakeZooKeepers{p, e}
	} else {
		e.ZooKeeper = &node.Clients{
			Env: e, Proc: proc.Life(), Host: p.machine.Net, Servers: p.w.zkServers, Calls: &p.w.zkCalls, History: p.w.options.History,
			StartTime: func() time.Duration { return p.starting(paceConnect) },
			CallTime:  paceCall.at(p.machine.Node).Draw,
			WakeTime:  paceWatch.at(p.machine.Node).Draw,
		}
	}
	return e
}

// fakeZooKeepers makes the ZooKeeper clients of a process under the profile kazoo-fake.
type fakeZooKeepers struct {
	p *Pod
	e *env.Env
}

// NewClient makes a client. It keeps the agent's own client for [Pod.FakeZooKeeper].
func (z fakeZooKeepers) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper {
	client := kazoofake.New(z.e)
	if z.e == z.p.env {
		z.p.fake = client
	}
	return client
}

func (p *Pod) started(proc *processes.Process) {
	p.w.observe(p.Name, "process.start", proc.Name(), flags(proc.Args()), int64(proc.Pid()))
}

// ended handles the end of a process. If it was the first process, the container ends too, and
// restarts after a while if the spec says so.
func (p *Pod) ended(proc *processes.Process) {
	code, _ := proc.Poll()
	p.w.observe(p.Name, "process.exit", proc.Name(), "code "+strconv.Itoa(code), int64(proc.Pid()))
	p.dropServer(proc)
	if proc != p.first {
		return
	}
	p.exitCode = code
	p.first, p.env, p.fake = nil, nil, nil
	if !p.w.spec.Outlive {
		p.w.at(0, p.machine.KillAll)
	}
	if p.w.spec.Detail && p.w.spec.RestartAfter == 0 {
		p.w.observe(p.Name, "pod.down", "", "nothing starts it again", 0)
	}
	if after := p.w.spec.RestartAfter; after > 0 {
		p.w.at(after, func() {
			if err := p.Start(); err != nil {
				p.w.observe(p.Name, "process.failed", p.command().Args[0], err.Error(), 0)
			}
		})
	}
}

// Running reports whether the pod's first process, and therefore the pod, is running.
func (p *Pod) Running() bool { return p.first != nil }

// Bare reports whether the pod is a model server without an agent.
func (p *Pod) Bare() bool { return p.bare != nil }

// Agent returns the agent's process; nil if it is not running.
func (p *Pod) Agent() *processes.Process {
	if p.bare != nil {
		return nil
	}
	return p.first
}

// AgentEnv returns the env of the running agent; nil if the agent is not running.
func (p *Pod) AgentEnv() *env.Env { return p.env }

// FakeZooKeeper returns the agent's client under the profile kazoo-fake; nil if there is none.
func (p *Pod) FakeZooKeeper() *kazoofake.Client { return p.fake }

// ExitCode returns the last exit code of the pod's first process, or -n if signal n killed it. It
// is 0 before the process ends for the first time.
func (p *Pod) ExitCode() int { return p.exitCode }

// Starts returns the number of times that the pod was started.
func (p *Pod) Starts() int { return p.starts }

// TakeToWrite sets how long the agent takes to write a file, from opening it to the end. With 0 a
// write is one step. The setting holds for all later files and starts of the agent.
func (p *Pod) TakeToWrite(d time.Duration) { p.writing = d }

// IP returns the pod's address.
func (p *Pod) IP() string { return p.ip }

// Machine returns the pod's host.
func (p *Pod) Machine() *hosts.Machine { return p.machine }

// ModelServers returns the running model servers, in the order of their starts.
func (p *Pod) ModelServers() []*ModelServer { return p.servers }
