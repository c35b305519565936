// Package programs runs the reference's command-line programs as programs of the operating system:
// engine code in real surroundings (runners/test/realrun/surroundings).
//
// Four things to use first:
//
//   - [Agent] is the reference's agent.py: it runs an agent in this process until that ends.
//   - [Trainer] is a process of a training job, as the reference's cpu_training makes it.
//   - [Client] runs one of the others by its name, and prints its output.
//   - [Surroundings] has the options that all programs share.
//
// The AgentService of an agent, which agent_client and svr_client ask, is discovery, not inference: it
// tells where models are served, and inputs of models go to the model servers.
//
// The programs themselves are in engine/agent/programs and engine/training/job. To change
//
//   - the options of an agent: agent.go
//   - the options of a process of a training job: trainer.go
//   - how the other programs' results are printed: client.go
//   - the shared options: surroundings.go
//   - what an error says about failed attempts: trouble.go
//
// Unstable: any commit may change it.
package programs
