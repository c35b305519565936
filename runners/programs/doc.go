// Package programs are the reference's command-line programs as programs of the
// operating system: engine code in real surroundings (runners/realrun/surroundings).
//
// Three things to use first:
//
//   - [Agent] is the reference's agent.py: it runs an agent in this process until that
//     ends.
//   - [Client] runs one of the others by its name, and prints what it prints.
//   - [Surroundings] are what all programs can be told of the process that they are.
//
// What the programs do is in engine/agent/programs. To change what an agent is told look
// in agent.go; how the others are shown, client.go; what of its surroundings, in
// surroundings.go; what is said of what was tried in vain, in trouble.go.
package programs
