// Package process is for programs that a test or a bench starts beside itself.
//
// Two things to use first:
//
//   - [DieWithParent] lets none outlive whoever started it.
//   - [Tail] keeps the end of what one says, to show when it fails.
//
// [FreePorts] are ports that one can be told to take. [Resident] and [CPU] are the memory
// and the time that a process takes, as the kernel counts them in /proc, which Linux
// alone has; [Available] is what memory there is for this one; [Median] is what counts of several measurements.
//
// Starting and ending is in orphan_linux.go and tail.go, measuring in usage.go,
// available.go and median.go.
package process
