package loopback

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/process"
)

// pod is one container: a group of processes that ends with its first process. The first process is
// the agent, or the model server in a pod without an agent.
type pod struct {
	runners.Pod
	c     *Cluster
	bare  *runners.BareServerSpec // what to run in a pod without an agent; nil otherwise
	ip    string
	dir   string // folder that stands for the pod's disk
	relay *relay // stands for the network between the pod and ZooKeeper
	// modelRelays is nil in a run without details, and for a pod without an agent.
	modelRelays *modelRelays

	// servers holds every model server ever started in the pod, by the name of its command
	// line's file.
	serversMu sync.Mutex
	servers   map[string]*modelServer

	mu       sync.Mutex
	first    *child // nil while the pod is not running
	spare    *child // a first process that was started before it is needed
	program  Program
	port     int // port of the running agent
	starts   int
	exitCode int
	// left holds process groups that have outlived the agent which started them.
	left []int
}

func newPod(c *Cluster, spec runners.Pod, i int, bare *runners.BareServerSpec) (*pod, error) {
	if i >= maxPods {
		return nil, fmt.Errorf("found pod %d, want at most %d pods", i+1, maxPods)
	}
	p := &pod{Pod: spec, c: c, bare: bare, ip: c.net.ip(2 + i), dir: c.disks.podDir(spec.Name), servers: map[string]*modelServer{}}
	var err error
	if p.relay, err = newRelay(c, p.Name, p.ip); err != nil {
		return nil, err
	}
	if err := p.furnish(); err != nil {
		return nil, err
	}
	if p.relayed() {
		if p.modelRelays, err = newModelRelays(p); err != nil {
			return nil, err
		}
	}
	if p.asks() != nil {
		return p, p.prepare()
	}
	return p, nil
}

// fakeProfile names the profile of the fake model server in the reference's own tests.
const fakeProfile = "python-fake"

// asks returns the function that gives the program of the pod's first process. nil stands
// for monosim's model server.
func (p *pod) asks() AgentProgram {
	switch {
	case p.bare == nil:
		return p.c.o.Agent
	case p.c.spec.ModelServer == fakeProfile:
		return p.c.o.Fake
	}
	return nil
}

// home returns the folder that stands for the container's /opt/tiger/monolith_serving.
func (p *pod) home() string { return filepath.Join(p.dir, agentconfig.TFSHome) }

func (p *pod) confPath() string { return filepath.Join(p.home(), "conf", "agent.conf") }

// furnish writes the files that the agent expects on its disk.
func (p *pod) furnish() error {
	d := &p.c.disks
	home := d.below(p.home())
	for _, dir := range []string{"var/log", "tmp", "servers", "etc"} {
		if err := d.files.MkdirAll(d.below(filepath.Join(p.dir, dir)), 0o755); err != nil {
			return err
		}
	}
	err := errors.Join(
		d.write(d.below(p.confPath()), []byte(p.conf()), 0o644),
		d.write(d.below(p.tfsBinary()), []byte(p.wrapper()), 0o755),
		d.files.MkdirAll(filepath.Join(home, "dat"), 0o755),
	)
	if err != nil || p.c.spec.Serving.NoDefaultModel {
		return err
	}
	// Each pod has the model `default` on its own disk (TFS-16.4).
	return d.export(filepath.Join(home, "dat", "saved_models", "entry", "1"), 1<<20)
}

// conf returns the agent.conf, with model paths and the ZooKeeper address as they are on
// this machine.
func (p *pod) conf() string {
	var lines []string
	for _, line := range strings.Split(p.c.spec.Conf, "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2:
		case fields[0] == "base_path":
			line = strings.Replace(line, fields[1], p.c.disks.toHost(fields[1]), 1)
		case fields[0] == "zk_servers":
			line = "zk_servers " + p.relay.addr()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// environment returns the variables of one of the reference's containers, and in addition
// those that say where this machine keeps files.
func (p *pod) environment() []string {
	vars := map[string]string{
		"SHARD_ID":              strconv.Itoa(p.Shard),
		"REPLICA_ID":            strconv.Itoa(p.Replica),
		"MONOLITH_HOST_SHARD_N": strconv.Itoa(max(p.c.spec.Shards, 1)),
		"MY_HOST_IP":            p.ip,
		"MY_POD_NAME":           p.Name,
		"TCE_PSM":               "monolith.serving",
		"TCE_INTERNAL_IDC":      p.Location.IDC,
		"TCE_LOGICAL_CLUSTER":   p.Location.Cluster,
		"MONOLITH_TFS_BINARY":   p.tfsBinary(),
		"PATH":                  "/usr/local/bin:/usr/bin:/bin",
	}
	for _, v := range p.c.spec.Env {
		vars[v.Key] = v.Value
	}
	vars["TMPDIR"] = filepath.Join(p.dir, "tmp")
	vars["PORT2"] = strconv.Itoa(p.port)
	var list []string
	for k, v := range vars {
		if v != "" {
			list = append(list, k+"="+v)
		}
	}
	slices.Sort(list)
	return list
}

// ask chooses a free port and gets the program to start from the options: an agent or the fake
// model server.
func (p *pod) ask() (Program, error) {
	ports, err := process.FreePorts(1)
	if err != nil {
		return Program{}, err
	}
	p.port = ports[0]
	program, err := p.asks()(Container{
		Flags: p.bareFlags(), Servers: p.serversDir(),
		Pod: p.Pod, IP: p.ip, AgentPort: p.port, Dir: p.dir, Home: p.home(), Conf: p.confPath(),
		Models: filepath.Join(p.c.disks.root, modelsDir), Env: p.environment(),
		TimeScale: p.c.o.TimeScale, Monosim: p.c.o.Monosim,
		Outlive: p.c.spec.Outlive, Quirks: p.c.spec.Quirks, Python: p.c.spec.Python, Seed: p.c.spec.Seed,
	})
	if err == nil && len(program.Args) == 0 {
		err = errors.New("found no command line for the first process, want one")
	}
	program.Dir = cmp.Or(program.Dir, p.dir)
	return program, err
}

// prepare launches the next agent before it is needed, if its program can wait.
func (p *pod) prepare() error {
	program, err := p.ask()
	if err != nil {
		return err
	}
	p.program = program
	if program.Ready == "" {
		return nil
	}
	if err := os.Remove(program.Ready); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.spare, err = p.c.guard.start(program, p.output(), true)
	return err
}

// readyLimit is how long, in wall time, a program that was launched ahead may take to be
// ready.
const readyLimit = 60 * time.Second

// awaitReady waits until the program that was launched ahead is ready, if there is any.
func (p *pod) awaitReady() error {
	if p.spare == nil {
		return nil
	}
	for end := time.Now().Add(readyLimit); ; {
		if _, err := os.Stat(p.program.Ready); err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s is not ready after %v: %s", p.program.Args[0], readyLimit, p.lastWords())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// output returns the path of the file for the output of the pod's first process.
func (p *pod) output() string {
	if p.bare != nil {
		return filepath.Join(p.dir, bareOutput)
	}
	return filepath.Join(p.c.disks.root, logsDir, p.Name+".log")
}

// lastWords returns the last 500 bytes of the agent's output, for error messages.
func (p *pod) lastWords() string { return p.end(500) }

// end returns the last bytes of the agent's output.
func (p *pod) end(most int) string {
	text, _ := p.c.disks.readFile(p.output())
	return strings.TrimSpace(string(text[max(len(text)-most, 0):]))
}

// start starts the pod's first process. It does nothing while the pod runs.
func (p *pod) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first != nil || p.c.isOver() {
		return nil
	}
	var err error
	if p.asks() != nil {
		err = p.startAsked()
	} else {
		p.first, err = p.c.guard.start(p.bareProgram(), p.output(), false)
	}
	if err != nil {
		return err
	}
	p.starts++
	p.c.journal.started(p, p.first.pid())
	go p.follow(p.first)
	return nil
}

// startAsked starts the agent or the fake model server. If it was launched ahead, startAsked
// lets it begin its work.
func (p *pod) startAsked() (err error) {
	if p.program.Ready == "" {
		if p.starts > 0 { // for the first start, the program was chosen when the pod was made
			if p.program, err = p.ask(); err != nil {
				return err
			}
		}
		p.first, err = p.c.guard.start(p.program, p.output(), false)
		return err
	}
	if p.spare == nil {
		if err := p.prepare(); err != nil {
			return err
		}
	}
	if err := p.awaitReady(); err != nil {
		return err
	}
	p.first, p.spare = p.spare, nil
	if _, err := fmt.Fprintln(p.first.stdin); err != nil {
		return fmt.Errorf("begin %s: %w", p.program.Args[0], err)
	}
	return p.first.stdin.Close()
}

// follow waits until a pod's first process ends, which ends the container. The container is
// started again after a while if the spec says so.
func (p *pod) follow(first *child) {
	code := first.await()
	p.mu.Lock()
	p.c.journal.ended(p, first.pid(), code)
	p.first, p.exitCode = nil, code
	if p.program.Ready != "" && !p.c.isOver() {
		if err := p.prepare(); err != nil {
			p.c.fail("pod %s: start the next agent ahead: %v", p.Name, err)
		}
	}
	again := p.c.spec.RestartAfter
	if p.c.spec.Outlive {
		p.left = append(p.left, first.pid())
	} else {
		p.c.guard.end(first.pid())
	}
	p.mu.Unlock()
	if again == 0 || p.c.isOver() {
		return
	}
	time.AfterFunc(p.c.wall(again), func() {
		if err := p.start(); err != nil {
			p.c.journal.add(runners.Observation{Pod: p.Name, Op: "process.failed", Path: p.Name, Note: err.Error()})
		}
	})
}

// close ends everything that runs in the pod.
func (p *pod) close() {
	p.mu.Lock()
	first, spare, left := p.first, p.spare, p.left
	p.mu.Unlock()
	for _, group := range left {
		p.c.guard.end(group)
	}
	if spare != nil {
		p.c.guard.end(spare.pid())
		_ = spare.cmd.Wait() // it was ended
	}
	if first != nil {
		p.c.guard.end(first.pid())
		<-first.exited
	}
	if p.modelRelays != nil {
		p.modelRelays.close()
	}
	p.relay.close()
}

// state returns the present state of the pod.
func (p *pod) state() runners.PodState {
	servers, all := p.modelServers(), p.allModelServers()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := runners.PodState{Running: p.first != nil, ExitCode: p.exitCode, Starts: p.starts, IP: p.ip, Others: others(all, p.port)}
	for _, m := range servers {
		s.ModelServers = append(s.ModelServers, runners.ModelServerState{Kind: m.kind, Port: m.port, ConfigFile: m.configFile})
	}
	return s
}

// others lists the ports of a pod at which it answers something else than gRPC of model servers: that of
// its agent, and those of REST.
func others(servers []modelServer, agent int) []int {
	ports, serving := []int{agent}, []int{0}
	for _, m := range servers {
		ports, serving = append(ports, m.rest, m.restAsked), append(serving, m.port)
	}
	return slices.DeleteFunc(ports, func(port int) bool { return slices.Contains(serving, port) })
}

// leader returns the first process, nil while the pod is not running.
func (p *pod) leader() *child {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.first
}
