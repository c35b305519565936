// Package programs are the reference's command-line programs as programs of the
// operating system: engine code in real surroundings (runners/realrun/surroundings).
//
// Two things to use first:
//
//   - [Agent] is the reference's agent.py: it runs an agent in this process until that
//     ends.
//   - [Surroundings] are what all programs can be told of the process that they are.
//
// To change what an agent is told look in agent.go; what of its surroundings, in
// surroundings.go.
package programs
