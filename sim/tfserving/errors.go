package tfserving

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

func statusf(code rpcerrors.Code, format string, args ...any) *env.RPCError {
	return &env.RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// oldCodeNames holds the names that TensorFlow 2.4 prints for the gRPC codes, by number.
var oldCodeNames = [...]string{
	"OK", "Cancelled", "Unknown", "Invalid argument", "Deadline exceeded",
	"Not found", "Already exists", "Permission denied", "Resource exhausted",
	"Failed precondition", "Aborted", "Out of range", "Unimplemented",
	"Internal", "Unavailable", "Data loss", "Unauthenticated",
}

// StatusString formats a status as it appears inside messages (TFS-1.3): "Not found: m" in
// tfs-2.4, "NOT_FOUND: m" in tfs-head.
func (p Profile) StatusString(err *env.RPCError) string {
	if p == Profile24 && err.Code >= 0 && int(err.Code) < len(oldCodeNames) {
		return oldCodeNames[err.Code] + ": " + err.Message
	}
	return err.Error()
}

// maxMessageBytes is the length at which gRPC error messages are cut off
// (model_servers/grpc_status_util.cc:24-35).
const maxMessageBytes = 1024

// GRPCStatus returns an error as gRPC sends it, with a long message cut off (TFS-8.1). The REST
// API does not cut messages.
func GRPCStatus(err *env.RPCError) *env.RPCError {
	if err == nil || len(err.Message) <= maxMessageBytes {
		return err
	}
	return &env.RPCError{Code: err.Code, Message: err.Message[:maxMessageBytes] + "...TRUNCATED"}
}

// statusProto converts an error to the form that GetModelStatus returns (TFS-7.1); nil becomes OK.
func statusProto(err *env.RPCError) env.StatusProto {
	if err == nil {
		return env.StatusProto{}
	}
	return env.StatusProto{Code: err.Code, Message: err.Message}
}

// servable names one version of one model; upstream calls it ServableId.
type servable struct {
	model   string
	version int64
}

func (s servable) String() string {
	return fmt.Sprintf("{name: %s version: %d}", s.model, s.version)
}
