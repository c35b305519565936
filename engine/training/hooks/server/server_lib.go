// Package server lets an operator stop, resume, save and watch a training from outside: the port of
// native_training/hooks/server. Messages are those of the reference's service Controller, in
// engine/proto/monolith/native_training/hooks/server.
//
// Two things to use first:
//
//   - [NewServerHook] serves in the chief, and writes its address to a file.
//   - [StubFromModelDir] reads the address and makes a [Stub], the client.
//
// To change what a call does: [Servicer.Handle]; the client: client_lib.go.
//
// Unstable: any commit may change it.
package server

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	serverpb "github.com/monosim/monosim/engine/proto/monolith/native_training/hooks/server"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

const (
	serverWorkers = 2                // number of calls that are handled at a time (server_lib.py:86)
	stopGrace     = 20 * time.Second // time that calls still have when the server ends (server_lib.py:95)
)

// Saver saves a checkpoint immediately. The saving hook implements it.
type Saver interface {
	TriggerSave(s session.Session) error
}

// Servicer handles the controller's calls (server_lib.py:32).
//
// Cost: the cost of asking who is blocked grows with the number of workers, because one element is
// read for each.
type Servicer struct {
	s       session.Session
	barrier *barrierops.BarrierOp
	saver   Saver
}

// NewServicer makes a servicer.
func NewServicer(s session.Session, barrier *barrierops.BarrierOp, saver Saver) *Servicer {
	return &Servicer{s: s, barrier: barrier, saver: saver}
}

// StopTraining places the barrier. It returns ALREADY_EXISTS if the barrier is already placed.
func (c *Servicer) StopTraining() (*serverpb.StopTrainingResponse, error) {
	err := c.barrier.PlaceBarrier(c.s, "")
	if errors.Is(err, barrierops.ErrBarrierAlreadyPlaced) {
		return nil, &env.RPCError{Code: rpcerrors.AlreadyExists, Message: "Barrier is placed already."}
	}
	return &serverpb.StopTrainingResponse{}, err
}

// ResumeTraining removes the barrier.
func (c *Servicer) ResumeTraining() (*serverpb.ResumeTrainingResponse, error) {
	return &serverpb.ResumeTrainingResponse{}, c.barrier.RemoveBarrier(c.s)
}

// GetBlockStatus returns which workers are waiting.
func (c *Servicer) GetBlockStatus() (*serverpb.GetBlockStatusResponse, error) {
	blocked, err := c.barrier.BlockedIndices(c.s)
	if err != nil {
		return nil, err
	}
	waits := map[int]bool{}
	response := &serverpb.GetBlockStatusResponse{}
	for _, i := range blocked {
		waits[i] = true
		response.BlockedIndices = append(response.BlockedIndices, int32(i))
	}
	for i := range c.barrier.Capacity() {
		if !waits[i] {
			response.UnblockedIndices = append(response.UnblockedIndices, int32(i))
		}
	}
	return response, nil
}

// SaveCheckpoint saves a checkpoint and returns the save's error.
func (c *Servicer) SaveCheckpoint() (*serverpb.SaveCheckpointResponse, error) {
	return &serverpb.SaveCheckpointResponse{}, c.saver.TriggerSave(c.s)
}

// GetTrainingStatus returns the global step.
func (c *Servicer) GetTrainingStatus() (*serverpb.GetTrainingStatusResponse, error) {
	step, err := session.Get[int64](c.s, session.Read(session.GlobalStep()))
	return &serverpb.GetTrainingStatusResponse{GlobalStep: step}, err
}

// Handle implements [env.Handler].
func (c *Servicer) Handle(method string, _ []byte) ([]byte, error) {
	var response proto.Message
	var err error
	switch method {
	case serverpb.Controller_StopTraining_FullMethodName:
		response, err = c.StopTraining()
	case serverpb.Controller_ResumeTraining_FullMethodName:
		response, err = c.ResumeTraining()
	case serverpb.Controller_GetBlockStatus_FullMethodName:
		response, err = c.GetBlockStatus()
	case serverpb.Controller_SaveCheckpoint_FullMethodName:
		response, err = c.SaveCheckpoint()
	case serverpb.Controller_GetTrainingStatus_FullMethodName:
		response, err = c.GetTrainingStatus()
	default:
		return nil, &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}
	}
	if err != nil {
		return nil, applicationError(err)
	}
	return proto.Marshal(response)
}

// applicationError returns the error that grpc-python sends for a servicer's exception. Its text is
// the exception's str().
func applicationError(err error) error {
	if python, ok := errors.AsType[*pysem.Error](err); ok {
		return fmt.Errorf("%s", python.Message)
	}
	return err
}

// ServerHook runs the controller's server during a session (server_lib.py:73). A new session starts
// another server, whose address replaces the previous one. The previous server then refuses new
// calls and stops.
type ServerHook struct {
	session.NoHook
	e        *env.Env
	modelDir string
	barrier  *barrierops.BarrierOp
	saver    Saver
	server   *controller
}

// controller is a server that can be stopped with a grace period, as grpc-python's server can.
type controller struct {
	env.Server
	running int
	stopped bool
}

// handle counts the running calls. A stopped server answers a new call as if there were no server
// at its address.
func (c *controller) handle(next env.Handler) env.Handler {
	return func(method string, request []byte) ([]byte, error) {
		if c.stopped {
			return nil, &env.RPCError{Code: rpcerrors.Unavailable, Message: "failed to connect to all addresses"}
		}
		c.running++
		defer func() { c.running-- }()
		return next(method, request)
	}
}

// stop refuses new calls at once. If calls are running, the server stops after the grace period,
// and otherwise at once.
func (c *controller) stop(e *env.Env) {
	c.stopped = true
	if c.running == 0 {
		c.Stop()
		return
	}
	threading.Start(e.Tasks, "controller-grace", func() {
		e.Tasks.Sleep(stopGrace)
		c.Stop()
	})
}

// NewServerHook makes the hook.
func NewServerHook(e *env.Env, modelDir string, barrier *barrierops.BarrierOp, saver Saver) *ServerHook {
	return &ServerHook{e: e, modelDir: modelDir, barrier: barrier, saver: saver}
}

// AfterCreateSession starts a server on a free port and writes its address file in a single step.
// It stops the server of the previous session, which ends in Python because nothing refers to it
// any more.
func (h *ServerHook) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	if h.server != nil {
		h.server.stop(h.e)
	}
	h.server = &controller{}
	server, err := h.e.Network.Serve(0, serverWorkers, h.server.handle(NewServicer(s, h.barrier, h.saver).Handle))
	if err != nil {
		return err
	}
	h.server.Server = server
	addr, err := training.LocalServerAddr(h.e.Host, fmt.Sprint(server.Port()))
	if err != nil {
		return err
	}
	if err := gfile.MakeDirs(h.e.Files, h.modelDir); err != nil {
		return err
	}
	return gfile.WriteAtomic(h.e.Files, pysem.JoinStrings(h.modelDir, ServerAddrFilename), []byte(addr))
}

// Server returns the server, or nil before the first session.
func (h *ServerHook) Server() env.Server {
	if h.server == nil {
		return nil
	}
	return h.server.Server
}

// End stops the server, with a grace period for the calls that run, and keeps the file. It raises an AttributeError if the
// hook has no server (Q203).
func (h *ServerHook) End(session.Session) error {
	if h.server == nil {
		return pysem.AttributeError(nil, "stop")
	}
	h.server.stop(h.e)
	return nil
}
