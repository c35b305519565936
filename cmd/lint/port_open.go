package main

// portExceptions lists what is let pass for the time being: code that saves memory with
// thousands of agents, until the simulator does so by itself.
var portExceptions = []portException{
	{"engine/agent/replicamanager/...", "imports engine/env/zkbulk", untilBulk},
	{"engine/training/service_discovery_zk.go", "imports engine/env/zkbulk", untilBulk},

	{"engine/agent/replicamanager/...", "names Shared", untilDict},
	{"engine/agent/replicamanager/...", "names Names", untilDict},
	{"engine/agent/backends/...", "names Shared", untilDict},
	{"engine/training/service_discovery_zk.go", "names Shared", untilDict},
	{"engine/training/service_discovery_zk.go", "names Names", untilDict},
	{"engine/agent/agent_v3.go", "names Shared", untilDict},
	{"engine/agent/agentconfig/...", "names Shared", untilDict},
	{"engine/agent/datadef/...", "names Shared", untilDict},
	{"engine/agent/tfs/...", "names Shared", untilDict},

	{"engine/env/names.go", "imports unsafe", untilDict},
	{"engine/env/names.go", "implements", untilDict},
}

// What ends the exceptions.
const (
	untilBulk = "sim/zookeeper/node tells by itself that a turn reads all znodes below one parent"
	untilDict = "an immutable ordered map shares equal contents by itself"
)
