// Package agent is the port of the reference's monolith/agent_service: the
// process that runs beside every model server, registers its shards and replicas
// in ZooKeeper, watches the others, and answers discovery calls over gRPC.
//
// Two things to use first:
//
//   - [Run] reads an agent.conf and runs the agent of its version, [AgentV1] or
//     [AgentV3], in the world that an env.Env gives; [Main] is Run as a program.
//   - [Options] says which configuration it reads, which quirks it keeps, and which of
//     its parts are replaced.
//
// The agents themselves are here. What they are made of has a package for each
// Python module, or for few that belong together:
//
//	agentconfig     utils.py, constants.py: the configuration
//	datadef         data_def.py: the records kept in znodes
//	replicamanager  replica_manager.py: the discovery of v1
//	zkmirror        zk_mirror.py: the mirror of v2
//	backends        backends.py: layouts and bindings of v3
//	tfs             tfs_monitor.py, tfs_wrapper.py: the model servers
//	service         agent_service.py: the gRPC service
//	modelmanager    model_manager.py: copies of a rough sort model
//	resources       resource_utils.py: memory, load, sizes of models
//	clients         agent_controller.py, client.py, svr_client.py, tfs_client.py
//	quirks          the faults of the reference that can be repaired
//
// The port of a module begins in the file of its name. What was split off stands beside
// it and is named by the package comment; where a package has several modules, the name
// of such a file begins with that of its module, as agent_v1_process.go. Two modules
// have no such file: utils.py and constants.py are agentconfig, a file for each part, but
// for the instance files, which are clients/utils_*.go. The reference's test doubles,
// mocked_tfserving.py and mocked_zkclient.py, are profiles of the simulated servers;
// the double of the wrapper is tfs/tfstest.
//
// Behaviour cites the line of the reference that it follows. Nothing here knows whether
// time, network and disk are real. What the reference does wrong is kept unless
// package quirks says otherwise; comments name the quirk (Qn). Tests share agenttest.
package agent
