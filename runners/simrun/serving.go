package simrun

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/tfserving/node"
	"github.com/monosim/monosim/sim/world"
)

// modelCall is a call that a task makes.
type modelCall struct {
	answer runners.ModelAnswer
	done   bool
}

func (m *modelCall) Answer() (runners.ModelAnswer, bool) { return m.answer, m.done }

// begin has a task of a process make a call; ask fills in what was answered.
func (c *Cluster) begin(life *vtime.Process, what string, ask func(a *runners.ModelAnswer) error) *modelCall {
	m := &modelCall{}
	from := c.Now()
	life.Go(what, func() {
		m.answer.Err = ask(&m.answer)
		m.answer.Took, m.done = c.Now()-from, true
	})
	return m
}

// client is a process of an operator that calls model servers.
func (c *Cluster) client(on *hosts.Machine) (*vtime.Process, *env.Env) {
	life := on.Node.NewProcess("client")
	e := on.Env(life, nil)
	e.Models = &node.Clients{Proc: life, Host: on.Net}
	return life, e
}

// addr is where a running model server listens, or will listen.
func (c *Cluster) addr(pod, kind string) (string, error) {
	s, err := c.server(pod, kind)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s:%d", c.world.Pod(pod).IP(), s.Port), nil
}

// Reload sends a config.
func (c *Cluster) Reload(pod, kind string, models []runners.ServedModel, deadline time.Duration) (runners.ModelCall, error) {
	addr, err := c.addr(pod, kind)
	if err != nil {
		return nil, err
	}
	message, err := configOf(models)
	if err != nil {
		return nil, err
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
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

// Predict sends a request without inputs.
func (c *Cluster) Predict(pod, kind string, spec runners.PredictSpec, deadline time.Duration) (runners.ModelCall, error) {
	addr, err := c.addr(pod, kind)
	if err != nil {
		return nil, err
	}
	request := &apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: spec.Model}}
	if spec.Label != "" {
		request.ModelSpec.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: spec.Label}
	}
	data, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	life, e := c.client(c.world.Operator())
	return c.begin(life, "predict", func(a *runners.ModelAnswer) error {
		channel := e.Network.Dial(addr)
		defer channel.Close()
		data, err := channel.Call(node.MethodPredict, data, deadline)
		if err != nil {
			return err
		}
		var response apis.PredictResponse
		err = proto.Unmarshal(data, &response)
		a.Version = response.GetModelSpec().GetVersion().GetValue()
		return err
	}), nil
}

// Connect asks for a model that need not be there.
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
		var rpc *env.RPCError
		if errors.As(err, &rpc) && rpc.Code == env.NotFound {
			return nil
		}
		return err
	}, true)
}

// ResidentBytes is the memory of a model server.
func (c *Cluster) ResidentBytes(pod, kind string) (int64, error) {
	s, err := c.server(pod, kind)
	if err != nil {
		return 0, err
	}
	return s.Server().ResidentBytes(), nil
}

// WriteModelConfig writes a file of the bare server.
func (c *Cluster) WriteModelConfig(path string, models []runners.ServedModel) error {
	p, err := c.world.FindPod(runners.BareServer)
	if err != nil {
		return err
	}
	message := &config.ModelServerConfig{}
	if models != nil {
		if message, err = configOf(models); err != nil {
			return err
		}
	}
	text, err := textpb.Marshal(message)
	if err != nil {
		return err
	}
	if text == "" {
		text = "\n" // a server cannot read a file of no bytes
	}
	return p.Machine().FS.WriteTree(map[string]string{path: text})
}

// Output is what the bare server printed.
func (c *Cluster) Output() (string, error) {
	data, err := c.ReadFile(runners.BareServer, world.BareOutput)
	return string(data), err
}

func configOf(models []runners.ServedModel) (*config.ModelServerConfig, error) {
	list := &config.ModelConfigList{}
	for _, m := range models {
		policy, err := policyOf(m.Policy)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
		model := &config.ModelConfig{Name: m.Name, BasePath: m.BasePath, ModelPlatform: m.Platform, ModelVersionPolicy: policy}
		for _, l := range m.Labels {
			if model.VersionLabels == nil {
				model.VersionLabels = map[string]int64{}
			}
			model.VersionLabels[l.Name] = l.Version
		}
		list.Config = append(list.Config, model)
	}
	return &config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}}, nil
}

type (
	versionPolicy  = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy
	policyLatest   = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest
	policyAll      = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All
	policySpecific = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific
)

// policyOf is a policy of an entry in the form of a model config; unset it is nil.
func policyOf(text string) (*versionPolicy, error) {
	p, err := runners.ParsePolicy(text)
	switch {
	case err != nil || text == "":
		return nil, err
	case p.All:
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All_{All: &policyAll{}}}, nil
	case p.Latest != nil:
		latest := &policyLatest{NumVersions: *p.Latest}
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest_{Latest: latest}}, nil
	}
	specific := &policySpecific{Versions: p.Specific}
	return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific_{Specific: specific}}, nil
}

var _ runners.Caller = (*Cluster)(nil)
