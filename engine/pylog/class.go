package pylog

import (
	"errors"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// modules maps the names of exception classes to their modules. Builtin classes and kazoo's are not
// in it.
var modules = map[string]string{
	"JSONDecodeError":    "json.decoder",
	"ParseError":         "google.protobuf.text_format",
	"DecodeError":        "google.protobuf.message",
	"KazooTimeoutError":  "kazoo.handlers.threading",
	"CancelledError":     "kazoo.exceptions",
	"_InactiveRpcError":  "grpc._channel",
	"gaierror":           "socket",
	"TextParseException": "google.protobuf.text_format",
}

// tensorflow lists the exception classes of TensorFlow's errors_impl module. Its CancelledError is
// missing, because kazoo has one, too.
var tensorflow = []string{
	"UnknownError", "InvalidArgumentError", "DeadlineExceededError", "NotFoundError", "AlreadyExistsError", "PermissionDeniedError",
	"UnauthenticatedError", "ResourceExhaustedError", "FailedPreconditionError", "AbortedError", "OutOfRangeError", "UnimplementedError",
	"InternalError", "UnavailableError", "DataLossError",
}

// ClassName returns the name of the Python exception class for err, without its module.
func ClassName(err error) string {
	var python *pysem.Error
	var zk *zkerrors.Error
	var rpc *env.RPCError
	switch {
	case errors.As(err, &python):
		return python.Type
	case errors.As(err, &zk):
		return zk.Code.String()
	case errors.As(err, &rpc):
		return "_InactiveRpcError"
	}
	if f, _, ok := fileFailureOf(err); ok {
		return f.Class
	}
	if name, _, ok := strings.Cut(err.Error(), ": "); ok && isClassName(name) {
		return name
	}
	return "Exception"
}

// Class returns Python's repr of the exception class for err.
func Class(err error) string { return "<class '" + qualified(err) + "'>" }

// qualified returns the name of the exception class with its module. Builtin classes have no
// module.
func qualified(err error) string {
	name := ClassName(err)
	var zk *zkerrors.Error
	if module, ok := modules[name]; ok {
		name = module + "." + name
	} else if slices.Contains(tensorflow, name) {
		name = "tensorflow.python.framework.errors_impl." + name
	} else if errors.As(err, &zk) {
		name = "kazoo.exceptions." + name
	}
	return name
}
