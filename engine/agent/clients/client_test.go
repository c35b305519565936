package clients

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/env/zkerrors"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// oneZooKeeper gives all clients of a process the same tree.
type oneZooKeeper struct{ zk env.ZooKeeper }

func (z oneZooKeeper) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper { return z.zk }

func newServingClient(t *testing.T) (*ServingClient, *envtest.ZooKeeper) {
	t.Helper()
	e := envtest.New(nil, nil)
	zk := envtest.NewZooKeeper()
	e.Tasks, e.Log, e.ZooKeeper = &envtest.Tasks{}, envtest.Quiet{}, oneZooKeeper{zk}
	c, err := NewServingClient(e, "z", "b")
	if err != nil {
		t.Fatal(err)
	}
	return c, zk
}

func mustCreate(t *testing.T, zk env.ZooKeeper, path, data string) {
	t.Helper()
	if _, err := zk.Create(path, []byte(data), env.CreateOptions{MakePath: true}); err != nil {
		t.Fatal(err)
	}
}

func TestLoadWritesTheRequestOnce(t *testing.T) {
	c, zk := newServingClient(t)
	m := datadef.DefaultModelMeta()
	m.ModelName, m.ModelDir, m.Ckpt, m.NumShard = pysem.Some("m"), pysem.Some("/dir"), pysem.Some("c-1"), 3
	if err := c.Load(m); err != nil {
		t.Fatal(err)
	}
	data, _, err := zk.Get("/b/portal/m")
	const want = `{"model_name": "m", "model_dir": "/dir", "ckpt": "c-1", "num_shard": 3, "action": "NONE", "spec_replicas": []}`
	if string(data) != want || err != nil {
		t.Errorf("got %s, error %v, want %s", data, err, want)
	}
	if err := c.Load(m); !errors.Is(err, &pysem.Error{Type: "RuntimeError", Message: "m has exists"}) {
		t.Errorf("second load: got %v, want RuntimeError: m has exists", err)
	}
}

func TestUnloadRemovesTheRequestAndForgivesAMissingOne(t *testing.T) {
	c, zk := newServingClient(t)
	mustCreate(t, zk, "/b/portal/m", "{}")
	for range 2 {
		if err := c.Unload("m"); err != nil {
			t.Fatal(err)
		}
	}
	if stat, _ := zk.Exists("/b/portal/m"); stat != nil {
		t.Error("got a request after unload, want none")
	}
}

// Goal: Status reports the stages as the reference does. The expected values were recorded from the
// reference's ServingClient on its fake client.
func TestStatusShowsHowFarAModelIs(t *testing.T) {
	c, zk := newServingClient(t)
	if _, err := c.Status("m"); !errors.Is(err, zkerrors.ErrNoNode) {
		t.Errorf("Q69: nothing published: got %v, want NoNodeError", err)
	}
	mustCreate(t, zk, "/b/publish/0:1:x", "")
	if _, err := c.Status("m"); !errors.Is(err, zkerrors.ErrNoNode) {
		t.Errorf("Q69: nothing served: got %v, want NoNodeError", err)
	}
	mustCreate(t, zk, "/b/service/m/ps:0/1", `{"stat": 30}`)
	mustCreate(t, zk, "/b/service/m/ps:0/0", `{"stat": "odd"}`)
	mustCreate(t, zk, "/b/service/m/entry:0/0", `{}`)
	const services = "service={'ps:0:1': 30, 'ps:0:0': 'odd', 'entry:0:0': 0})"
	for _, step := range []struct{ add, want string }{
		{"", "LoadSate(portal=None, publish=None, " + services}, // Q70: not False
		{"/b/portal/m", "LoadSate(portal=True, publish=None, " + services},
		{"/b/publish/0:1:m", "LoadSate(portal=True, publish=True, " + services},
	} {
		if step.add != "" {
			mustCreate(t, zk, step.add, "")
		}
		s, err := c.Status("m")
		if s.String() != step.want || err != nil {
			t.Errorf("got %s, error %v, want %s", s, err, step.want)
		}
	}
	mustCreate(t, zk, "/b/publish/0:m", "")
	// A name of two parts fails in: shard_id, replica_id, name = node.split(':')
	const want = "ValueError: not enough values to unpack (expected 3, got 2)"
	if _, err := c.Status("zz"); err == nil || err.Error() != want {
		t.Errorf("a publish of two parts: got %v, want %s", err, want)
	}
}

// answeringNetwork answers every call with the same message and records the calls.
type answeringNetwork struct {
	env.Network
	answer proto.Message
	dialed []string
	calls  []string
}

func (n *answeringNetwork) Dial(addr string) env.Channel {
	n.dialed = append(n.dialed, addr)
	return n
}
func (n *answeringNetwork) Call(method string, request []byte, _ time.Duration) ([]byte, error) {
	n.calls = append(n.calls, method+" "+string(request))
	return proto.Marshal(n.answer)
}
func (n *answeringNetwork) Close() {}

func TestSvrClientAsksTheAgentOfItsConfiguration(t *testing.T) {
	for _, test := range []struct {
		name string
		vars map[string]string
		want string
	}{
		{"by the variable", map[string]string{"MY_HOST_IP": "10.1.2.3"}, "10.1.2.3:1002"},
		{"by the host's name", nil, "192.0.2.10:1002"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := envtest.New(nil, test.vars)
			net := &answeringNetwork{answer: &agentservice.GetReplicasResponse{
				AddressList: &agentservice.AddressList{Address: []string{"a:1"}},
			}}
			e.Network = net
			c := NewSvrClient(e, &agentconfig.AgentConfig{AgentPort: pysem.Some(1002)})
			const serverType = agentservice.ServerType_ENTRY
			response, err := c.GetReplicas(serverType, 7)
			if err != nil || len(response.GetAddressList().GetAddress()) != 1 {
				t.Errorf("got %v, error %v, want one address", response, err)
			}
			if _, err := c.HeartBeat(serverType); err != nil {
				t.Error(err)
			}
			if len(net.dialed) != 1 || net.dialed[0] != test.want {
				t.Errorf("got connections to %q, want one to %s", net.dialed, test.want)
			}
			if want := service.MethodGetReplicas + " \x08\x01\x10\x07"; net.calls[0] != want {
				t.Errorf("got call %q, want %q", net.calls[0], want)
			}
		})
	}
}

// svr_client.py:45-54.
func TestQ71_AServerTypeByNameIsANameErrorUntilRepaired(t *testing.T) {
	if _, err := ServerTypeOf("ps", quirks.Python); pysem.TypeOf(err) != "NameError" {
		t.Errorf("got %v, want NameError", err)
	}
	for _, test := range []struct {
		name string
		want agentservice.ServerType
	}{{"ps", agentservice.ServerType_PS}, {"entry", agentservice.ServerType_ENTRY}, {"dense", agentservice.ServerType_DENSE}} {
		if got, err := ServerTypeOf(test.name, quirks.Fixed); got != test.want || err != nil {
			t.Errorf("%s: got %v, error %v, want %v", test.name, got, err, test.want)
		}
	}
	if _, err := ServerTypeOf("PS", quirks.Fixed); !errors.Is(err, &pysem.Error{Type: "Exception", Message: "server_type error"}) {
		t.Errorf("PS: got %v, want Exception: server_type error", err)
	}
}
