// Package processes is the simulated process table of a host: which programs
// there are, which processes run, how they end and who is told.
//
// Two things to use first:
//
//   - [Table], one per host: [Table.Register] makes a program known by the base
//     name of its file, [Table.Start] runs one, [Table.View] is the
//     env.Processes of a running process. What that forks gets its Env from the
//     function of [Table.SetEnv].
//   - [Program], what a program is: a function that gets the fresh [Process] and
//     either runs [Process.Main] as its main thread or sets up callbacks and
//     calls [Process.Exit] one day.
//
// Exit codes are those of Python's Popen.poll: -n for a process that signal n
// killed. There are no zombies: the code stays readable for who holds the
// process.
//
// To change how a program is found and started look in start.go; exit codes and
// endings, process.go; signals, signal.go; what a process sees of its children,
// view.go.
package processes
