// Package processes is the simulated process table of a host: its programs, its running processes, how
// they end, and who is told.
//
// Two things to use first:
//
//   - [Table], one for each host. [Table.Register] makes a program known by the base name of its file,
//     [Table.Start] runs one, and [Table.View] is the env.Processes of a running process. A forked
//     process gets its Env from the function of [Table.SetEnv].
//   - [Program] is a function that gets the new [Process]. It either runs [Process.Main] as the main
//     thread, or sets up callbacks and calls [Process.Exit] later.
//
// Exit codes are those of Python's Popen.poll: -n for a process that signal n killed. There are no
// zombies: whoever holds an ended process can read its code.
//
// To change:
//
//   - how a program is found and started: start.go
//   - exit codes and endings: process.go
//   - signals: signal.go
//   - what a process sees of its children: view.go
package processes
