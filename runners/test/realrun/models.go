package realrun

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
)

// ModelServers implements env.ModelServers for a process, by gRPC over its network. The
// network gives failures their text and ends calls that a task cancels.
type ModelServers struct{ Network env.Network }

// Dial makes a client of the model server at addr, host:port.
func (m ModelServers) Dial(addr string) env.ModelServer {
	return &modelServer{m.Network.Dial(addr)}
}

// modelServer is a client of one model server.
type modelServer struct{ channel env.Channel }

// Status asks for the versions of a model.
func (m *modelServer) Status(spec env.ModelSpec, timeout time.Duration) ([]env.ModelVersionStatus, error) {
	request, err := proto.Marshal(&apis.GetModelStatusRequest{ModelSpec: specMessage(spec)})
	if err != nil {
		return nil, &env.RPCError{Code: rpcerrors.Internal, Message: notSerialized}
	}
	response := &apis.GetModelStatusResponse{}
	if err := m.call(apis.ModelService_GetModelStatus_FullMethodName, request, response, timeout); err != nil {
		return nil, err
	}
	var versions []env.ModelVersionStatus
	for _, v := range response.GetModelVersionStatus() {
		versions = append(versions, env.ModelVersionStatus{
			Version: v.GetVersion(), State: env.ModelState(v.GetState()), Status: statusProto(v.GetStatus()),
		})
	}
	return versions, nil
}

// Reload sends the encoded config without parsing it, because only the server decides
// whether it is valid.
func (m *modelServer) Reload(config []byte, timeout time.Duration) (env.StatusProto, error) {
	request := protowire.AppendTag(nil, reloadConfigField, protowire.BytesType)
	request = protowire.AppendBytes(request, config)
	response := &apis.ReloadConfigResponse{}
	if err := m.call(apis.ModelService_HandleReloadConfigRequest_FullMethodName, request, response, timeout); err != nil {
		return env.StatusProto{}, err
	}
	return statusProto(response.GetStatus()), nil
}

// reloadConfigField is the field number of ReloadConfigRequest.config.
const reloadConfigField = 1

// Close ends the connection and fails the waiting calls.
func (m *modelServer) Close() { m.channel.Close() }

// Error texts of grpc-python for bytes that are not a valid message (grpc/_channel.py).
const (
	notSerialized   = "Exception serializing request!"
	notDeserialized = "Exception deserializing response!"
)

func (m *modelServer) call(method string, request []byte, response proto.Message, timeout time.Duration) error {
	data, err := m.channel.Call(method, request, timeout)
	if err != nil {
		return err
	}
	if proto.Unmarshal(data, response) != nil {
		return &env.RPCError{Code: rpcerrors.Internal, Message: notDeserialized}
	}
	return nil
}

// specMessage converts a spec to the message that a client sends. If the spec has a version,
// its label is left out.
func specMessage(spec env.ModelSpec) *apis.ModelSpec {
	message := &apis.ModelSpec{Name: spec.Name, SignatureName: spec.Signature}
	switch {
	case spec.HasVersion:
		message.VersionChoice = &apis.ModelSpec_Version{Version: wrapperspb.Int64(spec.Version)}
	case spec.Label != "":
		message.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: spec.Label}
	}
	return message
}

func statusProto(s *util.StatusProto) env.StatusProto {
	return env.StatusProto{Code: rpcerrors.Code(s.GetErrorCode()), Message: s.GetErrorMessage()}
}

var _ env.ModelServers = ModelServers{}
