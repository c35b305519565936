package caseworld

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/files"
)

// FailureOf returns the Python type and the message of an error. An error without a Python type
// becomes an Exception with its text, which no answer of the reference is likely to equal.
func FailureOf(err error) (typ, message string) {
	var python *pysem.Error
	var zk *zkerrors.Error
	var rpc *env.RPCError
	switch {
	case errors.As(err, &python):
		return python.Type, python.Message
	case errors.As(err, &zk):
		return zk.Code.String(), zk.Text
	case errors.As(err, &rpc):
		return "RpcError", rpc.Error()
	}
	message = err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "FileNotFoundError", message
	case errors.Is(err, fs.ErrExist):
		return "FileExistsError", message
	case errors.Is(err, files.ErrIsDir):
		return "IsADirectoryError", message
	case errors.Is(err, files.ErrNotDir):
		return "NotADirectoryError", message
	case errors.Is(err, files.ErrNotEmpty), errors.Is(err, fs.ErrInvalid):
		return "OSError", message
	}
	// If the port cannot give an error a Python type, its text begins with the name of the type.
	if name, rest, ok := strings.Cut(message, ": "); ok && isClassName(name) {
		return name, rest
	}
	return "Exception", message
}

func isClassName(s string) bool {
	return strings.HasSuffix(s, "Error") && !strings.ContainsAny(s, " ./")
}
