// Package testee holds implementations of the agent service to one another: the
// cases that they answer, the protocol in which they are asked, and the rules by
// which two answers agree.
//
// Three things to use first:
//
//   - [Testee] answers cases: [Process] is a program behind JSON lines,
//     runners/gotestee is the engine.
//   - [Compare] says how an answer differs from the one expected.
//   - [Serve] makes a program of a testee.
//
// On these stand [Verify] (vectors against a testee), [Record] (vectors from
// one) and [Differ] (two testees against each other, with invented inputs).
//
// To change how cases and answers are written look in case.go and answer.go;
// what counts as equal, compare*.go; programs that hang or die, process.go;
// invented inputs, gen_*.go; how a differing input is made small, shrink.go.
//
// # Operations beyond the catalogue
//
// The catalogue is testee.md. These go beyond it; their forms stand at the top of
// the modules of runners/python/ops that answer them:
//
//   - agent.py: agent.main.
//   - agent_service_sequence.py: agent_service.AgentService.sequence, a service over a
//     tree or addresses that steps change.
//   - agent_v1.py: agent_v1.AgentV1.sequence (what an agent starts, probes and kills,
//     and when, while its servers, their replicas and signals do as the case plans).
//   - agent_v3_sequence.py: agent_v3.AgentV3.sequence, an agent's life: what it writes
//     and serves after each step.
//   - client.py: client.ServingClient.sequence, the client's calls over a tree that steps
//     prepare.
//   - constants.py: constants.values and constants.HOST_SHARD_ENV.
//   - fake_tfserving.py: mocked_tfserving.FakeTFServing.sequence (a fake model server
//     behind gRPC whose thread turns, and whose models grow, as the case has time pass)
//     and .served (where it listens, and what it answers over the network).
//   - svr_client.py: svr_client.SvrClient.sequence, calls to an agent of version 1 or 3
//     or to none, with what is dialed and printed.
//   - tfs_client.py: tfs_client.generate_random_instance,
//     .generate_random_example_batch, .gen_random_file and
//     .get_example_batch_proto_v2. in.draws are the random numbers, so that what is
//     random in the reference is compared exactly.
//   - tfs_client_program.py: tfs_client.main (what the program sends, asks and logs
//     with its flags as in.options) and tfs_client.ProfileThread.run.
package testee

import "errors"

// Testee answers cases.
type Testee interface {
	// Hello tells who it is. An error means that it cannot be used at all.
	Hello() (Hello, error)
	// Answer answers one case. What goes wrong with the testee itself is an answer
	// of kind Broken; the next case may be better.
	Answer(c *Case) Answer
	// Close ends the testee.
	Close() error
}

// Hello is a testee's greeting.
type Hello struct {
	Name, Version string
	// Ops are the operations that it knows.
	Ops []string
}

// Knows says whether the testee has the operation.
func (h Hello) Knows(op string) bool {
	for _, known := range h.Ops {
		if known == op {
			return true
		}
	}
	return false
}

// ErrClosed is what a testee answers after Close.
var ErrClosed = errors.New("the testee is closed")
