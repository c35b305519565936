package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/service"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/runners/process"
)

// Place holds the paths, the address and the settings for a measured agent.
type Place struct {
	// Dir is the agent's own directory. Home lies below Dir and has the model server's program in
	// its folder bin. Conf is the path of the agent.conf.
	Dir, Home, Conf string
	// IP is the address at which others reach the agent. "" means 127.0.0.1.
	IP string
	// Speed is the speed of the agent's time as a multiple of wall time. 0 means 1.
	Speed float64
	// Flags are command-line flags that every agent gets.
	Flags []string
	// Env holds variables that are added to this program's environment.
	Env []string
}

// agent is a running agent process with its address and its output.
type agent struct {
	addr   string
	cmd    *exec.Cmd
	output process.Tail
	ended  chan struct{}
	err    error // error with which the process ended
}

const (
	// startLimit is the longest wait for an agent's first answer. Python imports modules first, and
	// each agent watches a thousand znodes one after the other.
	startLimit = 2 * time.Minute
	// outputKept is how many bytes from the end of the agent's output an error shows.
	outputKept = 4 << 10
	look       = 50 * time.Millisecond
)

// wrapper is the script that the agent starts as its model server. The reference searches it for
// the text in its second line (tfs_wrapper.py:49).
const wrapper = `#!/bin/sh
# PredictionServiceGrpc
exec '%s' tfserving --monosim_stand_ins "$@"
`

const conf = `bzid ` + bzid + `
base_name ` + baseName + `
base_path %s
num_ps 1
server_type ps
agent_version 1
zk_servers %s
`

// furnish makes the directory of an agent of version 1. The agent serves PS 0 in addition to
// watching the replicas.
func furnish(dir, monosim, zooKeeper string) (Place, error) {
	p := Place{Dir: dir, Home: filepath.Join(dir, "home"), Conf: filepath.Join(dir, "agent.conf")}
	model := filepath.Join(dir, "models", "ps_0", "1")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(p.Home, "bin"), 0o755), os.MkdirAll(filepath.Join(p.Home, "conf"), 0o755), os.MkdirAll(model, 0o755),
		os.WriteFile(filepath.Join(model, "saved_model.pb"), []byte("{}"), 0o644),
		os.WriteFile(p.Conf, fmt.Appendf(nil, conf, filepath.Join(dir, "models"), zooKeeper), 0o644),
		os.WriteFile(filepath.Join(p.Home, "bin", "tensorflow_model_server"), fmt.Appendf(nil, wrapper, monosim), 0o755),
	} {
		if err != nil {
			return p, err
		}
	}
	p.Flags = []string{"--conf=" + p.Conf, "--tfs_log=" + filepath.Join(dir, "tfs.log"), "--verbosity=-1"}
	return p, nil
}

// start starts an agent and returns once the agent knows the given number of replicas.
func start(program func(Place) (*exec.Cmd, error), p Place, replicas int) (*agent, error) {
	ports, err := process.FreePorts(1)
	if err != nil {
		return nil, err
	}
	p.Env = []string{
		"SHARD_ID=0", "REPLICA_ID=0", "MONOLITH_HOST_SHARD_N=1", "MY_HOST_IP=127.0.0.2", "MY_POD_NAME=bench", "TCE_PSM=bench",
		"PORT2=" + strconv.Itoa(ports[0]),
	}
	cmd, err := program(p)
	if err != nil {
		return nil, err
	}
	a := &agent{addr: fmt.Sprintf("127.0.0.1:%d", ports[0]), cmd: cmd, output: process.Tail{Max: outputKept}, ended: make(chan struct{})}
	Begin(cmd)
	cmd.Stdout, cmd.Stderr = &a.output, &a.output
	process.DieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		a.err = cmd.Wait()
		close(a.ended)
	}()
	if err := a.await(replicas); err != nil {
		a.stop()
		return nil, fmt.Errorf("%s: %w; it said:\n%s", cmd.Path, err, a.output.String())
	}
	return a, nil
}

// Begin gives the command the line "begin" on stdin. The reference's agent waits for this line.
func Begin(cmd *exec.Cmd) *exec.Cmd {
	cmd.Stdin = strings.NewReader("begin\n")
	return cmd
}

// await waits until the agent's answers contain the given number of replicas.
func (a *agent) await(replicas int) error {
	conn, err := grpc.NewClient(a.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	call, err := heartBeat(replicas)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	for last := error(nil); ; {
		var answer agentservice.HeartBeatResponse
		err := conn.Invoke(ctx, service.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_ENTRY}, &answer)
		if err == nil {
			data, _ := proto.Marshal(&answer) // it was unmarshalled
			if err = call.Check(0, data); err == nil {
				return nil
			}
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-a.ended:
			return fmt.Errorf("the agent has ended: %w", errors.Join(a.err, errEnded))
		case <-ctx.Done():
			return fmt.Errorf("the agent does not know all replicas after %v: %w", startLimit, last)
		case <-time.After(look):
		}
	}
}

// errEnded is the error for an agent that ended by itself.
var errEnded = errors.New("it should run until it is killed")

// endLimit is the longest wait for an agent to end its model server and itself.
const endLimit = 20 * time.Second

// stop asks the agent to end by SIGTERM, so that its model server ends too. After endLimit it kills
// the agent.
func (a *agent) stop() {
	_ = a.cmd.Process.Signal(syscall.SIGTERM) // the error os.ErrProcessDone means that the agent has ended already
	select {
	case <-a.ended:
	case <-time.After(endLimit):
		_ = a.cmd.Process.Kill()
	}
	<-a.ended
}
