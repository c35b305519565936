// Package process starts, ends and measures programs that a test or a bench runs beside itself.
//
// Two things to use first:
//
//   - [DieWithParent] makes the kernel kill a program when this one dies.
//   - [Tail] keeps the end of a program's output, to show when it fails.
//
// To change
//
//   - how programs end: orphan_linux.go
//   - how their output is kept: tail.go
//   - the free ports that a program can be told to use ([FreePorts]): ports.go
//   - memory and processor time of a process, as Linux counts them in /proc ([Resident], [CPU]):
//     usage.go, cpu_linux.go
//   - the memory left for this one ([Available]): available.go
//   - which of several measurements counts ([Median]): median.go
//
// Unstable: any commit may change it.
package process
