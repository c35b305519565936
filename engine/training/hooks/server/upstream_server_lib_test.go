package server_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks/server"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: server and client pass the reference's own test (server_lib_test.py), and the address file
// is as TRN-2.9 says. Method: use the simulated network.

// countingSaver counts its saves.
type countingSaver struct{ saves int }

func (n *countingSaver) Save(session.Session, string, int64, bool) error {
	n.saves++
	return nil
}
func (n *countingSaver) ExportMetaGraph(string) error { return nil }

// controlled returns a session with the controller's server and a saving hook.
func controlled(c *worldtest.Case, saver saveutils.Saver) (*session.Monitored, *server.ServerHook) {
	options := saveutils.DefaultSaverHookOptions()
	options.Interval.Seconds = 10000
	saves, err := saveutils.NewSaverHook(c.Env, "basic", saver, options)
	c.Must(err)
	hook := server.NewServerHook(c.Env, "basic", barrierops.MustBarrierOp(c.Env, 1, barrierops.Options{}), saves)
	m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{hook, saves})
	c.Must(err)
	return m, hook
}

func TestUpstreamServer_test_basic(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		saver := &countingSaver{}
		m, _ := controlled(c, saver)
		stub, err := server.StubFromModelDir(c.Env, "basic")
		c.Must(err)
		_, err = stub.StopTraining()
		c.Must(err)
		var refused *env.RPCError
		if _, err := stub.StopTraining(); !errors.As(err, &refused) || refused.Code != rpcerrors.AlreadyExists {
			t.Errorf("a second stop: got %v, want %v", err, rpcerrors.AlreadyExists)
		}
		for _, want := range [][]int32{{0}, nil} {
			status, err := stub.GetBlockStatus()
			c.Must(err)
			if !slices.Equal(status.BlockedIndices, want) {
				t.Errorf("blocked: got %v, want %v", status.BlockedIndices, want)
			}
			_, err = stub.ResumeTraining()
			c.Must(err)
		}
		_, err = stub.SaveCheckpoint()
		c.Must(err)
		_, err = stub.GetTrainingStatus()
		c.Must(err)
		c.Must(m.Close())
		if saver.saves != 1 {
			t.Errorf("got %d saves, want the one that was asked for", saver.saves)
		}
	})
}

// slowSaver takes a while to save.
type slowSaver struct {
	countingSaver
	c    *worldtest.Case
	took time.Duration
}

func (s *slowSaver) Save(session.Session, string, int64, bool) error {
	s.c.Env.Tasks.Sleep(s.took)
	return nil
}

func unavailable(err error) bool {
	refused, ok := errors.AsType[*env.RPCError](err)
	return ok && refused.Code == rpcerrors.Unavailable
}

// TRN-2.9: at the end the server refuses new calls at once. A call that runs has 20 s, measured with
// grpc-python 1.32. The file remains forever, and the client returns an error if it is missing.
func TestTheAddressFileOutlivesTheServer(t *testing.T) {
	for _, took := range []time.Duration{0, 10 * time.Second, 30 * time.Second} {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			if _, err := server.StubFromModelDir(c.Env, "basic"); pysem.TypeOf(err) != "NotFoundError" {
				t.Errorf("without a file: got %v, want a NotFoundError", err)
			}
			m, hook := controlled(c, &slowSaver{c: c, took: took})
			stub, err := server.StubFromModelDir(c.Env, "basic")
			c.Must(err)
			var saved error
			done := false
			if took > 0 {
				threading.Start(c.Env.Tasks, "operator", func() {
					_, saved = stub.SaveCheckpoint()
					done = true
				})
				c.Env.Tasks.Sleep(time.Second)
			}
			c.Must(hook.End(m.Session()))
			if _, err := stub.GetBlockStatus(); !unavailable(err) {
				t.Errorf("at the end, with a call of %v: got %v, want %v", took, err, rpcerrors.Unavailable)
			}
			c.Env.Tasks.Sleep(21 * time.Second)
			if done != (took > 0) || unavailable(saved) != (took > 20*time.Second) {
				t.Errorf("after 21 s, the call of %v: done %v, got %v", took, done, saved)
			}
			if !env.Exists(c.Env.Files, "basic/"+server.ServerAddrFilename) {
				t.Error("the address file is gone, want it left")
			}
			if hook.Server() == nil {
				t.Error("found no server, want the one that was stopped")
			}
		})
	}
}

// Q203: End fails for a hook whose session was never created.
func TestQ203_EndingAHookWithoutAServerIsAnAttributeError(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		hook := server.NewServerHook(c.Env, "m", barrierops.MustBarrierOp(c.Env, 1, barrierops.Options{}), nil)
		want := "'NoneType' object has no attribute 'stop'"
		var python *pysem.Error
		if err := hook.End(nil); !errors.As(err, &python) || python.Message != want {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

// Goal: of two sessions that a hook has met, as one that was aborted and the one in its place, the
// second has the server. The first one's is gone, as grpc's server of Python goes with its last holder.
func TestTheServerOfAnAbortedSessionIsGone(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		_, hook := controlled(c, &countingSaver{})
		first, err := server.StubFromModelDir(c.Env, "basic")
		c.Must(err)
		c.Must(hook.AfterCreateSession(session.NewMemory(), nil))
		second, err := server.StubFromModelDir(c.Env, "basic")
		c.Must(err)
		var refused *env.RPCError
		if _, err := first.GetBlockStatus(); !errors.As(err, &refused) || refused.Code != rpcerrors.Unavailable {
			t.Errorf("the server of the first session: got %v, want %v", err, rpcerrors.Unavailable)
		}
		_, err = second.GetBlockStatus()
		c.Must(err)
	})
}
