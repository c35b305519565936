package simrun

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/tfserving/node"
	"github.com/monosim/monosim/sim/world"
)

// modelCall is a call to a model server, made by a task of the operator.
type modelCall struct {
	answer runners.ModelAnswer
	done   bool
}

func (m *modelCall) Answer() (runners.ModelAnswer, bool) { return m.answer, m.done }

// begin starts a call in a new task of a process. ask makes the call and fills in the answer.
func (c *Cluster) begin(life *vtime.Process, what string, ask func(a *runners.ModelAnswer) error) *modelCall {
	m := &modelCall{}
	from := c.Now()
	life.Go(what, func() {
		m.answer.Err = ask(&m.answer)
		m.answer.Took, m.done = c.Now()-from, true
	})
	return m
}

// client starts a process of an operator that calls model servers.
func (c *Cluster) client(on *hosts.Machine) (*vtime.Process, *env.Env) {
	life := on.Node.NewProcess(runners.Tester)
	e := on.Env(life, nil)
	e.Models = &node.Clients{Proc: life, Host: on.Net}
	return life, e
}

// addr returns the address of a running model server, even if the server does not listen yet.
func (c *Cluster) addr(pod, kind string) (string, error) {
	s, err := c.server(pod, kind)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s:%d", c.world.Pod(pod).IP(), s.Port), nil
}

// Reload sends a ReloadConfigRequest with the given models to a model server.
func (c *Cluster) Reload(pod, kind string, models []runners.ServedModel, deadline time.Duration) (runners.ModelCall, error) {
	addr, err := c.addr(pod, kind)
	if err != nil {
		return nil, err
	}
	data, err := operator.ReloadRequest(models, nil)
	if err != nil {
		return nil, err
	}
	life, e := c.client(c.world.Operator())
	return c.begin(life, "reload", func(*runners.ModelAnswer) error {
		server := e.Models.Dial(addr)
		defer server.Close()
		_, err := server.Reload(data, deadline)
		return err
	}), nil
}

// Predict sends a PredictRequest without inputs to a model server.
func (c *Cluster) Predict(pod, kind string, spec runners.PredictSpec, deadline time.Duration) (runners.ModelCall, error) {
	addr, err := c.addr(pod, kind)
	if err != nil {
		return nil, err
	}
	life, e := c.client(c.world.Operator())
	return c.begin(life, "predict", func(a *runners.ModelAnswer) error {
		channel := e.Network.Dial(addr)
		defer channel.Close()
		var err error
		a.Version, err = operator.Predict(spec, func(method string, request []byte) ([]byte, error) { return channel.Call(method, request, deadline) })
		return err
	}), nil
}

// Connect checks that a model server answers. It asks for the status of a model, and
// NOT_FOUND is an answer, too.
func (c *Cluster) Connect(pod, kind string) error {
	addr, err := c.addr(pod, kind)
	if err != nil {
		return err
	}
	life, e := c.client(c.world.Operator())
	return c.await(life, "connect", runners.CallTimeout+time.Second, func() error {
		server := e.Models.Dial(addr)
		defer server.Close()
		_, err := server.Status(env.ModelSpec{Name: "default"}, runners.CallTimeout)
		if rpc, ok := errors.AsType[*env.RPCError](err); ok && rpc.Code == rpcerrors.NotFound {
			return nil
		}
		return err
	}, true)
}

// ResidentBytes returns the memory that a model server uses.
func (c *Cluster) ResidentBytes(pod, kind string) (int64, error) {
	s, err := c.server(pod, kind)
	if err != nil {
		return 0, err
	}
	return s.Server().ResidentBytes(), nil
}

// WriteModelConfig writes a model config file to the disk of the model server without an
// agent.
func (c *Cluster) WriteModelConfig(path string, models []runners.ServedModel) error {
	p, err := c.world.FindPod(runners.BareServer)
	if err != nil {
		return err
	}
	text, err := operator.ModelConfigFile(models, nil)
	if err != nil {
		return err
	}
	return p.Machine().FS.WriteTree(map[string]string{path: text})
}

// Output returns the output of the model server without an agent.
func (c *Cluster) Output() (string, error) {
	data, err := c.ReadFile(runners.BareServer, world.BareOutput)
	return string(data), err
}

var _ runners.Caller = (*Cluster)(nil)
