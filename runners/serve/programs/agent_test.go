package programs_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/monosim/monosim/engine/agent/service"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/serve/programs/bench"
	tfsbench "github.com/monosim/monosim/runners/tfserving/bench"
)

// limit is the longest wait of a test. An idle machine needs only seconds.
const limit = 2 * time.Minute

// stage is the surroundings of a test's agents: a directory with their files, and a ZooKeeper
// address.
type stage struct {
	t            *testing.T
	program, dir string
	zooKeeper    string
	host         string // of the agent
	port         int
}

// fast is the speed of agents, ZooKeeper and model servers, as a multiple of wall time.
const fast = 10

const wrapper = `#!/bin/sh
# PredictionServiceGrpc
echo $$ >> %[1]s/pids
exec %[2]s tfserving --monosim_stand_ins --monosim_host=127.0.0.2 --monosim_speed=%[3]d "$@"
`

func newStage(t *testing.T) *stage {
	t.Helper()
	program := filepath.Join(bin, "monosim")
	ports, err := process.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, program: program, dir: t.TempDir(), host: "127.0.0.2", port: ports[0], zooKeeper: fmt.Sprintf("127.0.0.1:%d", ports[1])}
	for _, dir := range []string{"home/bin", "home/conf", "models/ps_0/1", "models/dense_0/1"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, model := range []string{"ps_0", "dense_0"} {
		s.write("models/"+model+"/1/saved_model.pb", "{}")
	}
	s.write("home/bin/tensorflow_model_server", fmt.Sprintf(wrapper, s.dir, program, fast))
	return s
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// serveZooKeeper starts a ZooKeeper server, which ends with the test. Session timeouts are in wall
// time, so that a busy machine does not lose sessions.
func (s *stage) serveZooKeeper() {
	s.t.Helper()
	s.start(exec.Command(s.program, "zookeeper", "--listen", s.zooKeeper, "--speed", fmt.Sprint(fast), "--log-writes", filepath.Join(s.dir, "writes")))
	s.await("ZooKeeper", func() bool {
		conn, err := net.Dial("tcp", s.zooKeeper)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
}

func (s *stage) start(cmd *exec.Cmd) *running {
	s.t.Helper()
	r := &running{Cmd: cmd, said: process.Tail{Max: 1 << 16}, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &r.said, &r.said
	process.DieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // the error is not looked at, because the process state has it
		close(r.ended)
	}()
	s.t.Cleanup(func() {
		// SIGTERM lets the agent end its model server. A killed agent would leave the model server
		// running.
		_ = cmd.Process.Signal(syscall.SIGTERM) // the error os.ErrProcessDone means that the agent has ended already
		select {
		case <-r.ended:
		case <-time.After(limit):
			s.t.Errorf("%v does not end", cmd.Args)
			_ = cmd.Process.Kill()
			<-r.ended
		}
		if s.t.Failed() {
			s.t.Logf("%v said:\n%s", cmd.Args[1:2], &r.said)
		}
	})
	return r
}

// running is a process that a test has started, with the end of its output.
type running struct {
	*exec.Cmd
	said  process.Tail
	ended chan struct{}
}

// code waits for the end of the process and returns its exit code. -n means that signal n ended it.
func (r *running) code(t *testing.T) int {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(limit):
		t.Fatalf("the program has not ended; it said:\n%s", &r.said)
	}
	if status := r.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return -int(status.Signal())
	}
	return r.ProcessState.ExitCode()
}

// await looks until met.
func (s *stage) await(what string, met func() bool) {
	s.t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(limit); !met(); <-look.C {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s has not come", what)
		}
	}
}

const conf = `bzid test
base_name ctr
base_path %s/models
num_ps 1
zk_servers %s
`

// agent starts an agent. lines are added to its agent.conf, and env to its environment.
func (s *stage) agent(lines string, env ...string) *running {
	s.t.Helper()
	s.write("agent.conf", fmt.Sprintf(conf, s.dir, s.zooKeeper)+lines)
	cmd := exec.Command(s.program, "agent", "--conf", filepath.Join(s.dir, "agent.conf"), "--tfs_log", filepath.Join(s.dir, "tfs.log"), "--tfs_home", filepath.Join(s.dir, "home"), "--speed", fmt.Sprint(fast), "--localhost", "127.0.0.2")
	cmd.Env = append(os.Environ(), "SHARD_ID=0", "REPLICA_ID=0", "MY_HOST_IP=127.0.0.2", "MY_POD_NAME=pod", "TCE_PSM=test",
		"TMPDIR="+s.dir, "MONOLITH_TFS_BINARY="+filepath.Join(s.dir, "home/bin/tensorflow_model_server"))
	cmd.Env = append(cmd.Env, env...)
	return s.start(cmd)
}

// portOf returns the environment variable that makes an agent serve on the stage's port.
func (s *stage) portOf() string { return "PORT2=" + strconv.Itoa(s.port) }

// heartBeat asks the agent.
func (s *stage) heartBeat(t agentservice.ServerType) (map[string]*agentservice.AddressList, error) {
	conn, err := grpc.NewClient(fmt.Sprintf("%s:%d", s.host, s.port), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	var answer agentservice.HeartBeatResponse
	err = conn.Invoke(ctx, service.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: t}, &answer)
	return answer.GetAddresses(), err
}

// pids returns the process ids of all model servers that were started so far.
func (s *stage) pids() []int {
	data, _ := os.ReadFile(filepath.Join(s.dir, "pids")) // before the first start there is no such file
	var list []int
	for word := range strings.FieldsSeq(string(data)) {
		if pid, err := strconv.Atoi(word); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// awaitNoServers waits until all model servers have ended.
func (s *stage) awaitNoServers() {
	s.t.Helper()
	for _, pid := range s.pids() {
		s.await(fmt.Sprintf("the end of model server %d", pid), func() bool {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
	}
}

func (s *stage) written(part string) func() bool {
	return func() bool {
		data, _ := os.ReadFile(filepath.Join(s.dir, "writes")) // ZooKeeper makes it
		return strings.Contains(string(data), part)
	}
}

func needsLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked at in /proc, which only Linux has")
	}
}

// Goal: an agent of version 1 registers its model server's service and returns its address. After
// SIGTERM it ends the model server and then kills itself.
func TestAgentV1(t *testing.T) {
	needsLinux(t)
	s := newStage(t)
	s.serveZooKeeper()
	agent := s.agent("server_type ps\nagent_version 1\n", s.portOf())
	s.await("its PS", func() bool {
		addresses, err := s.heartBeat(agentservice.ServerType_PS)
		return err == nil && len(addresses["ps:0"].GetAddress()) == 1
	})
	if err := agent.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := agent.code(t); code != killedByItself {
		t.Errorf("ended with %d, want %d", code, killedByItself)
	}
	s.awaitNoServers()
}

// Goal: when the model server ends, the agent ends too. It logs which program ended, and the end of
// that program's output.
func TestAgentV3EndsWithItsModelServer(t *testing.T) {
	needsLinux(t)
	s := newStage(t)
	s.serveZooKeeper()
	agent := s.agent("deploy_type unified\nagent_version 3\nlayout_pattern main\n", s.portOf())
	s.await("its registration", s.written("/test/container_service/"))
	s.await("its service", func() bool { _, err := s.heartBeat(agentservice.ServerType_PS); return err == nil })
	s.await("its model server", func() bool { return len(s.pids()) == 1 })
	if err := syscall.Kill(s.pids()[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := agent.code(t); code != killedByItself {
		t.Errorf("ended with %d, want %d", code, killedByItself)
	}
	if said := agent.said.String(); !strings.Contains(said, "has ended by itself with -9; ") {
		t.Errorf("said nothing of the model server's end:\n%s", said)
	}
}

// Goal: a dense pod runs an agent process for each dense service. All of them end when the pod's
// main process ends, for whatever reason.
func TestDenseAgents(t *testing.T) {
	needsLinux(t)
	s := newStage(t)
	s.serveZooKeeper()
	agent := s.agent("deploy_type dense\ndense_alone true\ndense_service_num 2\nagent_version 1\n")
	s.await("two model servers", func() bool { return len(s.pids()) == 2 })
	for _, index := range []string{"mps0", "mps1"} {
		if _, err := os.Stat(filepath.Join(s.dir, "dense_tfs.log."+index)); err != nil {
			t.Error(err)
		}
	}
	if said := agent.said.String(); strings.Count(said, "environ is : ") != 1 || strings.Count(said, "the corresponding replica_id 0") != 0 || strings.Count(said, "the corresponding replica_id") != 2 {
		t.Errorf("wanted one environment and two replica ids:\n%s", said)
	}
	if err := agent.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := agent.code(t); code != -15 {
		t.Errorf("ended with %d, want -15", code)
	}
	s.awaitNoServers()
}

// Goal: if an agent cannot run, it logs what it tried and what to do. Its exit code is the
// reference's.
func TestWhatKeepsAnAgentFromRunning(t *testing.T) {
	needsLinux(t)
	for _, c := range []struct {
		name, conf string
		env        []string
		prepare    func(s *stage)
		code       int
		says       []string
	}{
		{"version 2", "agent_version 2\nserver_type ps\n", nil, nil, 1, []string{"Exception: agent_version v2 is not support"}},
		{"no ZooKeeper", "agent_version 1\nserver_type ps\n", nil, nil, 1, []string{"ZooKeeper gave no session (", "connection refused); correct zk_servers"}},
		{"a port that is taken", "agent_version 1\nserver_type ps\n", nil, (*stage).takePort, 1, []string{"address already in use; end what listens there, or choose another port by PORT2"}},

		{"no model server", "agent_version 3\ndeploy_type unified\nlayout_pattern main\n", []string{"MONOLITH_TFS_BINARY=/no/such"}, nil, 1, []string{"model server: exec /no/such: no such file or directory; agents of version 1 start"}},
		{"a model server that ends", "agent_version 1\nserver_type ps\n", nil, (*stage).breakServer, killedByItself, []string{"has ended by itself with 3; the end of ", "out of order"}},
		{"an address where it does not listen", "agent_version 2\nserver_type ps\n", []string{"MY_HOST_IP=10.1.2.3"}, nil, 1, []string{"MY_HOST_IP is 10.1.2.3, where others look for the agent, and it listens on 127.0.0.2; --listen 10.1.2.3 has it listen there"}},
		{"a word that nobody knows", "agent_version 2\nserver_type ps\nversion_policy newest\n", nil, nil, 1, []string{"agent.conf:8: found version_policy \"newest\", want one of "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // run side by side, because each of them waits for timeouts
			s := newStage(t)
			if c.prepare != nil {
				c.prepare(s)
			}
			agent := s.agent(c.conf, append([]string{s.portOf()}, c.env...)...)
			if c.code == killedByItself {
				s.await("its model server's port", func() bool { return strings.Contains(agent.said.String(), " opened!") })
				s.write("end", "")
			}
			if code := agent.code(t); code != c.code {
				t.Errorf("ended with %d, want %d", code, c.code)
			}
			for _, part := range c.says {
				if said := agent.said.String(); !strings.Contains(said, part) {
					t.Errorf("did not say %q:\n%s", part, said)
				}
			}
		})
	}
}

// takePort starts ZooKeeper and occupies the agent's port, so that the agent cannot listen on it.
func (s *stage) takePort() {
	s.t.Helper()
	s.serveZooKeeper()
	l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", s.host, s.port))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { l.Close() })
}

// killedByItself is the exit code of an agent after the end of its model server: it sends itself
// SIGKILL.
const killedByItself = -9

// breakServer starts ZooKeeper, and installs a model server that ends once a file named end exists.
func (s *stage) breakServer() {
	s.t.Helper()
	s.serveZooKeeper()
	// The model server must not end before the agent has seen its port open. Otherwise the agent
	// waits an hour for the port.
	s.write("home/bin/tensorflow_model_server", fmt.Sprintf("#!/bin/sh\n%[1]s tfserving --monosim_stand_ins --monosim_host=127.0.0.2 --monosim_speed=%[2]d \"$@\" &\nserver=$!\nwhile [ -d %[3]s ] && ! [ -e %[3]s/end ]; do sleep 0.05; done\nkill $server\necho out of order\nexit 3\n", s.program, fast, s.dir))
}

// Goal: an agent.conf that cannot be read is an exception with exit code 1. Invalid flags give
// exit code 2.
func TestAgentFlags(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--conf", filepath.Join(s.dir, "none")}, 1, "no such file or directory; --conf names the agent.conf"},
		{nil, 2, "conf: found none, want the path of an agent.conf"},
		{[]string{"--conf=x", "--speed=0"}, 2, "want a number above 0, as 10x"},
		{[]string{"--conf=x", "--speed=1e9x"}, 2, "speed: found 1e+09, want 0.001 to 1000"},
		{[]string{"--conf=x", "--listen=host:1"}, 2, `listen: found "host:1", want an IP address`},
		{[]string{"--conf=x", "--quirks=none"}, 2, "none"},
		{[]string{"--conf=x", "--python=2.7"}, 2, "want 3.8 to 3.13"},
		{[]string{"--conf=x", "more"}, 2, "more"},
	} {
		r := s.start(exec.Command(s.program, append([]string{"agent"}, c.args...)...))
		if code := r.code(t); code != c.code || !strings.Contains(r.said.String(), c.says) {
			t.Errorf("%q: got %d, want %d and %q: %s", c.args, code, c.code, c.says, &r.said)
		}
	}
	for _, seed := range []string{"-1", "4294967296", "1 ", "Random"} {
		command := exec.Command(s.program, "agent", "--conf=x")
		command.Env = append(os.Environ(), "PYTHONHASHSEED="+seed)
		want := fmt.Sprintf("PYTHONHASHSEED: found %q, want", seed)
		if r := s.start(command); r.code(t) != 2 || !strings.Contains(r.said.String(), want) {
			t.Errorf("PYTHONHASHSEED=%q: got %d, want 2 and %q: %s", seed, r.code(t), want, &r.said)
		}
	}
}

// Goal: the benchmark measures an agent that watches all replicas, and reports as many steps as
// announced.
func TestBench(t *testing.T) {
	needsLinux(t)
	steps := 0
	o := bench.Options{
		Program: filepath.Join(bin, "monosim"), Replicas: 20, Rate: 50, Rounds: 1, Length: tfsbench.Length{For: 100 * time.Millisecond},
		Progress: func(string) { steps++ },
	}
	report, err := bench.Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if steps != o.Steps() {
		t.Errorf("told of %d steps, want %d", steps, o.Steps())
	}
	for _, row := range report.Rows {
		if row.Value <= 0 && row.Unit != "us" && row.Unit != "/s" {
			t.Errorf("%s: found %g %s", row.What, row.Value, row.Unit)
		}
	}
	if len(report.Rows) != 6 {
		t.Errorf("got rows %+v, want 6", report.Rows)
	}
}
