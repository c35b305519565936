package realrun_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/runners/test/realrun"
)

// goSide is the Go implementation of the agent service and of its client.
type goSide struct{}

// envOf returns an environment for a process, with the real network.
func envOf(p *walltime.Process) *env.Env {
	return &env.Env{Clock: p, Tasks: p, Random: p, Network: realrun.NewNetwork(p, realrun.Options{}), Log: silentLog{}}
}

func (goSide) serve(t *testing.T, c *conformance.Vector) (int, func() []told) {
	t.Helper()
	w := newWorld(t)
	p := w.NewProcess("server", "agent")
	e := envOf(p)
	requests := &recordedNetwork{Network: e.Network}
	e.Network = requests
	over := threading.NewEvent(p, "the end of the case")
	ready := make(chan error, 1)
	p.Go("main", func() {
		built, err := gotestee.NewAgentServiceCase(&c.Case, e)
		if err != nil {
			ready <- err
			return
		}
		defer built.Close()
		service := service.NewAgentService(built.Env(), 0, built.Answers)
		if err := service.Start(); err != nil {
			ready <- err
			return
		}
		ready <- nil
		over.Wait(-1)
		service.Stop()
	})
	if err := <-ready; err != nil {
		t.Fatalf("serve: %v", err)
	}
	return requests.port, func() []told {
		p.Post("stop", over.Set)
		if err := waitFor(w); err != nil {
			t.Fatal(err)
		}
		return requests.got
	}
}

func (goSide) call(t *testing.T, c *conformance.Vector, port int) []told {
	t.Helper()
	w := newWorld(t)
	p := w.NewProcess("client", "client")
	e := envOf(p)
	e.Host = clientHost{}
	var calls []told
	p.Go("main", func() {
		built, err := gotestee.NewAgentServiceCase(&c.Case, e)
		if err != nil {
			t.Errorf("read the case: %v", err)
			return
		}
		defer built.Close()
		client := clients.NewSvrClient(e, &agentconfig.AgentConfig{AgentPort: pysem.Some(port)})
		defer client.Close()
		channel := e.Network.Dial(fmt.Sprintf("127.0.0.1:%d", port))
		defer channel.Close()
		for _, r := range built.Calls {
			calls = append(calls, toldOf(t, r, client, channel))
		}
	})
	if err := waitFor(w); err != nil {
		t.Fatal(err)
	}
	return calls
}

// toldOf makes a call and returns its outcome. It uses the Go client where the client has
// the method, and the channel otherwise.
func toldOf(t *testing.T, r gotestee.RPC, client *clients.SvrClient, channel env.Channel) told {
	var response proto.Message
	var err error
	switch m := r.Message.(type) {
	case *agentservice.HeartBeatRequest:
		response, err = client.HeartBeat(m.GetServerType())
	case *agentservice.GetReplicasRequest:
		if r.ByClient() {
			response, err = client.GetReplicas(m.GetServerType(), m.GetTask())
			break
		}
		response, err = callRaw(r, channel)
	default:
		response, err = callRaw(r, channel)
	}
	var status *env.RPCError
	if errors.As(err, &status) {
		return told{Code: status.Code.String(), Details: status.Message}
	}
	if err != nil {
		t.Errorf("%s: %v", r.Method, err)
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
	if err != nil {
		t.Errorf("%s: %v", r.Method, err)
	}
	return told{Response: hex.EncodeToString(data)}
}

func callRaw(r gotestee.RPC, channel env.Channel) (proto.Message, error) {
	data, err := channel.Call(r.Method, r.Request, limit)
	if err != nil {
		return nil, err
	}
	return r.Response, proto.Unmarshal(data, r.Response)
}

// recordedNetwork records the requests that a server receives for the methods of AgentService.
type recordedNetwork struct {
	env.Network
	port int
	got  []told
}

func (n *recordedNetwork) Serve(port, workers int, handler env.Handler) (env.Server, error) {
	server, err := n.Network.Serve(port, workers, func(method string, request []byte) ([]byte, error) {
		switch method {
		case service.MethodGetReplicas, service.MethodGetResource, service.MethodHeartBeat:
			n.got = append(n.got, told{Method: method, Request: hex.EncodeToString(request)})
		}
		return handler(method, request)
	})
	if err == nil {
		n.port = server.Port()
	}
	return server, err
}

// clientHost implements the one method of env.Host that SvrClient calls.
type clientHost struct{ env.Host }

func (clientHost) LookupIP() (string, error) { return "192.0.2.10", nil }

func (clientHost) LookupEnv(key string) (string, bool) { return "127.0.0.1", key == "MY_HOST_IP" }

type silentLog struct{}

func (silentLog) Enabled(env.Level) bool { return false }

func (silentLog) Logf(env.Level, string, ...any) {}
