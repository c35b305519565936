package gotestee

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// agentControllerOps are section 16 of the protocol: agent_controller.py.
var agentControllerOps = table{
	"agent_controller.find_model_name":     (*call).findModelName,
	"agent_controller.declare_saved_model": (*call).declareSavedModel,
	"agent_controller.map_model_to_layout": (*call).mapModelToLayout,
	"agent_controller.main":                (*call).controlCommand,
}

// controller is one over a started backend.
func (c *call) controller() (agent.Controller, *agent.ZKBackend, *fakeZK, error) {
	zk := c.newZK()
	b := agent.NewZKBackend(c.env, "gip", zk)
	err := b.Start()
	return agent.Controller{Env: c.env, Backend: b, Quirks: c.quirks}, b, zk, err
}

func (c *call) findModelName() (any, error) {
	ctl, _, _, err := c.controller()
	if err != nil {
		return nil, err
	}
	name, err := ctl.FindModelName(c.in.str("exported_models_path"))
	return name, err
}

func (c *call) declareSavedModel() (any, error) {
	ctl, b, zk, err := c.controller()
	if err != nil {
		return nil, err
	}
	for _, m := range savedModels(c.in, "declared_before") {
		deploy := &agent.SavedModelDeployConfig{ModelBasePath: pysem.Some("/old"), VersionPolicy: pysem.Some("all")}
		if err := b.DeclSavedModel(m, deploy); err != nil {
			return nil, err
		}
	}
	zk.take()
	name, err := ctl.DeclareSavedModel(agent.Declaration{
		ExportBase: c.in.str("export_base"), ModelName: c.in.optStr("model_name").V,
		Overwrite: c.in.flag("overwrite"), Arch: c.in.strOr("arch", "entry_ps"),
	})
	result := attempt(name, err)
	writes := writesOf(zk)
	models, err := b.ListSavedModels("ctr")
	return object("result", result, "writes", writes, "saved_models", attempt(modelNames(models), err)), nil
}

// writesOf is the log so far, also when it is empty.
func writesOf(zk *fakeZK) []any {
	if writes := zk.take("delete"); writes != nil {
		return writes
	}
	return []any{}
}

func (c *call) mapModelToLayout() (any, error) {
	ctl, b, zk, err := c.controller()
	if err != nil {
		return nil, err
	}
	for _, m := range savedModels(c.in, "declared") {
		deploy := &agent.SavedModelDeployConfig{ModelBasePath: pysem.Some("/e/" + m.SubGraph), VersionPolicy: pysem.Some("latest")}
		if err := b.DeclSavedModel(m, deploy); err != nil {
			return nil, err
		}
	}
	layout := c.in.str("layout_path")
	for _, graph := range c.in.strings("published") {
		if err := b.AddToLayout(layout, agent.SavedModel{ModelName: "ctr", SubGraph: graph}); err != nil {
			return nil, err
		}
	}
	zk.take()
	result := attempt(nil, ctl.MapModelToLayout(c.in.str("model_pattern"), layout, c.in.str("action")))
	writes := writesOf(zk)
	info, err := b.BzidInfoText()
	if err != nil {
		return nil, err
	}
	return object("result", result, "writes", writes, "bzid_info", info+"\n"), nil
}

// oneZK gives out one client.
type oneZK struct{ client *fakeZK }

func (z oneZK) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper { return z.client }

// controlCommand is the whole command with the case's flags.
func (c *call) controlCommand() (any, error) {
	flags := c.in.object("flags")
	o := agent.DefaultControlOptions()
	o.Cmd, o.Bzid, o.Arch = flags.strOr("cmd", o.Cmd), flags.strOr("bzid", o.Bzid), flags.strOr("arch", o.Arch)
	o.ExportBase, o.Overwrite = flags.strOr("export_base", ""), flags.flag("overwrite")
	o.ModelName, o.Layout, o.Quirks = flags.strOr("model_name", ""), flags.strOr("layout", ""), c.quirks
	zk := c.newZK()
	c.env.ZooKeeper = oneZK{zk}
	printed, err := agent.Control(c.env, o)
	return object("result", attempt(nil, err), "writes", writesOf(zk), "printed", printed), nil
}
