// Package commandlines answers the cases about the programs behind their command lines:
// agent_client, client and run, and the class of svr_client.
//
// Two things to use first:
//
//   - [Ops] are the operations by name, for package gotestee.
//   - [Operation] is what answers one.
//
// The programs are in main.go, svr_client in svr_client.go; the agent that they call is in
// agent.go, the ZooKeeper in zookeeper.go.
package commandlines

import "github.com/monosim/monosim/runners/diff/gotestee/caseworld"

// Operation answers a case: a value that caseworld.Encode takes, or an error as the port
// gives it.
type Operation func(c *caseworld.Call) (any, error)

// Ops are the operations by name.
func Ops() map[string]Operation {
	return map[string]Operation{
		"agent_client.main":    agentClientMain,
		"client.main":          clientMain,
		"run.main":             runMain,
		"svr_client.SvrClient": svrClient,
	}
}
