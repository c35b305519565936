// Package hosts is the simulated machine or container. It combines the network, files and
// processes of one host, and gives each process its env.Env.
//
// Two things to use first:
//
//   - [Machine], made by [NewMachine], is the host with its Net, FS and Procs, and the faults of the
//     whole host ([Machine.Crash], [Machine.Boot], [Machine.KillAll]).
//   - [Machine.Env] returns the env.Env of one process. The caller adds model servers and ZooKeeper,
//     which are built on this package.
//
// To change:
//
//   - a process's view of its host: host.go
//   - environment variables: vars.go
//   - log lines and their receivers: logs.go
//   - the order of a crash: machine.go
//
// Unstable: any commit may change it.
package hosts
