package gotestee

import (
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// agentControllerOps holds the operations of section 16 of the protocol, on agent_controller.py.
var agentControllerOps = table{
	"agent_controller.find_model_name":     (*call).findModelName,
	"agent_controller.declare_saved_model": (*call).declareSavedModel,
	"agent_controller.map_model_to_layout": (*call).mapModelToLayout,
	"agent_controller.main":                (*call).controlCommand,
}

// controller makes a controller with a started backend. It also returns the backend and its
// ZooKeeper client.
func (c *call) controller() (clients.Controller, *backends.ZKBackend, *caseworld.ZooKeeper, error) {
	zk := c.NewZK()
	b := backends.NewZKBackend(c.Env, "gip", zk)
	err := b.Start()
	return clients.Controller{Env: c.Env, Backend: b, Quirks: c.Quirks}, b, zk, err
}

func (c *call) findModelName() (any, error) {
	ctl, _, _, err := c.controller()
	if err != nil {
		return nil, err
	}
	name, err := ctl.FindModelName(c.In.Str("exported_models_path"))
	return name, err
}

func (c *call) declareSavedModel() (any, error) {
	ctl, b, zk, err := c.controller()
	if err != nil {
		return nil, err
	}
	for _, m := range savedModels(c.In, "declared_before") {
		deploy := &datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some("/old"), VersionPolicy: pysem.Some("all")}
		if err := b.DeclSavedModel(m, deploy); err != nil {
			return nil, err
		}
	}
	zk.Take()
	name, err := ctl.DeclareSavedModel(clients.Declaration{
		ExportBase: c.In.Str("export_base"), ModelName: c.In.OptStr("model_name").V,
		Overwrite: c.In.Flag("overwrite"), Arch: c.In.StrOr("arch", "entry_ps"),
	})
	result := caseworld.Attempt(name, err)
	writes := writesOf(zk)
	models, err := b.ListSavedModels("ctr")
	return caseworld.Object("result", result, "writes", writes, "saved_models", caseworld.Attempt(modelNames(models), err)), nil
}

// writesOf returns the writes logged since the last call. If there are none, it returns an empty
// list, not nil.
func writesOf(zk *caseworld.ZooKeeper) []any {
	if writes := zk.Take("delete"); writes != nil {
		return writes
	}
	return []any{}
}

func (c *call) mapModelToLayout() (any, error) {
	ctl, b, zk, err := c.controller()
	if err != nil {
		return nil, err
	}
	for _, m := range savedModels(c.In, "declared") {
		deploy := &datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some("/e/" + m.SubGraph), VersionPolicy: pysem.Some("latest")}
		if err := b.DeclSavedModel(m, deploy); err != nil {
			return nil, err
		}
	}
	layout := c.In.Str("layout_path")
	for _, graph := range c.In.Strings("published") {
		if err := b.AddToLayout(layout, datadef.SavedModel{ModelName: "ctr", SubGraph: graph}); err != nil {
			return nil, err
		}
	}
	zk.Take()
	result := caseworld.Attempt(nil, ctl.MapModelToLayout(c.In.Str("model_pattern"), layout, c.In.Str("action")))
	writes := writesOf(zk)
	info, err := b.BzidInfoText()
	if err != nil {
		return nil, err
	}
	return caseworld.Object("result", result, "writes", writes, "bzid_info", info+"\n"), nil
}

// oneZK gives the same ZooKeeper client to all callers.
type oneZK struct{ client *caseworld.ZooKeeper }

func (z oneZK) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper { return z.client }

// controlCommand runs the whole command with the flags that the case gives.
func (c *call) controlCommand() (any, error) {
	flags := c.In.Object("flags")
	o := clients.DefaultControlOptions()
	o.Cmd, o.Bzid, o.Arch = flags.StrOr("cmd", o.Cmd), flags.StrOr("bzid", o.Bzid), flags.StrOr("arch", o.Arch)
	o.ExportBase, o.Overwrite = flags.StrOr("export_base", ""), flags.Flag("overwrite")
	o.ModelName, o.Layout, o.Quirks = flags.StrOr("model_name", ""), flags.StrOr("layout", ""), c.Quirks
	zk := c.NewZK()
	c.Env.ZooKeeper = oneZK{zk}
	printed, err := clients.Control(c.Env, o)
	return caseworld.Object("result", caseworld.Attempt(nil, err), "writes", writesOf(zk), "printed", printed), nil
}
