// Package programs are the reference's command-line programs as programs of the
// operating system: engine code in real surroundings (runners/test/realrun/surroundings).
//
// Four things to use first:
//
//   - [Agent] is the reference's agent.py: it runs an agent in this process until that
//     ends.
//   - [Trainer] is a process of a training job, as the reference's cpu_training makes it.
//   - [Client] runs one of the others by its name, and prints what it prints.
//   - [Surroundings] are what all programs can be told of the process that they are.
//
// What the programs do is in engine/agent/programs and engine/training/job. To change what an
// agent is told look in agent.go, what a process of a training job is, trainer.go; how the
// others are shown, client.go; what of its surroundings, in surroundings.go; what is said of
// what was tried in vain, in trouble.go.
package programs
