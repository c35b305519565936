package catalogue

import (
	"fmt"

	"github.com/monosim/monosim/runners/diff/testee"
)

// discoveryOps declares the operations on replica_manager.py and agent_service.py.
var discoveryOps = operations{
	"replica_manager.ReplicaWatcher.sequence": func(d *draws, c *testee.Case) object {
		return object{"config", container(d, c), "use_archon", sometimes(3), "zk_watch_address_family", oneOf("ipv4", "ipv6"),
			"steps", turns{maybe{2, do("watch_data")}, watcherSteps}}
	},
	"replica_manager.ReplicaUpdater.sequence": func(d *draws, c *testee.Case) object {
		c.Host = hostEntries(d)
		return object{"config", container(d, c), "steps", updaterSteps}
	},
	"replica_manager.ZKListener": in("states", some(6, oneOf("CONNECTED", "LOST", "SUSPENDED"))),
	"replica_manager.ReplicaManager": func(d *draws, c *testee.Case) object {
		return object{"config", container(d, c), "nodes ([path, stat]…)", distinct(5, []any{replicaPath, oneOf(30, 0, 20)})}
	},
	"replica_manager.ReplicaManager.sequence": recorded("config", "until_ms", "events?"),
	"agent_service.AgentServiceImpl.v1":       serviceV1,
	"agent_service.AgentServiceImpl.v2": func(d *draws, c *testee.Case) object {
		config := append(container(d, c), "agent_version", 2)
		return object{"config", config, "replicas", some(4, replicaMeta), "calls", several(4, rpcCall)}
	},
	"agent_service.AgentServiceImpl": func(d *draws, _ *testee.Case) object {
		kind := d.n(3)
		return object{"arg?1", given(kind == 0, anything), "args?1", given(kind == 1, some(3, anything))}
	},
	"agent_service.AgentServiceImpl.v3": serviceV3,
	"agent_service.grpc": func(d *draws, c *testee.Case) object {
		version := pick(d, 1, 2, 3)
		return append(object{"version", version}, withAddrs(serviceOf(d, c, version))...)
	},
}

// container draws the configuration of an agent that runs in a container, and sets the container's
// environment variables.
func container(d *draws, c *testee.Case) object {
	c.Env = dict("MY_HOST_IP", "10.1.2.3")
	for i := range 10 {
		name := "PORT"
		if i > 0 {
			name = fmt.Sprintf("PORT%d", i+1)
		}
		c.Env.Set(name, fmt.Sprint(1000+i+min(i, 1)))
	}
	d.vary(c.Env, "SHARD_ID", oneOf("0", "1"), "MONOLITH_HOST_SHARD_N?3", oneOf("1", "2"), "REPLICA_ID?3", oneOf("5", "0"))
	config := object{"bzid", "b", "base_name", oneOf("n", "n_entry"), "deploy_type", oneOf("mixed", "ps", "entry", "dense"), "num_ps", oneOf(2, 1, 4), "dense_alone?3", true}
	if d.flip(4) {
		config = append(config, "dc_aware", true)
		d.vary(c.Env, "TCE_INTERNAL_IDC", oneOf("lf", "LF"), "TCE_LOGICAL_CLUSTER", oneOf("def", "Def"))
	}
	return config
}

var (
	replicaTask = join("/b/service/n/", oneOf("", "", "lf:def/", "hl:def/"), oneOf("ps:0", "ps:1", "entry:0", "dense:0", "ps:12"))
	replicaPath = join(replicaTask, "/", oneOf("0", "1", "3", "007", "00000000012"))
)

// distinct draws some lists. most limits how many it draws. It drops a list whose first item equals
// the first item of an earlier list.
func distinct(most int, item any) draw {
	return func(d *draws) any {
		seen, kept := map[any]bool{}, []any{}
		for _, n := range d.items(d.length(most), item) {
			if first := n.([]any)[0]; !seen[first] {
				seen[first] = true
				kept = append(kept, n)
			}
		}
		return kept
	}
}

// located returns the arguments of a query for replicas. Some queries have a location (idc,
// cluster).
func located(arguments ...any) []any {
	return append(object{"server_type", oneOf(0, 1, 2)}, append(arguments, "idc?3", oneOf("lf", "hl", nil), "cluster?3", oneOf("def", nil))...)
}

var watcherSteps = steps(2, 10,
	do("zk.create", "path", replicaPath, "makepath", true, "value", replicaJSON).often(4),
	do("zk.set", "path", replicaPath, "value", replicaJSON), do("zk.delete", "path", oneOf(replicaPath, "/b/service/n/ps:0", "/b/service/n")),
	do("watch_data"), do("poll", "should_poll?8", either), do("drop_watches"), do("stop").often(0),
	do("get_all_replicas", located()...), do("get_replicas", located("task", oneOf(0, 1, 12))...),
	do("get_replica", located("task", oneOf(0, 1), "replica", oneOf(0, 1, 7))...), do("get_replicas_with_extra_info", located("task", 0)...),
	do("sync.get_sync_targets", "sub_graph", oneOf("ps_0", "ps_1_x", "entry_0", "ps_x")), do("conf", "replica_id?1", oneOf(0, 3), "*?1", absent{}),
)

var statusList = oneOf(nil, "stub failed", statuses, statuses, statuses, statuses, statuses, statuses)

var statuses = some(3, []any{oneOf(1, 2, 7), oneOf(30, 20, 0, 40), oneOf(0, 0, 0, 5), oneOf(nil, "oom", "")})

var updaterSteps = steps(1, 8,
	do("register").often(2), do("conf", "replica_id?1", oneOf(0, 3, 11, -1), "*?1", absent{}), do("props"),
	do("update", "name", seldom(4, oneOf("ps", "ps_", "ps_x", "psx_1", "ps_007", "ps_1_2", "ps_99999999999999999999", "entry_1", "", "x"),
		oneOf("ps_0", "ps_1", "entry", "dense_0", "ps_3")), "status", statusList).often(2),
	do("check_version", "status", statusList, "now?1", oneOf(1700000000, 1700000060), "metrics?8", either),
	do("latest_version_in_fs", "name", "ps_0").often(0),
	do("zk.delete", "path", join("/b/service/n/", oneOf("ps:0/3", "entry:0/00000000000", "ps:0"))),
	do("zk.create", "path", join("/b/service/n/", oneOf("ps:0/3", "entry:0/00000000003")), "makepath", true, "value", replicaJSON),
)

// rpcCall draws a call of a service. The request is given by its fields, as a message, or as bytes.
func rpcCall(d *draws) any {
	t := pick(d, 0, 1, 2, 7)
	switch d.n(3) {
	case 0:
		task := pick(d, 0, 1, 12)
		return []any{"GetReplicas", object{"server_type", t, "task", task, "model_name", ""}, rpcMessage("GetReplicasRequest", t, task)}
	case 1:
		return []any{"HeartBeat", object{"server_type", t}, rpcMessage("HeartBeatRequest", t, 0)}
	}
	return []any{"GetResource", object{}, rpcMessage("GetResourceRequest", 0, 0)}
}

// rpcMessage encodes a message whose field 1 is a server type and whose field 2 is a task. Both
// numbers are small.
func rpcMessage(name string, serverType, task int) object {
	var data []byte
	if serverType != 0 {
		data = append(data, 0x08, byte(serverType))
	}
	if task != 0 {
		data = append(data, 0x10, byte(task))
	}
	return object{"$pb", "monolith.serving.agent_service." + name, "hex", fmt.Sprintf("%x", data)}
}

// withAddrs makes sure that a service's template has the field addrs. Only services of version 3
// have it, and the others leave it out.
func withAddrs(service object) object {
	if len(service.only("addrs")) > 0 {
		return service
	}
	return append(service, "addrs?1", absent{})
}

// serviceOf returns the template of a service of a version. Its last field holds the calls.
func serviceOf(d *draws, c *testee.Case, version int) object {
	switch version {
	case 1:
		return serviceV1(d, c)
	case 2:
		return object{"config", append(container(d, c), "agent_version", 2), "calls", several(4, rpcCall)}
	}
	return serviceV3(d, c)
}

func serviceV1(d *draws, c *testee.Case) object {
	return object{"config", container(d, c), "watcher", object{"archon?3", true, "family?3", "ipv6"}, "nodes", distinct(5, []any{replicaPath, fieldsOf(replicaFields[:3])}),
		"impl_conf?1", either, "calls", several(4, rpcCall)}
}

func serviceV3(d *draws, c *testee.Case) object {
	container(d, c)
	d.vary(c.Env, "PORT2", oneOf("1002", "0"))
	if d.flip(3) {
		c.Host = dict("mem_available", pick(d, 7000000000, 1024, 0))
	}
	addrs := entries(3, oneOf("m:entry", "m:ps_0", "n:x", "模:a"), some(3, oneOf("a:1", "b:2", "")))
	return object{"config?1", object{"bzid", "b", "base_name", "n", "deploy_type", "unified", "agent_version", 3, "layout_pattern", "/b/l"},
		"addrs!6", seldom(10, nil, addrs), "calls", several(4, rpcCall)}
}
