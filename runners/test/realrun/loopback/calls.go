package loopback

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
)

// modelCall is a call to a model server, made by a task of the operator.
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

// begin starts a call in a new task of a process. ask makes the call and fills in the answer.
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

// Reload sends a ReloadConfigRequest with the given models to a model server.
func (c *Cluster) Reload(pod, kind string, models []runners.ServedModel, deadline time.Duration) (runners.ModelCall, error) {
	p, s, err := c.modelServer(pod, kind)
	if err != nil {
		return nil, err
	}
	data, err := operator.ReloadRequest(models, c.disks.toHost)
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

// Predict sends a PredictRequest without inputs to a model server.
func (c *Cluster) Predict(pod, kind string, spec runners.PredictSpec, deadline time.Duration) (runners.ModelCall, error) {
	p, s, err := c.modelServer(pod, kind)
	if err != nil {
		return nil, err
	}
	return c.begin(c.operator.life, "predict", pod, func(a *runners.ModelAnswer) error {
		channel := c.operator.e.Network.Dial(p.addr(s))
		defer channel.Close()
		var err error
		a.Version, err = operator.Predict(spec, func(method string, request []byte) ([]byte, error) {
			return channel.Call(method, request, c.wall(deadline))
		})
		return err
	}), nil
}

// Connect checks that a model server answers. It asks for the status of the model default,
// and NOT_FOUND is an answer, too.
func (c *Cluster) Connect(pod, kind string) error {
	_, err := c.ModelStatus(pod, kind, "default")
	if rpc, ok := errors.AsType[*env.RPCError](err); ok && rpc.Code == rpcerrors.NotFound {
		return nil
	}
	return err
}

// ResidentBytes returns ErrUnsupported. The real process uses less memory than a simulated
// server, because models here have a size but no content.
func (c *Cluster) ResidentBytes(pod, kind string) (int64, error) {
	if _, _, err := c.modelServer(pod, kind); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("the memory of a simulated model in a real process: %w", runners.ErrUnsupported)
}

// MonitorReload sends a model config through TFSMonitor.handle_reload_config_request, from
// the host of the model server.
func (c *Cluster) MonitorReload(pod, kind string, models []runners.ServedModel) (runners.ModelCall, error) {
	message, err := operator.ModelConfig(models, c.disks.toHost)
	if err != nil {
		return nil, err
	}
	if p, err := c.findPod(pod); err == nil {
		// The default model is added here with the pod's path. Otherwise the monitor would add it
		// with a path of this host.
		list := message.GetModelConfigList()
		list.Config = append(list.Config, tfs.DefaultModelConfig(p.home()))
	}
	return c.monitor(pod, kind, "monitor reload", func(m *tfs.TFSMonitor, _ *runners.ModelAnswer) error {
		_, err := m.Reload(agentconfig.ServerEntry, message)
		return err
	})
}

// MonitorStatus asks for the status of one sub-model of a published model, by
// TFSMonitor.get_model_status.
func (c *Cluster) MonitorStatus(pod, kind, model string) (runners.ModelCall, error) {
	pm, err := operator.PublishOf(model)
	if err != nil {
		return nil, err
	}
	return c.monitor(pod, kind, "monitor status", func(m *tfs.TFSMonitor, a *runners.ModelAnswer) error {
		list, err := m.PublishStatus(pm, false)
		if err == nil {
			a.Status = list[0].Status
		}
		return err
	})
}

// monitor makes a call through a TFSMonitor. The monitor treats the server as an entry server.
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
	return cmp.Or(spec.Quirks, "python")
}

// podNetwork is the network of a process in a pod. It converts the timeouts of calls from
// cluster time to wall time.
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

// WriteModelConfig replaces the config file of the bare model server atomically, because the
// server may read it at any time.
func (c *Cluster) WriteModelConfig(path string, models []runners.ServedModel) error {
	if _, err := c.findPod(runners.BareServer); err != nil {
		return err
	}
	text, err := operator.ModelConfigFile(models, c.disks.toHost)
	if err != nil {
		return err
	}
	name, err := c.disks.podName(runners.BareServer, path)
	if err != nil {
		return err
	}
	return c.disks.replace(name, []byte(text))
}

// Output returns what the model server without an agent printed.
func (c *Cluster) Output() (string, error) {
	data, err := c.ReadFile(runners.BareServer, "/"+bareOutput)
	return string(data), err
}
