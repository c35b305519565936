// Package commandlines answers the cases about the programs behind their command lines:
// agent_client, client and run, and the class of svr_client.
//
// Two things to use first:
//
//   - [Ops] are the operations by name, for package gotestee.
//   - caseworld.Table says what Go functions they are.
//
// The programs are in main.go, svr_client in svr_client.go; the agent that they call is in
// agent.go, the ZooKeeper in zookeeper.go.
//
// Unstable: any commit may change it.
package commandlines

import "github.com/monosim/monosim/runners/diff/gotestee/caseworld"

// Ops returns the operations on whole programs, by name.
func Ops() caseworld.Table {
	return caseworld.Table{
		"agent_client.main":    agentClientMain,
		"client.main":          clientMain,
		"run.main":             runMain,
		"svr_client.SvrClient": svrClient,
	}
}
