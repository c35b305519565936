package loopback

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/quirks"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners"
)

// modelCall is a call that a task makes.
type modelCall struct {
	mu     sync.Mutex
	answer runners.ModelAnswer
	done   bool
}

func (m *modelCall) Answer() (runners.ModelAnswer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.answer, m.done
}

// begin has a task of a process make a call; ask fills in what was answered.
func (c *Cluster) begin(life *walltime.Process, what, pod string, ask func(a *runners.ModelAnswer) error) *modelCall {
	m := &modelCall{}
	from := c.Now()
	life.Go(what, func() {
		var a runners.ModelAnswer
		a.Err = c.plainError(pod, ask(&a))
		a.Took = c.Now() - from
		m.mu.Lock()
		defer m.mu.Unlock()
		m.answer, m.done = a, true
	})
	return m
}

// Reload sends a config.
func (c *Cluster) Reload(pod, kind string, models []runners.ServedModel, deadline time.Duration) (runners.ModelCall, error) {
	p, s, err := c.modelServer(pod, kind)
	if err != nil {
		return nil, err
	}
	message, err := c.configOf(models)
	if err != nil {
		return nil, err
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		return nil, err
	}
	return c.begin(c.operator.life, "reload", pod, func(*runners.ModelAnswer) error {
		server := c.operator.e.Models.Dial(p.addr(s))
		defer server.Close()
		_, err := server.Reload(data, c.wall(deadline))
		return err
	}), nil
}

// Predict sends a request without inputs.
func (c *Cluster) Predict(pod, kind string, spec runners.PredictSpec, deadline time.Duration) (runners.ModelCall, error) {
	p, s, err := c.modelServer(pod, kind)
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
	return c.begin(c.operator.life, "predict", pod, func(a *runners.ModelAnswer) error {
		channel := c.operator.e.Network.Dial(p.addr(s))
		defer channel.Close()
		data, err := channel.Call(apis.PredictionService_Predict_FullMethodName, data, c.wall(deadline))
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
	_, err := c.ModelStatus(pod, kind, "default")
	var rpc *env.RPCError
	if errors.As(err, &rpc) && rpc.Code == env.NotFound {
		return nil
	}
	return err
}

// ResidentBytes is what a model server says of its memory, which is not that of its
// process: models have a size and no content.
func (c *Cluster) ResidentBytes(pod, kind string) (int64, error) {
	if _, _, err := c.modelServer(pod, kind); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("the memory of a simulated model in a real process: %w", runners.ErrUnsupported)
}

// MonitorReload is handle_reload_config_request of a TFSMonitor on the server's host.
func (c *Cluster) MonitorReload(pod, kind string, models []runners.ServedModel) (runners.ModelCall, error) {
	message, err := c.configOf(models)
	if err != nil {
		return nil, err
	}
	if p, err := c.findPod(pod); err == nil {
		// Added here, as the monitor would take that of this machine.
		list := message.GetModelConfigList()
		list.Config = append(list.Config, tfs.DefaultModelConfig(p.home()))
	}
	return c.monitor(pod, kind, "monitor reload", func(m *tfs.TFSMonitor, _ *runners.ModelAnswer) error {
		_, err := m.Reload(agentconfig.ServerEntry, message)
		return err
	})
}

// MonitorStatus is get_model_status of a publish of one sub-model.
func (c *Cluster) MonitorStatus(pod, kind, model string) (runners.ModelCall, error) {
	name, subModel, ok := strings.Cut(model, ":")
	if !ok || !strings.HasPrefix(subModel, agentconfig.ServerEntry) {
		return nil, fmt.Errorf("model: found %q, want one of an entry, as ctr:entry", model)
	}
	pm := datadef.DefaultPublishMeta()
	pm.ModelName = pysem.Some(name)
	pm.SubModels = pm.SubModels.With(subModel, "/models/"+name+"/"+subModel+"/1")
	return c.monitor(pod, kind, "monitor status", func(m *tfs.TFSMonitor, a *runners.ModelAnswer) error {
		list, err := m.PublishStatus(&pm, false)
		if err == nil {
			a.Status = list[0].Status
		}
		return err
	})
}

// monitor has a TFSMonitor, which takes the server for the one with the entries, make a
// call.
func (c *Cluster) monitor(pod, kind, what string, ask func(m *tfs.TFSMonitor, a *runners.ModelAnswer) error) (runners.ModelCall, error) {
	p, s, err := c.modelServer(pod, kind)
	if err != nil {
		return nil, err
	}
	set, err := quirks.Parse(quirksOf(c.spec))
	if err != nil {
		return nil, err
	}
	life := c.world.NewProcess(pod, "monitor")
	e, err := p.podEnv(life)
	if err != nil {
		return nil, err
	}
	m := tfs.NewTFSMonitor(e, &agentconfig.AgentConfig{
		DeployType: agentconfig.DeployEntry, TFSEntryPort: pysem.Some(s.port), Quirks: set,
	})
	return c.begin(life, what, pod, func(a *runners.ModelAnswer) error {
		m.Start()
		defer m.Stop()
		return ask(m, a)
	}), nil
}

func quirksOf(spec runners.Spec) string {
	if spec.Quirks == "" {
		return "python"
	}
	return spec.Quirks
}

// podNetwork is the network of a process in a pod: limits of calls are times of the
// cluster.
type podNetwork struct {
	env.Network
	c *Cluster
}

func (n *podNetwork) Dial(addr string) env.Channel {
	return &podChannel{n.Network.Dial(addr), n.c}
}

type podChannel struct {
	env.Channel
	c *Cluster
}

func (ch *podChannel) Call(method string, request []byte, timeout time.Duration) ([]byte, error) {
	return ch.Channel.Call(method, request, ch.c.wall(timeout))
}

// WriteModelConfig writes a file of the bare server, in one step, as it may be read at any
// time.
func (c *Cluster) WriteModelConfig(path string, models []runners.ServedModel) error {
	if _, err := c.findPod(runners.BareServer); err != nil {
		return err
	}
	message := &config.ModelServerConfig{}
	if models != nil {
		var err error
		if message, err = c.configOf(models); err != nil {
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
	name := c.disks.podPath(runners.BareServer, path)
	if err := write(name+".new", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Output is what the bare server printed.
func (c *Cluster) Output() (string, error) {
	data, err := c.ReadFile(runners.BareServer, "/"+bareOutput)
	return string(data), err
}

func (c *Cluster) configOf(models []runners.ServedModel) (*config.ModelServerConfig, error) {
	list := &config.ModelConfigList{}
	for _, m := range models {
		policy, err := policyOf(m.Policy)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
		model := &config.ModelConfig{Name: m.Name, BasePath: c.disks.toHost(m.BasePath), ModelPlatform: m.Platform, ModelVersionPolicy: policy}
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
