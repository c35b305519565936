package programs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
)

// trouble logs why a program's attempts fail, and what to do about it. The program's own log has
// only the reference's messages.
type trouble struct {
	program string
	out     io.Writer
	e       *env.Env
}

func (t trouble) say(format string, args ...any) {
	fmt.Fprintf(t.out, "monosim %s: %s\n", t.program, fmt.Sprintf(format, args...))
}

// watch wraps parts of the program's environment e, so that trouble sees their failures.
func (t trouble) watch(e *env.Env) {
	own := *e
	t.e = &own
	e.Network = watchedNetwork{e.Network, t}
	e.Processes = watchedProcesses{e.Processes, t}
	e.ZooKeeper = watchedZooKeepers{e.ZooKeeper, t}
}

// readable logs why an agent.conf cannot be read, and which of its lines an agent does not
// understand.
func (t trouble) readable(conf string) {
	data, err := os.ReadFile(conf)
	switch {
	case errors.Is(err, fs.ErrPermission):
		t.say("%v; let this user (uid %d) read it", err, os.Getuid())
		return
	case err != nil:
		t.say("%v; --conf names the agent.conf, as examples see monosim agent --help", err)
		return
	}
	for _, p := range agentconfig.CheckConf(conf, data) {
		t.say("%v", p)
	}
}

// reached logs a problem if told, the address that the agent registers, is not the address on which
// the agent listens.
func (t trouble) reached(listen, told string) {
	at, toldAddr := net.ParseIP(listen), net.ParseIP(told)
	if toldAddr != nil && at != nil && !at.IsUnspecified() && !at.Equal(toldAddr) {
		t.say("MY_HOST_IP is %s, where others look for the agent, and it listens on %s; --listen %s has it listen there, --listen 0.0.0.0 on all addresses", told, listen, told)
	}
}

// watchedNetwork logs why the program cannot listen on a port.
type watchedNetwork struct {
	env.Network
	t trouble
}

func (n watchedNetwork) Serve(port, workers int, handler env.Handler) (env.Server, error) {
	server, err := n.Network.Serve(port, workers, handler)
	switch {
	case err == nil:
	case errors.Is(err, syscall.EADDRINUSE):
		n.t.say("port %d of the gRPC service: %v; end what listens there, or choose another port by PORT2 or agent_port", port, err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		n.t.say("port %d of the gRPC service: %v; --listen wants an address of this machine", port, err)
	case errors.Is(err, fs.ErrPermission):
		n.t.say("port %d of the gRPC service: %v; choose one from 1024 on by PORT2 or agent_port, or another user", port, err)
	default:
		n.t.say("port %d of the gRPC service: %v", port, err)
	}
	return server, err
}

// watchedZooKeepers logs ZooKeeper servers that give no session.
type watchedZooKeepers struct {
	env.ZooKeepers
	t trouble
}

func (z watchedZooKeepers) NewClient(hosts string, o env.ZooKeeperOptions) env.ZooKeeper {
	return watchedZooKeeper{z.ZooKeepers.NewClient(hosts, o), z.t, hosts}
}

type watchedZooKeeper struct {
	env.ZooKeeper
	t     trouble
	hosts string
}

func (z watchedZooKeeper) Start(limit time.Duration) error {
	err := z.ZooKeeper.Start(limit)
	if err == nil {
		return nil
	}
	var tried []string
	for host := range strings.SplitSeq(z.hosts, ",") {
		said := "it takes connections and gives no session"
		if err := z.t.e.Network.Probe(withPort(strings.TrimSpace(host)), 0); err != nil {
			said = err.Error()
		}
		tried = append(tried, fmt.Sprintf("%s: %s", host, said))
	}
	z.t.say("ZooKeeper gave no session (%s); correct zk_servers of the conf, or start a server there, as monosim zookeeper --listen 127.0.0.1:2181", strings.Join(tried, "; "))
	return err
}

// withPort adds ZooKeeper's default port 2181 to a host without a port.
func withPort(host string) string {
	if strings.LastIndexByte(host, ':') > strings.LastIndexByte(host, ']') {
		return host
	}
	return host + ":2181"
}

// watchedProcesses logs child programs that cannot be started, or that end by themselves.
type watchedProcesses struct {
	env.Processes
	t trouble
}

func (w watchedProcesses) Start(cmd env.Command) (env.Process, error) {
	process, err := w.Processes.Start(cmd)
	if err == nil {
		output := cmd.Output
		if output != "" && !filepath.IsAbs(output) {
			output = filepath.Join(w.t.e.Files.Getwd(), output)
		}
		return &watchedProcess{Process: process, t: w.t, program: cmd.Args[0], output: output}, nil
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok && failed.Op == "open" {
		w.t.say("log file of %s: %v; --tfs_log says where it is, relative to the directory of the program", strings.Join(cmd.Args[:1], ""), err)
	} else {
		w.t.say("model server: %v; agents of version 1 start bin/tensorflow_model_server in --tfs_home, those of version 3 what MONOLITH_TFS_BINARY names; monosim tfserving can take its place", err)
	}
	return nil, err
}

// watchedProcess is a child program that should run until it is killed.
type watchedProcess struct {
	env.Process
	t               trouble
	program, output string
	asked, told     bool // asked: it was asked to end; told: its end was reported
}

func (p *watchedProcess) Signal(sig env.Signal) error {
	p.asked = true
	return p.Process.Signal(sig)
}

func (p *watchedProcess) Poll() (code int, done bool) {
	code, done = p.Process.Poll()
	if done && !p.asked && !p.told {
		p.told = true
		p.t.say("model server %s, pid %d, has ended by itself with %d; %s", p.program, p.Pid(), code, lastWords(p.output))
	}
	return code, done
}

// wordsKept is how many bytes from the end of a program's output are logged.
const wordsKept = 1 << 10

// lastWords returns the end of an output file, or says why there is no output.
func lastWords(path string) string {
	if path == "" {
		return "it had no output file"
	}
	file, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer file.Close()
	if _, err := file.Seek(-wordsKept, io.SeekEnd); err != nil {
		_, err = file.Seek(0, io.SeekStart) // it is shorter
		if err != nil {
			return err.Error()
		}
	}
	data, err := io.ReadAll(io.LimitReader(file, wordsKept))
	if err != nil || len(data) == 0 {
		return "it has written nothing to " + path
	}
	return fmt.Sprintf("the end of %s:\n%s", path, strings.TrimSuffix(string(data), "\n"))
}

var _ env.Process = (*watchedProcess)(nil)
