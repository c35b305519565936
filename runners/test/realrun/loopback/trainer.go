package loopback

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"syscall"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/runners"
)

// trainer is a process of the training job, running `monosim trainer` at an address of its
// own.
type trainer struct {
	c     *Cluster
	name  string
	role  string
	index int
	ip    string
	dir   string // folder that stands for the process's disk
	relay *relay // stands for the network between the process and ZooKeeper

	mu       sync.Mutex
	running  *child // nil while the process does not run
	spare    *ahead // a process that was started before it is needed; nil for a program that cannot wait
	starts   int
	exitCode int
	heal     func() error // ends the fault that makes the process unreachable; nil without such a fault

	// addr is the address of the process's server, "" until it is known. A lock of its own avoids a
	// deadlock: the journal sets addr, and code that holds mu writes to the journal.
	addrMu sync.Mutex
	addr   string
}

// trainerProgram is the program's name in observations.
const trainerProgram = "cpu_training"

// addTrainers makes the processes of the spec's training job and writes the file that
// describes the job.
func (c *Cluster) addTrainers() error {
	spec := c.spec.Training
	if spec == nil {
		return nil
	}
	if err := spec.Check(); err != nil {
		return err
	}
	for _, dir := range spec.Dirs() {
		if err := c.disks.makeDir(dir); err != nil {
			return err
		}
	}
	if err := c.writePlan(); err != nil {
		return err
	}
	for i, name := range spec.TrainerNames() {
		t := &trainer{c: c, name: name, ip: c.trainerIP(name), dir: c.disks.podDir(name)}
		if len(c.pods)+i >= maxPods {
			return fmt.Errorf("%s: found process %d, want at most %d pods and processes of a training job", name, len(c.pods)+i+1, maxPods)
		}
		t.role, t.index = cluster.TrainerRole(name)
		if err := c.disks.files.MkdirAll(c.disks.below(filepath.Join(t.dir, "tmp")), 0o755); err != nil {
			return err
		}
		var err error
		if t.relay, err = newRelay(c, t.name, t.ip); err != nil {
			return err
		}
		c.trainers = append(c.trainers, t)
	}
	return c.prepareTrainers()
}

// prepareTrainers launches the programs that can wait, before they are needed, and waits
// until they are loaded.
func (c *Cluster) prepareTrainers() error {
	if c.o.Trainer == nil {
		return nil
	}
	for _, t := range c.trainers {
		if err := t.prepare(); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	for _, t := range c.trainers {
		if err := t.spare.await(); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// ahead is a program that was launched before it is needed and waits for the signal to begin.
type ahead struct {
	child   *child
	program Program
	output  string
}

// prepare launches the trainer's next process before it is needed.
func (t *trainer) prepare() error {
	program, err := t.program()
	if err != nil {
		return err
	}
	if err := os.Remove(program.Ready); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	started, err := t.c.guard.start(program, t.output(), true)
	if err == nil {
		t.spare = &ahead{child: started, program: program, output: t.output()}
	}
	return err
}

// output returns the file for the output of the process.
func (t *trainer) output() string { return filepath.Join(t.c.disks.root, logsDir, t.name+".log") }

// await waits until the program is loaded.
func (a *ahead) await() error {
	for end := time.Now().Add(readyLimit); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(a.program.Ready); err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s is not ready after %v: see %s", a.program.Args[0], readyLimit, a.output)
		}
	}
}

// begin waits until the program is loaded, and signals it to begin.
func (a *ahead) begin() (*child, error) {
	if err := a.await(); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(a.child.stdin); err != nil {
		return nil, fmt.Errorf("begin %s: %w", a.program.Args[0], err)
	}
	return a.child, a.child.stdin.Close()
}

// planPath returns the file that describes the job.
func (c *Cluster) planPath() string { return filepath.Join(c.disks.root, "plan.yaml") }

// writePlan writes the file that describes the job, with directories as paths on this machine. It
// omits settings that the job leaves at zero, because a plan must not have settings without effect.
// The retries are always written, because a plan without them gets the number of the reference.
func (c *Cluster) writePlan() error {
	made, full := *c.spec.Training, c.job()
	made.ModelDir, made.RestoreDir, made.ExportDir, made.MaxRetries = full.ModelDir, full.RestoreDir, full.ExportDir, full.MaxRetries
	said := map[string]any{}
	for field, value := range reflect.ValueOf(made).Fields() {
		if !value.IsZero() {
			said[field.Tag.Get("yaml")] = value.Interface()
		}
	}
	text, err := yaml.Marshal(map[string]any{"quirks": quirksOf(c.spec), "job": said})
	if err != nil {
		return err
	}
	return c.disks.write(c.disks.below(c.planPath()), text, 0o644)
}

// job returns the job's description with its defaults filled in and directories as paths on
// this machine.
func (c *Cluster) job() cluster.TrainingSpec {
	made := c.spec.Training.WithDefaults()
	for _, dir := range []*string{&made.ModelDir, &made.RestoreDir, &made.ExportDir} {
		if *dir != "" {
			*dir = c.disks.toHost(*dir)
		}
	}
	return made
}

// variablesFile returns the file in which a PS stores its variables, if the job's program
// does not serve them over the network.
func (t *trainer) variablesFile() string { return filepath.Join(t.dir, "variables.json") }

// eventsFile returns the file to which the process appends its events.
func (t *trainer) eventsFile() string { return filepath.Join(t.dir, "events.jsonl") }

// program returns the command line and environment of the process.
func (t *trainer) program() (Program, error) {
	args := []string{
		t.c.o.Monosim, "trainer", t.c.planPath(), "--server_type=" + t.role, fmt.Sprintf("--index=%d", t.index),
		"--zk_server=" + t.relay.addr(), "--events=" + t.eventsFile(), "--root=" + filepath.Join(t.c.disks.root, modelsDir),
		"--listen=" + t.ip, "--localhost=" + t.ip, fmt.Sprintf("--speed=%gx", 1/t.c.o.TimeScale), fmt.Sprintf("--seed=%d", t.c.spec.Seed),
	}
	if t.c.spec.Python != "" {
		args = append(args, "--python="+t.c.spec.Python)
	}
	environment, err := t.environment()
	if err != nil {
		return Program{}, err
	}
	if t.c.o.Trainer != nil {
		program, err := t.c.o.Trainer(TrainerContainer{
			Name: t.name, Role: t.role, Index: t.index, IP: t.ip, Dir: t.dir, ZooKeeper: t.relay.addr(), Events: t.eventsFile(),
			Variables: t.variablesFile(), Job: t.c.job(), Env: environment, TimeScale: t.c.o.TimeScale,
		})
		program.Dir = cmp.Or(program.Dir, t.dir)
		return program, err
	}
	return Program{Args: args, Dir: t.dir, Env: environment}, nil
}

// environment returns the environment of the process, as key=value.
func (t *trainer) environment() ([]string, error) {
	environment := []string{"MY_HOST_IP=" + t.ip, "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + filepath.Join(t.dir, "tmp")}
	if t.c.consul != nil {
		environment = append(environment, t.c.consul.variables()...)
	}
	places, err := t.c.spec.Training.Place(t.c.trainerIP).Variables(t.name)
	return append(environment, places...), err
}

// trainerIP returns the address of the process with the given name.
func (c *Cluster) trainerIP(name string) string {
	return c.net.ip(2 + len(c.pods) + slices.Index(c.spec.Training.TrainerNames(), name))
}

// start starts the process. It does nothing while the process runs.
func (t *trainer) start() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running != nil || t.c.isOver() {
		return nil
	}
	t.serves("")
	started, err := t.begin()
	if err != nil {
		return err
	}
	t.running = started
	t.starts++
	t.c.journal.add(runners.Observation{Pod: t.name, Op: "process.start", Path: trainerProgram, Note: t.name, ID: int64(started.pid())})
	go t.follow(started)
	return nil
}

// begin starts the process. If it was launched ahead, begin signals it to begin.
func (t *trainer) begin() (*child, error) {
	if t.c.o.Trainer == nil {
		program, err := t.program()
		if err != nil {
			return nil, err
		}
		return t.c.guard.start(program, t.output(), false)
	}
	if t.spare == nil {
		if err := t.prepare(); err != nil {
			return nil, err
		}
	}
	if err := os.Remove(t.variablesFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	spare := t.spare
	t.spare = nil
	return spare.begin()
}

// follow waits until the process ends. The process is started again after a while if the
// spec says so.
func (t *trainer) follow(started *child) {
	code := started.await()
	t.c.guard.end(started.pid())
	t.mu.Lock()
	t.c.journal.add(runners.Observation{Pod: t.name, Op: "process.exit", Path: trainerProgram, Note: fmt.Sprintf("code %d", code), ID: int64(started.pid())})
	t.running, t.exitCode = nil, code
	if t.c.o.Trainer != nil && code != 0 && !t.c.isOver() && !t.c.applicationEnded() {
		if err := t.prepare(); err != nil {
			t.c.fail("%s: start the next process ahead: %v", t.name, err)
		}
	}
	t.mu.Unlock()
	again := t.c.spec.Training.RestartAfter
	if again == 0 || code == 0 || t.c.isOver() || t.c.applicationEnded() {
		return
	}
	time.AfterFunc(t.c.wall(again), func() {
		if t.c.applicationEnded() {
			return
		}
		if err := t.start(); err != nil {
			t.c.journal.add(runners.Observation{Pod: t.name, Op: "process.failed", Path: trainerProgram, Note: err.Error()})
		}
	})
}

// process returns the running process, nil if none runs.
func (t *trainer) process() *child {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running
}

// state returns the present state of the process.
func (t *trainer) state() runners.TrainerState {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := runners.TrainerState{IP: t.ip, Running: t.running != nil, ExitCode: t.exitCode, Starts: t.starts}
	if s.Running {
		t.addrMu.Lock()
		defer t.addrMu.Unlock()
		s.Addr = t.addr
	}
	return s
}

// serves records the address of the process's server.
func (t *trainer) serves(addr string) {
	t.addrMu.Lock()
	defer t.addrMu.Unlock()
	t.addr = addr
}

// kill ends the process at once. It is an error if the process is not running.
func (t *trainer) kill() error {
	running := t.process()
	if running == nil {
		return fmt.Errorf("%s: found it not running, want a process to kill", t.name)
	}
	if err := send(running.pid(), syscall.SIGKILL); err != nil {
		return err
	}
	return settled(t.name, func() bool { return t.process() != running })
}

// signal sends a signal to the process of a PS. It refuses other roles. If the process is not
// running, stopping it is an error, and any other signal does nothing.
func (t *trainer) signal(sig syscall.Signal) error {
	if t.role != job.PS {
		return fmt.Errorf("stopped process: found %s, want a PS: what others do is not stopped", t.name)
	}
	running := t.process()
	switch {
	case running != nil:
		return send(running.pid(), sig)
	case sig == stopSignal:
		return fmt.Errorf("%s: found it not running, want a process to stop", t.name)
	}
	return nil
}

// close ends the network fault on the trainer, if any, and kills its processes.
func (t *trainer) close() {
	if err := t.reach(); err != nil {
		t.c.fail("%s: %v", t.name, err)
	}
	if running := t.process(); running != nil {
		t.c.guard.end(running.pid())
		<-running.exited
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.spare != nil {
		t.c.guard.end(t.spare.child.pid())
		_ = t.spare.child.cmd.Wait() // it was ended
	}
	t.relay.close()
}

// trainingDeed is a key for counting actions of the job's processes. Without a path it
// stands for all actions of the kind op.
type trainingDeed struct{ trainer, op, path string }

// trained records an event of a training process, given as a line of its events file.
func (j *journal) trained(t *trainer, line []byte) {
	var e job.Event
	if json.Unmarshal(line, &e) != nil {
		return
	}
	if e.Op == "serving" {
		t.serves(e.Path)
	}
	o := runners.Observation{At: j.c.told(e.Time), Pod: t.name, Op: "training." + e.Op, Path: string(j.c.disks.plain(t.name, []byte(e.Path)))}
	j.deeds[trainingDeed{t.name, e.Op, o.Path}]++
	if o.Path != "" {
		j.deeds[trainingDeed{t.name, e.Op, ""}]++
	}
	o.Note = string(j.c.disks.plain(t.name, []byte(e.Note)))
	j.note(o)
}
