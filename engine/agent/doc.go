// Package agent is the port of the reference's monolith/agent_service: the
// process that runs beside every model server, registers its shards and replicas
// in ZooKeeper, watches the others, and answers discovery calls over gRPC.
//
// Two things to use first:
//
//   - [Run] is the entry point: it reads an agent.conf and runs the agent of its
//     version, [AgentV1] or [AgentV3], in the world that an env.Env gives.
//   - [Loader] reads and completes a configuration ([AgentConfig]) by itself.
//
// Files are named after the Python modules that they port, and behaviour cites
// their lines: config*.go and zkpath.go are utils.py, data_def.go,
// saved_model.go and backends.go their namesakes, replica_manager*.go the
// discovery of v1. Nothing here knows whether time, network and disk are real.
//
// What the reference does wrong is kept unless [Quirks] says otherwise; comments
// name the quirk (Qn). To change a behaviour, look in the file named after the
// module that has it; to make a quirk repairable, in quirks.go.
package agent
