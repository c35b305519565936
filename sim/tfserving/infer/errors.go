package infer

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
)

func statusf(code env.Code, format string, args ...any) *env.RPCError {
	return &env.RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalidf(format string, args ...any) *env.RPCError {
	return statusf(env.InvalidArgument, format, args...)
}
