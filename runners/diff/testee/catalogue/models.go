package catalogue

import (
	"slices"

	"github.com/monosim/monosim/runners/diff/testee"
)

// modelOps declares the operations on tfs_monitor.py, mocked_tfserving.py, agent_v3.py and tfs_wrapper.py.
var modelOps = operations{
	"tfs_monitor.TFSMonitor.gen_model_config": func(d *draws, c *testee.Case) object {
		ports(d, c.Env)
		return object{"config", monitorConfig, "pms", some(4, servedMeta), "fix_dense_version", sometimes(3)}
	},
	"tfs_monitor.TFSMonitor.get_addr": func(d *draws, c *testee.Case) object {
		ports(d, c.Env)
		c.Env.Set("MY_HOST_IP", pick(d, "10.1.2.3", "127.0.0.1", "fd00::1"))
		return object{"config", monitorConfig, "names", some(5, word)}
	},
	"tfs_monitor.TFSMonitor.sequence": func(d *draws, c *testee.Case) object {
		container(d, c)
		c.Env.Set("MY_HOST_IP", "127.0.0.1")
		servers := slices.DeleteFunc([]any{"entry", "ps", "dense"}, func(any) bool { return d.flip(3) })
		return object{"config", object{"deploy_type", oneOf("mixed", "ps", "entry", "dense"), "dense_alone", sometimes(3)}, "servers?1", servers, "steps?1", monitorSteps,
			"until_ms?1", absent{}, "events?1", absent{}, "answers_ms?1", absent{}}
	},
	"mocked_tfserving.ModelMgr.sequence":      in("configs (null, or a list of gen_model_config arguments)", oneOf(nil, some(2, fakeConfig)), "steps", modelMgrSteps),
	"agent_v3.AgentV3":                        onAgentV3(),
	"agent_v3.AgentV3.layout_update_callback": onAgentV3("saved_models ([model, sub graph, base path, policy]…)", some(5, layoutModel)),
	"agent_v3.AgentV3._gen_addrs_map":         addressMap,
	"agent_v3.AgentV3.sync_available_saved_models": func(d *draws, c *testee.Case) object {
		return object{"config", unified(d, c), "statuses ({name: state})",
			entries(4, oneOf("m:ps_0", "m:entry", "n:x", "m", "a:b:c", "模:ps_1"), oneOf(30, 20, 0, "int", 50))}
	},
	"agent_v3.AgentV3.sequence": agentV3Sequence,
	"tfs_wrapper.TFSWrapper._prepare_cmd": func(d *draws, c *testee.Case) object {
		odd := oneOf("x", "", "/p.cfg")
		config := append(unified(d, c), "enable_batching?3", odd, "platform_config_file?3", odd, "fetch_ps_timeout_ms?3", odd, "max_num_load_retries?3", odd)
		return object{"archon_port", 1, "grpc_port", 2, "http_port", 3, "model_config_file", oneOf("/models.cfg", ""), "config", config, "is_grpc_remote_op", either}
	},
	"tfs_wrapper.TFSWrapper.list_saved_models_status": func(d *draws, c *testee.Case) object {
		c.Files = dict("models.cfg", modelsFile(d))
		failed := object{"rpc_error", oneOf("NOT_FOUND", "UNAVAILABLE", "INTERNAL", "CANCELLED", "DEADLINE_EXCEEDED")}
		return object{"config", unified(d, c), "versions", seldom(4, failed, some(3, []any{oneOf(1, 2, 7), oneOf(30, 20, 0, 50)}))}
	},
	"tfs_wrapper.TFSWrapper.sequence": recorded("archon_port", "grpc_port", "http_port", "config", "is_grpc_remote_op",
		"steps ([name, arguments]…)", steps(0, 1, do("start stop poll"), do("end", "code", 0))),
	"tfs_wrapper.FakeTFSWrapper": surroundings(func(d *draws, c *testee.Case) {
		if !d.flip(8) {
			c.Files = dict("models.cfg", modelsFile(d))
		}
	}),
}

var monitorConfig = object{"deploy_type", oneOf("mixed", "ps", "entry", "dense", "unified"), "dense_alone", sometimes(3)}

var servedMeta = object{"model_name", oneOf("m", "m2", "模"), "ptype?6", "UNLOAD", "sub_models", someEntries(4,
	oneOf("entry", "ps_0", "ps_12", "dense_0", "x", "entryps", ""), oneOf("/exp/entry/7", "/exp/ps_0/1", "/exp/ps/007", "/exp/x", "/exp/x/", "7", "", "/a/٣"))}

var monitored = oneOf("entry", "ps", "dense")

var monitorSteps = steps(1, 6,
	do("reload", "service_type", monitored, "pms", some(3, plainMeta), "fix_dense_version?8", either).often(2),
	do("reload_config", "service_type", monitored, "configs", some(3, fakeConfig)),
	do("status_pm", "pm", plainMeta, "fix_dense_version?1", sometimes(3)).often(2),
	do("status_name", "name", oneOf("m:entry", "entry", "ps_0", "m:ps_0", "default", "x"), "version?", oneOf(1, 7, "stable", nil), "signature_name?8", "s"),
	do("stop start"), do("status_int", "arg", 1),
)

// plainMeta draws model metadata whose paths end in a version.
var plainMeta = object{"model_name", oneOf("m", "n"), "sub_models", someEntries(3, oneOf("entry", "ps_0", "ps_12", "dense_0"), oneOf("/exp/a/7", "/exp/b/1"))}

// fakeConfig draws a config with which the fake server goes on. It never draws the policy all,
// which would end the server's thread (TFS-17.1 item 4).
var fakeConfig = oneOf(fakeModel(), fakeModel("version_policy", "latest", "version_data", oneOf(1, 2, 3)),
	fakeModel("version_policy", "specific", "version_data", oneOf(1, []any{3, 1}, 7)))

func fakeModel(policy ...any) object {
	return append(object{"name", oneOf("m", "n", "模"), "base_path", oneOf("/b/m", "/b/n")}, policy...)
}

var modelMgrSteps = steps(1, 10,
	do("load", "configs", []any{seldom(6, fakeModel("version_policy", "all"), fakeConfig)}).often(2),
	do("handle", "n?1", oneOf(1, 2, 3)).often(2), do("drain"), do("remove", "names", []any{oneOf("m", "n")}),
	do("event", "model_name", fakeModelName, "version?1", oneOf(1, 2, 0), "state?1", oneOf(10, 20, 30, 40, 50, 0)),
	do("new_version", "name", fakeModelName).often(0),
	do("set_label", "name", fakeModelName, "index", oneOf(0, 1), "label", oneOf("stable", "canary", nil, "")),
	do("get_status", "name", fakeModelName, "version?1", oneOf(nil, 1, 2, "stable", ""), "signature_name?8", "s").often(2),
	do("get_metadata rpc.GetModelMetadata", "name", fakeModelName, "fields", some(3, oneOf("model_name", "base_path", "version_policy", "version_data", "model_platform",
		"signature_name", "version", "version_label", "state", "nope")), "version?", oneOf(1, 2)), do("alive"),
	do("rpc.HandleReloadConfigRequest", "configs", some(2, fakeConfig)), do("rpc.GetModelStatus", "name", fakeModelName, "version?1", oneOf(nil, 1), "signature_name?8", "s"),
)

var fakeModelName = oneOf("m", "n", "模", "zz")

// unified draws the configuration of a v3 agent, and sets its environment variables.
func unified(d *draws, c *testee.Case) object {
	c.Env = d.object(object{"MY_HOST_IP", "10.1.2.3", "PORT", "1000", "PORT3", "1003", "PORT4", "1004", "SHARD_ID?", oneOf("0", "1"), "MONOLITH_HOST_SHARD_N?", oneOf("3", "2"),
		"MY_POD_NAME?", oneOf("pod-1", ""), "TCE_PSM?", oneOf("a.b.c", ""), "TCE_INTERNAL_IDC?", oneOf("lf", "LF"), "TCE_LOGICAL_CLUSTER?", oneOf("default", ""),
		"TCE_CLUSTER?", oneOf("c", "")})
	return object{"bzid", "gip", "base_name", "n", "deploy_type", "unified", "agent_version", 3, "layout_pattern", oneOf("grp/l1", "/gip/layouts/l"),
		"zk_servers", "127.0.0.1:1", "agent_port", 0}
}

var layoutFilters = object{"layout_filters!3", some(3, layoutFilter)}

// onAgentV3 declares an operation on a v3 agent whose configuration has layout filters. more holds
// further fields.
func onAgentV3(more ...any) declare {
	return func(d *draws, c *testee.Case) object {
		return append(object{"config", append(unified(d, c), layoutFilters...)}, more...)
	}
}

func layoutModel(d *draws) any {
	graph := pick(d, "entry", "ps_0", "ps_1", "ps_10", "dense_0", "ps_1_backup", "模型_4", "ps_٣", "ps_")
	return []any{oneOf("m", "n"), graph, oneOf("/exp/"+graph, "", nil), oneOf("latest", "all", "latest_once", "specific", "bad", nil)}
}

func addressMap(d *draws, c *testee.Case) object {
	graphs := entries(3, oneOf("ps_0", "entry", "x"), some(3, object{"grpc", oneOf("a:1", nil, ""), "archon", oneOf("a:3", nil)}))
	return object{"config", unified(d, c), "service_map ({model: {sub graph: [ContainerServiceInfo arguments]}})", object{"m?", graphs, "n?", graphs, "模?", graphs},
		"wrapper", oneOf("grpc", "archon", "fake")}
}

// modelsFile draws a model config file as a person writes it.
func modelsFile(d *draws) string {
	if d.flip(3) {
		return spoil(d, derive(d, "serverconfig"))
	}
	return pick(d, `model_config_list { config { name: "m:ps_0" } config { name: "m:entry" } }`, "model_config_list {}", "", "model_config_list {\n  config {\n    name: 'a'\n    base_path: \"/x\"\n  }\n}\n",
		`model_config_list { config { name: "a" } config { name: "a" } }`, `model_config_list: < config: < name: "a" > >`, "model_config_list { config { } }", "garbage", `model_config_list { config { name: "\346\250\241" } }`,
		`model_config_list { unknown: 1 }`, `# nothing`, `custom_model_config { }`)
}
