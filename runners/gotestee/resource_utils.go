package gotestee

import (
	"github.com/monosim/monosim/engine/agent/resources"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/gotestee/caseworld"
)

// resourceUtilsOps are section 18 of the protocol: resource_utils.py.
var resourceUtilsOps = table{
	"resource_utils.cal_model_info_v2": (*call).modelInfo,
	"resource_utils.memory":            (*call).memory,
	"resource_utils.exists":            (*call).fileExists,
}

func (c *call) modelInfo() (any, error) {
	var version pysem.OptString
	if v := c.In.Value("version"); v != nil {
		version = pysem.Some(pysem.Str(v))
	}
	infos, err := resources.CalModelInfo(c.Env, c.In.Str("exported_models_path"), c.In.OptStr("ckpt"), version)
	list := []any{}
	for _, i := range infos {
		list = append(list, []any{i.Name, i.SizeBytes, i.VersionPath})
	}
	return list, err
}

func (c *call) memory() (any, error) {
	total, err := resources.TotalMemory(c.Env)
	if err != nil {
		return nil, err
	}
	available, err := resources.AvailableMemory(c.Env)
	return caseworld.Object("total", total, "available", available), err
}

func (c *call) fileExists() (any, error) {
	return resources.FileExists(c.Env, c.In.Str("dirname")), nil
}
