package generate

import (
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genModels invents for sections 12 to 14 of the protocol.
var genModels = map[string]generator{
	"tfs_monitor.TFSMonitor.gen_model_config": func(d *draws, c *testee.Case) {
		ports(d, c.Env)
		c.In = dict("config", monitorConfig(d), "pms", list(d, 4, func() any { return servedMeta(d) }), "fix_dense_version", d.flip(3))
	},
	"tfs_monitor.TFSMonitor.get_addr": func(d *draws, c *testee.Case) {
		ports(d, c.Env)
		c.Env.Set("MY_HOST_IP", pick(d, "10.1.2.3", "127.0.0.1", "fd00::1"))
		c.In = dict("config", monitorConfig(d), "names", list(d, 5, func() any { return word(d) }))
	},
	"tfs_monitor.TFSMonitor.sequence":                 genMonitor,
	"mocked_tfserving.ModelMgr.sequence":              genModelMgr,
	"agent_v3.AgentV3":                                genAgentV3,
	"agent_v3.AgentV3.layout_update_callback":         genLayoutUpdate,
	"agent_v3.AgentV3._gen_addrs_map":                 genAddressMap,
	"agent_v3.AgentV3.sync_available_saved_models":    genSyncModels,
	"agent_v3.AgentV3.sequence":                       genAgentV3Sequence,
	"tfs_wrapper.TFSWrapper._prepare_cmd":             genWrapperCommand,
	"tfs_wrapper.TFSWrapper.list_saved_models_status": genModelStatus,
	"tfs_wrapper.FakeTFSWrapper": func(d *draws, c *testee.Case) {
		c.In = dict()
		if !d.flip(8) {
			c.Files = dict("models.cfg", modelsFile(d))
		}
	},
	"agent_controller.map_model_to_layout": genMapModel,
}

func monitorConfig(d *draws) *pysem.Dict {
	return dict("deploy_type", pick(d, "mixed", "ps", "entry", "dense", "unified"), "dense_alone", d.flip(3))
}

func servedMeta(d *draws) *pysem.Dict {
	subModels := dict()
	for range 1 + d.n(4) {
		subModels.Set(pick(d, "entry", "ps_0", "ps_12", "dense_0", "x", "entryps", ""), pick(d, "/exp/entry/7", "/exp/ps_0/1", "/exp/ps/007", "/exp/x", "/exp/x/", "7", "", "/a/٣"))
	}
	m := dict("model_name", pick[any](d, "m", "m2", "模"), "sub_models", subModels)
	if d.flip(6) {
		m.Set("ptype", "UNLOAD")
	}
	return m
}

func genMonitor(d *draws, c *testee.Case) {
	container(d, c)
	c.Env.Set("MY_HOST_IP", "127.0.0.1")
	servers := []any{}
	for _, s := range []string{"entry", "ps", "dense"} {
		if !d.flip(3) {
			servers = append(servers, s)
		}
	}
	steps := []any{}
	for range 1 + d.n(6) {
		steps = append(steps, monitorStep(d))
	}
	c.In = dict("config", dict("deploy_type", pick(d, "mixed", "ps", "entry", "dense"), "dense_alone", d.flip(3)), "servers", servers, "steps", steps)
}

func monitorStep(d *draws) any {
	server := pick(d, "entry", "ps", "dense")
	switch d.n(7) {
	case 0, 1:
		return stepOf("reload", "service_type", server, "pms", list(d, 3, func() any { return plainMeta(d) }))
	case 2:
		return stepOf("reload_config", "service_type", server, "configs", list(d, 3, func() any { return fakeConfig(d) }))
	case 3, 4:
		return stepOf("status_pm", "pm", plainMeta(d), "fix_dense_version", d.flip(3))
	case 5:
		a := dict("name", pick(d, "m:entry", "entry", "ps_0", "m:ps_0", "default", "x"))
		if d.flip(2) {
			a.Set("version", pick[any](d, 1, 7, "stable", nil))
		}
		return []any{"status_name", a}
	}
	return pick(d, stepOf("stop"), stepOf("start"), stepOf("status_int", "arg", 1))
}

// plainMeta has paths that end in a version.
func plainMeta(d *draws) *pysem.Dict {
	subModels := dict()
	for range 1 + d.n(3) {
		subModels.Set(pick(d, "entry", "ps_0", "ps_12", "dense_0"), pick(d, "/exp/a/7", "/exp/b/1"))
	}
	return dict("model_name", pick(d, "m", "n"), "sub_models", subModels)
}

// fakeConfig is a config that the fake server can take: policy all ends its
// thread (TFS-17.1 item 4).
func fakeConfig(d *draws) *pysem.Dict {
	a := dict("name", pick(d, "m", "n", "模"), "base_path", pick(d, "/b/m", "/b/n"))
	switch d.n(3) {
	case 1:
		a.Set("version_policy", "latest")
		a.Set("version_data", pick(d, 1, 2, 3))
	case 2:
		a.Set("version_policy", "specific")
		a.Set("version_data", pick[any](d, 1, []any{3, 1}, 7))
	}
	return a
}

func genModelMgr(d *draws, c *testee.Case) {
	var configs any
	if d.flip(2) {
		configs = list(d, 2, func() any { return fakeConfig(d) })
	}
	steps := []any{}
	for range 1 + d.n(10) {
		steps = append(steps, modelMgrStep(d))
	}
	c.In = dict("configs", configs, "steps", steps)
}

func modelMgrStep(d *draws) any {
	name := pick(d, "m", "n", "模", "zz")
	switch d.n(14) {
	case 0, 1:
		a := fakeConfig(d)
		if d.flip(6) {
			a = dict("name", name, "base_path", "/b", "version_policy", "all")
		}
		return stepOf("load", "configs", []any{a})
	case 2, 3:
		return stepOf("handle", "n", pick(d, 1, 2, 3))
	case 4:
		return stepOf("drain")
	case 5:
		return stepOf("remove", "names", []any{pick(d, "m", "n")})
	case 6:
		return stepOf("event", "model_name", name, "version", pick(d, 1, 2, 0), "state", pick(d, 10, 20, 30, 40, 50, 0))
	case 7:
		return stepOf("set_label", "name", name, "index", pick(d, 0, 1), "label", pick[any](d, "stable", "canary", nil, ""))
	case 8, 9:
		return stepOf("get_status", "name", name, "version", pick[any](d, nil, 1, 2, "stable", ""))
	case 10:
		a := dict("name", name, "fields", fields(d))
		if d.flip(2) {
			a.Set("version", pick(d, 1, 2))
		}
		return []any{pick(d, "get_metadata", "rpc.GetModelMetadata"), a}
	case 11:
		return stepOf("alive")
	case 12:
		return stepOf("rpc.HandleReloadConfigRequest", "configs", list(d, 2, func() any { return fakeConfig(d) }))
	}
	return stepOf("rpc.GetModelStatus", "name", name, "version", pick[any](d, nil, 1))
}

func fields(d *draws) []any {
	return list(d, 3, func() any {
		return pick(d, "model_name", "base_path", "version_policy", "version_data", "model_platform", "signature_name", "version", "version_label", "state", "nope")
	})
}

// unified is a config of an agent v3, and its environment.
func unified(d *draws, c *testee.Case) *pysem.Dict {
	c.Env = dict("MY_HOST_IP", "10.1.2.3", "PORT", "1000", "PORT3", "1003", "PORT4", "1004")
	for _, v := range [][]string{
		{"SHARD_ID", "0", "1"}, {"MONOLITH_HOST_SHARD_N", "3", "2"}, {"MY_POD_NAME", "pod-1", ""}, {"TCE_PSM", "a.b.c", ""}, {"TCE_INTERNAL_IDC", "lf", "LF"},
		{"TCE_LOGICAL_CLUSTER", "default", ""}, {"TCE_CLUSTER", "c", ""},
	} {
		if d.flip(2) {
			c.Env.Set(v[0], pick(d, v[1:]...))
		}
	}
	return dict("bzid", "gip", "base_name", "n", "deploy_type", "unified", "agent_version", 3, "layout_pattern", pick(d, "grp/l1", "/gip/layouts/l"), "zk_servers", "127.0.0.1:1", "agent_port", 0)
}

func withFilters(d *draws, config *pysem.Dict) *pysem.Dict {
	if d.flip(3) {
		return config
	}
	config.Set("layout_filters", list(d, 3, func() any {
		return layoutFilter(d)
	}))
	return config
}

func genAgentV3(d *draws, c *testee.Case) { c.In = dict("config", withFilters(d, unified(d, c))) }

func genLayoutUpdate(d *draws, c *testee.Case) {
	config := withFilters(d, unified(d, c))
	c.In = dict("config", config, "saved_models", list(d, 5, func() any {
		graph := pick(d, "entry", "ps_0", "ps_1", "ps_10", "dense_0", "ps_1_backup", "模型_4", "ps_٣", "ps_")
		return []any{pick(d, "m", "n"), graph, pick[any](d, "/exp/"+graph, "", nil), pick[any](d, "latest", "all", "latest_once", "specific", "bad", nil)}
	}))
}

func genAddressMap(d *draws, c *testee.Case) {
	config := unified(d, c)
	services := dict()
	for _, m := range []string{"m", "n", "模"} {
		if d.flip(2) {
			continue
		}
		graphs := dict()
		for range d.length(3) {
			graphs.Set(pick(d, "ps_0", "entry", "x"), list(d, 3, func() any {
				return dict("grpc", pick[any](d, "a:1", nil, ""), "archon", pick[any](d, "a:3", nil))
			}))
		}
		services.Set(m, graphs)
	}
	c.In = dict("config", config, "service_map", services, "wrapper", pick(d, "grpc", "archon", "fake"))
}

func genSyncModels(d *draws, c *testee.Case) {
	config := unified(d, c)
	statuses := dict()
	for range d.length(4) {
		statuses.Set(pick(d, "m:ps_0", "m:entry", "n:x", "m", "a:b:c", "模:ps_1"), pick[any](d, 30, 20, 0, "int", 50))
	}
	c.In = dict("config", config, "statuses", statuses)
}

func genWrapperCommand(d *draws, c *testee.Case) {
	config := unified(d, c)
	for _, k := range confKeys {
		if (k.key == "enable_batching" || k.key == "platform_config_file" || k.key == "fetch_ps_timeout_ms" || k.key == "max_num_load_retries") && d.flip(3) {
			config.Set(k.key, pick[any](d, "x", "", "/p.cfg"))
		}
	}
	c.In = dict("config", config, "archon_port", 1, "grpc_port", 2, "http_port", 3, "model_config_file", pick(d, "/models.cfg", ""), "is_grpc_remote_op", d.flip(2))
}

// modelsFile is a model config file as a person writes it.
func modelsFile(d *draws) string {
	return pick(d, `model_config_list { config { name: "m:ps_0" } config { name: "m:entry" } }`, "model_config_list {}", "", "model_config_list {\n  config {\n    name: 'a'\n    base_path: \"/x\"\n  }\n}\n",
		`model_config_list { config { name: "a" } config { name: "a" } }`, `model_config_list: < config: < name: "a" > >`, "model_config_list { config { } }", "garbage", `model_config_list { config { name: "\346\250\241" } }`,
		`model_config_list { unknown: 1 }`, `# nothing`, `custom_model_config { }`)
}

func genModelStatus(d *draws, c *testee.Case) {
	config := unified(d, c)
	c.Files = dict("models.cfg", modelsFile(d))
	var versions any = list(d, 3, func() any { return []any{pick(d, 1, 2, 7), pick(d, 30, 20, 0, 50)} })
	if d.flip(4) {
		versions = dict("rpc_error", pick(d, "NOT_FOUND", "UNAVAILABLE", "INTERNAL", "CANCELLED", "DEADLINE_EXCEEDED"))
	}
	c.In = dict("config", config, "versions", versions)
}

func genMapModel(d *draws, c *testee.Case) {
	declared := []any{}
	for range 1 + d.n(5) {
		declared = append(declared, []any{pick(d, "ctr", "other"), pick(d, "entry", "ps_0", "ps_1", "ps_10", "PS_2", "ps[1]")})
	}
	published := []any{}
	for _, m := range declared {
		if m.([]any)[0] == "ctr" && d.flip(3) {
			published = append(published, m.([]any)[1])
		}
	}
	c.In = dict("model_pattern", pick(d, "ctr:ps_*", "ctr:entry", "ctr:*", "ctr:ps_?", "ctr:[ep]*", "ctr", "other:*", "ctr:ps[[]1]", "ctr:", "ctr:*:x", "ctr:[!e]*"), "layout_path", "/gip/layouts/l",
		"action", pick(d, "pub", "unpub", "x"), "declared", declared, "published", published)
}
