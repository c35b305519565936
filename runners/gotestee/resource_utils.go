package gotestee

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/pysem"
)

// resourceUtilsOps are section 18 of the protocol: resource_utils.py.
var resourceUtilsOps = table{
	"resource_utils.cal_model_info_v2": (*call).modelInfo,
	"resource_utils.memory":            (*call).memory,
	"resource_utils.exists":            (*call).fileExists,
}

func (c *call) modelInfo() (any, error) {
	var version agent.OptString
	if v := c.in.value("version"); v != nil {
		version = pysem.Some(pysem.Str(v))
	}
	infos, err := agent.CalModelInfo(c.env, c.in.str("exported_models_path"), c.in.optStr("ckpt"), version)
	list := []any{}
	for _, i := range infos {
		list = append(list, []any{i.Name, i.SizeBytes, i.VersionPath})
	}
	return list, err
}

func (c *call) memory() (any, error) {
	total, err := agent.TotalMemory(c.env)
	if err != nil {
		return nil, err
	}
	available, err := agent.AvailableMemory(c.env)
	return object("total", total, "available", available), err
}

func (c *call) fileExists() (any, error) { return agent.FileExists(c.env, c.in.str("dirname")), nil }
