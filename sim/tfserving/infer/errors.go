package infer

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

func statusf(code rpcerrors.Code, format string, args ...any) *env.RPCError {
	return &env.RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalidf(format string, args ...any) *env.RPCError {
	return statusf(rpcerrors.InvalidArgument, format, args...)
}
