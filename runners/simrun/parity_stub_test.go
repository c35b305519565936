package simrun_test

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// statusStub is a model server that answers one status, or the error.
type statusStub struct {
	versions []env.ModelVersionStatus
	err      error
	// only, when set, is the port of the one server that can be reached.
	only string
}

func (s *statusStub) Dial(addr string) env.ModelServer {
	if s.only != "" && !strings.HasSuffix(addr, ":"+s.only) {
		return &statusStub{err: &env.RPCError{Code: env.Unavailable, Message: "failed to connect"}}
	}
	return s
}

func (s *statusStub) Status(env.ModelSpec, time.Duration) ([]env.ModelVersionStatus, error) {
	return s.versions, s.err
}

func (s *statusStub) Reload([]byte, time.Duration) (env.StatusProto, error) {
	return env.StatusProto{}, nil
}

func (s *statusStub) Close() {}
