// Package freshness measures how old the parameters are that serving PS serve, and how long a step
// takes from its checkpoint to a served address. It sees what a run observes, and changes nothing.
//
// Two things to use first:
//
//   - [Meter.Observe] takes each observation of a run.
//   - [Meter.Parameters] and [Meter.Versions] return what was measured.
//
// The parameters of a serving PS are as old as the newest push that it took, or as the checkpoint of
// the version that it serves where that is newer. A push that it did not get is not sent again
// (engine/training/parametersync, Q331): its updates are missing until a version is loaded that has them.
//
// To change:
//
//   - what is measured of pushes: parameters.go
//   - what is measured of exports: versions.go
//
// Cost: a round of a PS is kept as long as the run lasts; a version that is loaded looks at those
// since its checkpoint.
//
// Unstable: any commit may change it.
package freshness
