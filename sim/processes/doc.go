// Package processes is the simulated process table of a host. It has the host's programs and its
// running processes, ends them, and notifies those who wait for their ends.
//
// Two things to use first:
//
//   - [Table], one for each host. [Table.Register] adds a program under the base name of its file,
//     [Table.Start] runs one, and [Table.View] is the env.Processes of a running process. A forked
//     process gets its Env from the function of [Table.SetEnv].
//   - [Program] is a function called with the new [Process]. It either calls [Process.Main] for the
//     main thread, or sets up callbacks and calls [Process.Exit] later.
//
// Exit codes are those of Python's Popen.poll: -n for a process killed by signal n. There are no
// zombies: the code of an ended process can be read through its Process.
//
// To change:
//
//   - how a program is found and started: start.go
//   - exit codes and endings: process.go
//   - signals: signal.go
//   - a process's view of its children: view.go
//
// Unstable: any commit may change it.
package processes
