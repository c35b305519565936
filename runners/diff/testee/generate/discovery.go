package generate

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genDiscovery invents for sections 9 and 11 of the protocol.
var genDiscovery = map[string]generator{
	"replica_manager.ReplicaWatcher.sequence": genWatcher,
	"replica_manager.ReplicaUpdater.sequence": genUpdater,
	"replica_manager.ZKListener": func(d *draws, c *testee.Case) {
		c.In = dict("states", list(d, 6, func() any { return pick(d, "CONNECTED", "LOST", "SUSPENDED") }))
	},
	"replica_manager.ReplicaManager": func(d *draws, c *testee.Case) {
		container(d, c)
		nodes := []any{}
		for range d.length(5) {
			nodes = append(nodes, []any{replicaPath(d), pick(d, 30, 0, 20)})
		}
		config, _ := c.In.Get("config")
		c.In = dict("config", config, "nodes", distinct(nodes))
	},
	"agent_service.AgentServiceImpl.v1": genServiceV1,
	"agent_service.AgentServiceImpl.v2": func(d *draws, c *testee.Case) {
		container(d, c)
		setConfig(c, "agent_version", 2)
		c.In.Set("replicas", list(d, 4, func() any { return replicaMeta(d) }))
		c.In.Set("calls", rpcCalls(d))
	},
	"agent_service.AgentServiceImpl": func(d *draws, c *testee.Case) {
		switch d.n(3) {
		case 0:
			c.In.Set("arg", anything(d))
		case 1:
			c.In.Set("args", list(d, 3, func() any { return anything(d) }))
		}
	},
	"agent_service.AgentServiceImpl.v3": genServiceV3,
	"agent_service.grpc": func(d *draws, c *testee.Case) {
		version := pick(d, 1, 2, 3)
		switch version {
		case 1:
			genServiceV1(d, c)
		case 2:
			container(d, c)
			setConfig(c, "agent_version", 2)
			c.In.Set("calls", rpcCalls(d))
		case 3:
			genServiceV3(d, c)
		}
		c.In.Set("version", version)
	},
}

// container is a config of a container in a plain environment.
func container(d *draws, c *testee.Case) {
	c.Env = dict("MY_HOST_IP", "10.1.2.3", "SHARD_ID", pick(d, "0", "1"))
	for i := range 10 {
		name := "PORT"
		if i > 0 {
			name = fmt.Sprintf("PORT%d", i+1)
		}
		c.Env.Set(name, fmt.Sprint(1000+i+min(i, 1)))
	}
	if d.flip(3) {
		c.Env.Set("MONOLITH_HOST_SHARD_N", pick(d, "1", "2"))
	}
	if d.flip(3) {
		c.Env.Set("REPLICA_ID", pick(d, "5", "0"))
	}
	config := dict("bzid", "b", "base_name", pick(d, "n", "n_entry"), "deploy_type", pick(d, "mixed", "ps", "entry", "dense"), "num_ps", pick(d, 2, 1, 4))
	if d.flip(3) {
		config.Set("dense_alone", true)
	}
	if d.flip(4) {
		config.Set("dc_aware", true)
		c.Env.Set("TCE_INTERNAL_IDC", pick(d, "lf", "LF"))
		c.Env.Set("TCE_LOGICAL_CLUSTER", pick(d, "def", "Def"))
	}
	c.In = dict("config", config)
}

func setConfig(c *testee.Case, name string, value any) {
	config, _ := c.In.Get("config")
	config.(*pysem.Dict).Set(name, value)
}

func replicaPath(d *draws) string {
	return "/b/service/n/" + pick(d, "", "", "lf:def/", "hl:def/") + pick(d, "ps:0", "ps:1", "entry:0", "dense:0", "ps:12") + "/" + pick(d, "0", "1", "3", "007", "00000000012")
}

// distinct drops nodes whose path came before.
func distinct(nodes []any) []any {
	seen := map[string]bool{}
	list := []any{}
	for _, n := range nodes {
		path := n.([]any)[0].(string)
		if !seen[path] {
			list = append(list, n)
		}
		seen[path] = true
	}
	return list
}

func genWatcher(d *draws, c *testee.Case) {
	container(d, c)
	steps := []any{}
	for range 2 + d.n(9) {
		steps = append(steps, watcherStep(d))
	}
	if d.flip(2) {
		steps = append([]any{stepOf("watch_data")}, steps...)
	}
	c.In.Set("use_archon", d.flip(3))
	c.In.Set("zk_watch_address_family", pick(d, "ipv4", "ipv6"))
	c.In.Set("steps", steps)
}

func location(d *draws, a *pysem.Dict) *pysem.Dict {
	if d.flip(3) {
		a.Set("idc", pick[any](d, "lf", "hl", nil))
		a.Set("cluster", pick[any](d, "def", nil))
	}
	return a
}

func watcherStep(d *draws) any {
	path := replicaPath(d)
	t := pick(d, 0, 1, 2)
	switch d.n(14) {
	case 0, 1, 2, 3:
		return stepOf("zk.create", "path", path, "makepath", true, "value", replicaJSON(d))
	case 4:
		return stepOf("zk.set", "path", path, "value", replicaJSON(d))
	case 5:
		return stepOf("zk.delete", "path", pick(d, path, "/b/service/n/ps:0", "/b/service/n"))
	case 6:
		return stepOf("watch_data")
	case 7:
		return stepOf("poll")
	case 8:
		return stepOf("drop_watches")
	case 9:
		return []any{"get_all_replicas", location(d, dict("server_type", t))}
	case 10:
		return []any{"get_replicas", location(d, dict("server_type", t, "task", pick(d, 0, 1, 12)))}
	case 11:
		return []any{"get_replica", location(d, dict("server_type", t, "task", pick(d, 0, 1), "replica", pick(d, 0, 1, 7)))}
	case 12:
		return []any{"get_replicas_with_extra_info", location(d, dict("server_type", t, "task", 0))}
	}
	return pick(d, stepOf("sync.get_sync_targets", "sub_graph", pick(d, "ps_0", "ps_1_x", "entry_0", "ps_x")), stepOf("conf", "replica_id", pick(d, 0, 3)))
}

func statusList(d *draws) any {
	switch d.n(8) {
	case 6:
		return nil
	case 7:
		return "stub failed"
	}
	return list(d, 3, func() any {
		code := pick(d, 0, 0, 0, 5)
		return []any{pick(d, 1, 2, 7), pick(d, 30, 20, 0, 40), code, pick[any](d, nil, "oom", "")}
	})
}

func genUpdater(d *draws, c *testee.Case) {
	container(d, c)
	c.Host = hostEntries(d)
	steps := []any{}
	for range 1 + d.n(8) {
		name := pick(d, "ps_0", "ps_1", "entry", "dense_0", "ps_3")
		switch d.n(9) {
		case 0, 1:
			steps = append(steps, stepOf("register"))
		case 2:
			steps = append(steps, stepOf("conf", "replica_id", pick(d, 0, 3, 11, -1)))
		case 3:
			steps = append(steps, stepOf("props"))
		case 4, 5:
			if d.flip(4) {
				name = pick(d, "ps", "ps_", "ps_x", "psx_1", "ps_007", "ps_1_2", "ps_99999999999999999999", "entry_1", "", "x")
			}
			steps = append(steps, stepOf("update", "name", name, "status", statusList(d)))
		case 6:
			steps = append(steps, stepOf("check_version", "status", statusList(d), "now", pick(d, 1700000000, 1700000060)))
		case 7:
			steps = append(steps, stepOf("zk.delete", "path", "/b/service/n/"+pick(d, "ps:0/3", "entry:0/00000000000", "ps:0")))
		case 8:
			steps = append(steps, stepOf("zk.create", "path", "/b/service/n/"+pick(d, "ps:0/3", "entry:0/00000000003"), "makepath", true, "value", replicaJSON(d)))
		}
	}
	c.In.Set("steps", steps)
}

// rpcCalls are some calls; the message is what the fields make.
func rpcCalls(d *draws) []any {
	calls := []any{}
	for range 1 + d.n(4) {
		t := pick(d, 0, 1, 2, 7)
		switch d.n(3) {
		case 0:
			task := pick(d, 0, 1, 12)
			calls = append(calls, []any{"GetReplicas", dict("server_type", t, "task", task, "model_name", ""), rpcMessage("GetReplicasRequest", t, task)})
		case 1:
			calls = append(calls, []any{"HeartBeat", dict("server_type", t), rpcMessage("HeartBeatRequest", t, 0)})
		case 2:
			calls = append(calls, []any{"GetResource", dict(), rpcMessage("GetResourceRequest", 0, 0)})
		}
	}
	return calls
}

// rpcMessage serialises a server type as field 1 and a task as field 2, both
// small.
func rpcMessage(name string, serverType, task int) any {
	var data []byte
	if serverType != 0 {
		data = append(data, 0x08, byte(serverType))
	}
	if task != 0 {
		data = append(data, 0x10, byte(task))
	}
	return dict("$pb", "monolith.serving.agent_service."+name, "hex", fmt.Sprintf("%x", data))
}

func genServiceV1(d *draws, c *testee.Case) {
	container(d, c)
	nodes := []any{}
	for range d.length(5) {
		nodes = append(nodes, []any{replicaPath(d), fieldsOf(d, replicaFields[:3])})
	}
	watcher := dict()
	if d.flip(3) {
		watcher.Set("archon", true)
	}
	if d.flip(3) {
		watcher.Set("family", "ipv6")
	}
	c.In.Set("impl_conf", d.flip(2))
	c.In.Set("watcher", watcher)
	c.In.Set("nodes", distinct(nodes))
	c.In.Set("calls", rpcCalls(d))
}

func genServiceV3(d *draws, c *testee.Case) {
	container(d, c)
	c.Env.Set("PORT2", pick(d, "1002", "0"))
	if d.flip(3) {
		c.Host = dict("mem_available", pick(d, 7000000000, 1024, 0))
	}
	c.In.Set("config", dict("bzid", "b", "base_name", "n", "deploy_type", "unified", "agent_version", 3, "layout_pattern", "/b/l"))
	if !d.flip(6) {
		addrs := dict()
		for range d.length(3) {
			addrs.Set(pick(d, "m:entry", "m:ps_0", "n:x", "模:a"), list(d, 3, func() any { return pick(d, "a:1", "b:2", "") }))
		}
		c.In.Set("addrs", addrs)
		if d.flip(10) {
			c.In.Set("addrs", nil)
		}
	}
	c.In.Set("calls", rpcCalls(d))
}
