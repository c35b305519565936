// Package machine is the machine that a program runs on, as env.Files, env.Host and
// env.Processes of a process of engine/walltime: real files, variables and addresses,
// programs that are started, forked processes, signals.
//
// Two things to use first:
//
//   - [New] makes a [Machine], the surroundings of one process: [Machine.Files],
//     [Machine.Host], [Machine.Processes].
//   - [Options] say what the process is: its environment, whether its children outlive
//     it, and for forks how its program is begun anew ([Fork]).
//
// # Forks
//
// A program that forks is begun anew in an operating system process of its own and runs
// up to the same fork, silently: files and variables can be read meanwhile, and nothing
// can be started. There its main function goes on with an env.Env of its own, and what
// was run so far ends. So what a program does before it forks must have no effect and
// must come to the same fork again, which is what env.Processes.Fork asks for.
//
// # Ends
//
// Children end with the process that has started them, where the system can do that
// (Linux), unless Options.Outlive says that they live on, as those of a program do that
// nobody looks after.
//
// Files are read and written in place, without other tasks of the process running
// meanwhile, as in the simulation.
//
// To change:
//
//   - files: files.go
//   - names, addresses and variables: host.go
//   - how programs are found and started: start.go
//   - forks: fork.go
//   - signals and exit codes: signals.go and what is of one system in system_*.go
package machine
