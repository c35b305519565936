// Package runner runs a PS or a worker as the Rust port does: it makes itself known, finds the
// others, works, and takes its registration back (TRN-4.5).
//
// Two things to use first:
//
//   - [Run] runs a process over any [Services].
//   - [NewMemory] is a [Services] in memory, which tells its watchers what changes.
//
// What a worker does is one exchange with the PS: a look-up, a barrier, a change. To change how
// long it looks for them look in worker.go; what is cleaned up when something fails, in
// runner.go.
package runner
