package simrun

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
)

// monitor runs the agents' TFSMonitor in a process of its own, on the host of a model
// server. The TFSMonitor treats that model server as an entry server.
type monitor struct {
	*tfs.TFSMonitor
	life *vtime.Process
}

func (c *Cluster) monitor(pod, kind string) (*monitor, error) {
	s, err := c.server(pod, kind)
	if err != nil {
		return nil, err
	}
	if m := c.monitors[s]; m != nil && !m.life.Dead() {
		return m, nil
	}
	life, e := c.client(c.world.Pod(pod).Machine())
	conf := &agentconfig.AgentConfig{
		DeployType: agentconfig.DeployEntry, TFSEntryPort: pysem.Some(s.Port), Quirks: c.quirks,
	}
	m := &monitor{tfs.NewTFSMonitor(e, conf), life}
	m.Start()
	c.monitors[s] = m
	return m, nil
}

// MonitorReload sends a model config through TFSMonitor.handle_reload_config_request.
func (c *Cluster) MonitorReload(pod, kind string, models []runners.ServedModel) (runners.ModelCall, error) {
	m, err := c.monitor(pod, kind)
	if err != nil {
		return nil, err
	}
	message, err := operator.ModelConfig(models, nil)
	if err != nil {
		return nil, err
	}
	return c.begin(m.life, "monitor reload", func(*runners.ModelAnswer) error {
		_, err := m.Reload(agentconfig.ServerEntry, message)
		return err
	}), nil
}

// MonitorStatus asks for the status of one sub-model of a published model, through
// TFSMonitor.get_model_status.
func (c *Cluster) MonitorStatus(pod, kind, model string) (runners.ModelCall, error) {
	m, err := c.monitor(pod, kind)
	if err != nil {
		return nil, err
	}
	pm, err := operator.PublishOf(model)
	if err != nil {
		return nil, err
	}
	return c.begin(m.life, "monitor status", func(a *runners.ModelAnswer) error {
		list, err := m.PublishStatus(pm, false)
		if err == nil {
			a.Status = list[0].Status
		}
		return err
	}), nil
}
