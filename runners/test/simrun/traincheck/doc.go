// Package traincheck checks the invariants INV-1 to INV-8 of TRN-6.5 while a training job runs,
// and six more: health, ends, holds, resumes, once and oldest.
//
// Two things to use first:
//
//   - [New] makes the checker of a job. The runner calls its methods with what happens:
//     observations, assignments of variables, arrivals at barriers.
//   - [Checker.Look] checks what is due and the files; [Checker.Broken] lists the invariants that
//     broke.
//
// The checker takes no virtual time and draws nothing, so a run is the same with it and without.
// runners.Broken.Known names the quirk where the reference itself breaks an invariant. To change
// what is checked
//
//   - of barriers: barriers.go; of the two barriers that are calls: arrivals.go
//   - of restores and checkpoints: files.go; of what the chief saves and deletes: saves.go; of what it
//     restores: restores.go
//   - of discovery: discovery.go
//   - of the health of PS: health.go; of the end of a job: end.go
//   - of who goes on, and what failures cost: life.go
//
// Cost: each Look goes over all processes and reads two files.
//
// Unstable: any commit may change it.
package traincheck
