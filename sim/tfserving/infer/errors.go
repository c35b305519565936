package infer

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
)

// statusf returns an error with a code and a formatted text.
func statusf(code env.Code, format string, args ...any) *env.RPCError {
	return &env.RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalidf(format string, args ...any) *env.RPCError {
	return statusf(env.InvalidArgument, format, args...)
}
