// Package hosts is the simulated machine or container: it ties the twins of
// network, files and processes of one host together and gives each process its
// env.Env.
//
// Two things to use first:
//
//   - [Machine], made by [NewMachine]: the host with its Net, FS and Procs, and
//     the faults of the whole ([Machine.Crash], [Machine.Boot],
//     [Machine.KillAll]).
//   - [Machine.Env], what one process may touch. Models and ZooKeeper are left
//     to who builds the world, since their twins stand on this one.
//
// To change what a process learns of its host look in host.go; environment
// variables, vars.go; log lines and who keeps them, logs.go; the order of a
// crash, machine.go.
package hosts
