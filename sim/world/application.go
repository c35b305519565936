package world

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	primus "github.com/monosim/monosim/engine/proto/monolith/native_training/proto"
	"github.com/monosim/monosim/sim/hosts"
)

// These are the name, address and port of the application master.
const (
	ApplicationMasterHost = "application-master"
	applicationMasterIP   = "10.0.0.4"
	applicationMasterPort = 30000
)

// ApplicationMaster is the master of the training job, like Primus's. The chief worker reports to
// it that the job has succeeded or failed. After the grace period that the chief names, the master
// kills all remaining processes.
type ApplicationMaster struct {
	w       *World
	machine *hosts.Machine
	ended   bool // ended means that processes are not restarted
}

func (w *World) addApplicationMaster() {
	if w.spec.Training == nil || !w.spec.Training.ApplicationMaster {
		return
	}
	m := &ApplicationMaster{w: w, machine: hosts.NewMachine(w.net, hosts.Config{Name: ApplicationMasterHost, IPs: []string{applicationMasterIP}})}
	w.master = m
	life := m.machine.Node.NewProcess(ApplicationMasterHost)
	e := m.machine.Env(life, nil)
	life.Start("main", func() {
		if _, err := e.Network.Serve(applicationMasterPort, 0, m.handle); err != nil {
			panic(err)
		}
		life.Rest("calls", func() {}, nil)
	})
}

// vars returns the environment variables with the master's address for a process of the job
// (yarn_runtime.py:49). Without a master it returns nil.
func (m *ApplicationMaster) vars() []string {
	if m == nil {
		return nil
	}
	return []string{"PRIMUS_AM_RPC_HOST=" + applicationMasterIP, fmt.Sprintf("PRIMUS_AM_RPC_PORT=%d", applicationMasterPort)}
}

// handle answers a gRPC call from a process of the job.
func (m *ApplicationMaster) handle(method string, request []byte) ([]byte, error) {
	bad := func(err error) ([]byte, error) {
		return nil, &env.RPCError{Code: rpcerrors.InvalidArgument, Message: err.Error()}
	}
	switch method {
	case "/primus.AppMasterService/succeed":
		r := &primus.SucceedRequest{}
		if err := proto.Unmarshal(request, r); err != nil {
			return bad(err)
		}
		m.endIn(r.GetGracefulShutdownTimeoutMs().GetValue(), "application.succeeded", "")
		return proto.Marshal(&primus.SucceedResponse{})
	case "/primus.AppMasterService/kill":
		r := &primus.KillRequest{}
		if err := proto.Unmarshal(request, r); err != nil {
			return bad(err)
		}
		m.endIn(r.GetGracefulShutdownTimeoutMs().GetValue(), "application.killed", r.GetDiagnose())
		return proto.Marshal(&primus.KillResponse{})
	}
	return nil, &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}
}

func (m *ApplicationMaster) endIn(graceMs int64, op, reason string) {
	m.ended = true
	m.w.observe(ApplicationMasterHost, op, "", reason, 0)
	m.w.at(time.Duration(graceMs)*time.Millisecond, m.w.EndApplication)
}

// ApplicationMaster returns the master of the training job; nil for none.
func (w *World) ApplicationMaster() *ApplicationMaster { return w.master }

// EndApplication kills all processes of the training job by SIGKILL. They are not restarted.
func (w *World) EndApplication() {
	w.over = true
	for _, t := range w.trainers {
		if t.proc != nil {
			_ = t.proc.Signal(env.SIGKILL) // the error is not looked at: it says that the process has just ended
		}
	}
}

// isOver reports whether the master has ended the job, or is about to end it.
func (w *World) isOver() bool { return w.over || w.master != nil && w.master.ended }
