package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	consulnode "github.com/monosim/monosim/sim/consul/node"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

const trainerBinary = "/opt/tiger/monolith/bin/cpu_training"

// Trainer is a process of a training job. It runs on a machine of its own.
type Trainer struct {
	Name string
	// Role and Index identify the process in service discovery. The chief is worker 0.
	Role  string
	Index int

	w         *World
	ip        string
	variables []string // variables is its environment without the application master's variables
	machine   *hosts.Machine
	proc      *processes.Process
	exitCode  int
	starts    int
}

func (w *World) addTrainers() error {
	spec := w.spec.Training
	if spec == nil {
		return nil
	}
	if w.zk == nil {
		return &cluster.SpecError{Where: "ZooKeeper profile", Found: fakeZooKeeper, Want: "a server for a training job"}
	}
	if err := spec.Check(); err != nil {
		return err
	}
	if spec.Discovery == cluster.DiscoveryConsul {
		w.consul = consulnode.New(w.net.AddHost(ConsulHost, ConsulHost, consulIP), consulPort)
		if err := w.consul.Start(); err != nil {
			return err
		}
	}
	w.trainersByName = map[string]*Trainer{}
	for i, name := range spec.TrainerNames() {
		t := &Trainer{Name: name, w: w, ip: "10.250." + strconv.Itoa(i/250) + "." + strconv.Itoa(1+i%250)}
		t.Role, t.Index = cluster.TrainerRole(name)
		w.trainersByName[name] = t
		w.trainers = append(w.trainers, t)
	}
	w.placement = spec.Place(func(name string) string { return w.trainersByName[name].ip })
	for _, t := range w.trainers {
		if err := w.addTrainer(t); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return nil
}

func (w *World) addTrainer(t *Trainer) error {
	var err error
	if t.variables, err = w.trainerVariables(t); err != nil {
		return err
	}
	t.machine = hosts.NewMachine(w.net, hosts.Config{Name: t.Name, IPs: []string{t.ip}, Env: t.variables, Logs: w.options.Logs})
	for _, s := range w.stores {
		if err := t.machine.FS.Mount(s.mount, s.fs); err != nil {
			return err
		}
	}
	if err := t.machine.FS.WriteTree(map[string]string{trainerBinary: "cpu_training"}); err != nil {
		return err
	}
	t.machine.Procs.SetEnv(t.envOf)
	t.machine.Procs.Register("cpu_training", t.run)
	t.machine.Procs.OnExit(t.ended)
	return nil
}

// trainerVariables returns the environment variables for service discovery. With Consul they hold
// the address of the Consul agent, else the addresses of all processes.
func (w *World) trainerVariables(t *Trainer) ([]string, error) {
	if w.consul != nil {
		return []string{"CONSUL_HTTP_HOST=" + ConsulHost}, nil
	}
	return w.placement.Variables(t.Name)
}

func (t *Trainer) envOf(proc *processes.Process) *env.Env {
	e := t.machine.Env(proc.Life(), nil)
	e.Python = env.Python{Minor: t.w.pythonMinor}
	e.ZooKeeper = &node.Clients{
		Env: e, Proc: proc.Life(), Host: t.machine.Net, Servers: t.w.zkServers, Calls: &t.w.zkCalls, History: t.w.options.History,
		CallTime: paceCall.at(t.machine.Node).Draw,
		WakeTime: paceWatch.at(t.machine.Node).Draw,
	}
	return e
}

func (t *Trainer) run(proc *processes.Process) {
	e := t.envOf(proc)
	proc.Main(func() int {
		proc.Life().Sleep(paceImport.draw(t.machine.Node))
		return t.w.options.Trainer(e, t)
	})
}

// Start starts the process, unless it is running.
func (t *Trainer) Start() error {
	if t.proc != nil {
		return nil
	}
	t.starts++
	var variables []string // nil takes the machine's environment
	if own := t.w.master.vars(); len(own) > 0 {
		variables = slices.Concat(t.variables, own)
	}
	proc, err := t.machine.Procs.Start(env.Command{Args: []string{trainerBinary, t.Name}, Env: variables})
	if err != nil {
		return err
	}
	t.proc = proc
	t.w.observe(t.Name, "process.start", proc.Name(), t.Name, int64(proc.Pid()))
	return nil
}

func (t *Trainer) ended(proc *processes.Process) {
	code, _ := proc.Poll()
	t.w.observe(t.Name, "process.exit", proc.Name(), "code "+strconv.Itoa(code), int64(proc.Pid()))
	if proc != t.proc {
		return
	}
	t.proc, t.exitCode = nil, code
	_ = t.Stop(false) // cannot fail: the hosts exist
	if after := t.w.spec.Training.RestartAfter; after > 0 && code != 0 && !t.w.isOver() {
		t.w.at(after, func() {
			if err := t.Start(); err != nil {
				t.w.observe(t.Name, "process.failed", trainerBinary, err.Error(), 0)
			}
		})
	}
}

// Stop stops the trainer's process, as SIGSTOP does, or lets it continue if on is false. A stopped
// process answers nobody, and ZooKeeper and Consul receive nothing from it.
func (t *Trainer) Stop(on bool) error {
	if on == t.w.stopped[t.ip] {
		return nil
	}
	if t.w.stopped == nil {
		t.w.stopped = map[string]bool{}
	}
	t.w.stopped[t.ip] = on
	if t.Role == "ps" {
		if t.w.hazards.Stopped == nil {
			t.w.hazards.Stopped = map[int]bool{}
		}
		t.w.hazards.Stopped[t.Index] = on
	}
	services := []string{ZooKeeperHost}
	if t.w.consul != nil {
		services = append(services, ConsulHost)
	}
	if on {
		return t.w.net.PartitionBoth([]string{t.Name}, services)
	}
	return t.w.net.HealBoth([]string{t.Name}, services)
}

// IsStopped reports whether the process of the trainer at an address is stopped.
func (w *World) IsStopped(ip string) bool { return w.stopped[ip] }

// Process returns the running process; nil for none.
func (t *Trainer) Process() *processes.Process { return t.proc }

// IP returns the address of the trainer's machine.
func (t *Trainer) IP() string { return t.ip }

// ExitCode returns the exit code of the last run of the process.
func (t *Trainer) ExitCode() int { return t.exitCode }

// Starts returns the number of times that the process was started.
func (t *Trainer) Starts() int { return t.starts }

// Machine returns the trainer's machine.
func (t *Trainer) Machine() *hosts.Machine { return t.machine }

// Trainers returns the processes of the training job, in the order of [cluster.TrainingSpec.TrainerNames].
func (w *World) Trainers() []*Trainer { return w.trainers }

// FindTrainer returns the process of the job with a name. The error lists all names.
func (w *World) FindTrainer(name string) (*Trainer, error) {
	if t := w.trainersByName[name]; t != nil {
		return t, nil
	}
	if w.spec.Training == nil {
		return nil, fmt.Errorf("found %s, want a cluster with a training job", name)
	}
	return nil, fmt.Errorf("process of the training job: found %q, want one of %s", name, strings.Join(w.spec.Training.TrainerNames(), ", "))
}

// StartTraining starts all processes of the job at the present instant.
func (w *World) StartTraining() error {
	for _, t := range w.trainers {
		if err := t.Start(); err != nil {
			return err
		}
	}
	return nil
}

// TraceTraining records an event of a process of the job in the world's observations.
func (w *World) TraceTraining(t *Trainer, op, path, note string) {
	w.observe(t.Name, "training."+op, path, note, 0)
}

// Hazards returns the job's external faults. The code that injects faults changes them.
func (w *World) Hazards() *cluster.Hazards { return &w.hazards }
