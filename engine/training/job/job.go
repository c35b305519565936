package job

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/consul"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/evaluation"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/parametersync"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
)

// These are the roles of processes as named in discovery. The chief is worker 0.
const (
	Worker = "worker"
	PS     = "ps"
	// Evaluator is the role of a process that is outside the cluster and follows the model's
	// directory.
	Evaluator = cluster.EvaluatorRole
)

// Options describes a process.
type Options struct {
	Spec  cluster.TrainingSpec
	Role  string
	Index int
	// ZooKeeper is the address of the ZooKeeper server used for discovery.
	ZooKeeper string
	Quirks    quirks.Set
	// Servers gives access to the variables of other processes. nil means that each process serves
	// its own over gRPC, and writes files that TensorFlow reads. The processes of a job share Hazards.
	Servers session.Cluster
	Hazards *cluster.Hazards
	// Waits, if set, records what the process waits for.
	Waits *Waits
	// Happened, if set, is called for events of interest to people. op is a word such as "saved",
	// and path is its subject.
	Happened func(op, path, note string)
}

// Event is a call of Happened in the form of a JSON line. A process that runs as a separate program
// writes such lines.
type Event struct {
	Time time.Time `json:"time"`
	Op   string    `json:"op"`
	Path string    `json:"path,omitempty"`
	Note string    `json:"note,omitempty"`
}

// process is a running process.
type process struct {
	Options
	e         *env.Env
	addr      string
	config    runnerutils.RunnerConfig
	discovery *watchedDiscovery
	// states reads the state of ModelDir and applies the reference's override of the checkpoint to
	// restore.
	states runnerutils.CheckpointStates
	// saver saves and restores in the chief. monitor, if set, knows which PS were started since the
	// last session.
	saver   *saveutils.PartialRecoverySaver
	monitor *saveutils.PSMonitor
	locals  []*session.Variable // local variables, which each session initializes anew
	step    int64               // global step that the process saw last
	// backend says where a PS pushes its parameters to; nil where it pushes none.
	backend parametersync.Backend
	// readable says that others read the files of the job, so that they are what TensorFlow writes.
	readable bool
	events   *eventsHook // events is the hook of the chief's session; nil if events files cannot be read
	// action is the action of the last barrier that the process reached.
	action string
	// began is true once the chief has found its cluster. From then on the result is reported to
	// the application master. captured is the failure, if any.
	began    bool
	captured error
}

// Main runs a process and returns its exit code. The code is 0 if training completed, and 1 after
// an error, which is logged.
func Main(e *env.Env, o Options) int {
	o.Spec = o.Spec.WithDefaults()
	if o.Happened == nil {
		o.Happened = func(string, string, string) {}
	}
	if o.Hazards == nil {
		o.Hazards = &cluster.Hazards{}
	}
	readable := o.Servers == nil
	if readable {
		o.Servers = session.NewWire(e)
	}
	if !o.Quirks.Keeps(jobquirks.Q330) {
		e = gfile.Literally(e)
	}
	p := &process{Options: o, e: e, readable: readable}
	if o.Spec.PartialRecovery && o.Spec.PS > 1 { // cpu_training.py:1531
		p.monitor = saveutils.NewPSMonitor(o.Spec.PS)
	}
	if err := p.run(); err != nil {
		e.Log.Logf(env.Error, "%s: %v", pysem.TypeOf(err), err)
		p.Happened("failed", "", classed(err))
		return 1
	}
	return 0
}

// classed returns an error's text with its class in front. Most texts begin with the class already.
func classed(err error) string {
	if class := pysem.TypeOf(err); !strings.HasPrefix(err.Error(), class) {
		return class + ": " + err.Error()
	}
	return err.Error()
}

func (p *process) run() error {
	if p.Role == Evaluator {
		return p.evaluate()
	}
	err := p.phase("runner_utils", 30*time.Second, text("the chief to set up "+p.Spec.ModelDir), p.configure)
	if err != nil {
		return err
	}
	if p.Role == PS && p.Spec.ParameterSync {
		if err := p.startBackend(); err != nil {
			return err
		}
	}
	if p.Spec.IsPlaced() {
		if err := p.findPlace(); err != nil {
			return err
		}
	}
	if p.Role == PS {
		err = p.servePS()
	} else {
		err = p.serve(nil)
	}
	if err != nil {
		return err
	}
	defer p.Servers.Stop(p.addr) // even if the process is killed, its variables are lost with it
	if p.discovery == nil {
		// cpu_training.py:1995 starts the server first, because its port must be known for
		// discovery.
		found, err := p.newDiscovery()
		if err != nil {
			return err
		}
		p.watch(found)
	}
	defer p.discovery.Close()
	if err := p.discovery.Register(p.Role, p.Index, p.addr); err != nil {
		return err
	}
	if p.Role == PS {
		return p.Waits.waiting(wait{in: "cpu_training", every: psPoll, what: text("its end"), serves: true}, p.joinPS)
	}
	err = p.work()
	if p.began && p.Spec.ApplicationMaster {
		p.tellMaster()
	}
	return err
}

// evaluate evaluates the checkpoints as they come. After each one it waits for the next.
func (p *process) evaluate() error {
	idle := &wait{in: "tpu_runner", every: time.Second, what: text("checkpoints to evaluate")}
	p.Waits.begin(idle)
	defer p.Waits.end(idle)
	return evaluation.Run(p.e, evaluation.Options{
		ModelDir: p.Spec.ModelDir, MaxSteps: p.Spec.MaxSteps, Setup: p.Spec.EvalSetup, Takes: p.Spec.EvalTime, Happened: p.Happened, Quirks: p.Quirks,
		During: func(checkpoint string, evaluate func()) {
			p.Waits.end(idle)
			defer p.Waits.begin(idle)
			busy := &wait{in: "tpu_runner", what: text("its evaluation of " + checkpoint)}
			p.Waits.begin(busy)
			defer p.Waits.end(busy)
			evaluate()
		},
	})
}

// tellMaster tells the application master to end the job as succeeded or failed
// (cpu_training.py:2140).
func (p *process) tellMaster() {
	master := training.NewApplicationMaster(p.e)
	if p.captured == nil {
		p.Happened("reported", "succeeded", "")
		master.MaybeFinish()
		return
	}
	p.Happened("reported", "failed", p.captured.Error())
	master.MaybeKill(p.captured.Error())
}

// phase runs fn, which belongs to a module of the reference, and records it as a wait.
func (p *process) phase(in string, every time.Duration, what func() string, fn func() error) error {
	return p.Waits.waiting(wait{in: in, every: every, what: what}, fn)
}

// watch records the answers of a discovery, so that the process can show what it waits for.
func (p *process) watch(d training.ServiceDiscovery) {
	p.discovery = &watchedDiscovery{ServiceDiscovery: d, waits: p.Waits, kind: cmp.Or(p.Spec.Discovery, "zookeeper")}
}

// newDiscovery returns the discovery for the job's processes (runner_utils.py:355). The service has
// the job's name.
func (p *process) newDiscovery() (training.ServiceDiscovery, error) {
	kinds := runnerutils.RealDiscoveries{Env: p.e, Quirks: p.Quirks}
	if p.Spec.Discovery != cluster.DiscoveryConsul {
		return kinds.ZK(pysem.Some(p.Spec.Job), pysem.Some(p.ZooKeeper))
	}
	client, err := consul.New(p.e, p.Quirks)
	if err != nil {
		return nil, err
	}
	client.HeartbeatEnded = func(id string, err error) { p.Happened("heartbeat-ended", id, pysem.TypeOf(err)) }
	kinds.ConsulClient = client
	return kinds.Consul(pysem.Some(p.Spec.Job))
}

// findPlace reads the process's role, index and address from the environment (runner_utils.py:355,
// cpu_training.py:2016).
func (p *process) findPlace() error {
	p.config.DiscoveryType = training.DiscoveryMLP
	if p.Spec.Discovery == cluster.DiscoveryPrimus {
		p.config.DiscoveryType = training.DiscoveryPrimus
		if text, ok := p.e.Host.LookupEnv(cputraining.TFConfig); ok {
			p.config.TFConfig = pysem.Some(text)
		}
	}
	d, err := runnerutils.GetDiscovery(&p.config, pysem.Some(p.Spec.Job), runnerutils.RealDiscoveries{Env: p.e, Quirks: p.Quirks})
	if err != nil {
		return err
	}
	p.watch(d)
	switch d := d.(type) {
	case *training.TFConfigServiceDiscovery:
		addr, err := d.Addr()
		if err != nil {
			return err
		}
		p.Role, p.Index, p.addr = p.config.ServerType, p.config.Index, pysem.Str(addr)
	case *training.MLPServiceDiscovery:
		p.Index, p.addr = d.Index().V, d.Addr()
	}
	return nil
}

// configure creates the process's configuration. With a restore_dir this also sets up the model's
// directory, or waits until the chief has set it up (runner_utils.py:234).
func (p *process) configure() error {
	flags := runnerutils.NewFlags()
	if _, err := flags.Parse(p.e.Files, nil); err != nil {
		return err
	}
	p.config = runnerutils.Class.New()
	p.config.ModelDir, p.config.ServerType, p.config.Index = p.Spec.ModelDir, p.Role, p.Index
	if p.Spec.RestoreDir != "" {
		p.config.RestoreDir = pysem.Some(p.Spec.RestoreDir)
	}
	if p.Spec.RestoreCkpt != "" {
		p.config.RestoreCkpt = pysem.Some(p.Spec.RestoreCkpt)
	}
	p.states = runnerutils.CheckpointStates{Env: p.e, Flags: flags, Quirks: p.Quirks}
	return runnerutils.Process{Env: p.e, Flags: flags, Quirks: p.Quirks}.Init(&p.config)
}

// serve starts the process's server on the port in its environment, or on a free port.
func (p *process) serve(handler env.Handler) error {
	if handler == nil {
		handler = func(string, []byte) ([]byte, error) {
			return nil, &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}
		}
	}
	port, err := p.port()
	if err != nil {
		return err
	}
	server, err := p.e.Network.Serve(port, 0, p.Servers.Handle(handler))
	if err != nil {
		return err
	}
	if p.addr == "" {
		if p.addr, err = training.LocalServerAddr(p.e.Host, fmt.Sprint(server.Port())); err != nil {
			return err
		}
	}
	p.Servers.Start(p.addr)
	p.Happened("serving", p.addr, "")
	return nil
}

// port returns the port in the process's address, or 0 for any port.
func (p *process) port() (int, error) {
	if p.addr == "" {
		return 0, nil
	}
	port, err := strconv.Atoi(p.addr[strings.LastIndexByte(p.addr, ':')+1:])
	if err != nil {
		return 0, session.Raise("UnknownError", "Could not start gRPC server: %s", p.addr)
	}
	return port, nil
}
