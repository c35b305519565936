// Package agent is the port of the reference's monolith/agent_service. An agent runs beside every
// model server, registers its shards and replicas in ZooKeeper, watches the others, and answers
// over gRPC where models are served. That AgentService is discovery, not inference.
//
// Two things to use first:
//
//   - [Run] reads an agent.conf and runs the agent of its version, [AgentV1] or [AgentV3], in
//     the world of an env.Env; [Main] is Run as a program.
//   - [Options] chooses the configuration, the quirks to keep, and parts to replace.
//
// The agents themselves are here. Their parts have a package for each Python module, or for a few
// modules that belong together:
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
// The port of a module begins in the file of its name, and the package comment names the files
// beside it. In a package of several modules a further file's name begins with its module's, as
// agent_v1_process.go. Two modules have no file of their own: utils.py and constants.py are
// agentconfig, a file for each part, except for the instance files, which are clients/utils_*.go.
// The reference's test doubles mocked_tfserving.py and mocked_zkclient.py are profiles of the
// simulated servers; the double of the wrapper is tfs/tfstest.
//
// Comments cite the line of the reference that a behaviour follows. Nothing here knows whether
// time, network and disk are real. Faults of the reference are kept unless package quirks says
// otherwise; comments name the quirk (Qn). Tests share agenttest.
//
// Unstable: any commit may change it.
package agent
