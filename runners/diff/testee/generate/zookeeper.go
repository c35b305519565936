package generate

import (
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genZooKeeper invents for sections 7, 8 and 10 of the protocol.
var genZooKeeper = map[string]generator{
	"mocked_zkclient.sequence":    genClientSequence,
	"zk_mirror.sequence":          genMirrorSequence,
	"backends.ZKBackend.sequence": genBackendSequence,
}

func stepOf(name string, pairs ...any) any { return []any{name, dict(pairs...)} }

// somePath is a znode's path, mostly one of a few so that steps meet.
func somePath(d *draws) string {
	return pick(d, "/a", "/a/b", "/b", "/a/b/c", "/c", "/a/", "//a", "a", "/", "", "/a//b", "/x/y", "/模")
}

func genClientSequence(d *draws, c *testee.Case) {
	ops := []any{}
	if !d.flip(15) {
		ops = append(ops, stepOf("start"))
	}
	for range 1 + d.n(10) {
		ops = append(ops, clientStep(d, true))
	}
	c.In = dict("ops", ops)
}

// clientStep is a step of section 7; watches may do one step from inside.
func clientStep(d *draws, watches bool) any {
	path := somePath(d)
	switch d.n(12) {
	case 0, 1, 2:
		a := dict("path", path)
		if d.flip(2) {
			a.Set("value", someBytes(d))
		}
		for _, flag := range []string{"makepath", "ephemeral", "sequence", "include_data"} {
			if d.flip(3) {
				a.Set(flag, true)
			}
		}
		return []any{"create", a}
	case 3:
		return stepOf("set", "path", path, "value", someBytes(d))
	case 4:
		return stepOf("get", "path", path)
	case 5:
		a := dict("path", path)
		if d.flip(3) {
			a.Set("recursive", d.flip(2))
		}
		return []any{"delete", a}
	case 6:
		return stepOf("ensure_path", "path", path)
	case 7:
		return stepOf("exists", "path", path)
	case 8:
		a := dict("path", path)
		if d.flip(3) {
			a.Set("include_data", true)
		}
		return []any{"get_children", a}
	case 9:
		return pick(d, stepOf("election", "path", path, "identifier", "me"), stepOf("election_not_callable", "path", path),
			stepOf("stop"), stepOf("start"), stepOf("close"))
	}
	if !watches {
		return stepOf("exists", "path", path)
	}
	return watchStep(d, path)
}

func watchStep(d *draws, path string) any {
	name := pick(d, "data_watch", "children_watch")
	a := dict("path", path, "id", pick(d, "w1", "w2", "w3"))
	if name == "data_watch" && d.flip(4) {
		a.Set("arity", 2)
	}
	if name == "children_watch" && d.flip(3) {
		a.Set("send_event", true)
	}
	switch d.n(6) {
	case 4:
		a.Set("behave", pick(d, "raise_type_error", "raise_value_error", "return_false"))
	case 5:
		a.Set("behave", []any{clientStep(d, false)})
	}
	return []any{name, a}
}

func publishMeta(d *draws) *pysem.Dict {
	subModels := dict()
	for range 1 + d.n(3) {
		subModels.Set(pick(d, "entry", "ps_0", "ps_1", "ps_2", "dense_0", "ps_10"), pick(d, "/x/entry/1", "/x/ps/7", "/x/9"))
	}
	m := dict("shard_id", pick[any](d, 0, 1, 2), "replica_id", pick[any](d, 0, 1, -1), "model_name", pick(d, "m", "m2"), "num_ps", pick[any](d, nil, 2, 4),
		"total_publish_num", pick(d, 1, 2), "ptype", pick(d, "LOAD", "UNLOAD"), "is_spec", d.flip(4), "sub_models", subModels)
	return m
}

func replicaMeta(d *draws) *pysem.Dict {
	return dict("address", pick(d, "10.1.2.3:1", "h:1", "10.1.2.3:9"), "stat", pick(d, 30, 0, 20), "model_name", pick(d, "m", "m2"),
		"server_type", pick(d, "ps", "entry"), "task", pick(d, 0, 1, 12), "replica", pick(d, 0, 1, 3))
}

func genMirrorSequence(d *draws, c *testee.Case) {
	if d.flip(2) {
		c.Env.Set("REPLICA_ID", pick(d, "0", "1", "x", ""))
	}
	mirror := dict("bzid", "b")
	if d.flip(2) {
		mirror.Set("tce_shard_id", pick(d, 0, 1, -1))
	}
	if d.flip(2) {
		mirror.Set("num_tce_shard", pick(d, 1, 2, 3))
	}
	if d.flip(4) {
		mirror.Set("deploy_type", pick(d, "entry", "mixed", "ps"))
	}
	steps := []any{[]any{"mirror.start", dict()}}
	if d.flip(6) {
		steps = []any{[]any{"mirror.start", dict("is_client", true)}}
	}
	for range 1 + d.n(10) {
		steps = append(steps, mirrorStep(d))
	}
	c.In = dict("mirror", mirror, "steps", steps)
}

func mirrorPath(d *draws) string {
	return pick(d, "/b/portal/m", "/b/publish/0:0:m", "/b/publish/1:0:m", "/b/service/m/ps:0/0", "/b/service/m/entry:0/1", "/b/resource/0:0",
		"/b/portal/m2", "/b/service/m", "/b/service/m/ps:0", "/b/x", "/b")
}

func mirrorStep(d *draws) any {
	path := mirrorPath(d)
	switch d.n(20) {
	case 0:
		return stepOf("mirror.create", "path", path, "value", someBytes(d), "makepath", true, "ephemeral", d.flip(3))
	case 1:
		return stepOf("mirror.set", "path", path, "value", someBytes(d))
	case 2:
		return stepOf("mirror.get", "path", path)
	case 3:
		return stepOf("mirror.exists", "path", path)
	case 4:
		a := dict("path", path)
		if d.flip(3) {
			a.Set("recursive", d.flip(2))
		}
		return []any{"mirror.delete", a}
	case 5:
		return stepOf("mirror.get_children", "path", path)
	case 6, 7:
		return stepOf("mirror.create_model", "meta", dict("model_name", pick(d, "m", "m2"), "model_dir", "/d", "num_shard", pick(d, -1, 2)))
	case 8, 9:
		return stepOf("mirror.publish_loadding", "info", publishMeta(d))
	case 10:
		return stepOf("mirror.publish_loadding", "infos", list(d, 4, func() any { return publishMeta(d) }))
	case 11:
		return stepOf("mirror.expected_loading")
	case 12:
		return stepOf("mirror.update_service", "replicas", list(d, 4, func() any { return replicaMeta(d) }))
	case 13:
		return stepOf("mirror.report_resource", "resource", dict("address", "h:1", "shard_id", pick(d, 0, 1), "replica_id", pick(d, 0, 1), "memory", pick(d, 5, 6)))
	case 14:
		return stepOf(pick(d, "mirror.watch_portal", "mirror.watch_resource", "mirror.watch_publish", "mirror.watch_service"))
	case 15:
		return pick(d, stepOf("mirror.resources"), stepOf("mirror.local_replica_paths"), stepOf("mirror.tce_replica_id"), stepOf("mirror.is_leader"),
			stepOf("mirror.set_leader"), stepOf("mirror.get_published_path", "model_name", "m"))
	case 16:
		return pick(d, stepOf("mirror.get_all_replicas", "server_type", pick(d, "ps", "entry", "PS")),
			stepOf("mirror.get_model_replicas", "model_name", "m", "server_type", pick(d, "ps", "p", "entry")),
			stepOf("mirror.get_task_replicas", "model_name", "m", "server_type", "ps", "task", pick(d, 0, 1)),
			stepOf("mirror.get_replica", "model_name", "m", "server_type", "ps", "task", 0, "replica", pick(d, 0, 1)))
	case 17:
		return stepOf("zk.delete", "path", path)
	case 18:
		return stepOf("zk.create", "path", path, "makepath", true, "value", replicaJSON(d))
	}
	return pick(d, stepOf("env", "REPLICA_ID", pick[any](d, "0", nil, "2")), stepOf("mirror.ensure_path", "path", path), stepOf("mirror.election", "identifier", "me"))
}

func replicaJSON(d *draws) any {
	return hexBytes(pick(d, `{"address": "10.1.2.3:1", "stat": 30, "model_name": "m", "server_type": "ps", "task": 0, "replica": 0}`,
		`{"address": "h:2", "address_ipv6": "[fd00::1]:2", "stat": 30, "archon_address": "h:3", "archon_address_ipv6": "[fd00::1]:3"}`,
		`{"address": "h:4", "stat": 20}`, `{"address": "0.0.0.0:5", "address_ipv6": "[fd00::2]:5", "stat": 30}`, "", "{}", "x"))
}

func genBackendSequence(d *draws, c *testee.Case) {
	steps := []any{stepOf("start")}
	for range 1 + d.n(10) {
		steps = append(steps, backendStep(d))
	}
	c.In = dict("bzid", "gip", "steps", steps)
}

func someSavedModel(d *draws) []any {
	return []any{pick(d, "m", "n", "模"), pick(d, "ps_0", "entry", "dense_0", "ps_10")}
}

func backendStep(d *draws) any {
	container := []any{pick(d, "c", "clusterA;lf;x"), pick(d, "1", "10.0.0.1")}
	layout := pick(d, "/gip/layouts/l1", "/gip/layouts/grp/l2")
	switch d.n(16) {
	case 0, 1, 2:
		return stepOf("decl_saved_model", "saved_model", someSavedModel(d), "deploy_config",
			dict("model_base_path", pick[any](d, "/exp/m/ps_0", "/new", nil), "version_policy", pick[any](d, "latest", "all", nil)))
	case 3, 4:
		return stepOf("add_to_layout", "layout", layout, "saved_model", someSavedModel(d))
	case 5:
		return stepOf("remove_from_layout", "layout", layout, "saved_model", someSavedModel(d))
	case 6:
		a := dict("layout_path", layout, "id", pick(d, "cb1", "cb2"))
		if d.flip(5) {
			a.Set("behave", "raise")
		}
		return []any{"register_layout_callback", a}
	case 7, 8:
		return stepOf("sync_available_saved_models", "container", container, "saved_models", list(d, 3, func() any { return someSavedModel(d) }))
	case 9:
		return stepOf("report_service_info", "container", container, "service_info", fieldsOf(d, serviceFields))
	case 10:
		return stepOf("get_service_info", "container", container)
	case 11:
		return stepOf("list_saved_models", "model_name", pick(d, "m", "n", "zz", ""))
	case 12:
		return pick(d, stepOf("get_service_map"), stepOf("bzid_info"))
	case 13:
		return pick(d, stepOf("subscribe_model", "model_name", pick(d, "m", "n")), stepOf("get_sync_targets", "sub_graph", pick(d, "ps_0", "entry")))
	case 14:
		return pick(d, stepOf("lost"), stepOf("connected"), stepOf("stop"))
	}
	path := pick(d, "/gip/binding/m/ps_0:c:1", "/gip/container_service/c:1", "/gip/saved_models/m/ps_0", "/gip/layouts/l1/m:ps_0", "/gip/layouts/l1/bad")
	return pick(d, stepOf("zk.create", "path", path, "makepath", true, "value", hexBytes(pick(d, "", "{}", `{"grpc": "h:1"}`))),
		stepOf("zk.delete", "path", path), stepOf("zk.set", "path", path, "value", hexBytes(pick(d, `{"grpc": "h:2"}`, "{}", ""))))
}
