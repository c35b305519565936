// Package machine gives a process of engine/walltime the machine that the program runs on: real
// files, variables and addresses, programs to start, forks and signals, as env.Files, env.Host and
// env.Processes.
//
// Two things to use first:
//
//   - [New] makes a [Machine] for one process, with [Machine.Files], [Machine.Host] and
//     [Machine.Processes].
//   - [Options] configures it: the environment, whether children outlive the process, and how
//     the program forks ([Fork]).
//
// # Forks
//
// A Go program cannot fork, so the child starts as a fresh copy of the program and runs silently up
// to the same fork. Until there it may read files and variables, and can start nothing. At the fork
// its main function continues with an env.Env of its own, and the code that ran so far ends. So a
// program must have no effect before it forks and must reach the same fork again, as
// env.Processes.Fork demands.
//
// # Ends
//
// On Linux, children end with the process that started them. With Options.Outlive they live on,
// like the children of a program that nobody waits for.
//
// Files are read and written in place: no other task of the process runs meanwhile, as in the
// simulation.
//
// To change:
//
//   - files: files.go
//   - names, addresses and variables: host.go
//   - how programs are found and started: start.go
//   - forks: fork.go
//   - signals and exit codes: signals.go, and system_*.go for each operating system
//
// Unstable: any commit may change it.
package machine
