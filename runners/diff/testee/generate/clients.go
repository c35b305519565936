package generate

import (
	"fmt"

	"github.com/monosim/monosim/runners/diff/testee"
)

// genClients invents for the clients, and for the variable that constants names.
var genClients = map[string]generator{
	"client.ServingClient.sequence":       genServingClient,
	"svr_client.SvrClient.sequence":       genSvrClient,
	"agent_service.AgentService.sequence": genServiceSequence,
	"constants.values":                    func(*draws, *testee.Case) {},
	"constants.HOST_SHARD_ENV": func(d *draws, c *testee.Case) {
		container(d, c)
		c.Env.Set("MONOLITH_HOST_SHARD_N", pick(d, "1", "2", "x"))
		c.Env.Set("SHARD_ID", pick(d, "0", "1", "-1", "x"))
		if d.flip(3) {
			setConfig(c, "num_shard", pick(d, 1, 2, 0))
		}
		c.In.Set("value", pick[any](d, "1", nil, "2", "0", "-1", "-3", pick(d, numerals...)))
	},
}

func genServingClient(d *draws, c *testee.Case) {
	if d.flip(4) {
		c.Env.Set("REPLICA_ID", pick(d, "0", "x"))
	}
	bzid := "b"
	if d.flip(6) {
		bzid = pick(d, "", "模", "b/c", "b/")
	}
	steps := []any{}
	if !d.flip(4) {
		// Without these most looks at a status end at once (Q69).
		for _, path := range []string{"/publish", "/service/m/ps:0"} {
			steps = append(steps, stepOf("zk.create", "path", "/"+bzid+path, "makepath", true))
		}
	}
	for range 2 + d.n(10) {
		steps = append(steps, servingStep(d))
	}
	steps = append(steps, stepOf("get_status", "model_name", servedModel(d)))
	c.In = dict("bzid", bzid, "steps", steps)
}

func servedModel(d *draws) string {
	return pick(d, "m", "m", "m", "m", "/m", "m/", "m2", "模", "a/b", "", "0:m")
}

func servingStep(d *draws) any {
	switch d.n(12) {
	case 0, 1:
		return stepOf("get_status", "model_name", servedModel(d))
	case 2, 3:
		a := dict("model_name", servedModel(d), "model_dir", pick(d, "/d", "hdfs://x/模", ""))
		if d.flip(3) {
			a.Set("ckpt", pick[any](d, "c-1", nil, ""))
		}
		if d.flip(3) {
			a.Set("num_shard", pick(d, 2, 0, -1))
		}
		if d.flip(12) {
			a.Set("model_name", nil)
		}
		return []any{"load", a}
	case 4:
		return stepOf("unload", "model_name", servedModel(d))
	case 5:
		if d.flip(8) {
			return pick(d, stepOf("zk.stop"), stepOf("zk.start"))
		}
		return stepOf("zk.delete", "path", servingPath(d))
	case 6:
		return stepOf("zk.set", "path", servingPath(d), "value", replicaOrNot(d))
	}
	return stepOf("zk.create", "path", servingPath(d), "makepath", true, "value", replicaOrNot(d))
}

func servingPath(d *draws) string {
	return "/b/" + pick(d, "publish/0:0:m", "service/m/ps:0/0", "portal/m", "service/m/ps:0/1", "service/m/entry:0/0", "portal/m", "portal/m/x", "publish",
		"service/m", "publish/1:0:m2", "publish/m", "publish/0:0:m:x", "publish/0:0:", "service/m/ps/0:1", "service/m/ps:0/x", "service/a/b/c", "service/m2/ps:0/0",
		"portal", "service")
}

func replicaOrNot(d *draws) any {
	if !d.flip(4) {
		return replicaJSON(d)
	}
	return hexBytes(pick(d, `{"stat": "odd"}`, `{"stat": null}`, `{"stat": 30.0}`, `{"stat": [1, {"a": null}]}`, "[]", "null", "7", `"x"`, "\xff", `{"stat": true, "x": 1}`))
}

func genSvrClient(d *draws, c *testee.Case) {
	serves := pick[any](d, 1, 3, nil)
	names := []string{"config", "watcher", "nodes"}
	if serves == 3 {
		names = []string{"config", "addrs"}
		genServiceV3(d, c)
	} else {
		genServiceV1(d, c)
	}
	made := c.In
	c.In = dict("serves", serves)
	for _, name := range names {
		if v, ok := made.Get(name); ok {
			c.In.Set(name, v)
		}
	}
	c.Env.Set("PORT2", pick(d, "1002", "7000"))
	if d.flip(6) {
		c.Host = dict("gethostbyname", pick[any](d, nil, "192.0.2.77"))
	}
	if d.flip(5) {
		c.Env.Set("MY_HOST_IP", pick(d, "10.9.9.9", "localhost", ""))
	}
	if d.flip(8) {
		port := pick(d, 1002, 1003)
		c.Files = dict("a.conf", fmt.Sprintf("bzid b\nbase_name n\ndeploy_type mixed\nagent_port %d\n", port))
		c.In.Set("fname", "<TMP>/a.conf")
	}
	steps := []any{}
	for range 1 + d.n(6) {
		steps = append(steps, svrStep(d, serves == 1))
	}
	c.In.Set("steps", steps)
}

func svrStep(d *draws, tree bool) any {
	t := pick[any](d, 0, 1, 2, 7, -1, pick(d, "ps", "entry", "dense", "PS", ""))
	switch d.n(10) {
	case 0, 1, 2:
		return stepOf("heart_beat", "server_type", t)
	case 3, 4, 5:
		return stepOf("get_replicas", "server_type", t, "task", pick(d, 0, 1, 12, -1, 2147483647))
	case 6:
		return stepOf("get_server_type", "st", t)
	case 7:
		if d.flip(4) {
			return stepOf("stop")
		}
		return stepOf("env", "MY_HOST_IP", pick[any](d, "10.9.9.9", nil, "", "[fd00::9]"))
	}
	if !tree {
		return stepOf("heart_beat", "server_type", t)
	}
	path := replicaPath(d)
	return pick(d, stepOf("zk.create", "path", path, "makepath", true, "value", replicaJSON(d)), stepOf("zk.delete", "path", path),
		stepOf("zk.set", "path", path, "value", replicaJSON(d)))
}

func genServiceSequence(d *draws, c *testee.Case) {
	version := pick(d, 1, 2, 3)
	switch version {
	case 1:
		genServiceV1(d, c)
	case 2:
		container(d, c)
		setConfig(c, "agent_version", 2)
	case 3:
		genServiceV3(d, c)
	}
	steps := []any{}
	for range 2 + d.n(7) {
		steps = append(steps, serviceStep(d, version))
	}
	made := c.In
	c.In = dict("version", version)
	for _, name := range []string{"config", "watcher", "nodes"} {
		if v, ok := made.Get(name); ok {
			c.In.Set(name, v)
		}
	}
	c.In.Set("steps", steps)
}

func serviceStep(d *draws, version int) any {
	t := pick(d, 0, 1, 2, 7)
	switch d.n(10) {
	case 0, 1, 2:
		return stepOf("call", "rpc", "HeartBeat", "fields", dict("server_type", t))
	case 3, 4:
		return stepOf("call", "rpc", "GetReplicas", "fields", dict("server_type", t, "task", pick(d, 0, 1, 12)))
	case 5:
		return stepOf("call", "rpc", "GetResource", "fields", dict())
	case 6:
		if d.flip(3) {
			return stepOf("stop")
		}
		return stepOf("call", "rpc", pick(d, "HeartBeat", "GetReplicas", "Other"), "bytes", someBytes(d))
	}
	if version == 3 {
		addrs := dict()
		for range d.length(3) {
			addrs.Set(pick(d, "m:entry", "m:ps_0", "n:x"), list(d, 3, func() any { return pick[any](d, "a:1", "b:2", "", nil) }))
		}
		return pick(d, stepOf("addrs", "value", addrs), stepOf("addrs", "value", addrs), stepOf("addrs", "value", nil), stepOf("addrs", "raises", pick(d, "x", "", "模 100%")))
	}
	path := replicaPath(d)
	return pick(d, stepOf("zk.create", "path", path, "makepath", true, "value", replicaJSON(d)), stepOf("zk.delete", "path", path),
		stepOf("zk.set", "path", path, "value", replicaJSON(d)))
}
