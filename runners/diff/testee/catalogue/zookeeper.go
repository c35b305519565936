package catalogue

import "github.com/monosim/monosim/runners/diff/testee"

// zooKeeperOps declares the operations on mocked_zkclient.py, zk_mirror.py and backends.py.
var zooKeeperOps = operations{
	"mocked_zkclient.sequence": in("ops", turns{usually{15, do("start")}, clientSteps}),
	"zk_mirror.sequence": func(d *draws, c *testee.Case) object {
		d.vary(c.Env, "REPLICA_ID?", oneOf("0", "1", "x", ""))
		return object{"mirror", object{"bzid", "b", "tce_shard_id?", oneOf(0, 1, -1), "num_tce_shard?", oneOf(1, 2, 3), "deploy_type?4", oneOf("entry", "mixed", "ps")},
			"steps", turns{do("mirror.start", "is_client?6", true), mirrorSteps}}
	},
	"backends.ZKBackend.sequence": in("bzid", "gip", "steps", turns{do("start"), backendSteps}),
}

// somePath draws a path, mostly one of a few, so that several steps use the same znodes.
var somePath = oneOf("/a", "/a/b", "/b", "/a/b/c", "/c", "/a/", "//a", "a", "/", "", "/a//b", "/x/y", "/模")

// plainClientSteps lists those steps of section 7 of the protocol that have no callbacks.
var plainClientSteps = []step{
	do("create", "path", somePath, "value?", someBytes, "ephemeral?3", true, "makepath?3", true, "sequence?3", true, "include_data?3", true).often(6),
	do("set", "path", somePath, "value", someBytes).often(2), do("get", "path", somePath).often(2), do("delete", "path", somePath, "recursive?3", either).often(2),
	do("ensure_path", "path", somePath).often(2), do("exists", "path", somePath).often(2), do("get_children", "path", somePath, "include_data?3", true).often(2),
	do("election", "path", somePath, "identifier?1", "me"), do("election_not_callable election_cancel", "path", somePath), do("stop start close"),
}

var clientSteps = steps(1, 10, append(plainClientSteps,
	do("data_watch", "path", somePath, "id", watchID, "arity?4", 2, "behave?3", behave).often(2),
	do("children_watch", "path", somePath, "id", watchID, "send_event?3", true, "behave?3", behave).often(2))...)

var (
	watchID = oneOf("w1", "w2", "w3")
	// behave draws what a watch does when it is called: it raises an exception, returns false, or
	// runs one step.
	behave = oneOf(oneOf("raise_type_error", "raise_value_error", "return_false"), steps(1, 1, plainClientSteps...))
)

var publishMeta = object{"shard_id", oneOf(0, 1, 2), "replica_id", oneOf(0, 1, -1), "model_name", oneOf("m", "m2"), "num_ps", oneOf(nil, 2, 4),
	"total_publish_num", oneOf(1, 2), "ptype", oneOf("LOAD", "UNLOAD"), "is_spec", sometimes(4),
	"sub_models", someEntries(3, oneOf("entry", "ps_0", "ps_1", "ps_2", "dense_0", "ps_10"), oneOf("/x/entry/1", "/x/ps/7", "/x/9"))}

var replicaMeta = object{"address", oneOf("10.1.2.3:1", "h:1", "10.1.2.3:9"), "stat", oneOf(30, 0, 20), "model_name", oneOf("m", "m2"),
	"server_type", oneOf("ps", "entry"), "task", oneOf(0, 1, 12), "replica", oneOf(0, 1, 3)}

var mirrorPath = oneOf("/b/portal/m", "/b/publish/0:0:m", "/b/publish/1:0:m", "/b/service/m/ps:0/0", "/b/service/m/entry:0/1", "/b/resource/0:0",
	"/b/portal/m2", "/b/service/m", "/b/service/m/ps:0", "/b/x", "/b")

var mirrorSteps = steps(1, 10,
	do("mirror.create", "path", mirrorPath, "value?1", someBytes, "makepath?1", true, "ephemeral?1", sometimes(3), "sequence?20", true).often(6),
	do("mirror.set", "path", mirrorPath, "value?1", someBytes).often(6), do("mirror.get mirror.exists mirror.get_children", "path", mirrorPath).often(6),
	do("mirror.delete", "path", mirrorPath, "recursive?3", either).often(6),
	do("mirror.create_model", "meta", object{"model_name", oneOf("m", "m2"), "model_dir", "/d", "num_shard", oneOf(-1, 2)}).often(12),
	do("mirror.publish_loadding", "info?1", publishMeta).often(12), do("mirror.publish_loadding", "infos?1", some(4, publishMeta)).often(6),
	do("mirror.expected_loading").often(6), do("mirror.update_service", "replicas", some(4, replicaMeta)).often(6),
	do("mirror.report_resource", "resource", object{"address", "h:1", "shard_id", oneOf(0, 1), "replica_id", oneOf(0, 1), "memory", oneOf(5, 6)}).often(6),
	do("mirror.watch_portal mirror.watch_resource mirror.watch_publish mirror.watch_service").often(2),
	do("mirror.resources mirror.local_replica_paths mirror.tce_replica_id mirror.is_leader mirror.num_tce_replica mirror.set_leader"),
	do("mirror.stop").often(0), do("mirror.get_published_path", "model_name", "m"),
	do("mirror.get_all_replicas", "server_type", oneOf("ps", "entry", "PS")).often(2),
	do("mirror.get_model_replicas", "model_name", "m", "server_type", oneOf("ps", "p", "entry")).often(2),
	do("mirror.get_task_replicas", "model_name", "m", "server_type", "ps", "task", oneOf(0, 1)),
	do("mirror.get_replica", "model_name", "m", "server_type", "ps", "task", 0, "replica", oneOf(0, 1)),
	do("zk.delete", "path", mirrorPath).often(6), do("zk.create", "path", mirrorPath, "makepath", true, "value", replicaJSON).often(6),
	do("env", "REPLICA_ID?1", oneOf("0", nil, "2"), "*?1", absent{}).often(2), do("mirror.ensure_path", "path", mirrorPath).often(2),
	do("mirror.election", "identifier?1", "me", "raises?12", true, "asks?6", true, "closes?1", absent{}, "happens?1", absent{}).often(2),
)

var replicaJSON = bytesOf(oneOf(`{"address": "10.1.2.3:1", "stat": 30, "model_name": "m", "server_type": "ps", "task": 0, "replica": 0}`,
	`{"address": "h:2", "address_ipv6": "[fd00::1]:2", "stat": 30, "archon_address": "h:3", "archon_address_ipv6": "[fd00::1]:3"}`,
	`{"address": "h:4", "stat": 20}`, `{"address": "0.0.0.0:5", "address_ipv6": "[fd00::2]:5", "stat": 30}`, "", "{}", "x"))

var (
	savedModel  = []any{oneOf("m", "n", "模"), oneOf("ps_0", "entry", "dense_0", "ps_10")}
	containerID = []any{oneOf("c", "clusterA;lf;x"), oneOf("1", "10.0.0.1")}
	layoutPath  = oneOf("/gip/layouts/l1", "/gip/layouts/grp/l2")
	backendPath = oneOf("/gip/binding/m/ps_0:c:1", "/gip/container_service/c:1", "/gip/saved_models/m/ps_0", "/gip/layouts/l1/m:ps_0", "/gip/layouts/l1/bad")
)

var backendSteps = steps(1, 10,
	do("decl_saved_model", "saved_model", savedModel, "deploy_config", object{"model_base_path", oneOf("/exp/m/ps_0", "/new", nil), "version_policy", oneOf("latest", "all", nil)}).often(6),
	do("add_to_layout", "layout", layoutPath, "saved_model", savedModel).often(4), do("remove_from_layout", "layout", layoutPath, "saved_model", savedModel).often(2),
	do("register_layout_callback", "layout_path", layoutPath, "id", oneOf("cb1", "cb2"), "behave?5", "raise").often(2),
	do("sync_available_saved_models", "container", containerID, "saved_models", some(3, savedModel)).often(4),
	do("report_service_info", "container", containerID, "service_info", fieldsOf(serviceFields)).often(2), do("get_service_info", "container", containerID).often(2),
	do("list_saved_models", "model_name", oneOf("m", "n", "zz", "")).often(2), do("get_service_map bzid_info"),
	do("subscribe_model", "model_name", oneOf("m", "n")), do("get_sync_targets", "sub_graph", oneOf("ps_0", "entry")), do("lost connected stop"),
	do("create_znode", "path", backendPath, "value", bytesOf(oneOf("", "{}")), "ephemeral?1", either, "makepath?1", either), do("get_znode delete_znode", "path", backendPath),
	do("zk.create", "path", backendPath, "makepath", true, "value", bytesOf(oneOf("", "{}", `{"grpc": "h:1"}`))), do("zk.delete", "path", backendPath),
	do("zk.set", "path", backendPath, "value", bytesOf(oneOf(`{"grpc": "h:2"}`, "{}", ""))),
)
