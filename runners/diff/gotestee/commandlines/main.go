package commandlines

import (
	"github.com/monosim/monosim/engine/agent/programs"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// usage replaces, in answers, the text that absl prints after wrong flags and for --help.
const usage = "<USAGE>"

func agentClientMain(c *caseworld.Call) (any, error) {
	return program(c, programs.AgentClient, nil), nil
}

func clientMain(c *caseworld.Call) (any, error) { return program(c, programs.Client, nil), nil }

// runMain runs the dispatcher with the case's command line. It lets agent_client run, and only
// records calls of other programs.
func runMain(c *caseworld.Call) (any, error) {
	var called []any
	answer := program(c, programs.Dispatcher, func(name string) bool {
		if name == programs.AgentClient {
			return false
		}
		called = append(called, name)
		return true
	})
	if called != nil {
		answer.Set("called", called)
	}
	return answer, nil
}

// program runs a program with the case's command line. Before it starts another program, it calls
// the function instead, which may take that program's place.
func program(c *caseworld.Call, name string, instead func(name string) bool) *pysem.Dict {
	called, zk := agentOf(c), zooKeepersOf(c)
	c.Env.Network, c.Env.ZooKeeper = called, zk
	ended := programs.Run(c.Env, name, c.In.Strings("argv"), programs.Options{Quirks: c.Quirks, Instead: instead})
	answer := caseworld.Object("exit", ended.Exit, "error", nil, "stdout", ended.Printed, "calls", called.calls, "zk", zk.shown())
	if ended.Usage != "" {
		answer.Set("stdout", usage)
	} else if ended.Err != nil {
		typ, message := caseworld.FailureOf(ended.Err)
		answer.Set("error", caseworld.Object("type", typ, "message", caseworld.Hide(message)))
	}
	return answer
}
