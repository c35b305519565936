// Package traincheck holds training jobs to the invariants INV-1 to INV-7 of TRN-6.5 while
// they run.
//
// Two things to use first:
//
//   - [New] makes the checker of a job, which is told of what happens: observations, variables,
//     barriers.
//   - [Checker.Look] looks at what has become of time and files, and [Checker.Broken] are the
//     invariants that broke.
//
// The checker reads and takes no time: a run is the same with it and without. What the
// reference itself breaks, and the job keeps, is told apart by runners.Broken.Known. To change
// what is held of barriers look in barriers.go; of restores and checkpoints, in files.go; of
// discovery, in discovery.go; of the two barriers that are calls, in arrivals.go.
//
// Cost: each Look goes over all processes, and reads two files.
package traincheck
