package catalogue

import (
	"github.com/monosim/monosim/runners/diff/testee"
)

// clientOps declares the operations on client.py, svr_client.py and constants.py, and on the
// services that clients call.
var clientOps = operations{
	"client.ServingClient.sequence": func(d *draws, c *testee.Case) object {
		d.vary(c.Env, "REPLICA_ID?4", oneOf("0", "x"))
		bzid := "b"
		if d.flip(6) {
			bzid = pick(d, "", "模", "b/c", "b/")
		}
		// If the first znodes are missing, most status queries end at once (Q69). So they are
		// usually created.
		return object{"bzid", bzid, "steps", turns{
			usually{4, turns{do("zk.create", "path", "/"+bzid+"/publish", "makepath", true), do("zk.create", "path", "/"+bzid+"/service/m/ps:0", "makepath", true)}},
			servingSteps, do("get_status", "model_name", servedModel),
		}}
	},
	"svr_client.SvrClient.sequence": func(d *draws, c *testee.Case) object {
		serves := pick[any](d, 1, 3, nil)
		service := serviceV1(d, c)
		if serves == 3 {
			service = serviceV3(d, c)
		}
		d.vary(c.Env, "PORT2", oneOf("1002", "7000"), "MY_HOST_IP?5", oneOf("10.9.9.9", "localhost", ""))
		if d.flip(6) {
			c.Host = dict("gethostbyname", pick[any](d, nil, "192.0.2.77"))
		}
		file := d.flip(8)
		if file {
			c.Files = dict("a.conf", pick(d, "bzid b\nbase_name n\ndeploy_type mixed\nagent_port 1002\n", "bzid b\nbase_name n\ndeploy_type mixed\nagent_port 1003\n"))
		}
		calls := append(treeSteps(serves == 1),
			do("heart_beat", "server_type", anyServerType).often(3),
			do("get_replicas", "server_type", anyServerType, "task", oneOf(0, 1, 12, -1, 2147483647)).often(3),
			do("get_server_type", "st", anyServerType), do("env", "MY_HOST_IP?1", oneOf("10.9.9.9", nil, "", "[fd00::9]"), "*?1", absent{}), do("stop"))
		return append(object{"serves", serves, "fname?1", given(file, "<TMP>/a.conf"), "steps", steps(1, 6, calls...)}, withAddrs(service).only("config", "watcher", "nodes", "addrs")...)
	},
	"agent_service.AgentService.sequence": func(d *draws, c *testee.Case) object {
		version := pick(d, 1, 2, 3)
		service := serviceOf(d, c, version)
		t := oneOf(0, 1, 2, 7)
		calls := append(treeSteps(version != 3),
			do("call", "rpc", "HeartBeat", "fields?1", object{"server_type", t}).often(3),
			do("call", "rpc", "GetReplicas", "fields?1", object{"server_type", t, "task", oneOf(0, 1, 12)}).often(2),
			do("call", "rpc", "GetResource", "fields?1", object{}),
			do("call", "rpc", oneOf("HeartBeat", "GetReplicas", "Other"), "bytes?1", someBytes), do("stop"))
		addrs := []step{do("addrs", "value?1", oneOf(nil, modelAddrs, modelAddrs)), do("addrs", "raises?1", oneOf("x", "", "模 100%"))}
		if version != 3 {
			addrs = []step{addrs[0].often(0), addrs[1].often(0)}
		}
		calls = append(calls, addrs...)
		return append(object{"version", version, "steps?1", steps(2, 8, calls...), "until_ms?1", absent{}, "events?1", absent{}, "answers_ms?1", absent{}, "addrs?1", absent{}},
			service.only("config", "watcher", "nodes")...)
	},
	"constants.values": in(),
	"constants.HOST_SHARD_ENV": func(d *draws, c *testee.Case) object {
		config := container(d, c)
		d.vary(c.Env, "MONOLITH_HOST_SHARD_N", oneOf("1", "2", "x"), "SHARD_ID", oneOf("0", "1", "-1", "x"))
		return object{"config", append(config, "num_shard?3", oneOf(1, 2, 0)), "value", oneOf("1", nil, "2", "0", "-1", "-3", numeral)}
	},
}

var servedModel = oneOf("m", "m", "m", "m", "/m", "m/", "m2", "模", "a/b", "", "0:m")

var servingPath = join("/b/", oneOf("publish/0:0:m", "service/m/ps:0/0", "portal/m", "service/m/ps:0/1", "service/m/entry:0/0", "portal/m", "portal/m/x", "publish",
	"service/m", "publish/1:0:m2", "publish/m", "publish/0:0:m:x", "publish/0:0:", "service/m/ps/0:1", "service/m/ps:0/x", "service/a/b/c", "service/m2/ps:0/0",
	"portal", "service"))

var servingSteps = steps(2, 11,
	do("get_status", "model_name", servedModel).often(4),
	do("load", "model_name", oneOf(servedModel, servedModel, servedModel, nil), "model_dir", oneOf("/d", "hdfs://x/模", ""), "ckpt?3", oneOf("c-1", nil, ""),
		"num_shard?3", oneOf(2, 0, -1)).often(4),
	do("unload", "model_name", servedModel).often(2), do("zk.delete", "path", servingPath).often(2),
	do("zk.stop zk.start").often(1),
	do("zk.set", "path", servingPath, "value", replicaOrNot).often(2),
	do("zk.create", "path", servingPath, "makepath", true, "value", replicaOrNot).often(10),
)

// replicaOrNot draws the JSON of a replica, and seldom other JSON or bytes.
var replicaOrNot = seldom(4, bytesOf(oneOf(`{"stat": "odd"}`, `{"stat": null}`, `{"stat": 30.0}`, `{"stat": [1, {"a": null}]}`, "[]",
	"null", "7", `"x"`, "\xff", `{"stat": true, "x": 1}`)), replicaJSON)

var anyServerType = oneOf(0, 1, 2, 7, -1, oneOf("ps", "entry", "dense", "PS", ""))

var modelAddrs = entries(3, oneOf("m:entry", "m:ps_0", "n:x"), some(3, oneOf("a:1", "b:2", "", nil)))

// treeSteps returns the steps that change the znodes of a service. Without a tree there are none.
func treeSteps(tree bool) []step {
	if !tree {
		return nil
	}
	return []step{do("zk.create", "path", replicaPath, "makepath", true, "value", replicaJSON), do("zk.delete", "path", replicaPath),
		do("zk.set", "path", replicaPath, "value", replicaJSON)}
}
