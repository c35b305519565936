package loopback

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/process"
)

// bareOutput is the path of the output of a model server without an agent. It is the same as
// in a simulated pod.
const bareOutput = "var/log/tensorflow_model_server.log"

// tfsBinary returns the path of the program that an agent starts as its model server. It is
// a script that records its command line and then execs the real server.
func (p *pod) tfsBinary() string {
	return filepath.Join(p.home(), "bin", "tensorflow_model_server")
}

// serversDir returns the directory with three files for each model server of the pod: its
// command line, its ports once they are open, and its models' states. File names contain pid
// and start time (process.Runs), because pids are reused.
func (p *pod) serversDir() string { return filepath.Join(p.dir, "servers") }

// wrapper returns the text of the script at tfsBinary. It contains the words by which the
// reference tells a gRPC server from an archon server (tfs_wrapper.py:49).
func (p *pod) wrapper() string {
	server, flags := shellQuoted(p.c.o.ModelServer), ""
	if p.c.o.ModelServer == "" {
		server = shellQuoted(p.c.serverLink())
		flags = `MONOSIM_TFSERVING_FLAGS="$MONOSIM_TFSERVING_FLAGS ` + strings.Join(p.servingFlags(), " ") +
			` --monosim_ports_file=$here.ports --monosim_events=$here.events"
export MONOSIM_TFSERVING_FLAGS
`
	}
	tells := ""
	if p.relayed() {
		tells = `echo "$here" > ` + shellQuoted(p.startedPipe()) + "\n"
	}
	return `#!/bin/sh
# PredictionServiceGrpc
here=` + shellQuoted(p.serversDir()) + `
output=$(readlink /proc/$$/fd/1)
here=$here/$$-$(cut -d ' ' -f 22 /proc/$$/stat)
printf '%s\n' "$output" "$@" > "$here.tmp"
` + p.elsewhere() + `mv "$here.tmp" "$here.args"
` + tells + flags + `exec ` + server + ` "$@"
`
}

// elsewhere returns the part of the script that makes an external model server listen on
// other ports, so that a relay can take the ports of the command line.
func (p *pod) elsewhere() string {
	if !p.relayed() || p.c.o.ModelServer == "" {
		return ""
	}
	return `started=$(ls ` + shellQuoted(p.serversDir()) + ` | grep -c '\.tmp$\|\.args$')
set -- "$(sed -n "${started}p" ` + shellQuoted(p.portsFile()) + `)" "$@"
grpc=${1% *} rest=${1#* }
echo "$1" > "$here.behind"
shift
for flag; do
  shift
  case $flag in
  --port=*) flag=--port=$grpc ;;
  --rest_api_port=*) flag=--rest_api_port=$rest ;;
  esac
  set -- "$@" "$flag"
done
`
}

// serverLink returns the path at which monosim is found under the name tensorflow_model_server.
// Started under this name, monosim acts as a model server.
func (c *Cluster) serverLink() string {
	return filepath.Join(c.disks.root, programsDir, "tensorflow_model_server")
}

func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// servingFlags returns monosim's own flags for a model server of the pod.
func (p *pod) servingFlags() []string {
	s := p.c.spec.Serving
	flags := []string{
		"--monosim_host=" + p.serverIP(), fmt.Sprintf("--monosim_speed=%g", 1/p.c.o.TimeScale), "--monosim_stand_ins",
		"--monosim_store=" + filepath.Join(p.c.disks.root, modelsDir, uriDir),
	}
	if p.c.o.Admin {
		flags = append(flags, "--monosim_admin=127.0.0.1:0", p.c.adminAccess("--monosim_admin_token", "--monosim_admin_token_file"))
	}
	if p.c.spec.ModelServer != "" {
		flags = append(flags, "--monosim_profile="+p.c.spec.ModelServer)
	}
	if p.c.spec.ModelServer == fakeProfile { // this profile chooses at random which model gets the next version
		flags = append(flags, fmt.Sprintf("--monosim_seed=%d", max(p.c.spec.Seed, 1)))
	}
	if s.MemoryLimitBytes > 0 {
		flags = append(flags, fmt.Sprintf("--monosim_memory_limit_bytes=%d", s.MemoryLimitBytes))
	}
	if s.RetainedPercent != nil {
		flags = append(flags, fmt.Sprintf("--monosim_retained_percent=%d", *s.RetainedPercent))
	}
	if s.PredictTime > 0 {
		flags = append(flags, "--monosim_predict_time="+s.PredictTime.String())
	}
	if s.LoadTime > 0 {
		flags = append(flags, "--monosim_load_time="+s.LoadTime.String())
	}
	if s.LoadBytesPerSecond > 0 {
		flags = append(flags, fmt.Sprintf("--monosim_load_bytes_per_second=%d", s.LoadBytesPerSecond))
	}
	if s.RAMPerDiskByte > 0 {
		flags = append(flags, fmt.Sprintf("--monosim_ram_per_disk_byte=%g", s.RAMPerDiskByte))
	}
	if s.FakeBugs {
		flags = append(flags, "--monosim_fake_bugs")
	}
	if s.FakeSwitches {
		flags = append(flags, "--monosim_fake_switches")
	}
	if p.c.o.ServerFlags != nil {
		flags = append(flags, p.c.o.ServerFlags(p.Pod)...)
	}
	return flags
}

// bareProgram returns the program of a model server without an agent. Paths in its flags are
// paths on this host.
func (p *pod) bareProgram() Program {
	args := append([]string{p.tfsBinary()}, p.bareFlags()...)
	env := append(p.environment(), "MONOSIM_TFSERVING_FLAGS=--monosim_any_port")
	return Program{Args: args, Env: env, Dir: filepath.Join(p.home(), "bin")}
}

// bareFlags returns the flags of a model server without an agent. A pod with an agent has
// none.
func (p *pod) bareFlags() (flags []string) {
	if p.bare == nil {
		return nil
	}
	for _, flag := range p.bare.Flags {
		if name, value, ok := strings.Cut(flag, "="); ok && strings.HasPrefix(value, "/") {
			flag = name + "=" + p.c.disks.podPath(p.Name, value)
		}
		flags = append(flags, flag)
	}
	return flags
}

// modelServer describes a model server that was started, whether or not it still runs.
type modelServer struct {
	name      string // path that the server's files share, without the extension
	pid       int
	started   string // start time, in the form that process.Runs takes
	kind      string
	port      int
	rest      int
	admin     int // port of the server's interface for faults, 0 if it has none
	restAsked int // REST port that the command line asks for
	// behind and restBehind are the ports on which the server really listens. They differ from
	// port and restAsked for a program whose listening address cannot be changed.
	behind, restBehind int
	configFile         string
	args               []string
	startedAt          time.Time
	// serving is when the server's ports opened, zero before that.
	serving time.Time
}

// modelServers lists the running model servers, sorted by kind and then by start.
func (p *pod) modelServers() []modelServer {
	list := slices.DeleteFunc(p.allModelServers(), func(m modelServer) bool { return !m.runs() })
	slices.SortStableFunc(list, func(a, b modelServer) int { return cmp.Compare(a.kind, b.kind) })
	return list
}

// allModelServers lists all model servers that were ever started, in the order of their start.
func (p *pod) allModelServers() []modelServer {
	d := &p.c.disks
	files, err := fs.ReadDir(d.files.FS(), d.below(p.serversDir()))
	if err != nil {
		return nil
	}
	p.serversMu.Lock()
	defer p.serversMu.Unlock()
	var list []modelServer
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".args") {
			continue
		}
		m := p.servers[file.Name()]
		if m == nil {
			read, ok := p.readServer(filepath.Join(p.serversDir(), file.Name()))
			if !ok {
				continue
			}
			m = &read
			p.servers[file.Name()] = m
		}
		if m.serving.IsZero() {
			p.readPorts(m)
		}
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b modelServer) int { return a.startedAt.Compare(b.startedAt) })
	return list
}

// readServer reads the command line that the wrapper script recorded for a server.
func (p *pod) readServer(name string) (m modelServer, ok bool) {
	var err error
	m.name = strings.TrimSuffix(name, ".args")
	pid, started, _ := strings.Cut(filepath.Base(m.name), "-")
	if m.pid, err = strconv.Atoi(pid); err != nil {
		return m, false
	}
	m.started = started
	d := &p.c.disks
	info, err := d.files.Stat(d.below(name))
	if err != nil {
		return m, false
	}
	text, err := d.readFile(name)
	if err != nil {
		return m, false
	}
	m.startedAt = info.ModTime()
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	m.kind, m.args = kindOf(lines[0]), lines[1:]
	for _, arg := range m.args {
		if value, ok := strings.CutPrefix(arg, "--port="); ok {
			m.port, _ = strconv.Atoi(value) // cannot matter: text that is not a number gives 0, which is not a port
		}
		if value, ok := strings.CutPrefix(arg, "--rest_api_port="); ok {
			m.restAsked, _ = strconv.Atoi(value)
		}
		if value, ok := strings.CutPrefix(arg, "--model_config_file="); ok {
			m.configFile = value
		}
	}
	m.behind, m.restBehind = m.port, m.restAsked
	if text, err := d.readFile(m.name + ".behind"); err == nil {
		if _, err := fmt.Sscan(string(text), &m.behind, &m.restBehind); err != nil {
			return m, false
		}
	}
	return m, true
}

// readPorts reads the ports that a server has opened. They differ from its command line if the
// command line lets the server choose a port.
func (p *pod) readPorts(m *modelServer) {
	name := m.name + ".ports"
	d := &p.c.disks
	info, err := d.files.Stat(d.below(name))
	if err != nil {
		return
	}
	text, err := d.readFile(name)
	var ports struct{ GRPC, REST, Admin int }
	if err != nil || json.Unmarshal(text, &ports) != nil {
		return
	}
	m.serving, m.rest, m.admin = info.ModTime(), ports.REST, ports.Admin
	if ports.GRPC != 0 {
		m.port = ports.GRPC
	}
}

// kindOf returns the kind of a model server of an agent v1. It is the first part of its log
// file's name, "<kind>_<log>" (agent_base.py:63).
func kindOf(output string) string {
	return lists.Find([]string{agentconfig.ServerPS, agentconfig.ServerEntry, agentconfig.ServerDense}, func(kind string) bool {
		return strings.HasPrefix(filepath.Base(output), kind+"_")
	})
}

func (m *modelServer) runs() bool { return process.Runs(m.pid, m.started) }

// modelServer finds the running model server of a kind. An empty kind finds the pod's only
// model server. The error lists the kinds that run.
func (c *Cluster) modelServer(pod, kind string) (*pod, modelServer, error) {
	p, err := c.findPod(pod)
	if err != nil {
		return nil, modelServer{}, err
	}
	servers := p.modelServers()
	var kinds []string
	for _, s := range servers {
		if s.kind == kind || kind == "" && len(servers) == 1 {
			return p, s, nil
		}
		kinds = append(kinds, fmt.Sprintf("%q", s.kind))
	}
	if len(servers) == 1 && servers[0].kind == "" {
		return nil, modelServer{}, fmt.Errorf("pod %s: found no model server of kind %q, want the only one that runs, which has no kind: the model server of %s", pod, kind, pod)
	}
	return nil, modelServer{}, fmt.Errorf("pod %s: found no model server of kind %q, want one of those that run: [%s]", pod, kind, strings.Join(kinds, " "))
}

// addr returns the address of the model server itself, and not of the relay in front of it.
func (p *pod) addr(m modelServer) string {
	if p.relayed() {
		return fmt.Sprintf("%s:%d", p.serverIP(), m.behind)
	}
	return fmt.Sprintf("%s:%d", p.ip, m.port)
}
