package env

import (
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// ModelServers makes clients of TensorFlow Serving processes.
type ModelServers interface {
	// Dial makes a client of the server at host:port. It connects as Network.Dial does.
	Dial(addr string) ModelServer
}

// ModelServer is a client of one TensorFlow Serving process. A timeout of 0 or less means no limit.
// Errors are *RPCError.
type ModelServer interface {
	// Status calls ModelService.GetModelStatus.
	Status(spec ModelSpec, timeout time.Duration) ([]ModelVersionStatus, error)
	// Reload calls ModelService.HandleReloadConfigRequest. config is a serialized
	// tensorflow.serving.ModelServerConfig.
	Reload(config []byte, timeout time.Duration) (StatusProto, error)
	// Close ends the client's connection.
	Close()
}

// ModelSpec is tensorflow.serving.ModelSpec. It names a model, and one of its versions if
// HasVersion or Label is set. Signature is also sent, but has no effect on a status.
type ModelSpec struct {
	Name       string
	HasVersion bool
	Version    int64
	Label      string
	Signature  string
}

// ModelState is tensorflow.serving.ModelVersionStatus.State.
type ModelState int32

// The states of a model version.
const (
	StateUnknown   ModelState = 0
	StateStart     ModelState = 10
	StateLoading   ModelState = 20
	StateAvailable ModelState = 30
	StateUnloading ModelState = 40
	StateEnd       ModelState = 50
)

var stateNames = map[ModelState]string{
	StateUnknown: "UNKNOWN", StateStart: "START", StateLoading: "LOADING", StateAvailable: "AVAILABLE", StateUnloading: "UNLOADING", StateEnd: "END",
}

func (s ModelState) String() string { return enum.Name(stateNames, s) }

// StatusProto is tensorflow.serving.StatusProto.
type StatusProto struct {
	Code    rpcerrors.Code
	Message string
}

// ModelVersionStatus is the status of one model version in an answer. Servers may share the slice
// with other answers, so callers must not change it.
type ModelVersionStatus struct {
	Version int64
	State   ModelState
	Status  StatusProto
}

// String returns a text such as "1 AVAILABLE", or after an error "2 END (NOT_FOUND: no such file)".
func (s ModelVersionStatus) String() string {
	text := strconv.FormatInt(s.Version, 10) + " " + s.State.String()
	if s.Status.Code != rpcerrors.OK {
		text += " (" + s.Status.Code.String() + ": " + s.Status.Message + ")"
	}
	return text
}
