package training

import (
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	primus "github.com/monosim/monosim/engine/proto/monolith/native_training/proto"
	"github.com/monosim/monosim/engine/pysem"
)

// LocalHost returns the address by which other processes of the job reach this host. It is the
// first in CLOUDNATIVE_INET_ADDR, else YARN_INET_ADDR, else the address of the host's name
// (yarn_runtime.py:30). An empty address is an AssertionError.
func LocalHost(host env.Host) (string, error) {
	local, err := "", error(nil)
	if v, ok := host.LookupEnv("CLOUDNATIVE_INET_ADDR"); ok {
		local, _, _ = strings.Cut(v, ",")
	} else if v, ok := host.LookupEnv("YARN_INET_ADDR"); ok {
		local = v
	} else {
		local, err = LocalIP(host)
	}
	if err == nil && local == "" {
		err = assertion()
	}
	return local, err
}

// assertion returns the error of a failed assert without a message.
func assertion() error { return &pysem.Error{Type: "AssertionError"} }

// ApplicationMaster calls Primus's application master, which ends the job and makes save points of
// its input (yarn_runtime.py:46).
//
// Cost: a call does not grow with the job: it is one request. A save point is asked for every 5 s
// until it is there.
type ApplicationMaster struct {
	e    *env.Env
	addr string
}

// NewApplicationMaster reads the master's address from PRIMUS_AM_RPC_HOST and PRIMUS_AM_RPC_PORT.
// Unless both are set, there is no master to call.
func NewApplicationMaster(e *env.Env) *ApplicationMaster {
	m := &ApplicationMaster{e: e}
	host, hasHost := e.Host.LookupEnv("PRIMUS_AM_RPC_HOST")
	port, hasPort := e.Host.LookupEnv("PRIMUS_AM_RPC_PORT")
	if hasHost && hasPort {
		m.addr = host + ":" + port
	}
	return m
}

// Timeouts and periods of calls to the application master (yarn_runtime.py:72).
const (
	masterTimeout    = 10 * time.Second
	masterGraceMs    = 20000
	masterService    = "/primus.AppMasterService/"
	savePointPoll    = 5 * time.Second
	killedExitStatus = 1
)

// call calls the master. It returns an *env.RPCError, or an error of encoding the request or
// decoding the answer.
func (m *ApplicationMaster) call(channel env.Channel, method string, request, response proto.Message) error {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	if err != nil {
		return err
	}
	answer, err := channel.Call(masterService+method, data, masterTimeout)
	if err != nil {
		return err
	}
	return proto.Unmarshal(answer, response)
}

// MaybeKill asks the master to end the application as failed, for a reason. It reports whether the
// master accepted (yarn_runtime.py:63). Without a master it returns false.
func (m *ApplicationMaster) MaybeKill(reason string) bool {
	if m.addr == "" {
		m.e.Log.Logf(env.Info, "Current framework doesn't support kill. Ignore killing...")
		return false
	}
	channel := m.e.Network.Dial(m.addr)
	defer channel.Close()
	request := &primus.KillRequest{ExitCode: killedExitStatus, Diagnose: reason, GracefulShutdownTimeoutMs: wrapperspb.Int64(masterGraceMs)}
	if err := m.call(channel, "kill", request, &primus.KillResponse{}); err != nil {
		m.e.Log.Logf(env.Info, "Failed to kill application: %s", err)
		return false
	}
	m.e.Log.Logf(env.Info, "Successfully killed application.")
	return true
}

// MaybeFinish asks the master to end the application as successful (yarn_runtime.py:85). It returns
// true if the master accepted, and None otherwise.
func (m *ApplicationMaster) MaybeFinish() pysem.Opt[bool] {
	if m.addr == "" {
		return pysem.Opt[bool]{}
	}
	channel := m.e.Network.Dial(m.addr)
	defer channel.Close()
	request := &primus.SucceedRequest{GracefulShutdownTimeoutMs: wrapperspb.Int64(masterGraceMs)}
	if err := m.call(channel, "succeed", request, &primus.SucceedResponse{}); err != nil {
		m.e.Log.Logf(env.Info, "Failed to finish application: %s", err)
		return pysem.Opt[bool]{}
	}
	m.e.Log.Logf(env.Info, "Successfully mark the application success.")
	return pysem.Some(true)
}

// CreateSavePoint asks for a save point in a directory, and waits for it without limit
// (yarn_runtime.py:99). It reports whether the save point succeeded, and returns None without a
// master.
func (m *ApplicationMaster) CreateSavePoint(dir string) pysem.Opt[bool] {
	if m.addr == "" {
		return pysem.Opt[bool]{}
	}
	channel := m.e.Network.Dial(m.addr)
	defer channel.Close()
	made := &primus.CreateSavepointResponse{}
	if err := m.call(channel, "createSavepoint", &primus.CreateSavepointRequest{SavepointDir: dir}, made); err != nil {
		m.e.Log.Logf(env.Info, "Failed to create primus save point: %s", err)
		return pysem.Some(false)
	}
	if made.Code != 0 {
		m.e.Log.Logf(env.Error, "Failed to create primus save point: %s", made.Message)
		return pysem.Some(false)
	}
	return pysem.Some(m.awaitSavePoint(channel, made.SavepointId))
}

func (m *ApplicationMaster) awaitSavePoint(channel env.Channel, id string) bool {
	for {
		status := &primus.CreateSavepointStatusResponse{}
		if err := m.call(channel, "createSavepointStatus", &primus.CreateSavepointStatusRequest{SavepointRestoreId: id}, status); err != nil {
			m.e.Log.Logf(env.Info, "Failed to create primus save point: %s", err)
			return false
		}
		switch status.CreateSavepointState {
		case primus.CreateSavepointStatusResponse_PENDING, primus.CreateSavepointStatusResponse_RUNNING:
			m.e.Tasks.Sleep(savePointPoll)
			continue
		case primus.CreateSavepointStatusResponse_SUCCEEDED:
			m.e.Log.Logf(env.Info, "Create primus save point succeeded.")
			return true
		}
		m.e.Log.Logf(env.Error, "Failed to create primus save point: %s", status.Message)
		return false
	}
}
