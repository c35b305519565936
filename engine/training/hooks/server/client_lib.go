package server

import (
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	serverpb "github.com/monosim/monosim/engine/proto/monolith/native_training/hooks/server"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/gfile"
)

// Stub is a client of a controller. Its calls have no timeout and are not retried. Errors are
// *env.RPCError.
//
// Cost: the cost of a call does not grow with the job, because it sends one request. To make a
// stub, one file is read.
type Stub struct {
	target  string
	channel env.Channel
}

// ServerAddrFilename is the name of the address file in the model's directory (constants.py:14).
const ServerAddrFilename = "controller_server_addr.txt"

// StubFromModelDir returns a stub for the address stored in a model's directory. A missing file
// raises a NotFoundError (client_lib.py:25).
func StubFromModelDir(e *env.Env, modelDir string) (*Stub, error) {
	addr, err := gfile.Read(e.Files, pysem.JoinStrings(modelDir, ServerAddrFilename))
	if err != nil {
		return nil, err
	}
	text, err := pysem.DecodeUTF8(addr)
	if err != nil {
		return nil, err
	}
	return &Stub{target: text, channel: e.Network.Dial(text)}, nil
}

// Target returns the address.
func (s *Stub) Target() string { return s.target }

// Close ends the channel.
func (s *Stub) Close() { s.channel.Close() }

// StopTraining asks the controller to place the barrier.
func (s *Stub) StopTraining() (*serverpb.StopTrainingResponse, error) {
	response := &serverpb.StopTrainingResponse{}
	return response, s.call(serverpb.Controller_StopTraining_FullMethodName, response)
}

// ResumeTraining asks the controller to remove the barrier.
func (s *Stub) ResumeTraining() (*serverpb.ResumeTrainingResponse, error) {
	response := &serverpb.ResumeTrainingResponse{}
	return response, s.call(serverpb.Controller_ResumeTraining_FullMethodName, response)
}

// GetBlockStatus asks the controller which workers are waiting.
func (s *Stub) GetBlockStatus() (*serverpb.GetBlockStatusResponse, error) {
	response := &serverpb.GetBlockStatusResponse{}
	return response, s.call(serverpb.Controller_GetBlockStatus_FullMethodName, response)
}

// SaveCheckpoint asks the controller to save and returns after the save.
func (s *Stub) SaveCheckpoint() (*serverpb.SaveCheckpointResponse, error) {
	response := &serverpb.SaveCheckpointResponse{}
	return response, s.call(serverpb.Controller_SaveCheckpoint_FullMethodName, response)
}

// GetTrainingStatus asks the controller for the global step.
func (s *Stub) GetTrainingStatus() (*serverpb.GetTrainingStatusResponse, error) {
	response := &serverpb.GetTrainingStatusResponse{}
	return response, s.call(serverpb.Controller_GetTrainingStatus_FullMethodName, response)
}

// noLimit is the timeout of all calls. It means no limit.
const noLimit = time.Duration(0)

func (s *Stub) call(method string, response proto.Message) error {
	data, err := s.channel.Call(method, nil, noLimit)
	if err != nil {
		return err
	}
	if err := proto.Unmarshal(data, response); err != nil {
		return &env.RPCError{Code: rpcerrors.Internal, Message: "Exception deserializing response!"}
	}
	return nil
}
